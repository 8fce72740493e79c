// JSON with its whole numbers as they were written. JavaScript turns 9007199254740993 into …992: a person would decide on another
// number than the one that runs, and send it back with the next edit. Browsers that do not tell how a number was written (before
// 2025) round as ever.

/** A whole number that JavaScript cannot hold. */
export class Exact {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toString(): string {
    return this.source;
  }

  toJSON(): unknown {
    return (JSON as Raw).rawJSON?.(this.source) ?? Number(this.source);
  }
}

/** Reads JSON. Looks at each number only where one may be too long. */
export function parseJson(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, kept) : JSON.parse(text);
}

function kept(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && WHOLE.test(source) && String(value) !== source ? new Exact(source) : value;
}

interface Raw {
  rawJSON?: (text: string) => unknown;
}

const LONG = /(?:^|[\s:,[])-?\d{16}/;
const WHOLE = /^-?\d{16,}$/;
