// The figures of a span of time that ends now, asked for again every so often. What is shown stays until there is something newer.
import { useCallback, useEffect, useState } from "react";
import { ask } from "../../api";
import type { Stats, StatsBucket } from "../../contract";

export type Span = "hour" | "day" | "week" | "month";

export const SPANS: Span[] = ["hour", "day", "week", "month"];

export interface Counted {
  stats: Stats | null;
  /** Whether the course begins later than the span: everything happened in its last hours. */
  narrowed: boolean;
  /** When they were counted. */
  at: number | null;
  error: unknown;
  again: () => void;
}

export function useStats(span: Span): Counted {
  const [state, setState] = useState<{ span: Span; stats: Stats | null; narrowed: boolean; at: number | null; error: unknown }>({ span, stats: null, narrowed: false, at: null, error: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    const look = () => {
      counted(span, left.signal).then(
        ({ stats, narrowed }) => setState({ span, stats, narrowed, at: Date.now(), error: null }),
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
  return { stats: state.stats, narrowed: state.narrowed, at: state.at, error: state.error, again };
}

/** The figures of a span. Where all of a long span happened in its last hours, its course is that of those hours: over weeks it would be one spike. */
async function counted(span: Span, signal: AbortSignal): Promise<{ stats: Stats; narrowed: boolean }> {
  const now = Date.now();
  const stats = await ask<Stats>(`/v1/stats?${queryOf(span, now)}`, { signal });
  const first = stats.series?.find(happened);
  if (span === "hour" || !first || now - Date.parse(first.from) > NARROW) return { stats, narrowed: false };
  const near = now - Date.parse(first.from) < HOUR ? "hour" : "half";
  const { series } = await ask<Stats>(`/v1/stats?${queryOf(near, now)}`, { signal });
  // What begins before the first step of the shorter course must not be lost from it.
  const whole = (list: StatsBucket[] | undefined) => list?.reduce((sum, bucket) => sum + bucket.calls + bucket.results, 0);
  if (whole(series) !== whole(stats.series)) return { stats, narrowed: false };
  return { stats: series ? { ...stats, series } : stats, narrowed: true };
}

function happened(bucket: StatsBucket): boolean {
  return bucket.calls + bucket.results > 0;
}

/** Steps begin at whole multiples of their length, so that the course does not tremble from one look to the next. */
function queryOf(span: Span | "half", now: number): string {
  const { step, steps } = STEPS[span];
  // Days begin where the reader is, not in Greenwich.
  const shift = step % DAY === 0 ? new Date(now).getTimezoneOffset() * MINUTE : 0;
  const to = Math.ceil((now + 1 - shift) / step) * step + shift;
  return new URLSearchParams({ from: String(to - steps * step), to: String(to), buckets: String(steps) }).toString();
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Less than half a day. */
const NARROW = 12 * HOUR;
const EVERY = 10_000;
const STEPS: Record<Span | "half", { step: number; steps: number }> = {
  hour: { step: 2 * MINUTE, steps: 30 },
  half: { step: 15 * MINUTE, steps: 50 },
  day: { step: 30 * MINUTE, steps: 48 },
  week: { step: 3 * 60 * MINUTE, steps: 56 },
  month: { step: DAY, steps: 30 },
};
