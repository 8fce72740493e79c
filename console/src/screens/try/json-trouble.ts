// Where a text stops being JSON. Browsers say it each in their own words and some not at all, so it is looked for here.

export type Expected = "value" | "key" | "colon" | "comma" | "string" | "escape" | "end";

export interface Trouble {
  /** Offset in the text. */
  at: number;
  line: number;
  column: number;
  expected: Expected;
}

/** Nothing where the text is JSON (or empty); else the first place that is wrong. */
export function jsonTrouble(text: string): Trouble | null {
  if (text.trim() === "") return null;
  try {
    JSON.parse(text);
    return null;
  } catch {
    const { at, expected } = new Reader(text).first();
    return { at, expected, ...lineAndColumn(text, at) };
  }
}

/** Both counted from one; columns in characters as the browser counts them. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - (before.lastIndexOf("\n") + 1) + 1 };
}

class Wrong extends Error {
  readonly expected: Expected;
  constructor(expected: Expected) {
    super(expected);
    this.expected = expected;
  }
}

class Reader {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  first(): { at: number; expected: Expected } {
    try {
      this.value(0);
      this.space();
      return { at: this.at, expected: "end" };
    } catch (wrong) {
      if (wrong instanceof Wrong) return { at: Math.min(this.at, this.text.length), expected: wrong.expected };
      throw wrong;
    }
  }

  private value(depth: number) {
    this.space();
    const begin = this.text[this.at];
    if (depth > DEEPEST) throw new Wrong("value");
    if (begin === "{") this.members("}", () => this.member(depth));
    else if (begin === "[") this.members("]", () => this.value(depth + 1));
    else if (begin === '"') this.string();
    else this.plain();
  }

  private member(depth: number) {
    this.space();
    if (this.text[this.at] !== '"') throw new Wrong("key");
    this.string();
    this.space();
    if (this.text[this.at] !== ":") throw new Wrong("colon");
    this.at += 1;
    this.value(depth + 1);
  }

  private members(close: string, one: () => void) {
    this.at += 1;
    this.space();
    if (this.text[this.at] === close) {
      this.at += 1;
      return;
    }
    for (;;) {
      one();
      this.space();
      const next = this.text[this.at];
      if (next !== "," && next !== close) throw new Wrong("comma");
      this.at += 1;
      if (next === close) return;
    }
  }

  private string() {
    this.at += 1;
    for (;;) {
      this.take(/[^"\\\u0000-\u001f]*/y);
      const next = this.text[this.at];
      if (next === '"') {
        this.at += 1;
        return;
      }
      if (next !== "\\") throw new Wrong("string");
      if (!this.take(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y)) throw new Wrong("escape");
    }
  }

  private plain() {
    if (!this.take(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)) throw new Wrong("value");
  }

  /** Takes what a sticky pattern finds right here. */
  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    this.at += found?.[0].length ?? 0;
    return found !== null;
  }

  private space() {
    this.take(/[ \t\n\r]*/y);
  }
}

const DEEPEST = 400;
