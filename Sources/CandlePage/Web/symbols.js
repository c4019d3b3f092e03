// Which symbols there are, and how one is chosen: a list, and a search for long lists.
import { get } from './api.js';
import { make, text } from './text.js';

const MOST = 200;
const order = new Intl.Collator('en', { numeric: true });

export class Symbols {
  #select = document.querySelector('#symbol');
  #dialog = document.querySelector('#search');
  #query = document.querySelector('#query');
  #found = document.querySelector('#found');
  #choose;
  #active = 0;
  names = [];
  #dormant = new Set();

  constructor(choose) {
    this.#choose = choose;
    this.#select.addEventListener('change', () => choose(this.#select.value));
    document.querySelector('#find').addEventListener('click', () => this.search());
    this.#query.addEventListener('input', () => this.#list());
    this.#query.addEventListener('keydown', (event) => this.#key(event));
    this.#dialog.querySelector('form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#take(this.#found.children[this.#active]);
    });
    this.#found.addEventListener('click', (event) => this.#take(event.target.closest('[data-symbol]')));
    this.#dialog.addEventListener('click', (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
  }

  /** Asks the daemon for its symbols. */
  async refresh() {
    const { symbols } = await get('/v1/symbols');
    this.#dormant = new Set(symbols.filter((one) => one.dormant).map((one) => one.symbol));
    const names = symbols.map((one) => one.symbol).sort(order.compare);
    if (names.join('\n') === this.names.join('\n')) return;
    this.names = names;
    const chosen = this.#select.value;
    this.#select.replaceChildren(...names.map((name) => make('option', { value: name, 'data-value': name }, name)));
    if (chosen && names.includes(chosen)) this.#select.value = chosen;
  }

  set chosen(name) {
    if (!this.names.includes(name)) this.#select.append(make('option', { value: name, 'data-value': name }, name));
    this.#select.value = name;
  }

  search() {
    this.refresh().then(() => this.#list()).catch(() => {});
    this.#query.value = '';
    this.#query.setAttribute('placeholder', text('search'));
    this.#list();
    this.#dialog.showModal();
  }

  /** Best first: those that begin with what was typed, then those that contain it, then those that have its letters in order. */
  #ranked() {
    const wanted = this.#query.value.trim().toUpperCase();
    const letters = new RegExp([...wanted].map((letter) => letter.replace(/[^A-Z0-9]/g, '\\$&')).join('.*'));
    const rank = (name) => {
      const upper = name.toUpperCase();
      if (upper.startsWith(wanted)) return 0;
      if (upper.includes(wanted)) return 1;
      return letters.test(upper) ? 2 : 3;
    };
    return this.names.map((name) => [rank(name), name]).filter(([order]) => order < 3).sort((a, b) => a[0] - b[0]).map(([, name]) => name);
  }

  #list() {
    const names = this.#ranked().slice(0, MOST);
    this.#active = Math.max(0, this.#query.value ? 0 : names.indexOf(this.#select.value));
    this.#found.replaceChildren(
      ...names.map((name, index) =>
        make('li', { role: 'option', id: `found-${index}`, 'data-symbol': name, class: this.#dormant.has(name) ? 'dormant' : '' }, name)));
    if (!names.length) this.#found.append(make('li', { class: 'nothing' }, text('nothing')));
    this.#mark();
  }

  #mark() {
    [...this.#found.children].forEach((item, index) => item.setAttribute('aria-selected', String(index === this.#active)));
    this.#query.setAttribute('aria-activedescendant', `found-${this.#active}`);
    this.#found.children[this.#active]?.scrollIntoView({ block: 'nearest' });
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.#active = Math.min(this.#found.children.length - 1, Math.max(0, this.#active + step));
    this.#mark();
  }

  #take(item) {
    if (!item?.dataset.symbol) return;
    this.#dialog.close();
    this.#choose(item.dataset.symbol);
  }
}
