// How the daemon does: the pill in the bar, and the panel behind it.
import { get } from './api.js';
import { make, text } from './text.js';
import { moment, span } from './times.js';

const EVERY = 2000;

export class Status {
  #pill = document.querySelector('#status');
  #dialog = document.querySelector('#panel');
  #body = document.querySelector('#panel-body');
  #timer = null;
  #before = null;
  #session;

  /** @param {function} session gives the session that is shown, or null */
  constructor(session) {
    this.#session = session;
    this.#pill.addEventListener('click', () => this.open());
    this.#dialog.addEventListener('close', () => clearTimeout(this.#timer));
  }

  set state(name) {
    this.#pill.dataset.state = name;
    this.#pill.querySelector('span').textContent = text(name);
    this.#pill.title = `${text('connection')}: ${text(name)}`;
  }

  get state() {
    return this.#pill.dataset.state;
  }

  open() {
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#before = null;
    this.#refresh();
  }

  async #refresh() {
    clearTimeout(this.#timer);
    try {
      const session = this.#session();
      const symbol = session?.series.symbol;
      const [status, { gaps }] = await Promise.all([get('/v1/status'), symbol ? get('/v1/gaps', { symbol }) : { gaps: [] }]);
      this.#draw(status, gaps, session);
    } catch (error) {
      this.#body.replaceChildren(make('p', { class: 'problem' }, text('failed', { why: error.message })));
    }
    if (this.#dialog.open) this.#timer = setTimeout(() => this.#refresh(), EVERY);
  }

  #rate(status) {
    const now = { at: performance.now(), ticks: status.counters.ticks };
    const before = this.#before;
    this.#before = now;
    return before ? ((now.ticks - before.ticks) * 1000 / (now.at - before.at)).toFixed(1) : '–';
  }

  #draw(status, gaps, session) {
    const now = status.server_time ?? Date.now();
    const ago = (time) => (time === null ? '–' : text('ago', { span: span(now - time) }));
    const fact = (key, value, isBad = false) =>
      make('div', { class: isBad ? 'fact bad' : 'fact' }, make('dt', {}, text(key)), make('dd', {}, String(value)));
    const count = (number) => number.toLocaleString('en');
    const { counters, database } = status;
    this.#body.replaceChildren(
      make('dl', { class: 'facts' },
        fact('connection', text(this.state), this.state !== 'live'),
        fact('ready', text(status.ready ? 'yes' : 'no'), !status.ready),
        fact('database', text(database.writable ? 'writable' : 'failing'), !database.writable),
        fact('pendingBytes', `${count(database.pending_bytes)} B`),
        fact('rate', this.#rate(status)),
        fact('ticks', count(counters.ticks)),
        fact('byTick', count(counters.settled_by_tick)),
        fact('byClock', count(counters.settled_by_clock)),
        fact('flats', count(counters.flat)),
        fact('corrections', count(counters.corrections)),
        fact('subscribers', count(status.subscribers)),
        fact('lastVersion', count(status.last_version)),
        fact('loaded', count(session?.series.candles.length ?? 0)),
        fact('convention', status.convention),
        fact('clock', `${status.clock} · ${moment(now, { seconds: true })}`),
        fact('uptime', span(status.uptime_ms)),
        fact('versionName', status.version)),
      make('h3', {}, text('feeds')),
      this.#feeds(status.feeds, ago),
      make('h3', {}, text('gaps', { symbol: session?.series.symbol ?? '' })),
      this.#gaps(gaps, now));
  }

  #feeds(feeds, ago) {
    if (!feeds.length) return make('p', {}, text('noFeeds'));
    const rows = feeds.map((feed) => {
      const isUp = feed.state === 'connected';
      const row = make('tr', {},
        make('th', { scope: 'row', title: feed.url ?? '' }, feed.name, make('small', {}, (feed.symbols ?? []).join(' '))),
        make('td', { class: isUp ? 'good' : 'bad' }, feed.state),
        make('td', {}, ago(feed.last_tick)),
        make('td', {}, feed.skew_ms === null ? '–' : `${feed.skew_ms} ms`),
        make('td', {}, feed.ticks.toLocaleString('en')),
        make('td', { class: feed.refused ? 'bad' : '' }, feed.refused.toLocaleString('en')));
      if (!feed.last_error || isUp) return [row];
      return [row, make('tr', { class: 'why' }, make('td', { colspan: 6 }, feed.last_error))];
    });
    const head = ['feed', 'state', 'lag', 'skew', 'ticks', 'refusedTicks'];
    return table(head, rows.flat());
  }

  #gaps(gaps, now) {
    if (!gaps.length) return make('p', {}, text('noGaps'));
    const rows = gaps.slice(-100).reverse().map((gap) =>
      make('tr', {},
        make('td', {}, moment(gap.from, { seconds: true })),
        make('td', {}, gap.to === null ? `${span(now - gap.from)} · ${text('lasting')}` : span(gap.to - gap.from)),
        make('td', {}, gap.reason + (gap.filled ? ` · ${text('filled')}` : ''))));
    return table(['from', 'length', 'reason'], rows);
  }
}

function table(head, rows) {
  return make('div', { class: 'scroll' },
    make('table', {}, make('thead', {}, make('tr', {}, ...head.map((key) => make('th', { scope: 'col' }, text(key))))), make('tbody', {}, ...rows)));
}
