// The figures of a span of time that ends now, asked for again every so often. What is shown stays until there is something newer.
import { useCallback, useEffect, useState } from "react";
import { ask } from "../../api";
import type { Stats } from "../../contract";

export type Span = "hour" | "day" | "week" | "month";

export const SPANS: Span[] = ["hour", "day", "week", "month"];

export interface Counted {
  stats: Stats | null;
  /** When they were counted. */
  at: number | null;
  error: unknown;
  again: () => void;
}

export function useStats(span: Span): Counted {
  const [state, setState] = useState<{ span: Span; stats: Stats | null; at: number | null; error: unknown }>({ span, stats: null, at: null, error: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    const look = () => {
      ask<Stats>(`/v1/stats?${queryOf(span, Date.now())}`, { signal: left.signal }).then(
        (stats) => setState({ span, stats, at: Date.now(), error: null }),
        (error: unknown) => {
          if (!left.signal.aborted) setState((before) => ({ ...before, error }));
        },
      );
    };
    look();
    // A page that nobody sees asks for nothing.
    const timer = setInterval(() => document.visibilityState === "visible" && look(), EVERY);
    return () => {
      left.abort();
      clearInterval(timer);
    };
  }, [span, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  // The figures of another span stay for the moment until the new ones are there: nothing jumps.
  return { stats: state.stats, at: state.at, error: state.error, again };
}

/** Steps begin at whole multiples of their length, so that the course does not tremble from one look to the next. */
function queryOf(span: Span, now: number): string {
  const { step, steps } = STEPS[span];
  // Days begin where the reader is, not in Greenwich.
  const shift = step % DAY === 0 ? new Date(now).getTimezoneOffset() * MINUTE : 0;
  const to = Math.ceil((now + 1 - shift) / step) * step + shift;
  return new URLSearchParams({ from: String(to - steps * step), to: String(to), buckets: String(steps) }).toString();
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EVERY = 10_000;
const STEPS: Record<Span, { step: number; steps: number }> = {
  hour: { step: 2 * MINUTE, steps: 30 },
  day: { step: 30 * MINUTE, steps: 48 },
  week: { step: 3 * 60 * MINUTE, steps: 56 },
  month: { step: DAY, steps: 30 },
};
