// Stations in words.
import type { verdictsWords } from "../../words/verdicts";
import type { Say } from "../../words/words";
import type { Station } from "./line";

export type Speech = Say<keyof typeof verdictsWords.en>;

/** What a station came to, in a word or two. */
export function wordOf(say: Speech, { stop, state, worst }: Station): string {
  const count = stop.findings.length;
  switch (state) {
    case "found":
      return worst === null ? say("found", { count }) : say(FOUND[worst], { count: stop.findings.filter((finding) => finding.severity === worst).length });
    case "mended":
      return say("mended", { count });
    case "shadow":
      return say("shadow", { count });
    case "decided":
      return "";
    default:
      return say(state);
  }
}

const FOUND = { error: "foundError", warning: "foundWarning", info: "foundInfo" } as const;
