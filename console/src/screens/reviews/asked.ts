// What is known of an item, read out of it: who holds it, why it is here, what it is about.
import { parseJson } from "../../exact";
import { isObject } from "../../parts/changes";
import type { ConsoleSession, Finding, Review } from "../../contract";
import { reviewsWords } from "../../words/reviews";
import type { Language } from "../../settings";
import { hasWord, type Say } from "../../words/words";

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

export type About = "call" | "result" | "answer";

/** What is decided on. */
export function aboutOf(review: Review): About {
  const about = review.about ?? review.context.kind;
  return about === "result" || about === "answer" ? about : "call";
}

/** What is edited: the arguments of a call, or the text of a result or an answer. */
export function originalOf(review: Review): Record<string, unknown> {
  return aboutOf(review) === "call" ? argumentsOf(review) : { content: wordsOf(review) };
}

/** A result or an answer as text. */
export function wordsOf(review: Review): string {
  const given = aboutOf(review) === "answer" ? review.context.answer : review.context.result;
  return typeof given === "string" ? given : (JSON.stringify(given, null, 2) ?? "");
}

/** A reviewer's text as it is sent: where JSON was replaced by JSON, as JSON. */
export function contentOf(review: Review, typed: unknown): unknown {
  if (typeof typed !== "string" || aboutOf(review) === "answer" || typeof review.context.result === "string") return typed;
  try {
    return parseJson(typed);
  } catch {
    return typed;
  }
}

/** What an item is called: its tool, or that it is an answer. */
export function titleOf(review: Review, say: ReviewSay): string {
  return aboutOf(review) === "answer" ? say("answer") : review.tool;
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
  if (aboutOf(review) !== "call") return wordsOf(review);
  const given = givenOf(review);
  return typeof given === "string" ? given : (JSON.stringify(given) ?? "");
}

/** The arguments in one line. */
export function lineOf(review: Review): string {
  if (aboutOf(review) !== "call") return clipped(wordsOf(review));
  const given = givenOf(review);
  if (!isObject(given)) return String(given ?? "");
  const parts = Object.entries(given).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return clipped(parts.join(" · "));
}

function clipped(line: string): string {
  return (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line).replaceAll(/\s+/g, " ");
}

/** Why a person is asked, in a sentence. */
export function whyOf(review: Review, say: ReviewSay, language: Language): string {
  const [first] = weighed(review.findings);
  // The reasons are in the language of the conversation; a reader of another one is told the kind of it.
  const worst = first && !isIn(language, first.evidence) ? { ...first, evidence: say(kindOf(first)) } : first;
  if (aboutOf(review) === "result") return worst?.evidence ?? say("whyResult");
  if (aboutOf(review) === "answer") return worst?.evidence ?? explanationOf(review) ?? say("whyAnswer");
  // A call that passed the checks is here for what its tool does; remarks on it are no reason.
  if (review.signals.status === "approved") return say("whyTool");
  if (worst) return worst.evidence;
  return explanationOf(review) ?? say("whyTool");
}

/** Whether a sentence is in a language. */
function isIn(language: Language, sentence: string): boolean {
  return /\p{Script=Han}/u.test(sentence) === (language === "zh");
}

/** The kind of doubt, in a sentence. */
function kindOf(finding: Finding): keyof (typeof reviewsWords)["en"] {
  const group = finding.code.slice(0, finding.code.indexOf("."));
  const word = `kind_${group}`;
  return hasWord(reviewsWords, word) ? word : "kind_other";
}

/** How risky an item is: what follows a stranger's words first, then what the checks hold for wrong, then what they doubt; what is here only because its tool always asks comes last. */
export function riskOf(review: Review): number {
  const open = review.findings.filter((finding) => !finding.correction?.applied);
  const rank = open.some(({ code }) => code.startsWith("trust.")) ? 0 : open.some(({ severity }) => severity === "error") ? 1 : open.some(({ severity }) => severity === "warning") ? 2 : 3;
  return review.waits ? rank : rank + 4;
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
  return one.tool === two.tool && one.policy_version === two.policy_version && aboutOf(one) === aboutOf(two) && aboutOf(one) !== "answer";
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
