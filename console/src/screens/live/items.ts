// What a conversation is made of on the screen. Items are never changed: what changes is a new object, so that whatever did not
// change is not drawn again.
import type { Claim, Finding, ToolCall, Verdict, VerificationReport } from "../../contract";

export type Item = Bubble | CallCard | PlanCard | Found | Kept | Referred | Notice | End | Aside;

interface Common {
  /** The same for the life of the item. */
  key: string;
  /** The first event of the item: items stand in this order. */
  seq: number;
  /** RFC 3339. */
  time: string;
}

/** Words of somebody to somebody. */
export interface Bubble extends Common {
  kind: "message";
  messageId: string;
  from: string;
  /** Unknown until the message is whole. */
  to: string | null;
  role: "user" | "assistant" | "relayed";
  content: string;
  claims: readonly Claim[];
  /** `broken`: the turn ended before the message did. */
  state: "growing" | "whole" | "broken";
  assessment: AnswerAssessment | null;
  citations: readonly Citation[];
  /** A user's word that only says "go on" is kept from the model. */
  filtered: boolean;
}

/** How far an answer is to be trusted, by the server's word. */
export interface AnswerAssessment {
  status: string;
  confidence: number | null;
  findings: readonly Finding[];
  rationale: string | null;
}

export interface Citation {
  evidence: string;
  tool: string;
  text: string;
}

/** One call with everything that happened to it. */
export interface CallCard extends Common {
  kind: "call";
  callId: string;
  name: string;
  agent: string;
  verdictId: string | null;
  verdict: Verdict | null;
  /** How the audit says that it stands, where that goes beyond the verdict. */
  standing: string | null;
  /** What became of it, for a call of the gateway. */
  outcome: string | null;
  /** How its item stands, where a person decided after the answer. */
  reviewState: string | null;
  /** As the model made it. */
  made: ToolCall | null;
  /** As it is run. */
  toRun: ToolCall | null;
  /** How the correction of a refused call ended with this one. */
  correction: { original: string | null; attempts: number } | null;
  review: Asked | null;
  /** Its result waits for a person. */
  withheld: Asked | null;
  /** `countersign` or `client`, once it runs. */
  runBy: string | null;
  result: CallResult | null;
  warnings: readonly Warned[];
  /** A person said no, or nobody said anything. */
  denied: boolean;
  /** The turn ended: nothing more will happen to it. */
  over: boolean;
  /** It went through the gateway: the client runs it, and nobody here is asked for its result. */
  carried: boolean;
}

/** A person is asked. */
export interface Asked {
  id: string;
  expiresAt: string;
  explanation: string;
}

export interface CallResult {
  content: unknown;
  isError: boolean;
  /** Nobody knows whether the tool ran. */
  unknown: boolean;
  verification: VerificationReport | null;
}

export interface Warned {
  code: string;
  message: string;
}

export interface PlanCard extends Common {
  kind: "plan";
  steps: readonly PlanStep[];
}

export interface PlanStep {
  id: string;
  description: string;
  tool: string;
  needs: readonly string[];
  state: "waiting" | "running" | "done" | "failed" | "skipped";
  cached: boolean;
  cited: boolean;
  arguments: unknown;
  evidence: unknown;
}

/** What searches found. */
export interface Found extends Common {
  kind: "search";
  queries: readonly string[];
  results: readonly { title: string; link: string; content: string; date: string }[];
}

/** A note or a material that was written down. */
export interface Kept extends Common {
  kind: "kept";
  what: "note" | "material";
  name: string;
  content: string;
}

/** What the message pointed to. */
export interface Referred extends Common {
  kind: "references";
  valid: readonly Reference[];
  invalid: readonly Reference[];
}

export interface Reference {
  type: string;
  name: string;
  reason: string | null;
}

export interface Notice extends Common {
  kind: "notice";
  what: "warning" | "error";
  code: string;
  message: string;
  /** The item that a person decides on. */
  review: string | null;
}

/** The end of a turn. */
export interface End extends Common {
  kind: "end";
  word: "completed" | "failed" | "stopped" | "lost";
  reason: string | null;
  message: string | null;
}

/** A line between the messages of a conversation that went through the gateway. */
export interface Aside extends Common {
  kind: "aside";
  word: "again" | "leftOut" | "told" | "broken" | "unread" | "open";
  text: string | null;
}

/** Where a call is now: the verdict's word, unless a person has it or had the last word. */
export function statusOf(card: CallCard): string {
  if (card.denied) return "rejected";
  if (waitsForPerson(card)) return "requires_review";
  return card.standing ?? card.verdict?.status ?? (card.carried ? "carried" : "pending");
}

export function waitsForPerson(card: CallCard): boolean {
  return card.review !== null && card.runBy === null && card.result === null && !card.denied && !card.over;
}

export function waitsForClient(card: CallCard): boolean {
  return card.runBy === "client" && card.result === null && !card.over;
}

/** Whether a claim in it is not verified: nobody has looked, nobody could tell, or a source says otherwise. */
export function needsVerify(bubble: Bubble): boolean {
  return bubble.claims.some((claim) => claim.status !== "verified");
}
