// Times, in the reader's language and zone; the exact one is in the title.
import { useEffect, useState } from "react";
import { useSettings } from "../settings";

export function When({ time, full = false }: { time: string | number; full?: boolean }) {
  const { language } = useSettings();
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return null;
  const today = new Date().toDateString() === date.toDateString();
  const format: Intl.DateTimeFormatOptions = full || !today ? { dateStyle: "medium", timeStyle: "medium" } : { timeStyle: "medium" };
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", format).format(date)}
    </time>
  );
}

/** The time of now, told anew every so often. */
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
