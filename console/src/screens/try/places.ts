// The engine counts bytes, the browser counts UTF-16 units.

/** A stretch of a text, in UTF-16 units. */
export interface Stretch {
  from: number;
  to: number;
}

/** Turns offsets in UTF-8 bytes into offsets of a JavaScript string. */
export function unitsOf(text: string, offsets: readonly number[]): number[] {
  const wanted = [...new Set(offsets)].sort((one, two) => one - two);
  const found = new Map<number, number>();
  let bytes = 0;
  let units = 0;
  let next = 0;
  for (const character of text) {
    while (next < wanted.length && (wanted[next] ?? 0) <= bytes) found.set(wanted[next++] ?? 0, units);
    bytes += bytesOf(character.codePointAt(0) ?? 0);
    units += character.length;
  }
  while (next < wanted.length) found.set(wanted[next++] ?? 0, units);
  return offsets.map((offset) => found.get(offset) ?? 0);
}

/** The same for a stretch. */
export function stretchOf(text: string, start: number, end: number): Stretch {
  const [from = 0, to = 0] = unitsOf(text, [start, end]);
  return { from, to };
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
