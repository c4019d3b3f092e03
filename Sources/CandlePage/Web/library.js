// KLineChart is a classic script that leaves a global behind; the page takes it and shows none.

/** The library; null until it is taken. */
export let library = null;

/** Takes the global away. Its script runs after this page's modules, so that these can ask the daemon meanwhile. */
export function takeLibrary() {
  if (library) return library;
  library = globalThis.klinecharts;
  delete globalThis.klinecharts;
  return library;
}
