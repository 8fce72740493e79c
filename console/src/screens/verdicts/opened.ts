// Which verdict was looked at last: coming back to the list puts the reader where they left it.
let last: string | null = null;

export function leaveFor(id: string) {
  last = id;
}

/** Gives the focus back to the row of the verdict that was open, once. */
export function comeBack() {
  if (last === null) return;
  const row = document.querySelector(`[data-verdict="${CSS.escape(last)}"] .row-link`);
  last = null;
  if (!(row instanceof HTMLElement)) return;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "center" });
}
