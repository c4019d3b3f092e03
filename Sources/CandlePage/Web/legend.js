// Numbers in words: the line above the chart, the price in the bar, the summary for those who do not see the canvas.
import { exact } from './series.js';
import { make, text } from './text.js';
import { moment } from './times.js';

function signed(number, digits) {
  const words = number.toFixed(digits);
  if (Number(words) === 0) return words.replace('-', '');
  return number > 0 ? `+${words}` : words;
}

function change(candle, before) {
  const from = before?.close ?? candle.open;
  return { difference: candle.close - from, percent: from ? ((candle.close - from) / Math.abs(from)) * 100 : 0 };
}

function direction(number) {
  return number > 0 ? 'up' : number < 0 ? 'down' : 'level';
}

export class Legend {
  #line = document.querySelector('#legend');
  #price = document.querySelector('#price');
  #summary = document.querySelector('#summary');
  #said = null;

  clear() {
    this.#line.replaceChildren();
    this.#price.textContent = '';
    document.title = 'candled';
  }

  /** The values of one candle. */
  show(candle, before, digits, seconds) {
    const { difference, percent } = change(candle, before);
    const value = (key, number, places) =>
      make('span', { class: 'value' }, make('b', {}, text(key)), make('span', { 'data-key': key }, exact(number, places)));
    const tags = [];
    const tag = (name, words) => tags.push(make('span', { class: `tag ${name}` }, words));
    if (candle.state === 'forming') tag('forming', text('forming'));
    if (candle.origin === 'flat') tag('flat', text('flat'));
    if (candle.origin === 'history') tag('history', text('history'));
    if (!candle.complete && candle.state !== 'forming') tag('incomplete', text('incomplete'));
    if (candle.revision > 0) tag('corrected', `${text('corrected')}${candle.revision > 1 ? ` ×${candle.revision}` : ''}`);
    this.#line.className = direction(candle.close - candle.open);
    this.#line.dataset.time = candle.open_time;
    this.#line.replaceChildren(
      make('time', {}, moment(candle.open_time, { seconds })),
      value('open', candle.open, digits.price), value('high', candle.high, digits.price), value('low', candle.low, digits.price),
      value('closing', candle.close, digits.price), value('vol', candle.volume, digits.volume),
      make('span', { class: `change ${direction(difference)}` }, `${signed(difference, digits.price)} (${signed(percent, 2)}%)`),
      ...tags);
  }

  showPrice(candle, digits, name) {
    const price = exact(candle.close, digits.price);
    this.#price.className = direction(candle.close - candle.open);
    if (this.#price.textContent === price) return;
    this.#price.textContent = price;
    document.title = `${price} ${name} · candled`;
  }

  /** Says a candle that has closed, once. */
  say(candle, before, digits, series, isPolite) {
    const key = `${series.symbol} ${series.timeframe} ${candle.open_time} ${candle.revision}`;
    if (key === this.#said) return;
    this.#said = key;
    // Candles of seconds would talk without end; their summary can be read, but is not said.
    this.#summary.setAttribute('aria-live', isPolite ? 'polite' : 'off');
    const { percent } = change(candle, before);
    const numbers = {};
    for (const name of ['open', 'high', 'low', 'close']) numbers[name] = exact(candle[name], digits.price);
    this.#summary.textContent = text('summary', {
      symbol: series.symbol, timeframe: series.timeframe, time: moment(candle.open_time, { date: false, seconds: !isPolite }),
      ...numbers, volume: exact(candle.volume, digits.volume),
      change: text(direction(percent), { percent: Math.abs(percent).toFixed(2) }),
    });
  }
}
