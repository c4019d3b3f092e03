// The buttons of the bar, and the settings.
import { keep, settings } from './settings.js';
import { make, text } from './text.js';
import { short } from './times.js';

const element = (id) => document.querySelector(id);

/** A group of buttons: shows which of them are on, calls with the value of the one that was pressed. */
class Group {
  #root;

  constructor(id, press) {
    this.#root = element(id);
    this.#root.addEventListener('click', (event) => {
      const button = event.target.closest('button');
      if (button) press(button.dataset.value, button);
    });
  }

  fill(buttons) {
    this.#root.replaceChildren(...buttons);
  }

  show(values) {
    for (const button of this.#root.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(values.includes(button.dataset.value)));
    }
  }

  /** Those that the daemon has nothing for can be pressed, and say so. */
  allow(isAllowed) {
    for (const button of this.#root.querySelectorAll('button')) {
      button.setAttribute('aria-disabled', String(!isAllowed(button.dataset.value)));
    }
  }
}

export class Controls {
  #to;
  #timeframe;
  #main;
  #sub;
  #style;
  #volume = element('#volume');

  /** @param {object} to `timeframe(name)`, `indicators()`, `style()`, `look()`, `language()`, `missing(name)` */
  constructor(to) {
    this.#to = to;
    this.#timeframe = new Group('#timeframe', (value) => to.timeframe(value));
    this.#style = new Group('#style', (value) => {
      keep({ style: value });
      this.show();
      to.look();
    });
    this.#main = new Group('#main', (value, button) => {
      if (button.getAttribute('aria-disabled') === 'true') return to.missing(value);
      keep({ main: value });
      this.#indicators();
    });
    this.#sub = new Group('#sub', (value, button) => {
      if (button.getAttribute('aria-disabled') === 'true') return to.missing(value);
      const { sub } = settings;
      keep({ sub: value === 'none' ? [] : sub.includes(value) ? sub.filter((one) => one !== value) : [...sub, value] });
      this.#indicators();
    });
    this.#volume.addEventListener('click', () => {
      keep({ volume: !settings.volume });
      this.#indicators();
    });
    for (const dialog of document.querySelectorAll('dialog.drawer')) {
      dialog.querySelector('.close').addEventListener('click', () => dialog.close());
      dialog.addEventListener('click', (event) => {
        if (event.target === dialog) dialog.close();
      });
    }
    element('#gear').addEventListener('click', () => this.openSettings());
    const tools = element('#tools');
    element('#pencil').addEventListener('click', ({ currentTarget }) => {
      const isOpen = tools.classList.toggle('open');
      currentTarget.setAttribute('aria-expanded', String(isOpen));
    });
  }

  #indicators() {
    this.show();
    this.#to.indicators();
  }

  setTimeframes(names) {
    this.#timeframe.fill(names.map((name) =>
      make('button', { type: 'button', 'data-value': name, title: name, 'aria-label': name }, short(name))));
  }

  /** What is chosen, as the buttons show it. */
  show(timeframe) {
    if (timeframe) this.#timeframe.show([timeframe]);
    this.#style.show([settings.style]);
    this.#main.show([settings.main]);
    this.#sub.show(settings.sub.length ? settings.sub : ['none']);
    this.#volume.setAttribute('aria-pressed', String(settings.volume));
  }

  allow(isThere) {
    this.#main.allow((name) => name === 'none' || isThere(name));
    this.#sub.allow((name) => name === 'none' || isThere(name));
  }

  openSettings() {
    const dialog = element('#options');
    const choice = (key, options, changed) => {
      const list = make('select', {
        'aria-label': text(key === 'language' ? 'languageName' : key),
        change: ({ target }) => {
          keep({ [key]: target.value });
          changed();
        },
      }, ...options.map(([value, words]) => make('option', { value, selected: settings[key] === value }, words)));
      return make('label', { class: 'row' }, make('span', {}, text(key === 'language' ? 'languageName' : key)), list);
    };
    const mark = (name, words) => make('li', {}, make('i', { class: `mark ${name}` }), words);
    const keyRow = (keys, words) => make('li', {}, make('span', {}, ...keys.map((key) => make('kbd', {}, key))), words);
    element('#options-body').replaceChildren(
      choice('theme', [['auto', text('auto')], ['dark', text('dark')], ['light', text('light')]], () => this.#to.look()),
      choice('colors', [['auto', text('auto')], ['green', text('green')], ['red', text('red')]], () => this.#to.look()),
      choice('zone', [['local', text('local')], ['utc', 'UTC']], () => this.#to.look()),
      choice('language', [['auto', text('auto')], ['en', 'English'], ['zh', '中文']], () => {
        this.#to.language();
        this.openSettings();
      }),
      make('h3', {}, text('marks')),
      make('ul', { class: 'marks' }, mark('flat', text('markFlat')), mark('incomplete', text('markIncomplete')),
        mark('corrected', text('markCorrected')), mark('history', text('markHistory')), mark('gap', text('markGap'))),
      make('h3', {}, text('keys')),
      make('ul', { class: 'keys' }, keyRow(['/'], text('keySearch')), keyRow(['1', '…', '9'], text('keyTimeframes')),
        keyRow(['←', '→'], text('keyMove')), keyRow(['Shift ←', 'Shift →'], text('keyScroll')), keyRow(['+', '−'], text('keyZoom')),
        keyRow(['Home', 'End'], text('keyEnds')), keyRow(['S'], text('keyStatus')), keyRow(['Esc'], text('keyEscape')),
        keyRow(['Del'], text('keyDelete'))),
      make('h3', {}, text('about')),
      make('p', {}, text('dataNote')),
      make('p', {}, make('a', { href: new URL('klinecharts-license.txt', import.meta.url).href, target: '_blank' }, text('licence'))));
    if (!dialog.open) dialog.showModal();
  }
}
