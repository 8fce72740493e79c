// A stored verdict read: what older servers leave out is filled in here, and nowhere else.
import { parseJson } from "../../exact";
import { isObject } from "../../parts/changes";
import type { Finding, StoredVerdict, ToolCall } from "../../contract";

export function kindOf(verdict: StoredVerdict): "call" | "result" {
  return verdict.of ?? (verdict.verification ? "result" : "call");
}

export function statusOf(verdict: StoredVerdict): string {
  return verdict.verdict?.status ?? verdict.status ?? "";
}

export function findingsOf(verdict: StoredVerdict): Finding[] {
  return verdict.verdict?.findings ?? verdict.verification?.findings ?? [];
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
