// What a candle's look does not tell by itself: gaps behind the candles; flat, incomplete, corrected and history ones.
import { library } from './library.js';
import { FONT, faded, palette } from './styles.js';
import { position } from './series.js';
import { span } from './times.js';
import { text } from './text.js';

/** Gaps of the symbol, oldest first, set by the session. */
let gaps = [];

export function showGaps(list) {
  gaps = list;
}

const nothing = () => ({ name: '', calcParamsText: '', legends: [], features: [] });

function shadeGaps({ ctx, chart, bounding, xAxis }) {
  const bars = chart.getDataList();
  if (!bars.length) return true;
  const colors = palette();
  const half = chart.getBarSpace().bar / 2;
  const { from, to } = chart.getVisibleRange();
  for (const gap of gaps) {
    const end = gap.to ?? Infinity;
    // The candles around it hold its edges and are incomplete; between them there is nothing.
    const first = position(bars, gap.from + 1, (bar) => bar.timestamp) - 1;
    const last = position(bars, end, (bar) => bar.candle.close_time + 1);
    if (last < from - 1 || first > to + 1) continue;
    let left = first < 0 ? 0 : xAxis.convertToPixel(first);
    let right = last >= bars.length ? xAxis.convertToPixel(bars.length - 1) + (gap.to === null ? bounding.width : half) : xAxis.convertToPixel(last);
    if (right - left < 1) [left, right] = [left - half, left + half];
    shade(ctx, Math.max(0, left), Math.min(bounding.width, right), bounding.height, gap, colors);
  }
  return true;
}

function shade(ctx, left, right, height, gap, colors) {
  if (right <= left) return;
  // This layer is painted behind what is there: what comes first is on top.
  if (right - left > 64) {
    ctx.fillStyle = colors.amber;
    ctx.font = `10px ${FONT}`;
    ctx.textAlign = 'center';
    ctx.fillText(gap.to === null ? text('gap') : `${text('gap')} ${span(gap.to - gap.from)}`, (left + right) / 2, height - 8);
  }
  ctx.strokeStyle = faded(colors.amber, 0.45);
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  for (const x of [left, right]) {
    ctx.moveTo(Math.round(x) + 0.5, 0);
    ctx.lineTo(Math.round(x) + 0.5, height);
  }
  ctx.stroke();
  ctx.fillStyle = faded(colors.amber, gap.filled ? 0.04 : 0.1);
  ctx.fillRect(left, 0, right - left, height);
}

function markCandles({ ctx, chart, xAxis, yAxis }) {
  const { bar: space, gapBar } = chart.getBarSpace();
  if (space < 4) return true;
  const bars = chart.getDataList();
  const colors = palette();
  const isArea = chart.getStyles().candle.type === 'area';
  const { from, to } = chart.getVisibleRange();
  for (let index = from; index < to && index < bars.length; index += 1) {
    const { candle } = bars[index];
    const x = xAxis.convertToPixel(index);
    const top = yAxis.convertToPixel(candle.high);
    const bottom = yAxis.convertToPixel(candle.low);
    if (!candle.complete && !isArea && gapBar > 4) hollow(ctx, x, candle, yAxis, gapBar, colors);
    if (candle.origin === 'flat') dot(ctx, x, bottom + 7, colors.level);
    if (candle.origin === 'history') square(ctx, x, bottom + 7, colors.accent);
    if (candle.revision > 0) diamond(ctx, x, top - 8, colors.amber);
  }
  return true;
}

/** An incomplete candle is an outline. */
function hollow(ctx, x, candle, yAxis, width, colors) {
  const [a, b] = [yAxis.convertToPixel(candle.open), yAxis.convertToPixel(candle.close)];
  const height = Math.abs(a - b);
  if (height < 3) return;
  ctx.fillStyle = colors.back;
  // The library makes bodies of an odd width.
  ctx.fillRect(x - Math.floor(width / 2) + 1, Math.min(a, b) + 1, width - 2 + (width % 2 ? 0 : 1), height - 2);
}

function dot(ctx, x, y, color) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(x, y, 1.5, 0, Math.PI * 2);
  ctx.fill();
}

function square(ctx, x, y, color) {
  ctx.fillStyle = color;
  ctx.fillRect(x - 2, y - 2, 4, 4);
}

function diamond(ctx, x, y, color) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(x, y - 3.5);
  ctx.lineTo(x + 3.5, y);
  ctx.lineTo(x, y + 3.5);
  ctx.lineTo(x - 3.5, y);
  ctx.fill();
}

const layer = { calcParams: [], figures: [], calc: () => [], createTooltipDataSource: nothing };

export function registerMarks() {
  library.registerIndicator({ ...layer, name: 'GAPS', zLevel: -1, draw: shadeGaps });
  library.registerIndicator({ ...layer, name: 'MARKS', zLevel: 0, draw: markCandles });
}
