// What happened, in order. Only what is near the window is in the page; the end is followed while the reader is there.
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
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
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => window.current,
    estimateSize: (at) => estimate(items[at]),
    getItemKey: (at) => items[at]?.key ?? at,
    overscan: 6,
    gap: 12,
    paddingStart: 12,
    paddingEnd: 16,
    useFlushSync: false,
    rangeExtractor: (range) => withFocused(range, focused.current),
  });
  const height = virtual.getTotalSize();
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
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    if (near === atEnd.current) return;
    atEnd.current = near;
    setSeen(near ? null : head);
  };
  const nothing = connection.state === "over" ? say("goneAbout", { reason: connection.reason }) : say(connection.state === "live" ? "emptyConversation" : "catchingUp");
  const fresh = seen === null ? 0 : head - seen;
  return (
    <div className="log-place">
      <div ref={window} className="log" role="log" aria-live="off" aria-label={say("logLabel")} tabIndex={0} onScroll={scrolled} onFocus={(event) => (focused.current = indexOf(event.target))} onBlur={() => (focused.current = null)}>
        {items.length === 0 && <p className="quiet note"><Visible text={nothing} /></p>}
        <div className="log-all" style={{ height }}>
          {virtual.getVirtualItems().map((row) => {
            const item = items[row.index];
            return item === undefined ? null : (
              <div
                key={row.key}
                ref={virtual.measureElement}
                className="log-row"
                data-index={row.index}
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
            virtual.scrollToIndex(items.length - 1, { align: "end" });
            toEnd();
          }}
        >
          <span aria-hidden="true">↓</span> {fresh > 0 ? say("newEvents", { count: fresh }) : say("toEnd")}
        </button>
      )}
    </div>
  );
}

/** The item that has the focus stays in the page, however far away: else the keyboard would lose its place. */
function withFocused(range: Range, focused: number | null): number[] {
  const near = defaultRangeExtractor(range);
  if (focused === null || focused >= range.count || near.includes(focused)) return near;
  return [...near, focused].sort((one, two) => one - two);
}

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
