// The live list: every item that waits, then every change. A lost connection is taken up again by itself, and the list is then held
// against the server's.
import { Refused, send } from "../../api";
import type { Review } from "../../contract";
import { parseJson } from "../../exact";
import type { Connection } from "../../stream/follow";
import { frames } from "../../stream/sse";
import { Cell } from "./cell";
import { learn, readClock, refresh } from "./known";

export const connection = new Cell<Connection>({ state: "connecting" });

/** Watches until the given function is called. While somebody watches, the gateway holds calls for them. */
export function watch(): () => void {
  const ended = new AbortController();
  void run(ended.signal);
  return () => ended.abort();
}

async function run(ended: AbortSignal) {
  for (let failures = 0; !ended.aborted; failures += 1) {
    connection.set({ state: "connecting" });
    let reason = "";
    try {
      await read(ended, () => {
        failures = 0;
        connection.set({ state: "live" });
      });
    } catch (error) {
      if (ended.aborted) return;
      if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
        connection.set({ state: "over", reason: error.message });
        return;
      }
      reason = error instanceof Error ? error.message : String(error);
    }
    if (ended.aborted) return;
    const pause = Math.min(300 * 2 ** failures, LONGEST_PAUSE) * (0.75 + Math.random() / 2);
    connection.set({ state: "waiting", until: Date.now() + pause, reason });
    await sleep(pause, ended);
  }
}

async function read(ended: AbortSignal, connected: () => void) {
  const silence = new AbortController();
  const stop = () => silence.abort();
  ended.addEventListener("abort", stop);
  let alarm = setTimeout(stop, SILENCE);
  const beat = () => {
    clearTimeout(alarm);
    alarm = setTimeout(stop, SILENCE);
  };
  // The stream may leave out words when they come too fast: look at the whole now and then.
  const look = () => void refresh(silence.signal).catch(() => undefined);
  let again: ReturnType<typeof setInterval> | undefined;
  try {
    const response = await send("/v1/reviews/events", { signal: silence.signal });
    readClock(response);
    connected();
    look();
    again = setInterval(() => document.visibilityState === "visible" && look(), LOOK);
    if (!response.body) throw new Error("the answer has no body");
    for await (const frame of frames(response.body, beat)) {
      if (frame.data === "[DONE]") return;
      if (frame.event === "review") learn(parseJson(frame.data) as Review);
    }
  } finally {
    clearTimeout(alarm);
    clearInterval(again);
    ended.removeEventListener("abort", stop);
    silence.abort();
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
    addEventListener("online", done);
    ended.addEventListener("abort", done);
  });
}

/** Heartbeats come at least every 15 seconds. */
const SILENCE = 40_000;
const LONGEST_PAUSE = 5_000;
const LOOK = 30_000;
