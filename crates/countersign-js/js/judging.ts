// The one law of the adapters: what becomes of a call, a result and an answer. An adapter only carries it out.
//
// A framework's messages come here in the form of OpenAI's chat API. Whatever goes wrong on our side refuses the call and
// says so: an unchecked call never runs.
import { Guard, Policy } from "./guard.js";
import type { Claims, Report, Verdict } from "./reports.js";

/** A message in the form of OpenAI's chat API. */
export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls?: { id?: string | undefined; type: "function"; function: { name: string; arguments: string } }[];
  tool_call_id?: string | undefined;
}

export interface JudgingOptions {
  /** A guard with tools and policy of its own; else the tools are the framework's. */
  guard?: Guard | undefined;
  /** A `Policy`, or its TOML. */
  policy?: Policy | string | undefined;
  /** An answer that a check holds something against: asked for again once, only watched, or not examined. */
  answers?: "correct" | "watch" | "pass" | undefined;
  /** The other agents, by name: what they write is a message from agent to agent and carries its unverified claims. */
  agents?: readonly string[] | undefined;
  /** Is called with every report, for logs and audits. */
  watch?: ((report: Report) => void) | undefined;
}

/** What becomes of a call. `run`: with `name` and `arguments`. `refuse`: `told` goes to the model. `review`: a person decides, and is shown `told`; where they say yes, `name` and `arguments` run. */
export interface Ruling {
  kind: "run" | "refuse" | "review";
  name: string;
  arguments: unknown;
  told: string;
}

/** A call as a framework brings it. */
export interface Made {
  id?: string | undefined;
  name: string;
  arguments: unknown;
}

/** A guard for the calls of an agent. */
export class Judging {
  readonly answers: "correct" | "watch" | "pass";
  readonly agents: ReadonlySet<string>;
  readonly #own: Guard | undefined;
  readonly #policy: Policy | undefined;
  readonly #watch: ((report: Report) => void) | undefined;
  #compiled: { tools: string; guard: Guard } | undefined;

  constructor({ guard, policy, answers, agents, watch }: JudgingOptions) {
    if (guard !== undefined && policy !== undefined) throw new TypeError("give `guard` or `policy`, not both");
    this.#own = guard;
    this.#policy = typeof policy === "string" ? new Policy(policy) : policy;
    this.#watch = watch;
    this.answers = answers ?? "correct";
    this.agents = new Set(agents);
  }

  /** Judges a call before it runs. */
  call(tools: readonly unknown[] | undefined, messages: readonly Message[], made: Made): Ruling {
    let verdict: Verdict;
    try {
      verdict = this.#guard(tools).check({ call: { id: made.id, name: made.name, arguments: made.arguments }, messages });
      this.#watch?.(verdict);
    } catch (error) {
      // Fails closed: what could not be judged does not run.
      const told = `The call of \`${made.name}\` could not be checked and was not made: ${say(error)}`;
      console.error(`countersign: ${told}`);
      return { kind: "refuse", name: made.name, arguments: made.arguments, told };
    }
    const runs = verdict.call ?? made;
    if (verdict.allowed && verdict.call !== null) return { kind: "run", name: runs.name, arguments: runs.arguments, told: verdict.explanation };
    // A call under review has no `call` to run: what a person approves is what they were shown.
    if (verdict.needsReview) return { kind: "review", name: runs.name, arguments: runs.arguments, told: verdict.explanation };
    return { kind: "refuse", name: made.name, arguments: made.arguments, told: verdict.feedback ?? verdict.explanation };
  }

  /** Verifies what a tool returned: what the model is told beside it where it looks wrong, else null. What another agent returned also carries its claims. */
  result(tools: readonly unknown[] | undefined, call: Made, content: unknown, isError = false): string | null {
    const notes = [this.#verify(tools, call, content, isError)];
    if (this.agents.has(call.name)) notes.push(this.message(tools, typeof content === "string" ? content : (JSON.stringify(content) ?? "")));
    return notes.filter((note) => note !== null).join("\n\n") || null;
  }

  #verify(tools: readonly unknown[] | undefined, call: Made, content: unknown, isError: boolean): string | null {
    try {
      const report = this.#guard(tools).verify({ call: { name: call.name, arguments: call.arguments }, result: { content: readContent(content), is_error: isError } });
      this.#watch?.(report);
      return report.is_suspicious ? `This result looks wrong: ${report.concerns.join(" ")} Check it before you rely on it.` : null;
    } catch (error) {
      console.error(`countersign: the result of ${call.name} could not be verified: ${say(error)}`);
      return `This result could not be verified (${say(error)}). Do not rely on it.`;
    }
  }

  /** Examines an answer: what the model is told where it should answer again, else null. */
  answer(tools: readonly unknown[] | undefined, messages: readonly Message[], text: string): string | null {
    if (this.answers === "pass" || text.trim() === "") return null;
    try {
      const report = this.#guard(tools).answer({ messages, response: text });
      if (report === null) return null;
      this.#watch?.(report);
      const fault = report.faults[0];
      if (fault === undefined || this.answers !== "correct") return null;
      return `There is something wrong with that answer: ${fault.evidence}. Correct it and answer again.`;
    } catch (error) {
      console.error(`countersign: an answer could not be examined and is passed on unexamined: ${say(error)}`);
      return null;
    }
  }

  /** The mark that a message from agent to agent carries: its claims that nobody verified. Null where it has none. */
  message(tools: readonly unknown[] | undefined, text: string): string | null {
    let report: Claims;
    try {
      report = this.#guard(tools).claims({ text });
      this.#watch?.(report);
    } catch (error) {
      console.error(`countersign: the claims of a message could not be looked for: ${say(error)}`);
      return `[${MARKED}: its claims could not be looked for (${say(error)}). Treat all of them as unverified.]`;
    }
    const pending = [...new Set(report.claims.filter((claim) => !claim.verified).map((claim) => claim.text))];
    if (pending.length === 0) return null;
    const more = pending.length > SHOWN ? ` and ${pending.length - SHOWN} more` : "";
    const named = pending.slice(0, SHOWN).map((text) => `“${text}”`).join(", ");
    return `[${MARKED}: ${named}${more}. Nobody has verified this. Say so wherever you repeat it, until something confirms it.]`;
  }

  /** The caller's own guard, or one for the framework's tools, compiled when they change. */
  #guard(tools: readonly unknown[] | undefined): Guard {
    if (this.#own !== undefined) return this.#own;
    const text = JSON.stringify(tools ?? null);
    if (this.#compiled?.tools !== text) this.#compiled = { tools: text, guard: new Guard({ tools, policy: this.#policy }) };
    return this.#compiled.guard;
  }
}

/** A tool's result as JSON, or as its text. */
function readContent(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function say(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How the mark of a message begins. */
const MARKED = "countersign: unverified";
/** So many claims are named in a mark, the rest is counted. */
const SHOWN = 12;
