// The guard: tools and a policy, compiled once, and what may be asked of them.
import { askHandle, checkPolicy, forgotten, isOpen, open, RequestError, type Handle, type Question } from "./engine.js";
import { Answer, Assessment, Claims, Reading, Step, Verdict, Verification } from "./reports.js";

/** A request as the command of the same name takes it: an object, or its JSON. */
export type Request = { readonly [field: string]: unknown } | string;

/** The rules, as TOML. What is wrong in it is told at once, with its line. */
export class Policy {
  readonly version: string;

  constructor(readonly toml: string = "") {
    this.version = checkPolicy(toml);
  }
}

export interface GuardOptions {
  /** Definitions in the form of OpenAI, Anthropic or MCP: a list, or JSON. */
  tools?: readonly unknown[] | { readonly [field: string]: unknown } | string | undefined;
  /** A `Policy`, or its TOML; else the one that ships. */
  policy?: Policy | string | undefined;
  /** What is known of the caller. */
  context?: { readonly [field: string]: unknown } | undefined;
  language?: "en" | "zh" | undefined;
  /** How strictly calls are checked. */
  level?: "strict" | "moderate" | "lenient" | undefined;
  /** How strictly results are verified. */
  verification_level?: "high" | "medium" | "low" | undefined;
}

/** The guard in the engine's instance of now, for `Parser` alone. */
let openGuard: (guard: Guard) => Handle;

/** Judges calls, results and answers. A request's own words win over the options. */
export class Guard {
  readonly policy: Policy | null;
  readonly #setup: string;
  #handle: Handle | undefined;

  constructor({ tools, policy, ...rest }: GuardOptions = {}) {
    this.policy = policy === undefined ? null : typeof policy === "string" ? new Policy(policy) : policy;
    // A setup is written once: what the caller changes later does not change the guard.
    this.#setup = write({ ...rest, tools: typeof tools === "string" ? read(tools, "tools") : tools, policy: this.policy?.toml }, "options");
    this.#open();
  }

  /** Judges a call before it runs: `call`, and `messages`, `tools`, `context`, `level`, `id` as they are known. */
  check(request: Request): Verdict {
    return new Verdict(this.#ask("check", request));
  }

  /** Verifies what a tool returned: `call` and `result`. */
  verify(request: Request): Verification {
    return new Verification(this.#ask("verify", request));
  }

  /** How far an answer can be trusted: `response`, with `question`, `context`, `logprobs`, `samples`. */
  score(request: Request): Assessment {
    return new Assessment(this.#ask("score", request));
  }

  /** Judges a call, its result and the answer together: `call`, `tool_output`, `model_response`. */
  step(request: Request): Step {
    return new Step(this.#ask("step", request));
  }

  /** Examines the answer that ends a conversation: `messages` and `response`. Null where it is empty or too long. */
  answer(request: Request): Answer | null {
    const text = this.#ask("answer", request);
    return text === "null" ? null : new Answer(text);
  }

  /** What a model wrote: `input` or `chunks`, with `protocol`, `schema`, `finish_reason`. */
  parse(request: Request): Reading {
    return new Reading(this.#ask("parse", request));
  }

  /** What a message claims and nobody has verified: `text`. */
  claims(request: Request): Claims {
    return new Claims(this.#ask("claims", request));
  }

  /** Begins to read an output piece by piece. */
  parser(options: ParserOptions = {}): Parser {
    return new Parser({ ...options, guard: this });
  }

  static {
    openGuard = (guard) => guard.#open();
  }

  #ask(question: Question, request: Request): string {
    return askHandle(this.#open(), question, write(request, "request"));
  }

  #open(): Handle {
    if (!isOpen(this.#handle)) {
      this.#handle = open("open_engine", this.#setup);
      forgotten.register(this, this.#handle);
    }
    return this.#handle;
  }
}

export interface ParserOptions {
  /** How the output is written; `auto` finds out. */
  protocol?: string | undefined;
  /** The JSON Schema of an answer in JSON. */
  schema?: unknown;
  /** Other tools than the guard's. */
  tools?: unknown;
  guard?: Guard | undefined;
}

/** What is certain of an output by now, by its `type`. */
export interface ParserEvent {
  type: "text" | "reasoning" | "call_start" | "arg_delta" | "call_end" | "tag" | "value" | "markup" | "repair" | "unrecovered";
  [field: string]: unknown;
}

/** Reads a model's output while it comes. Any split of the output gives the same reading. */
export class Parser {
  readonly #handle: Handle;
  /** Half a character: a string may be cut between two surrogates, UTF-8 may not. */
  #half = "";
  /** The whole, once it is finished. */
  reading: Reading | null = null;

  constructor({ guard, protocol, schema, tools }: ParserOptions = {}) {
    this.#handle = open("open_parser", write({ protocol, schema, tools }, "options"), openGuard(guard ?? standard()));
    forgotten.register(this, this.#handle);
  }

  /** Takes the next piece; gives the events that are certain by now. */
  push(piece: string): ParserEvent[] {
    let text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    this.#half = last >= 0xd800 && last < 0xdc00 ? text.slice(-1) : "";
    if (this.#half !== "") text = text.slice(0, -1);
    return JSON.parse(askHandle(this.#handle, "push", text)) as ParserEvent[];
  }

  /** Nothing more comes: the last events. `reading` then is the whole. */
  finish(reason = ""): ParserEvent[] {
    const half = this.#half;
    this.#half = "";
    const rest = half === "" ? "[]" : askHandle(this.#handle, "push", half);
    // Two lines: JSON has no line breaks of its own.
    const [events = "[]", reading = "{}"] = askHandle(this.#handle, "finish", reason).split("\n");
    this.reading = new Reading(reading);
    return [...(JSON.parse(rest) as ParserEvent[]), ...(JSON.parse(events) as ParserEvent[])];
  }
}

/** `Guard.check` by the policy that ships. */
export const check = (request: Request): Verdict => standard().check(request);
/** `Guard.verify` by the policy that ships. */
export const verify = (request: Request): Verification => standard().verify(request);
/** `Guard.score` by the policy that ships. */
export const score = (request: Request): Assessment => standard().score(request);
/** `Guard.step` by the policy that ships. */
export const step = (request: Request): Step => standard().step(request);
/** `Guard.answer` by the policy that ships. */
export const answer = (request: Request): Answer | null => standard().answer(request);
/** `Guard.claims` by the policy that ships. */
export const claims = (request: Request): Claims => standard().claims(request);
/** `Guard.parse` by the policy that ships. */
export const parse = (request: Request): Reading => standard().parse(request);

let shipped: Guard | undefined;

function standard(): Guard {
  shipped ??= new Guard();
  return shipped;
}

/** JSON of a value, or the value itself where it is text. Numbers that JSON does not have are refused here, where the caller can be told. */
function write(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, finite) ?? "null";
  } catch (error) {
    throw new RequestError(`\`${name}\` is not JSON: ${error instanceof Error ? error.message : String(error)}`, name);
  }
}

function finite(key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`\`${key}\` is ${value}`);
  return value;
}

function read(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new RequestError(`\`${name}\` is not JSON: ${error instanceof Error ? error.message : String(error)}`, name);
  }
}
