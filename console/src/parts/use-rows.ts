// A long list of which only what is near the window is in the page. Rows have any height: it is guessed until the row was seen, then
// measured, and a row above the window that turns out higher or lower does not move what the reader looks at.
import { useCallback, useLayoutEffect, useMemo, useReducer, useRef, type RefObject } from "react";

export interface Row {
  index: number;
  key: string;
  /** Where it begins, in pixels from the top of the list. */
  start: number;
}

export interface Rows {
  /** The rows to draw. */
  near: Row[];
  /** The height of all of them. */
  height: number;
  /** The `ref` of a drawn row; its key is in `data-key`. */
  measure: (element: HTMLElement | null) => void;
}

export interface Wish {
  keys: readonly string[];
  guess: (index: number) => number;
  /** The element that scrolls; the list begins at its top. */
  view: RefObject<HTMLElement | null>;
  gap: number;
  /** A row that is drawn wherever it is: the one with the focus, which would be lost with it. */
  keep: RefObject<number | null>;
}

export function useRows({ keys, guess, view, gap, keep }: Wish): Rows {
  const [, draw] = useReducer((round: number) => round + 1, 0);
  const measured = useRef(new Map<string, number>());
  const place = useRef({ top: 0, height: 800 });
  const [version, grown] = useReducer((round: number) => round + 1, 0);
  // Where each row begins. Only sums of numbers: thousands of rows cost less than one of them costs to draw.
  const starts = useMemo(() => {
    void version;
    const starts = new Float64Array(keys.length + 1);
    let at = gap;
    for (let index = 0; index < keys.length; index += 1) {
      starts[index] = at;
      at += (measured.current.get(keys[index] ?? "") ?? guess(index)) + gap;
    }
    starts[keys.length] = at;
    return starts;
  }, [keys, guess, gap, version]);
  const known = useRef({ keys, starts });
  known.current = { keys, starts };

  useLayoutEffect(() => {
    const element = view.current;
    if (!element) return;
    const look = () => {
      const { scrollTop: top, clientHeight: height } = element;
      const before = place.current;
      place.current = { top, height };
      // The rows beyond the window cover small steps.
      if (Math.abs(before.top - top) > STEP || before.height !== height) draw();
      else place.current.top = before.top;
    };
    place.current = { top: element.scrollTop, height: element.clientHeight };
    draw();
    element.addEventListener("scroll", look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      resized.disconnect();
    };
  }, [view]);

  const observer = useRef<ResizeObserver | null>(null);
  observer.current ??= new ResizeObserver((changes) => {
    const element = view.current;
    if (!element) return;
    let above = 0;
    let some = false;
    for (const { target, borderBoxSize } of changes) {
      if (!(target instanceof HTMLElement) || !target.isConnected) continue;
      const key = target.dataset.key ?? "";
      const index = Number(target.dataset.index);
      const { keys, starts } = known.current;
      const now = borderBoxSize[0]?.blockSize ?? target.offsetHeight;
      const start = starts[index] ?? 0;
      const before = measured.current.get(key) ?? (starts[index + 1] ?? start) - start - gap;
      measured.current.set(key, now);
      if (keys[index] !== key || Math.abs(now - before) < 0.5) continue;
      some = true;
      if (start + before < element.scrollTop) above += now - before;
    }
    if (!some) return;
    if (above !== 0) element.scrollTop += above;
    grown();
  });

  const measure = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const watched = observer.current;
    watched?.observe(element);
    return () => watched?.unobserve(element);
  }, []);

  const { top, height } = place.current;
  const from = Math.max(0, after(starts, keys.length, top - BEYOND) - 1);
  const to = Math.min(keys.length, after(starts, keys.length, top + height + BEYOND));
  const row = (index: number): Row => ({ index, key: keys[index] ?? String(index), start: starts[index] ?? 0 });
  const near: Row[] = [];
  for (let index = from; index < to; index += 1) near.push(row(index));
  const kept = keep.current;
  if (kept !== null && kept < from) near.unshift(row(kept));
  else if (kept !== null && kept >= to && kept < keys.length) near.push(row(kept));
  return { near, height: starts[keys.length] ?? 0, measure };
}

/** The first row that begins after a place. */
function after(starts: Float64Array, count: number, place: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How far beyond the window rows are drawn, and how far it may scroll before they are drawn again. */
const BEYOND = 500;
const STEP = 120;
