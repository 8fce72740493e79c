// A stream that is kept open: its state for the screen, a pause that grows while it cannot be had, and an alarm for a connection that
// has gone silent. What the frames mean is the reader's business.
import { Refused, send } from "../api";
import { frames, type Frame } from "./sse";

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** Lost; tried again at `until` (milliseconds since 1970). */
  | { state: "waiting"; until: number; reason: string }
  /** Given up: what was read is gone, or we may not read it. */
  | { state: "over"; reason: string };

export interface Kept {
  /** The address, asked for again each time: it may hold a cursor. */
  path: () => string;
  frame: (frame: Frame) => void;
  connection: (connection: Connection) => void;
  /** The stream is there. What it gives back is called when it ends. */
  opened?: (response: Response, left: AbortSignal) => () => void;
  /** The server said no: give up, or try again at once. Anything else is tried again after a pause. */
  refused: (refused: Refused) => "over" | "again" | "later";
}

/** Keeps a stream open until the signal. */
export async function keep(kept: Kept, ended: AbortSignal) {
  for (let failures = 0; !ended.aborted; ) {
    kept.connection({ state: "connecting" });
    let reason = "the stream ended";
    try {
      await read(kept, ended, () => {
        failures = 0;
        kept.connection({ state: "live" });
      });
    } catch (error) {
      if (ended.aborted) return;
      reason = error instanceof Error ? error.message : String(error);
      const then = error instanceof Refused ? kept.refused(error) : "later";
      if (then === "again") continue;
      if (then === "over") return kept.connection({ state: "over", reason });
    }
    if (ended.aborted) return;
    const pause = Math.min(SHORTEST_PAUSE * 2 ** failures, LONGEST_PAUSE) * (0.75 + Math.random() / 2);
    failures += 1;
    kept.connection({ state: "waiting", until: Date.now() + pause, reason });
    await sleep(pause, ended);
  }
}

async function read(kept: Kept, ended: AbortSignal, connected: () => void) {
  const left = new AbortController();
  const leave = () => left.abort();
  ended.addEventListener("abort", leave);
  let alarm = setTimeout(leave, SILENCE);
  const beat = () => {
    clearTimeout(alarm);
    alarm = setTimeout(leave, SILENCE);
  };
  let close: (() => void) | undefined;
  try {
    const response = await send(kept.path(), { signal: left.signal, headers: { accept: "text/event-stream" } });
    connected();
    close = kept.opened?.(response, left.signal);
    if (!response.body) throw new Error("the answer has no body");
    let since = performance.now();
    for await (const frame of frames(response.body, beat)) {
      if (frame.data === "[DONE]") return;
      kept.frame(frame);
      // Much at once is read in slices, so that the page answers while it comes.
      if (performance.now() - since < SLICE) continue;
      await sleep(0, ended);
      since = performance.now();
    }
  } finally {
    clearTimeout(alarm);
    close?.();
    ended.removeEventListener("abort", leave);
    leave();
  }
}

function sleep(milliseconds: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      ended.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    // A network that is back is no reason to wait on.
    addEventListener("online", done);
    ended.addEventListener("abort", done);
  });
}

/** Heartbeats come at least every 15 seconds: a connection that is silent for longer is dead. */
const SILENCE = 40_000;
const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;
/** So long one slice of reading may take, in milliseconds. */
const SLICE = 12;
