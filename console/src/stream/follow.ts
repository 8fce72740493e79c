// One session, followed: what was missed, in order, once, then live; a lost connection is taken up again by itself. An event that
// was shown already is never given twice, and none is given before the one that precedes it (STREAM-3).
import { Refused, send } from "../api";
import type { StreamEvent } from "../contract";
import { parseJson } from "../exact";
import { frames } from "./sse";

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** Lost; tried again at `until` (milliseconds since 1970). */
  | { state: "waiting"; until: number; reason: string }
  /** Given up: the session is gone, or we may not read it. */
  | { state: "over"; reason: string };

export interface Following {
  /** New events, in order. After `fresh`, everything before is to be forgotten. */
  events: (events: StreamEvent[], fresh: boolean) => void;
  connection: (connection: Connection) => void;
}

/** Follows a session until the given function is called. */
export function follow(session: string, following: Following): () => void {
  const ended = new AbortController();
  void run(session, following, ended.signal);
  return () => ended.abort();
}

async function run(session: string, following: Following, ended: AbortSignal) {
  const cursor: Cursor = { id: null, seq: 0 };
  const batch = new Batch(following, ended);
  for (let failures = 0; !ended.aborted; ) {
    following.connection({ state: "connecting" });
    let reason = "the stream ended";
    try {
      await read(session, cursor, batch, ended, () => {
        failures = 0;
        following.connection({ state: "live" });
      });
    } catch (error) {
      if (ended.aborted) return;
      if (error instanceof Refused && error.status === 410) {
        // Our place was trimmed away: begin with what there is.
        cursor.id = null;
        cursor.seq = 0;
        batch.forget();
        continue;
      }
      if (error instanceof Refused && [401, 403, 404].includes(error.status)) {
        following.connection({ state: "over", reason: error.message });
        return;
      }
      reason = error instanceof Error ? error.message : String(error);
    }
    const pause = Math.min(250 * 2 ** failures, LONGEST_PAUSE) * (0.75 + Math.random() / 2);
    failures += 1;
    following.connection({ state: "waiting", until: Date.now() + pause, reason });
    await sleep(pause, ended);
  }
}

interface Cursor {
  id: string | null;
  seq: number;
}

async function read(session: string, cursor: Cursor, batch: Batch, ended: AbortSignal, connected: () => void) {
  const silence = new AbortController();
  const stop = () => silence.abort();
  ended.addEventListener("abort", stop);
  let alarm = setTimeout(stop, SILENCE);
  const beat = () => {
    clearTimeout(alarm);
    alarm = setTimeout(stop, SILENCE);
  };
  try {
    const after = cursor.id === null ? "" : `&after=${cursor.id}`;
    const path = `/v1/sessions/${encodeURIComponent(session)}/events?mode=hybrid&follow=true${after}`;
    const response = await send(path, { signal: silence.signal });
    connected();
    if (!response.body) throw new Error("the answer has no body");
    let since = performance.now();
    for await (const frame of frames(response.body, beat)) {
      if (frame.data === "[DONE]") return;
      take(frame.data, cursor, batch);
      // A long log is read in slices, so that the page answers while it comes.
      if (performance.now() - since < SLICE) continue;
      await sleep(0, ended);
      since = performance.now();
    }
  } finally {
    clearTimeout(alarm);
    ended.removeEventListener("abort", stop);
  }
}

/** Takes an event where it belongs: after the last one, once. A hole ends the connection, and the next one fills it. */
function take(data: string, cursor: Cursor, batch: Batch) {
  const event = parseJson(data) as StreamEvent;
  if (event.event_type === "reset") {
    cursor.id = null;
    cursor.seq = 0;
    batch.forget();
    return;
  }
  const seq = Number(event.id?.split(".")[1]);
  if (!Number.isInteger(seq) || seq <= cursor.seq) return;
  // The first event of a log whose beginning was trimmed may have any number.
  if (cursor.seq !== 0 && seq !== cursor.seq + 1) throw new Error(`events are missing before ${event.id}`);
  cursor.seq = seq;
  cursor.id = event.id;
  batch.push(event);
}

/** Events are handed on once for each frame of the screen, however fast they come. */
class Batch {
  private events: StreamEvent[] = [];
  private fresh = false;
  private planned = false;

  constructor(
    private readonly following: Following,
    private readonly ended: AbortSignal,
  ) {}

  push(event: StreamEvent) {
    this.events.push(event);
    this.plan();
  }

  forget() {
    this.events = [];
    this.fresh = true;
    this.plan();
  }

  private plan() {
    if (this.planned) return;
    this.planned = true;
    // A hidden page has no frames, but its events must not pile up.
    if (document.visibilityState === "hidden") setTimeout(() => this.flush(), 100);
    else requestAnimationFrame(() => this.flush());
  }

  private flush() {
    this.planned = false;
    if (this.ended.aborted) return;
    const { events, fresh } = this;
    this.events = [];
    this.fresh = false;
    this.following.events(events, fresh);
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
const LONGEST_PAUSE = 5_000;
const SLICE = 12;
