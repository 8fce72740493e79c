// How long a check took, as people read it: microseconds, from a thousand on milliseconds.
export function took(microseconds: number): string {
  const [value, unit] = microseconds < 1_000 ? [microseconds, "µs"] : [microseconds / 1_000, "ms"];
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${unit}`;
}
