// Times, in the reader's language and zone; the exact one is in the title.
import { useEffect, useState } from "react";
import { useSettings } from "../settings";

export function When({ time, full = false }: { time: string | number; full?: boolean }) {
  const { language } = useSettings();
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return null;
  const today = new Date().toDateString() === date.toDateString();
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {(full || !today ? FULL : SHORT)[language].format(date)}
    </time>
  );
}

/** The time of now, told again every so often. */
export function useNow(every = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** A span of time as minutes and seconds. */
export function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// Making one of these takes longer than all else that a line of a list needs.
const SHORT = { en: new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" }), zh: new Intl.DateTimeFormat("zh-CN", { timeStyle: "medium" }) };
const FULL = { en: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" }), zh: new Intl.DateTimeFormat("zh-CN", { dateStyle: "medium", timeStyle: "medium" }) };
