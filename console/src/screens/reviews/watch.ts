// The live list: every item that waits, then every change. A lost connection is taken up again by itself, and the list is then held
// against the server's.
import type { Review } from "../../contract";
<<<<<<< HEAD
import { keep, type Connection } from "../../stream/connection";
=======
import { parseJson } from "../../exact";
import type { Connection } from "../../stream/follow";
import { frames } from "../../stream/sse";
>>>>>>> co-e1
import { Cell } from "./cell";
import { learn, readClock, refresh } from "./known";

export const connection = new Cell<Connection>({ state: "connecting" });

/** Watches until the given function is called. While somebody watches, the gateway holds calls for them. */
export function watch(): () => void {
  const ended = new AbortController();
  const kept = {
    path: () => "/v1/reviews/events",
    frame: ({ event, data }: { event: string; data: string }) => {
      if (event === "review") learn(JSON.parse(data) as Review);
    },
    connection: (state: Connection) => connection.set(state),
    opened,
    refused: ({ status }: { status: number }) => (status === 401 || status === 403 ? "over" : "later") as "over" | "later",
  };
  void keep(kept, ended.signal);
  return () => ended.abort();
}

/** The stream may leave out words when they come too fast: the whole list is looked at now and then. */
function opened(response: Response, left: AbortSignal): () => void {
  readClock(response);
  const look = () => void refresh(left).catch(() => undefined);
  look();
  const again = setInterval(() => document.visibilityState === "visible" && look(), LOOK);
  return () => clearInterval(again);
}

<<<<<<< HEAD
=======
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
>>>>>>> co-e1
const LOOK = 30_000;
