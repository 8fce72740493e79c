// What happened, in order. Only what is near the window is in the page; the end is followed while the reader is there.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useRows } from "../../parts/use-rows";
import type { Connection } from "../../stream/follow";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import type { Conversation } from "./draft";
import { ItemView } from "./item";
import type { Item } from "./items";

export function Log({ session, conversation, connection }: { session: string; conversation: Conversation; connection: Connection }) {
  const say = useWords(liveWords);
  const { items, head } = conversation;
  const window = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const focused = useRef<number | null>(null);
  const [seen, setSeen] = useState<number | null>(null);
  const keys = useMemo(() => items.map((item) => item.key), [items]);
  const guess = useCallback((at: number) => estimate(items[at]), [items]);
  const { near, height, measure } = useRows({ keys, guess, view: window, gap: 12, keep: focused });
  const toEnd = useCallback(() => {
    const element = window.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  // Whatever grew, the reader who was at the end stays there.
  useLayoutEffect(() => {
    if (atEnd.current) toEnd();
  }, [height, items, toEnd]);
  // A window that became smaller (the composer grew, a keyboard came up) still shows the end.
  useEffect(() => {
    const element = window.current;
    if (!element) return;
    const watch = new ResizeObserver(() => atEnd.current && toEnd());
    watch.observe(element);
    return () => watch.disconnect();
  }, [toEnd]);
  const scrolled = () => {
    const element = window.current;
    if (!element) return;
    const close = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    if (close === atEnd.current) return;
    atEnd.current = close;
    setSeen(close ? null : head);
  };
  const nothing = connection.state === "over" ? say("goneAbout", { reason: connection.reason }) : say(connection.state === "live" ? "emptyConversation" : "catchingUp");
  const fresh = seen === null ? 0 : head - seen;
  return (
    <div className="log-place">
      <div ref={window} className="log" role="log" aria-live="off" aria-label={say("logLabel")} tabIndex={0} onScroll={scrolled} onFocus={(event) => (focused.current = indexOf(event.target))} onBlur={() => (focused.current = null)}>
        {items.length === 0 && <p className="quiet note"><Visible text={nothing} /></p>}
        <div className="log-all" style={{ height }}>
          {near.map((row) => {
            const item = items[row.index];
            return item === undefined ? null : (
              <div
                key={row.key}
                ref={measure}
                className="log-row"
                data-index={row.index}
                data-key={row.key}
                data-seq={item.seq}
                role="article"
                aria-posinset={row.index + 1}
                aria-setsize={items.length}
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <ItemView item={item} session={session} />
              </div>
            );
          })}
        </div>
      </div>
      {seen !== null && (
        <button
          type="button"
          className="log-down"
          onClick={() => {
            atEnd.current = true;
            setSeen(null);
            toEnd();
          }}
        >
          <span aria-hidden="true">↓</span> {fresh > 0 ? say("newEvents", { count: fresh }) : say("toEnd")}
        </button>
      )}
    </div>
  );
}

/** The row that an element stands in. */
function indexOf(element: Element): number | null {
  const row = element.closest("[data-index]");
  return row === null ? null : Number(row.getAttribute("data-index"));
}

/** A first guess at the height, until the item is measured. */
function estimate(item: Item | undefined): number {
  switch (item?.kind) {
    case "message":
      return 72 + Math.min(2_000, Math.ceil(item.content.length / 80) * 23);
    case "call":
      return 190;
    case "plan":
      return 60 + item.steps.length * 44;
    case "search":
      return 60 + item.results.length * 70;
    case "end":
      return 28;
    default:
      return 60;
  }
}

const NEAR = 48;
