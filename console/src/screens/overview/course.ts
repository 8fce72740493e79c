// A line of a chart, and the moments of its steps.
import type { Language } from "../../settings";
import type { Look } from "./marks";

/** One line of a chart. Told apart by its look; the tone (a colour of the theme) only helps. */
export interface Course<Bucket> {
  word: string;
  value: (bucket: Bucket) => number;
  tone: string;
  look: Look;
}

export function moment(time: string | number, language: Language): string {
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }).format(new Date(time));
}
