// Indicators as KLineChart draws them. Nothing is computed here: the values are those that the daemon put beside each candle.
import { library } from './library.js';
import { faded, palette } from './styles.js';

/** The figures of each, from the keys that the daemon computes. `ma5` reads `MA5`. */
const LINES = {
  MA: (keys) => keys.filter((key) => /^ma\d+$/.test(key)),
  EMA: (keys) => keys.filter((key) => /^ema\d+$/.test(key)),
  BOLL: (keys) => ['boll_up', 'boll_mb', 'boll_dn'].filter((key) => keys.includes(key)),
  VOL: (keys) => keys.filter((key) => /^mavol\d+$/.test(key)),
  MACD: (keys) => ['macd_dif', 'macd_dea'].filter((key) => keys.includes(key)),
  KDJ: (keys) => ['kdj_k', 'kdj_d', 'kdj_j'].filter((key) => keys.includes(key)),
  RSI: (keys) => keys.filter((key) => /^rsi\d+$/.test(key)),
  WR: (keys) => keys.filter((key) => /^wr\d+$/.test(key)),
};

export const BELOW = ['VOL', 'MACD', 'KDJ', 'RSI', 'WR'];
const ON_PRICE = ['MA', 'EMA', 'BOLL'];

/** Whether the daemon computes it; volume is always there. */
export function isThere(name, keys) {
  return name === 'VOL' || LINES[name](keys).length > 0;
}

function title(key) {
  return `${key.replace(/^mavol/, 'MA').replace(/^(boll|macd|kdj)_/, '').toUpperCase()} `;
}

const volumeBar = {
  key: 'volume', title: '', type: 'bar', baseValue: 0,
  styles: ({ data: { current }, defaultStyles: { bars } }) => {
    const change = (current?.close ?? 0) - (current?.open ?? 0);
    return { color: change > 0 ? bars[0].upColor : change < 0 ? bars[0].downColor : bars[0].noChangeColor };
  },
};

const histogram = {
  key: 'macd_hist', title: 'HIST ', type: 'bar', baseValue: 0,
  styles: ({ data: { prev, current } }) => {
    const value = current?.macd_hist ?? 0;
    const grows = Math.abs(value) >= Math.abs(prev?.macd_hist ?? 0);
    const { up, down } = palette();
    return { style: 'fill', color: faded(value >= 0 ? up : down, grows ? 0.85 : 0.5) };
  },
};

function figures(name, keys) {
  const lines = LINES[name](keys).map((key) => ({ key, title: title(key), type: 'line' }));
  if (name === 'VOL') return [volumeBar, ...lines];
  if (name === 'MACD' && keys.includes('macd_hist')) return [...lines, histogram];
  return lines;
}

/** What `createIndicator` takes. The library's own indicators of these names, which compute, are replaced. */
export function indicator(name, keys, { price, volume }) {
  const onPrice = ON_PRICE.includes(name);
  return {
    id: name, name, figures: figures(name, keys),
    precision: onPrice ? price : name === 'VOL' ? volume : name === 'MACD' ? price + 1 : 2,
    ...(name === 'VOL' ? { minValue: 0, shouldFormatBigNumber: true } : {}),
  };
}

export function registerIndicators() {
  for (const name of Object.keys(LINES)) {
    library.registerIndicator({
      name, shortName: name, calcParams: [], figures: [], series: ON_PRICE.includes(name) ? 'price' : 'normal',
      calc: (bars) => bars.map((bar) => bar.values),
    });
  }
}
