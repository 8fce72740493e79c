// What the engine says, as objects: members for programs, `json()` for the very line that every other face writes.
import type * as contract from "./contract.js";

/** A JSON object. */
export class Report {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    Object.assign(this, JSON.parse(text));
  }

  /** The report as one line of JSON, byte for byte as the command line writes it. Whole numbers that JavaScript would round stand here unrounded. */
  json(): string {
    return this.#text;
  }
}

/** The verdict on a call. `call` is the call to run, mended where that was certain; null where nothing may run. */
export class Verdict extends Report {
  /** Whether `call` may run. */
  get allowed(): boolean {
    return this.status === "approved" || this.status === "caution";
  }

  /** Whether a person decides. */
  get needsReview(): boolean {
    return this.status === "requires_review";
  }
}
export interface Verdict extends contract.Verdict {}

/** What is known of a result. */
export class Verification extends Report {}
export interface Verification extends contract.VerificationReport {}

/** How far an answer can be trusted. */
export class Assessment extends Report {}
export interface Assessment extends contract.ScoreReport {}

/** A call, its result and the answer, judged together. */
export class Step extends Report {}
export interface Step {
  status: contract.Status;
  score: number;
  [member: string]: unknown;
}

/** An answer, examined on the conversation that it ends. */
export class Answer extends Report {
  /** What is held against it: enforced, and more than a remark. */
  get faults(): contract.Finding[] {
    const mode = (found: contract.Finding) => (found as { mode?: string }).mode ?? "enforce";
    return this.findings.filter((found) => mode(found) === "enforce" && found.severity !== "info");
  }
}
export interface Answer extends contract.AnswerReport {}

/** What a model wrote: text, calls, and what had to be mended. */
export class Reading extends Report {}
export interface Reading extends contract.ParseReport {}

/** A message with its claims. */
export class Claims extends Report {}
export interface Claims extends contract.ClaimsReport {}
