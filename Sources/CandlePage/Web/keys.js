// The keyboard.

/** @param {object} to what the keys do */
export function listen(to) {
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (target.matches('input, select, textarea')) return;
    const isOnChart = target.closest('#chart') !== null;
    // Arrows belong to the page unless a control has the focus; the library scrolls with Shift where the canvas has it.
    const isFree = isOnChart || !target.closest('header, #tools');
    const action = actions(event, isOnChart, isFree, to);
    if (!action) return;
    event.preventDefault();
    action(key);
  });
}

function actions({ key, shiftKey }, isOnChart, isFree, to) {
  if (/^[1-9]$/.test(key)) return () => to.timeframe(Number(key) - 1);
  switch (key) {
    case '/': return () => to.search();
    case 's': case 'S': return () => to.status();
    case '+': case '=': return isOnChart && shiftKey && key === '=' ? null : () => to.zoom(1.25);
    case '-': return () => to.zoom(0.8);
    case 'Home': return () => to.oldest();
    case 'End': return () => to.newest();
    case 'Escape': return () => to.leave();
    case 'Delete': case 'Backspace': return () => to.remove();
    case 'ArrowLeft': case 'ArrowRight': {
      const step = key === 'ArrowLeft' ? -1 : 1;
      if (!isFree) return null;
      if (shiftKey) return isOnChart ? null : () => to.scroll(-3 * step);
      return () => to.move(step);
    }
    default: return null;
  }
}
