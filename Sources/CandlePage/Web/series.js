// The candles of one series as the page knows them, oldest first.

/** Position of the first element whose `time` is not below `time`. */
export function position(list, time, of) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const opening = (candle) => candle.open_time;

export class Series {
  candles = [];
  #changed = new Set();

  constructor(symbol, timeframe, candles = []) {
    this.symbol = symbol;
    this.timeframe = timeframe;
    this.candles = candles;
  }

  get newest() {
    return this.candles.at(-1) ?? null;
  }

  get oldest() {
    return this.candles[0] ?? null;
  }

  at(time) {
    const found = this.candles[position(this.candles, time, opening)];
    return found?.open_time === time ? found : null;
  }

  before(time) {
    return this.candles[position(this.candles, time, opening) - 1] ?? null;
  }

  /** Takes a candle in. What is older than what is held, or older than everything loaded, is left out. */
  apply(candle) {
    const at = position(this.candles, candle.open_time, opening);
    const held = this.candles[at];
    if (held?.open_time === candle.open_time) {
      if (isOlder(candle, held)) return;
      this.candles[at] = candle;
    } else if (at === this.candles.length) {
      // A close comes before all messages of the next candle: what still forms here was given up.
      while (this.newest?.state === 'forming') this.drop(this.newest.open_time);
      this.candles.push(candle);
    } else if (at === 0) {
      return;
    } else {
      this.candles.splice(at, 0, candle);
    }
    this.#changed.add(candle.open_time);
  }

  drop(time) {
    const at = position(this.candles, time, opening);
    if (this.candles[at]?.open_time !== time) return;
    this.candles.splice(at, 1);
    this.#changed.add(time);
  }

  /** Older candles, found at the left edge. */
  prepend(older) {
    const first = this.oldest?.open_time ?? Infinity;
    const fresh = older.filter((candle) => candle.open_time < first);
    this.candles.unshift(...fresh);
    return fresh;
  }

  /** Open times of what was taken in, replaced or dropped since the last call, in order. */
  takeChanges() {
    const times = [...this.#changed].sort((a, b) => a - b);
    this.#changed.clear();
    return times;
  }
}

function isOlder(candle, held) {
  if (candle.state === 'forming') return held.state !== 'forming';
  return held.state !== 'forming' && candle.version < held.version;
}

const MOST_DIGITS = 12;

/** Digits after the point that a number has, at most 12. */
function digits(number) {
  if (Number.isInteger(number)) return 0;
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(number)) ?? [];
  return Math.min(MOST_DIGITS, Math.max(0, fraction.length - Number(exponent)));
}

/** A number with all its digits, and at least so many after the point. */
export function exact(number, least) {
  return number.toFixed(Math.max(least, digits(number)));
}

/** How many digits after the point a label needs at most for numbers of a size: seven that count, two at least. */
export function enough(number) {
  return Math.min(MOST_DIGITS, Math.max(2, 7 - Math.ceil(Math.log10(Math.abs(number) || 1))));
}

/** How many digits after the point are usual: one odd trade among thousands does not lengthen all labels. */
export class Digits {
  #counts = new Array(MOST_DIGITS + 1).fill(0);

  add(number) {
    this.#counts[digits(number)] += 1;
  }

  /** As many as nine of ten numbers get by with. */
  get usual() {
    const all = this.#counts.reduce((sum, count) => sum + count, 0);
    let covered = 0;
    return Math.max(0, this.#counts.findIndex((count) => (covered += count) >= all * 0.9));
  }
}
