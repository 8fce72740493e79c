// Items that one event makes by itself.
import type { Finding } from "../../contract";
import type { AnswerAssessment, Found, Kept, Reference, Referred } from "./items";
import { fields, list, text, textOrNull } from "./payload";

type Common = { key: string; seq: number; time: string };

export function answerAssessment(value: unknown): AnswerAssessment | null {
  const read = fields(value);
  if (typeof read["status"] !== "string") return null;
  const { overall_confidence: overall, rationale } = fields(read["confidence"]);
  return {
    status: read["status"],
    confidence: typeof overall === "number" ? overall : null,
    findings: list(read["findings"]) as readonly Finding[],
    // The signals are named as in the contract; people read words.
    rationale: textOrNull(rationale)?.replaceAll("_", " ") ?? null,
  };
}

export function found(common: Common, payload: Record<string, unknown>): Found {
  const results = list(payload["results"]).map((one) => {
    const result = fields(one);
    return { title: text(result["title"]), link: text(result["link"]), content: text(result["content"]), date: text(result["publish_date"]) };
  });
  return { ...common, kind: "search", queries: list(payload["queries"]).map(text), results };
}

export function kept(common: Common, what: Kept["what"], payload: Record<string, unknown>): Kept {
  return { ...common, kind: "kept", what, name: text(payload["name"]) || text(payload["id"]), content: text(payload["content"]) };
}

export function referred(common: Common, payload: Record<string, unknown>): Referred {
  return { ...common, kind: "references", valid: list(payload["valid"]).map(reference), invalid: list(payload["invalid"]).map(reference) };
}

function reference(value: unknown): Reference {
  const read = fields(value);
  return { type: text(read["type"]), name: text(read["name"]) || text(read["id"]), reason: textOrNull(read["reason"]) };
}
