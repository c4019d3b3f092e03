// Lines and texts that a reader draws: KLineChart's tools, kept for each symbol in this browser.
import { read, write } from './settings.js';
import { make, text } from './text.js';

const TOOLS = [
  'segment', 'rayLine', 'straightLine', 'horizontalStraightLine', 'verticalStraightLine', 'priceLine', 'parallelStraightLine',
  'priceChannelLine', 'fibonacciLine', 'simpleAnnotation',
];
const GROUP = 'drawings';
const SVG = 'http://www.w3.org/2000/svg';

export class Drawings {
  #chart;
  #bar;
  #symbol = null;
  #progress = null;
  #chosen = null;
  #isLoading = false;

  constructor(chart, bar) {
    this.#chart = chart.library;
    this.#bar = bar;
    this.#build();
  }

  #build() {
    const icon = (name) => {
      const svg = document.createElementNS(SVG, 'svg');
      const use = document.createElementNS(SVG, 'use');
      use.setAttribute('href', `#i-${name}`);
      svg.append(use);
      return svg;
    };
    const button = (name, label, click) =>
      make('button', { type: 'button', class: 'icon', 'data-tool': name, 'data-label': label, 'aria-pressed': 'false', click }, icon(name));
    this.#bar.replaceChildren(
      ...TOOLS.map((name) => button(name, name, () => this.#begin(name))), button('bin', 'clear', () => this.clear()));
  }

  get #key() {
    return `candled.drawings.${this.#symbol}`;
  }

  /** Shows the drawings of a symbol instead of those of another. */
  show(symbol) {
    if (symbol === this.#symbol) return;
    this.cancel();
    this.#isLoading = true;
    this.#chart.removeOverlay({ groupId: GROUP });
    this.#symbol = symbol;
    for (const { name, points, note } of read(this.#key) ?? []) {
      if (TOOLS.includes(name)) this.#create(name, { points, extendData: note });
    }
    this.#isLoading = false;
  }

  #create(name, more = {}) {
    const changed = () => this.#save();
    return this.#chart.createOverlay({
      name, groupId: GROUP, mode: 'weak_magnet', ...more,
      onDrawEnd: () => {
        this.#ended();
        changed();
      },
      onPressedMoveEnd: changed,
      onRemoved: () => setTimeout(changed),
      onSelected: ({ overlay }) => {
        this.#chosen = overlay.id;
      },
      onDeselected: () => {
        this.#chosen = null;
      },
    });
  }

  async #begin(name) {
    const again = this.#progress?.name === name;
    this.cancel();
    if (again) return;
    const extendData = name === 'simpleAnnotation' ? await askNote() : undefined;
    if (extendData === null) return;
    this.#progress = { name, id: this.#create(name, { extendData }) };
    this.#press(name);
  }

  #press(name) {
    for (const button of this.#bar.children) button.setAttribute('aria-pressed', String(button.dataset.tool === name));
  }

  #ended() {
    this.#progress = null;
    this.#press(null);
  }

  /** Gives up a drawing that is not finished. */
  cancel() {
    if (!this.#progress) return false;
    const { id } = this.#progress;
    this.#ended();
    this.#chart.removeOverlay({ id });
    return true;
  }

  removeChosen() {
    if (this.#chosen === null) return false;
    this.#chart.removeOverlay({ id: this.#chosen });
    this.#chosen = null;
    this.#save();
    return true;
  }

  clear() {
    if (this.cancel() || this.removeChosen()) return;
    if (!this.list().length || !confirm(text('clearAll', { symbol: this.#symbol }))) return;
    this.#chart.removeOverlay({ groupId: GROUP });
    this.#save();
  }

  list() {
    return this.#chart.getOverlays({ groupId: GROUP }).filter((overlay) => !overlay.isDrawing());
  }

  #save() {
    if (this.#isLoading || this.#symbol === null) return;
    const kept = this.list().map(({ name, points, extendData }) => ({
      name, points: points.map(({ timestamp, value }) => ({ timestamp, value })), note: extendData ?? undefined,
    }));
    write(this.#key, kept.length ? kept : null);
  }
}

/** The words of a text drawing; null if the reader thought better of it. */
function askNote() {
  const dialog = document.querySelector('#note');
  const field = dialog.querySelector('input');
  field.value = '';
  dialog.showModal();
  return new Promise((resolve) => {
    let said = null;
    dialog.querySelector('form').onsubmit = (event) => {
      event.preventDefault();
      said = field.value.trim() || null;
      dialog.close();
    };
    dialog.onclose = () => resolve(said);
  });
}
