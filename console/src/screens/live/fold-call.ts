// What happens to one call: judged, sent to a person, run, answered.
import type { StreamEvent, ToolCall, Verdict, VerificationReport } from "../../contract";
import { common, type Draft } from "./draft";
import type { CallCard } from "./items";
import { call, fields, text, textOrNull } from "./payload";

export type CallEvent = Extract<StreamEvent, { event_type: "verdict" | "review_required" | "tool_call" | "tool_result" }>;

export function onCall(draft: Draft, event: CallEvent) {
  const payload = fields(event.payload);
  const id = text(payload["call_id"]) || common(event).key;
  const at = draft.calls.get(id);
  const known = at === undefined ? undefined : draft.items[at];
  // Some models give the same id to every call: a call that is judged after the last one was settled is another one.
  const same = known?.kind === "call" && !(event.event_type === "verdict" && isSettled(known));
  const before = same ? known : begin(event, id, payload);
  const after = changed(before, event, payload);
  if (same && at !== undefined) draft.put(at, after);
  else draft.calls.set(id, draft.add(after));
}

function begin(event: CallEvent, id: string, payload: Record<string, unknown>): CallCard {
  return {
    ...common(event),
    kind: "call",
    callId: id,
    name: text(payload["name"] ?? payload["tool"]),
    agent: event.agent_source,
    verdictId: null,
    verdict: null,
    standing: null,
    outcome: null,
    reviewState: null,
    made: null,
    toRun: null,
    correction: null,
    review: null,
    withheld: null,
    runBy: null,
    result: null,
    warnings: [],
    denied: false,
    over: false,
    carried: false,
  };
}

function isSettled(card: CallCard): boolean {
  const refused = card.verdict !== null && (card.verdict.call ?? null) === null;
  return card.result !== null || card.denied || (refused && card.review === null);
}

function changed(card: CallCard, event: CallEvent, payload: Record<string, unknown>): CallCard {
  switch (event.event_type) {
    case "verdict": {
      const verdict = verdictOf(payload["verdict"]) ?? card.verdict;
      const made = call(payload["call"]) ?? card.made;
      const correction = correctionOf(payload["correction"]);
      return { ...card, verdictId: textOrNull(payload["verdict_id"]), verdict, made, toRun: verdict?.call ?? null, correction };
    }
    case "review_required": {
      const review = { id: text(payload["review_id"]), expiresAt: text(payload["expires_at"]), explanation: text(payload["explanation"]) };
      if (payload["about"] === "result") return { ...card, withheld: review };
      return { ...card, review, toRun: call(payload["call"]) ?? card.toRun };
    }
    case "tool_call": {
      const verdict = verdictOf(payload["verdict"]) ?? card.verdict;
      const toRun: ToolCall | null = call(payload["call"]) ?? call(payload) ?? card.toRun;
      const verdictId = textOrNull(payload["verdict_id"]) ?? card.verdictId;
      return { ...card, agent: event.agent_source, name: text(payload["name"]) || card.name, verdict, verdictId, toRun, runBy: textOrNull(payload["run_by"]) ?? "countersign" };
    }
    case "tool_result": {
      const verification = fields(payload["verification"]);
      const result = {
        content: payload["content"],
        isError: payload["is_error"] === true,
        unknown: payload["outcome"] === "unknown",
        verification: Array.isArray(verification["findings"]) ? (verification as unknown as VerificationReport) : null,
      };
      return { ...card, result };
    }
  }
}

/** Without an original call the model did not get it right. */
function correctionOf(value: unknown): CallCard["correction"] {
  const told = fields(value);
  if (typeof told["corrected"] !== "boolean") return null;
  return { original: call(told["original"])?.name ?? null, attempts: Number(told["attempts"]) };
}

function verdictOf(value: unknown): Verdict | null {
  const verdict = fields(value);
  return typeof verdict["status"] === "string" ? ({ ...verdict, findings: Array.isArray(verdict["findings"]) ? verdict["findings"] : [] } as unknown as Verdict) : null;
}
