// A stored verdict read: what older servers leave out is filled in here, and nowhere else.
import { parseJson } from "../../exact";
import { isObject } from "../../parts/changes";
import type { Finding, ScoreReport, StoredVerdict, ToolCall } from "../../contract";

export function kindOf(verdict: StoredVerdict): StoredVerdict["of"] {
  return verdict.of ?? (verdict.verification ? "result" : "call");
}

/** How it stands: a call that waits for a person is not what the checks alone say of it. */
export function statusOf(verdict: StoredVerdict): string {
  return verdict.status ?? verdict.verdict?.status ?? verdict.assessment?.status ?? "";
}

export function findingsOf(verdict: StoredVerdict): Finding[] {
  return (verdict.verdict ?? verdict.verification ?? verdict.assessment)?.findings ?? [];
}

/** The arguments of a call, or what a tool gave, on one line. */
export function lineOf(verdict: StoredVerdict): string {
  const given: unknown = verdict.call ? comparable(verdict.call)?.arguments : verdict.result;
  const text = isObject(given) ? Object.entries(given).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(" · ") : typeof given === "string" ? given : (JSON.stringify(given) ?? "");
  const letters = [...text.replace(/\s+/g, " ").trim()];
  return letters.length > LINE ? `${letters.slice(0, LINE).join("")}…` : letters.join("");
}

/** How an answer begins, on one line. */
export function beginningOf(verdict: StoredVerdict): string {
  const words = [...(verdict.response ?? "").replace(/\s+/g, " ").trim()];
  return words.length > BEGINNING ? `${words.slice(0, BEGINNING).join("")}…` : words.join("");
}

/** The confidence in an answer. */
export function confidenceOf(verdict: StoredVerdict): Partial<ScoreReport> {
  return verdict.assessment?.confidence ?? {};
}

export function keyOf(verdict: StoredVerdict): string | null {
  return verdict.key ?? null;
}

/** A field that is text, of those that the contract does not name. */
export function textOf(verdict: StoredVerdict, name: string): string | null {
  const value = verdict[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** A call with its arguments read where they are JSON in a string, and without its id: what two versions are compared by. */
export function comparable(call: ToolCall | null | undefined): { name: string; arguments: unknown } | undefined {
  if (!call) return undefined;
  return { name: call.name, arguments: read(call.arguments) };
}

function read(given: ToolCall["arguments"]): unknown {
  if (typeof given !== "string") return given;
  try {
    const value = parseJson(given);
    return isObject(value) ? value : given;
  } catch {
    return given;
  }
}

const BEGINNING = 80;
const LINE = 140;
