// One series on the screen: from the choice of symbol and timeframe until the next choice.
import { candlesBefore, candlesFrom, get, Refused } from './api.js';
import { showGaps } from './marks.js';
import { Digits, enough, Series } from './series.js';
import { Stream } from './stream.js';
import { interval } from './times.js';

const FIRST = 500;
const PAGE = 1000;
/** How long after its end a forming candle without ticks is asked after, in milliseconds. */
const OVERDUE = 5000;
/** A page that stays open for days holds so many candles at most; beyond, only the newest part stays. */
const MOST = 20_000;
const KEPT = 5000;

export class Session {
  #chart = null;
  #to;
  #stream;
  #gone = new AbortController();
  #frame = null;
  #isShown = false;
  #reloadFrom = null;
  #askedAfter = 0;
  #prices = new Digits();
  #volumes = new Digits();
  gaps = [];
  keys = [];
  /** Digits after the point that numbers are shown with at least. */
  digits = { price: 0, volume: 0 };

  /**
   * @param {Promise} chart the chart, once there is one
   * @param {object} to `state(name)`, `shown()` when the first candles are on the chart, `painted()` after each frame with
   *   news, `closed(candle)`, `refused()`, `unknown()`, `failed(error)`
   */
  constructor(symbol, timeframe, chart, to) {
    this.#to = to;
    // What comes before there is a chart waits for it; promises keep the order.
    const later = (call) => (...values) => chart.then((made) => {
      if (this.#gone.signal.aborted) return;
      this.#chart = made;
      call(...values);
    });
    this.series = new Series(symbol, timeframe);
    this.#stream = new Stream(`candle.${timeframe}.${symbol}`, FIRST, {
      state: (name) => to.state(name),
      snapshot: later((candles) => this.#snapshot(candles)),
      candle: later((kind, candle) => this.#candle(kind, candle)),
      gap: later((gap) => this.#gap(gap)),
      reload: later((from) => this.#reload(from)),
      refused: () => to.refused(),
      unknown: () => to.unknown(),
    });
    this.timer = setInterval(() => this.#lookForOverdue(), 2000);
    this.#loadGaps();
  }

  end() {
    this.#gone.abort();
    this.#stream.close();
    clearInterval(this.timer);
  }

  get #options() {
    return { signal: this.#gone.signal };
  }

  #snapshot(candles) {
    this.series = new Series(this.series.symbol, this.series.timeframe, candles);
    this.keys = Object.keys(candles.at(-1)?.indicators ?? {});
    this.#prices = new Digits();
    this.#volumes = new Digits();
    this.#measure(candles);
    this.#chart.show(this.series, this.digits, candles.length >= FIRST);
    this.#isShown = true;
    this.#to.shown();
    this.#paintSoon();
  }

  /** Whether other digits are usual with these candles. */
  #measure(candles) {
    for (const { open, high, low, close, volume: amount } of candles) {
      for (const number of [open, high, low, close]) this.#prices.add(number);
      this.#volumes.add(amount);
    }
    const price = Math.min(this.#prices.usual, enough(candles.at(-1)?.close ?? 0));
    const volume = Math.min(this.#volumes.usual, 4);
    if (price === this.digits.price && volume === this.digits.volume) return false;
    this.digits = { price, volume };
    return true;
  }

  #candle(kind, candle) {
    if (!this.#isShown) return;
    this.#take(candle);
    // A correction that reaches further back than the daemon holds indicators for comes without values; they can be read.
    if (kind !== 'forming' && this.keys.length && !Object.keys(candle.indicators ?? {}).length) this.#reload(candle.open_time);
    if (kind === 'closed') this.#to.closed(candle);
  }

  #take(candle) {
    const isFirst = !this.series.newest;
    this.series.apply(candle);
    if (!isFirst && candle.state !== 'forming' && this.#measure([candle])) this.#chart.refine(this.digits);
    if (isFirst) this.#snapshot([candle]);
    else this.#paintSoon();
  }

  // However many messages come, the chart changes once a frame. A hidden page has no frames, and takes its time.
  #paintSoon() {
    if (this.#frame !== null) return;
    const paint = () => {
      this.#frame = null;
      if (this.#gone.signal.aborted) return;
      this.#chart.update(this.series.takeChanges(), this.series);
      if (this.series.candles.length > MOST && this.#chart.isAtNewest) this.#trim();
      this.#to.painted();
    };
    this.#frame = document.hidden ? setTimeout(paint, 250) : requestAnimationFrame(paint);
  }

  /** What the chart holds. */
  get candles() {
    return this.#isShown ? this.#chart.bars.map((bar) => bar.candle) : [];
  }

  #trim() {
    this.series = new Series(this.series.symbol, this.series.timeframe, this.series.candles.slice(-KEPT));
    this.#chart.show(this.series, this.digits, true);
  }

  /** For the chart's left edge. */
  async older(time) {
    const { series } = this;
    try {
      const found = await candlesBefore(series.symbol, series.timeframe, time, PAGE, this.#options);
      if (this.#gone.signal.aborted || series !== this.series) return null;
      const candles = series.prepend(found);
      if (this.#measure(candles)) this.#chart.refine(this.digits);
      this.#paintSoon();
      return { candles, hasOlder: found.length === PAGE };
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  /** Everything from a time on is to be read again: indicators changed, or a gap was filled. */
  async #reload(from) {
    // While one runs, the next waits, from the earliest time that was named.
    const isRunning = this.#reloadFrom !== null;
    this.#reloadFrom = Math.min(this.#reloadFrom ?? Infinity, from);
    if (isRunning) return;
    let wait = 250;
    while (this.#reloadFrom !== null && !this.#gone.signal.aborted) {
      const start = this.#reloadFrom;
      try {
        const { series } = this;
        const oldest = series.oldest?.open_time ?? start;
        this.#reloadFrom = Infinity;
        for (const candle of await candlesFrom(series.symbol, series.timeframe, Math.max(start, oldest), this.#options)) {
          if (series === this.series) this.#take(candle);
        }
        if (this.#reloadFrom === Infinity) this.#reloadFrom = null;
      } catch (error) {
        this.#failed(error);
        this.#reloadFrom = Math.min(this.#reloadFrom ?? Infinity, start);
        await new Promise((done) => setTimeout(done, wait));
        wait = Math.min(wait * 2, 10_000);
      }
    }
  }

  async #loadGaps() {
    try {
      const { gaps } = await get('/v1/gaps', { symbol: this.series.symbol }, this.#options);
      // What the stream has told meanwhile is newer.
      const told = this.gaps;
      this.gaps = gaps;
      for (const gap of told) this.#keepGap(gap);
      this.#showGaps();
    } catch (error) {
      this.#failed(error);
    }
  }

  #gap(gap) {
    this.#keepGap(gap);
    this.#showGaps();
    // With its last source gone a flat candle that was forming is given up.
    const { newest } = this.series;
    if (gap.to === null && newest?.state === 'forming' && newest.origin === 'flat') this.series.drop(newest.open_time);
    this.#paintSoon();
  }

  #keepGap(gap) {
    const at = this.gaps.findIndex((one) => one.from === gap.from && one.reason === gap.reason);
    if (at < 0) this.gaps.push(gap);
    else if ((gap.version ?? 0) >= (this.gaps[at].version ?? 0)) this.gaps[at] = gap;
    this.gaps.sort((a, b) => a.from - b.from);
  }

  #showGaps() {
    showGaps(this.gaps);
    if (this.#isShown) this.#paintSoon();
  }

  /** A flat candle whose end passed without a word: the symbol went to sleep. Asks what there is. */
  async #lookForOverdue() {
    const { newest, symbol, timeframe } = this.series;
    if (newest?.state !== 'forming' || newest.origin !== 'flat' || document.hidden) return;
    const now = Date.now();
    if (now + this.#chart.offset < newest.close_time + OVERDUE || now - this.#askedAfter < 5 * OVERDUE) return;
    this.#askedAfter = now;
    try {
      const from = newest.open_time - 2 * interval(timeframe);
      const found = await candlesFrom(symbol, timeframe, from, this.#options);
      if (this.series.newest !== newest) return;
      if (!found.some((candle) => candle.open_time === newest.open_time)) this.series.drop(newest.open_time);
      for (const candle of found) this.#take(candle);
      this.#paintSoon();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error) {
    if (this.#gone.signal.aborted) return;
    if (error instanceof Refused) this.#to.refused();
    else this.#to.failed(error);
  }
}
