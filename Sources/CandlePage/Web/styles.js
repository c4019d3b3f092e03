// How KLineChart draws: colours of the theme, sizes, fonts.
import { isDark, rising } from './settings.js';

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif';

const THEMES = {
  dark: {
    back: '#0d1117', text: '#8d99a8', strong: '#dbe2ea', grid: '#1a212a', line: '#262f3a', cross: '#5d6b7c', label: '#2c3643',
    green: '#2bb389', red: '#ec5b6d', level: '#7f8b99', accent: '#5c9dff', amber: '#e0a63a',
    lines: ['#e8b04a', '#a98bf0', '#4f9cf9', '#e36ba9', '#3fc1c9', '#9cc35a'],
  },
  light: {
    back: '#ffffff', text: '#5d6978', strong: '#17202b', grid: '#f0f2f5', line: '#dfe4ea', cross: '#8b97a5', label: '#4a5665',
    green: '#0b8f67', red: '#d63d52', level: '#8490a0', accent: '#1f6feb', amber: '#b7791f',
    lines: ['#c98a12', '#7c56d9', '#1f6feb', '#c2367f', '#0d8f98', '#5f8a1c'],
  },
};

/** Colours of the theme in use, with `up` and `down` as the reader wants them. */
export function palette() {
  const theme = THEMES[isDark() ? 'dark' : 'light'];
  const [up, down] = rising() === 'red' ? [theme.red, theme.green] : [theme.green, theme.red];
  return { ...theme, up, down };
}

/** A `#rrggbb` colour with an opacity. */
export function faded(color, opacity) {
  const number = parseInt(color.slice(1), 16);
  return `rgba(${number >> 16}, ${(number >> 8) & 255}, ${number & 255}, ${opacity})`;
}

export function styles({ area, small }) {
  const c = palette();
  const size = small ? 10 : 11;
  const axis = {
    axisLine: { color: c.line }, tickLine: { show: false },
    tickText: { color: c.text, size, family: FONT, marginStart: 6, marginEnd: 6 },
  };
  const cross = {
    line: { color: c.cross, style: 'dashed', dashedValue: [3, 3], size: 1 },
    text: { color: '#ffffff', backgroundColor: c.label, borderColor: c.label, size, family: FONT, borderRadius: 3 },
  };
  const extreme = { color: c.text, textSize: size, textFamily: FONT };
  const last = { size, family: FONT, weight: '600', borderRadius: 0, paddingLeft: 6, paddingRight: 6, paddingTop: 3, paddingBottom: 3 };
  return {
    grid: { horizontal: { color: c.grid, style: 'solid' }, vertical: { color: c.grid, style: 'solid' } },
    candle: {
      type: area ? 'area' : 'candle_solid',
      bar: {
        upColor: c.up, upBorderColor: c.up, upWickColor: c.up, downColor: c.down, downBorderColor: c.down, downWickColor: c.down,
        noChangeColor: c.level, noChangeBorderColor: c.level, noChangeWickColor: c.level,
      },
      area: {
        lineSize: 1.5, lineColor: c.accent,
        backgroundColor: [{ offset: 0, color: faded(c.accent, 0.02) }, { offset: 1, color: faded(c.accent, 0.22) }],
        point: { color: c.accent, radius: 3, rippleColor: faded(c.accent, 0.3), rippleRadius: 7, animation: false },
      },
      priceMark: {
        high: extreme, low: extreme,
        last: {
          upColor: c.up, downColor: c.down, noChangeColor: c.level, line: { style: 'dashed', dashedValue: [2, 3], size: 1 },
          text: { ...last, color: '#ffffff' },
          extendTexts: [{
            show: true, position: 'below_price', updateInterval: 1000, style: 'fill', color: '#ffffff', ...last, weight: 'normal',
            borderStyle: 'solid', borderSize: 0, borderColor: 'transparent', borderDashedValue: [2, 2], paddingTop: 1,
          }],
        },
      },
      tooltip: { showRule: 'none', offsetLeft: 8, offsetTop: 4 },
    },
    indicator: {
      bars: [{
        style: 'fill', borderStyle: 'solid', borderSize: 1, borderDashedValue: [2, 2], upColor: faded(c.up, 0.65),
        downColor: faded(c.down, 0.65), noChangeColor: faded(c.level, 0.65),
      }],
      lines: c.lines.map((color) => ({ style: 'solid', smooth: false, size: 1.25, dashedValue: [2, 2], color })),
      lastValueMark: { show: false },
      tooltip: {
        offsetLeft: 8, offsetTop: 4,
        title: { color: c.text, size, family: FONT, marginLeft: 2, marginRight: 6, marginTop: 2, marginBottom: 2, weight: '600' },
        legend: { color: c.text, size, family: FONT, marginLeft: 0, marginRight: 10, marginTop: 2, marginBottom: 2, defaultValue: '–' },
      },
    },
    xAxis: axis,
    yAxis: axis,
    separator: { color: c.line, size: 1, activeBackgroundColor: faded(c.accent, 0.12) },
    crosshair: { horizontal: cross, vertical: cross },
    overlay: {
      line: { color: c.accent, size: 1.5 },
      point: {
        color: c.accent, borderColor: faded(c.accent, 0.35), borderSize: 1, radius: 4, activeColor: c.accent,
        activeBorderColor: faded(c.accent, 0.35), activeBorderSize: 4, activeRadius: 5,
      },
      polygon: { color: faded(c.accent, 0.2), borderColor: c.accent },
      text: { color: '#ffffff', backgroundColor: c.accent, borderColor: c.accent, size: 12, family: FONT, borderRadius: 3 },
    },
  };
}
