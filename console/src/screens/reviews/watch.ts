// The live list: every item that waits, then every change. A lost connection is taken up again by itself, and the list is then held
// against the server's.
import type { Review } from "../../contract";
import { parseJson } from "../../exact";
import { keep, type Connection } from "../../stream/connection";
import { Cell } from "./cell";
import { learn, readClock, refresh } from "./known";

export const connection = new Cell<Connection>({ state: "connecting" });

/** Watches until the given function is called. While somebody watches, the gateway holds calls for them. */
export function watch(): () => void {
  const ended = new AbortController();
  const kept = {
    path: () => "/v1/reviews/events",
    frame: ({ event, data }: { event: string; data: string }) => {
      if (event === "review") learn(parseJson(data) as Review);
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

const LOOK = 30_000;
