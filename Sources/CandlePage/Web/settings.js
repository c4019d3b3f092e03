// What the reader chose, kept in this browser. Without storage (private windows, blocked) it lasts as long as the page.
const KEY = 'candled.settings';

const standard = {
  symbol: null, timeframe: null, main: 'MA', sub: ['MACD'], volume: true, style: 'candle', colors: 'auto', theme: 'auto',
  language: 'auto', zone: 'local',
};

export function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The choice then ends with the page.
  }
}

export const settings = { ...standard, ...read(KEY) };
if (!Array.isArray(settings.sub)) settings.sub = [...standard.sub];

/** Sets some of them, and keeps all. */
export function keep(some) {
  if (Object.entries(some).every(([key, value]) => settings[key] === value)) return;
  Object.assign(settings, some);
  write(KEY, settings);
}

export function language() {
  if (settings.language !== 'auto') return settings.language;
  return (navigator.languages ?? [navigator.language]).find((one) => /^(zh|en)\b/i.test(one))?.startsWith('zh') ? 'zh' : 'en';
}

/** `green` or `red`: the colour of what rises. In Chinese markets that is red. */
export function rising() {
  if (settings.colors !== 'auto') return settings.colors;
  return language() === 'zh' ? 'red' : 'green';
}

const darkness = matchMedia('(prefers-color-scheme: dark)');

export function isDark() {
  return settings.theme === 'auto' ? darkness.matches : settings.theme === 'dark';
}

export function onSystemTheme(change) {
  darkness.addEventListener('change', change);
}
