// A piece of text with its claims marked where they are (CLAIM-5).
import { memo, type ReactNode } from "react";
import type { Claim } from "../contract";
import { ClaimMark } from "./claim-mark";
import { Visible } from "./visible";

/** Where each character of a text is in the source that claims count in. */
export type Place = (at: number) => number;

/** Text with the claims that fall into it. Without `place` the text is the source itself. */
export const Claimed = memo(function Claimed({ text, claims, place }: { text: string; claims: readonly Claim[]; place?: Place }) {
  const cuts = cut(text, claims, place ?? ((at) => at));
  return cuts.map(({ from, to, claim }) => {
    const piece = <Visible key={from} text={text.slice(from, to)} />;
    return claim ? (
      <ClaimMark key={from} claim={claim}>
        {piece}
      </ClaimMark>
    ) : (
      piece
    );
  }) satisfies ReactNode[];
});

interface Cut {
  from: number;
  to: number;
  claim: Claim | null;
}

/** Cuts a text where claims begin and end. */
function cut(text: string, claims: readonly Claim[], place: Place): Cut[] {
  const cuts: Cut[] = [];
  let at = 0;
  const close = (to: number, claim: Claim | null) => {
    if (to > at) cuts.push({ from: at, to, claim });
    at = Math.max(at, to);
  };
  for (const claim of claims) {
    const from = first(text, place, claim.utf16_start, at);
    const to = first(text, place, claim.utf16_end, from);
    if (to <= from) continue;
    close(from, null);
    close(to, claim);
  }
  close(text.length, null);
  return cuts;
}

/** The first character at or after a place in the source. Places only grow. */
function first(text: string, place: Place, source: number, from: number): number {
  let low = from;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (place(middle) >= source) high = middle;
    else low = middle + 1;
  }
  return low;
}
