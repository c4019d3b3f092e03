// Times and timeframes. All times are Unix milliseconds.
import { settings } from './settings.js';

const UNITS = { S: ['second', 1e3], M: ['minute', 6e4], H: ['hour', 36e5], D: ['day', 864e5], W: ['week', 6048e5] };

/** `M15` as KLineChart names it. */
export function period(timeframe) {
  return { type: UNITS[timeframe[0]][0], span: Number(timeframe.slice(1)) };
}

export function interval(timeframe) {
  return UNITS[timeframe[0]][1] * Number(timeframe.slice(1));
}

/** `15m`, as traders write `M15`. */
export function short(timeframe) {
  return timeframe.slice(1) + timeframe[0].toLowerCase();
}

/** As KLineChart takes it: empty is the browser's own. */
export function zone() {
  return settings.zone === 'utc' ? 'UTC' : '';
}

const formats = new Map();

// Making one takes milliseconds.
function format(timeZone) {
  if (!formats.has(timeZone)) {
    formats.set(timeZone, new Intl.DateTimeFormat('en-GB', {
      timeZone: timeZone || undefined, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit',
      second: '2-digit', hourCycle: 'h23',
    }));
  }
  return formats.get(timeZone);
}

/** `2026-01-31 14:05`, with seconds where the timeframe or the asker wants them. */
export function moment(time, { seconds = false, date = true } = {}) {
  const parts = {};
  for (const { type, value } of format(zone()).formatToParts(time)) parts[type] = value;
  const clock = `${parts.hour}:${parts.minute}${seconds ? ':' + parts.second : ''}`;
  return date ? `${parts.year}-${parts.month}-${parts.day} ${clock}` : clock;
}

/** `1:02:03`, `04:05`: what is left until something. */
export function countdown(milliseconds) {
  const all = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = (number) => String(number).padStart(2, '0');
  const days = Math.floor(all / 86400);
  const hours = Math.floor(all / 3600) % 24;
  const rest = `${two(Math.floor(all / 60) % 60)}:${two(all % 60)}`;
  if (days) return `${days}d ${two(hours)}:${rest}`;
  return hours ? `${hours}:${rest}` : rest;
}

/** `3 s`, `12 min`, `5 h`, `2 d`: about how long. */
export function span(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}
