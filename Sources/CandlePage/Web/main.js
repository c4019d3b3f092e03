// The page: puts its parts together.
import { get, Refused, useToken } from './api.js';
import { Chart } from './chart.js';
import { Controls } from './controls.js';
import { Drawings } from './drawings.js';
import { isThere } from './indicators.js';
import { listen } from './keys.js';
import { Legend } from './legend.js';
import { Session } from './session.js';
import { isDark, keep, onSystemTheme, settings } from './settings.js';
import { Status } from './status.js';
import { palette } from './styles.js';
import { Symbols } from './symbols.js';
import { text, translate } from './text.js';
import { interval } from './times.js';

const element = (id) => document.querySelector(id);

let session = null;
let timeframes = [];
/** Chart and drawings; there once `chartReady` is. */
let chart = null;
let drawings = null;
/** Open time of the candle under the crosshair; null: none. */
let pointed = null;

const status = new Status(() => session);
const legend = new Legend();
const symbols = new Symbols((name) => choose({ symbol: name }));
const controls = new Controls({
  timeframe: (name) => choose({ timeframe: name }),
  indicators: () => drawIndicators(),
  look: () => relook(),
  language: () => relook(),
  missing: (name) => notice(name === 'EMA' ? text('noEMA') : text('noIndicator', { name }), 6000),
});

// The library's script comes after this module, and the document is complete when it has run. Making a chart takes a while:
// the daemon is asked first, and answers meanwhile.
const complete = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve));
const asked = Promise.withResolvers();
const chartReady = Promise.all([complete, asked.promise]).then(() => {
  chart = new Chart(element('#chart'), (time) => session?.older(time) ?? null);
  drawings = new Drawings(chart, element('#tools'));
  chart.onCrosshair((candle) => {
    pointed = candle?.open_time ?? null;
    if (session?.series.newest) showLegend();
  });
  chart.onMove(() => showNewestButton());
  translate(element('#tools'));
  return chart;
});

// MARK: Choosing

/** The series in the address, `#BTCUSDT/M5`, goes before the one that was looked at last. */
function addressed() {
  const [symbol, timeframe] = location.hash.slice(1).split('/');
  try {
    return { symbol: decodeURIComponent(symbol ?? '') || null, timeframe: timeframe ?? null };
  } catch {
    return {};
  }
}

function choose({ symbol = settings.symbol, timeframe = settings.timeframe }) {
  if (session && session.series.symbol === symbol && session.series.timeframe === timeframe) return;
  session?.end();
  session = new Session(symbol, timeframe, chartReady, {
    state: (name) => {
      status.state = name;
    },
    shown,
    painted,
    closed: (candle) => {
      const { series, digits } = session;
      if (candle.open_time >= (series.newest?.open_time ?? 0) - interval(timeframe)) {
        legend.say(candle, series.before(candle.open_time), digits, series, interval(timeframe) >= 60_000);
      }
    },
    refused: askToken,
    unknown: () => {
      session?.end();
      session = null;
      setTimeout(start, 500);
    },
    failed: (error) => notice(text('failed', { why: error.message }), 5000),
  });
  // The connection is on its way; the rest has time.
  keep({ symbol, timeframe });
  pointed = null;
  legend.clear();
  symbols.chosen = symbol;
  controls.show(timeframe);
  history.replaceState(null, '', `#${encodeURIComponent(symbol)}/${timeframe}`);
  notice(text('waiting', { symbol }));
}

function shown() {
  const { series, keys } = session;
  if (series.newest) notice(null);
  controls.allow((name) => !keys.length || isThere(name, keys));
  drawIndicators();
  drawings.show(series.symbol);
  chart.canvas.setAttribute('role', 'img');
  chart.canvas.setAttribute('aria-label', text('chart', { symbol: series.symbol, timeframe: series.timeframe }));
  const closed = series.candles.findLast((candle) => candle.state !== 'forming');
  if (closed) legend.say(closed, series.before(closed.open_time), session.digits, series, false);
}

function painted() {
  const { series, digits } = session;
  if (!series.newest) return;
  legend.showPrice(series.newest, digits, `${series.symbol} ${series.timeframe}`);
  showLegend();
  showNewestButton();
  if (!performance.getEntriesByName('candled:painted').length) {
    // The canvas is drawn in this frame or the next; a timer set there runs when that is on the screen.
    requestAnimationFrame(() => setTimeout(() => performance.mark('candled:painted')));
  }
}

function drawIndicators() {
  if (!session || !chart) return;
  const below = [...(settings.volume ? ['VOL'] : []), ...settings.sub];
  chart.setIndicators(session.keys, settings.main, below);
}

// MARK: Showing

function showLegend() {
  const { series, digits } = session;
  const candle = (pointed !== null && series.at(pointed)) || series.newest;
  if (candle) legend.show(candle, series.before(candle.open_time), digits, interval(series.timeframe) < 60_000);
}

function showNewestButton() {
  element('#newest').hidden = chart.isAtNewest;
}

let noticeTimer = null;

/** A line over the chart; without a time it stays until the next. */
function notice(words, milliseconds) {
  const line = element('#notice');
  clearTimeout(noticeTimer);
  line.hidden = !words;
  line.textContent = words ?? '';
  if (milliseconds) {
    noticeTimer = setTimeout(() => {
      line.hidden = true;
    }, milliseconds);
  }
}

/** Theme and colours of the document. */
function look() {
  const root = document.documentElement;
  root.dataset.theme = isDark() ? 'dark' : 'light';
  const { up, down } = palette();
  root.style.setProperty('--up', up);
  root.style.setProperty('--down', down);
}

function relook() {
  look();
  translate();
  status.state = status.state;
  chart?.restyle();
  controls.show();
  if (session?.series.newest) {
    showLegend();
    chart.repaint();
  }
}

// MARK: Access

function askToken() {
  status.state = 'refused';
  const dialog = element('#access');
  if (dialog.open) return;
  session?.end();
  session = null;
  element('#token').value = '';
  dialog.showModal();
}

element('#access form').addEventListener('submit', async (event) => {
  event.preventDefault();
  useToken(element('#token').value.trim());
  try {
    await get('/v1/time');
    element('#access').close();
    start();
  } catch (error) {
    element('#access-why').textContent = error instanceof Refused ? text('accessWrong') : error.message;
  }
});

// MARK: Beginning

/** Server time less the browser's, for the countdown: the middle of request and answer is when the server said it. */
async function measureClock() {
  const before = Date.now();
  const { server_time: time } = await get('/v1/time');
  if (time !== null) (await chartReady).offset = time - (before + Date.now()) / 2;
}

async function start() {
  try {
    const [state] = await Promise.all([get('/v1/status'), symbols.refresh()]);
    timeframes = state.timeframes;
    controls.setTimeframes(timeframes);
    const now = Date.now();
    if (state.server_time !== null) chartReady.then((made) => (made.offset = state.server_time - now));
    const wanted = addressed();
    const timeframe = [wanted.timeframe, settings.timeframe].find((name) => timeframes.includes(name)) ?? timeframes[0];
    const symbol = [wanted.symbol, settings.symbol].find((name) => symbols.names.includes(name)) ?? symbols.names[0];
    if (symbol) {
      choose({ symbol, timeframe });
    } else {
      notice(text('noSymbols'));
      setTimeout(start, 1000);
    }
  } catch (error) {
    if (error instanceof Refused) return askToken();
    status.state = 'offline';
    notice(text('failed', { why: error.message }));
    setTimeout(start, 2000);
  } finally {
    asked.resolve();
  }
}

element('#newest').addEventListener('click', () => chart.toNewest());
onSystemTheme(relook);
addEventListener('hashchange', () => {
  const { symbol, timeframe } = addressed();
  if (symbols.names.includes(symbol) && timeframes.includes(timeframe)) choose({ symbol, timeframe });
});

listen({
  timeframe: (index) => timeframes[index] && choose({ timeframe: timeframes[index] }),
  search: () => symbols.search(),
  status: () => status.open(),
  zoom: (factor) => chart?.zoom(factor),
  oldest: () => chart?.toOldest(),
  newest: () => chart?.toNewest(),
  scroll: (candles) => chart?.scroll(candles),
  remove: () => drawings?.removeChosen(),
  leave: () => {
    if (!chart || drawings.cancel()) return;
    pointed = null;
    chart.point(null);
    if (session?.series.newest) showLegend();
  },
  move: (step) => {
    if (!chart || !session?.series.newest) return;
    const { candles } = session.series;
    const at = pointed === null ? candles.length - 1 : candles.findIndex((candle) => candle.open_time === pointed) + step;
    const candle = candles[Math.min(candles.length - 1, Math.max(0, at))];
    pointed = candle.open_time;
    chart.point(pointed);
    showLegend();
  },
});

look();
translate();
controls.show();
status.state = 'connecting';
start();
setInterval(() => {
  if (!document.hidden && status.state === 'live') Promise.all([measureClock(), symbols.refresh()]).catch(() => {});
}, 15_000);

// All that other scripts may hold on to.
Object.defineProperty(window, 'candled', {
  enumerable: true,
  value: Object.freeze({
    get symbol() {
      return session?.series.symbol ?? null;
    },
    get timeframe() {
      return session?.series.timeframe ?? null;
    },
    /** The candles that the chart holds, oldest first, the forming one last, as `/v1/candles` has them. */
    candles: () => structuredClone(session?.candles ?? []),
  }),
});
