// The daemon's HTTP interface, and the token that may guard it.
const KEY = 'candled.token';

export class Refused extends Error {}

let token = takeToken();

// A token in the address (`#token=…`, which no server sees, or `?token=…`) is used and taken out of the address at once. It
// stays in this tab only: sessionStorage is not shared and ends with the tab.
function takeToken() {
  const address = new URL(location.href);
  const fragment = new URLSearchParams(address.hash.startsWith('#token=') ? address.hash.slice(1) : '');
  const given = fragment.get('token') ?? address.searchParams.get('token');
  if (given !== null) {
    address.searchParams.delete('token');
    fragment.delete('token');
    if (address.hash.startsWith('#token=')) address.hash = '';
    history.replaceState(null, '', address.pathname + address.search + address.hash);
    return remember(given);
  }
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(text) {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    // It then lasts until the page is loaded again.
  }
  return text;
}

export function useToken(text) {
  token = remember(text);
}

/** JSON of a path. Throws `Refused` where a token is asked for, else an error with the daemon's words. */
export async function get(path, parameters = {}, { signal } = {}) {
  const query = new URLSearchParams(parameters).toString();
  const answer = await fetch(path + (query && `?${query}`), {
    cache: 'no-store', credentials: 'omit', signal, headers: token ? { Authorization: `Bearer ${token}` } : {},
  });
  if (answer.status === 401) throw new Refused('a token is asked for');
  if (!answer.ok) {
    const said = await answer.json().catch(() => null);
    throw new Error(said?.error?.message ?? `HTTP ${answer.status}`);
  }
  return answer.json();
}

/** Candles from `from` (inclusive) on, page by page, the forming one included. */
export async function candlesFrom(symbol, timeframe, from, options) {
  const all = [];
  for (let next = from; next !== null;) {
    const page = await get('/v1/candles', { symbol, timeframe, from: next, limit: 5000, forming: 1 }, options);
    all.push(...page.candles);
    next = page.next;
  }
  return all;
}

/** The `limit` candles before `to`. */
export async function candlesBefore(symbol, timeframe, to, limit, options) {
  return (await get('/v1/candles', { symbol, timeframe, to, limit }, options)).candles;
}

export function socketAddress() {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  // A browser lets a page set no header of a WebSocket.
  return `${scheme}//${location.host}/v1/stream${token ? `?token=${encodeURIComponent(token)}` : ''}`;
}
