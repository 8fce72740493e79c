// One session, followed: what was missed, in order, once, then live; a lost connection is taken up again by itself. An event that
// was shown already is never given twice, and none is given before the one that precedes it (STREAM-3).
import type { StreamEvent } from "../contract";
import { parseJson } from "../exact";
import { keep, type Connection } from "./connection";

export type { Connection };

export interface Following {
  /** New events, in order. After `fresh`, everything before is to be forgotten. */
  events: (events: StreamEvent[], fresh: boolean) => void;
  connection: (connection: Connection) => void;
}

/** Follows a session until the given function is called. */
export function follow(session: string, { events, connection }: Following): () => void {
  const ended = new AbortController();
  const cursor: Cursor = { id: null, seq: 0 };
  const batch = new Batch(events, ended.signal);
  const beginAnew = () => {
    cursor.id = null;
    cursor.seq = 0;
    batch.forget();
  };
  const path = () => `/v1/sessions/${encodeURIComponent(session)}/events?mode=hybrid&follow=true${cursor.id === null ? "" : `&after=${cursor.id}`}`;
  const frame = ({ data }: { data: string }) => take(parseJson(data) as StreamEvent, cursor, batch, beginAnew);
  const refused = ({ status }: { status: number }) => {
    // Our place was trimmed away: begin with what there is.
    if (status === 410) beginAnew();
    return status === 410 ? "again" : [401, 403, 404].includes(status) ? "over" : "later";
  };
  void keep({ path, frame, connection, refused }, ended.signal);
  return () => ended.abort();
}

interface Cursor {
  id: string | null;
  seq: number;
}

/** Takes an event where it belongs: after the last one, once. A hole ends the connection, and the next one fills it. */
function take(event: StreamEvent, cursor: Cursor, batch: Batch, beginAnew: () => void) {
  if (event.event_type === "reset") return beginAnew();
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
    private readonly give: Following["events"],
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
    this.give(events, fresh);
  }
}
