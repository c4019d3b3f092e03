// The canvas: KLineChart with the daemon's candles.
import { BELOW, indicator, isThere, registerIndicators } from './indicators.js';
import { takeLibrary } from './library.js';
import { registerMarks } from './marks.js';
import { position } from './series.js';
import { language, settings } from './settings.js';
import { styles } from './styles.js';
import { countdown, period, zone } from './times.js';

const opening = (bar) => bar.timestamp;

function bar(candle) {
  const { open_time: timestamp, open, high, low, close, volume, turnover } = candle;
  return {
    timestamp, open, high, low, close, volume, turnover: turnover ?? undefined, candle,
    values: { ...candle.indicators, volume, open, close },
  };
}

export class Chart {
  #chart;
  #element;
  #push = null;
  #bars = [];
  #hasOlder = false;
  #older;
  #keys = [];
  #digits = { price: 2, volume: 2 };
  /** Server time less the browser's, in milliseconds. */
  offset = 0;

  /** @param {function} older asks for candles before a time: `(time) → Promise<{candles, hasOlder} | null>` */
  constructor(element, older) {
    this.#element = element;
    this.#older = older;
    const library = takeLibrary();
    registerIndicators();
    registerMarks();
    this.#chart = library.init(element, { styles: this.#styles(), locale: this.#locale(), timezone: zone() });
    this.#chart.setThousandsSeparator({ sign: '' });
    this.#chart.setFormatter({
      formatExtendText: ({ data }) => countdown((data?.candle?.close_time ?? 0) + 1 - Date.now() - this.offset),
    });
    this.#chart.setBarSpace(this.#isSmall() ? 6 : 8);
    this.#chart.setOffsetRightDistance(this.#isSmall() ? 24 : 64);
    // The library's canvas takes part in the order of the document, not before it.
    this.canvas.tabIndex = 0;
    this.#chart.setDataLoader({
      getBars: ({ type, timestamp, callback }) => {
        if (type === 'init') callback(this.#bars, { forward: this.#hasOlder, backward: false });
        else if (type === 'forward') this.#load(timestamp, callback);
        else callback([], false);
      },
      subscribeBar: ({ callback }) => {
        this.#push = callback;
      },
      unsubscribeBar: () => {
        this.#push = null;
      },
    });
    new ResizeObserver(() => this.#chart.resize()).observe(element);
  }

  get library() {
    return this.#chart;
  }

  /** The element that takes keys. */
  get canvas() {
    return this.#element.firstElementChild;
  }

  get bars() {
    return this.#chart.getDataList();
  }

  #isSmall() {
    return this.#element.clientWidth < 600;
  }

  #styles() {
    return styles({ area: settings.style === 'area', small: this.#isSmall() });
  }

  #locale() {
    return language() === 'zh' ? 'zh-CN' : 'en-US';
  }

  /** Theme, colours, language, zone or chart style changed. */
  restyle() {
    this.#chart.setStyles(this.#styles());
    this.#chart.setLocale(this.#locale());
    this.#chart.setTimezone(zone());
  }

  /** Shows a series from its newest candle on. */
  show(series, digits, hasOlder) {
    this.#digits = digits;
    this.#hasOlder = hasOlder;
    this.#bars = series.candles.map(bar);
    this.#push = null;
    this.#chart.setSymbol({ ticker: series.symbol, pricePrecision: digits.price, volumePrecision: digits.volume });
    this.#chart.setPeriod(period(series.timeframe));
  }

  /** Numbers with more digits than before came. */
  refine(digits) {
    this.#digits = digits;
    Object.assign(this.#chart.getSymbol(), { pricePrecision: digits.price, volumePrecision: digits.volume });
    for (const { name } of this.#chart.getIndicators()) {
      if (name !== 'GAPS' && name !== 'MARKS') {
        this.#chart.overrideIndicator({ name, precision: indicator(name, this.#keys, digits).precision });
      }
    }
  }

  async #load(time, callback) {
    const push = this.#push;
    const found = await this.#older(time);
    // Another series may be shown by now; its loader is another one.
    if (this.#push !== push) return;
    if (found) callback(found.candles.map(bar), { forward: found.hasOlder, backward: false });
    else callback([], { forward: true, backward: false });
  }

  /**
   * Brings candles of the series to the screen. KLineChart takes the newest candle only, by replacing or appending; the
   * others are put into its list, which the following push of the newest one makes it draw and its indicators read.
   */
  update(times, series) {
    if (!this.#push) return;
    const bars = this.bars;
    const range = this.#chart.getVisibleRange();
    const isAway = range.realTo < bars.length;
    const fresh = [];
    // Candles that came to the right of the view would move it.
    let moved = 0;
    for (const time of times) {
      const candle = series.at(time);
      const at = position(bars, time, opening);
      const isHeld = bars[at]?.timestamp === time;
      if (!candle) {
        if (isHeld) bars.splice(at, 1);
      } else if (isHeld) {
        bars[at] = bar(candle);
      } else if (at === bars.length) {
        fresh.push(bar(candle));
      } else {
        bars.splice(at, 0, bar(candle));
        if (at >= range.to) moved += 1;
      }
    }
    const last = fresh.pop() ?? bars.at(-1);
    bars.push(...fresh);
    moved += fresh.length;
    // A candle that has begun says how late it is at least; recorded data may run faster than the clock.
    if (last) this.offset = Math.max(this.offset, last.timestamp - Date.now());
    if (last) this.#push(last);
    if (isAway && moved) this.#chart.scrollByDistance(moved * this.#chart.getBarSpace().bar);
  }

  /** Draws again what is there: gaps changed. */
  repaint() {
    const last = this.bars.at(-1);
    if (last && this.#push) this.#push(last);
  }

  /** Sets what is drawn over and below the candles, from the keys that the daemon computes. */
  setIndicators(keys, main, below) {
    const same = keys.join() === this.#keys.join();
    this.#keys = keys;
    const wanted = [main, ...below].filter((name) => name !== 'none' && isThere(name, keys));
    for (const { name } of this.#chart.getIndicators()) {
      if (name !== 'GAPS' && name !== 'MARKS' && (!same || !wanted.includes(name))) this.#chart.removeIndicator({ name });
    }
    const shown = new Set(this.#chart.getIndicators().map(({ name }) => name));
    for (const name of ['GAPS', 'MARKS']) {
      if (!shown.has(name)) this.#chart.createIndicator({ id: name, name }, true, { id: 'candle_pane' });
    }
    const count = wanted.filter((name) => BELOW.includes(name)).length;
    const height = Math.round(Math.min(110, Math.max(52, (this.#element.clientHeight * 0.5) / Math.max(1, count))));
    for (const name of wanted) {
      if (shown.has(name)) continue;
      const value = indicator(name, keys, this.#digits);
      if (BELOW.includes(name)) {
        this.#chart.createIndicator(value, false, { id: `pane-${name}`, height, minHeight: 40, order: 10 + BELOW.indexOf(name) });
      } else {
        this.#chart.createIndicator(value, true, { id: 'candle_pane' });
      }
    }
    for (const name of wanted) {
      if (BELOW.includes(name)) this.#chart.setPaneOptions({ id: `pane-${name}`, height });
    }
  }

  /** Calls with the candle under the crosshair, or null when it is gone. */
  onCrosshair(call) {
    this.#chart.subscribeAction('onCrosshairChange', ({ crosshair }) => call(crosshair?.kLineData?.candle ?? null));
    this.#element.addEventListener('mouseleave', () => call(null));
  }

  onMove(call) {
    this.#chart.subscribeAction('onVisibleRangeChange', call);
  }

  /** Whether the newest candle is in sight. */
  get isAtNewest() {
    return this.#chart.getVisibleRange().realTo >= this.bars.length;
  }

  /** Puts the crosshair on a candle and brings that into sight; null takes the crosshair away. */
  point(time) {
    if (time === null) {
      // The library has no call for it; this is what it hears when the pointer leaves.
      this.canvas.dispatchEvent(new MouseEvent('mouseleave'));
      return;
    }
    const at = position(this.bars, time, opening);
    const { from, to } = this.#chart.getVisibleRange();
    if (at <= from) this.#chart.scrollByDistance((from - at + 5) * this.#chart.getBarSpace().bar);
    else if (at >= to) this.#chart.scrollByDistance((to - at - 5) * this.#chart.getBarSpace().bar);
    const { x, y } = this.#chart.convertToPixel({ dataIndex: at, value: this.bars[at].close }, { paneId: 'candle_pane' });
    this.#chart.executeAction('onCrosshairChange', { x, y, paneId: 'candle_pane' });
  }

  scroll(candles) {
    this.#chart.scrollByDistance(candles * this.#chart.getBarSpace().bar);
  }

  zoom(factor) {
    this.#chart.zoomAtCoordinate(factor, { x: this.#element.clientWidth / 2, y: 0 });
  }

  toNewest() {
    this.#chart.scrollToRealTime();
  }

  toOldest() {
    this.#chart.scrollToDataIndex(0);
  }
}
