// What is known of an item, read out of it: who holds it, why it is here, what it is about.
import { parseJson } from "../../exact";
import { isObject } from "../../parts/changes";
import type { ConsoleSession, Finding, Review } from "../../contract";
import type { reviewsWords } from "../../words/reviews";
import type { Say } from "../../words/words";

export type ReviewSay = Say<keyof (typeof reviewsWords)["en"]>;

/** Who has reserved an item at a time. */
export function holderOf(review: Review, now: number): string | null {
  const until = review.reserved_until_ms ?? 0;
  return review.reserved_by !== null && until > now ? review.reserved_by : null;
}

/** What is under our decisions: the name of our key, and the one we give ourselves after it. */
export function signatureOf(who: ConsoleSession, name: string): string {
  if (who.reviewer === null) return name;
  return name === "" || name === who.reviewer ? who.reviewer : `${who.reviewer} (${name})`;
}

export function isAboutResult(review: Review): boolean {
  return review.about === "result" || review.context.kind === "result";
}

/** The arguments as they were given; a text that holds JSON is read. */
export function givenOf(review: Review): unknown {
  const given: unknown = review.call.arguments;
  if (typeof given !== "string") return given;
  try {
    return parseJson(given);
  } catch {
    return given;
  }
}

/** The arguments as an object; empty where they are none. */
export function argumentsOf(review: Review): Record<string, unknown> {
  const given = givenOf(review);
  return isObject(given) ? given : {};
}

/** The arguments in whole, and as nothing but what they are: what is decided without being opened. */
export function wholeOf(review: Review): string {
  const given = givenOf(review);
  return typeof given === "string" ? given : (JSON.stringify(given) ?? "");
}

/** The arguments in one line. */
export function lineOf(review: Review): string {
  const given = givenOf(review);
  if (!isObject(given)) return String(given ?? "");
  const parts = Object.entries(given).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const line = parts.join(" · ");
  return (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line).replaceAll(/\s+/g, " ");
}

/** Why a person is asked, in a sentence. */
export function whyOf(review: Review, say: ReviewSay): string {
  const [worst] = weighed(review.findings);
  if (isAboutResult(review)) return worst?.evidence ?? say("whyResult");
  // A call that passed the checks is here for what its tool does; remarks on it are no reason.
  if (review.signals.status === "approved") return say("whyTool");
  if (worst) return worst.evidence;
  return explanationOf(review) ?? say("whyTool");
}

/** The weightiest first; what is mended already comes last. */
export function weighed(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding) => RANKS[finding.severity] + (finding.correction?.applied ? 3 : 0);
  return [...findings].sort((one, two) => rank(one) - rank(two));
}

export function explanationOf(review: Review): string | null {
  return typeof review.context.explanation === "string" ? review.context.explanation : null;
}

/** What is alike can be decided together. */
export function isAlike(one: Review, two: Review): boolean {
  return one.tool === two.tool && one.policy_version === two.policy_version && isAboutResult(one) === isAboutResult(two);
}

/** Who decided, by name or by key. */
export function deciderOf(review: Review): string | null {
  return review.decided?.reviewer || review.decided?.key || null;
}

/** What a reviewer's version is called. A name alone could pass for another version. */
export function labelOf(review: Review, say: ReviewSay): string {
  const decider = deciderOf(review);
  return decider === null ? say("reviewer") : `${say("reviewer")}: ${decider}`;
}

/** The argument that a finding points to: `/arguments/to`, whichever way it was written. None where it is about the whole. */
export function placeOf(finding: Finding): string | null {
  if (finding.pointer === "" || finding.pointer === "/arguments") return null;
  return finding.pointer === "/name" || finding.pointer.startsWith("/arguments") ? finding.pointer : `/arguments${finding.pointer}`;
}

const RANKS: Record<Finding["severity"], number> = { error: 0, warning: 1, info: 2 };
const LONGEST = 200;
