// The door to the engine: JSON text in, JSON text out. Nothing here judges.
//
// WebAssembly has no unwinding: where the engine fails, the instance is thrown away, the request is refused with an
// `EngineError`, and the next one gets a new instance. Guards open themselves again in it; outputs half read are lost.
import { create } from "#wasm";

/** A request that cannot be read; `param` is the field that is wrong. */
export class RequestError extends Error {
  override name = "RequestError";
  constructor(message: string, readonly param: string | null = null) {
    super(message);
  }
}

/** A policy that cannot be used; `line` and `column` say where, counted from one. */
export class PolicyError extends Error {
  override name = "PolicyError";
  constructor(message: string, readonly line: number | null, readonly column: number | null) {
    super(message);
  }
}

/** The engine failed; nothing was judged. */
export class EngineError extends Error {
  override name = "EngineError";
}

/** What an engine is asked, by the names of the commands. */
export type Question = "check" | "verify" | "score" | "step" | "answer" | "parse" | "claims";
type Asked = Question | "open_engine" | "check_policy" | "open_parser" | "push" | "finish";

interface Door extends Record<Asked, (handle: number) => number> {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  reply(): number;
  reply_length(): number;
  close(handle: number): void;
}

/** What is behind a handle. A new instance knows nothing of the handles of the one before. */
export interface Handle {
  door: Door;
  number: number;
}

/** Opens an engine, or a parser of an engine. */
export function open(what: "open_engine" | "open_parser", setup: string, engine?: Handle): Handle {
  const door = engine?.door ?? current();
  const reply = JSON.parse(ask(door, what, engine?.number ?? 0, setup)) as number | { handle: number };
  return { door, number: typeof reply === "number" ? reply : reply.handle };
}

/** Asks what is behind a handle. */
export function askHandle(handle: Handle, what: Question | "push" | "finish", text: string): string {
  if (!isOpen(handle)) throw new EngineError("the engine failed while this output was read; begin a new parser");
  return ask(handle.door, what, handle.number, text);
}

/** The version of a policy, which is checked. */
export function checkPolicy(toml: string): string {
  return ask(current(), "check_policy", 0, toml);
}

export function isOpen(handle: Handle | undefined): handle is Handle {
  return handle !== undefined && handle.door === instance;
}

/** Closes what is behind a handle when its owner is gone. */
export const forgotten = new FinalizationRegistry<Handle>((handle) => {
  if (isOpen(handle)) handle.door.close(handle.number);
});

let instance: Door | undefined;

function current(): Door {
  instance ??= create().exports as unknown as Door;
  return instance;
}

function ask(door: Door, what: Asked, handle: number, text: string): string {
  let status: number;
  let reply: string;
  try {
    const bytes = encoder.encode(text);
    const at = door.reserve(bytes.length) >>> 0;
    new Uint8Array(door.memory.buffer, at, bytes.length).set(bytes);
    status = door[what](handle);
    reply = decoder.decode(new Uint8Array(door.memory.buffer, door.reply() >>> 0, door.reply_length() >>> 0));
  } catch (cause) {
    if (door === instance) instance = undefined;
    throw new EngineError("the engine failed; the request was not judged", { cause });
  }
  if (status === DONE) return reply;
  const wrong = JSON.parse(reply) as { message: string; param: string | null; line: number | null; column: number | null };
  throw status === BAD_POLICY ? new PolicyError(wrong.message, wrong.line, wrong.column) : new RequestError(wrong.message, wrong.param);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const DONE = 0;
const BAD_POLICY = 2;
