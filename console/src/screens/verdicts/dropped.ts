// A conversation of a trace file becomes what "Live" shows: the same bubbles and cards, with what the checks say now. Pure.
import { isObject } from "../../parts/changes";
import type { AuditedConversation, AuditedItem, Verdict, VerificationReport } from "../../contract";
import { card } from "../live/carried";
import { NOTHING, type Conversation } from "../live/draft";
import type { CallCard, Item } from "../live/items";

export function dropped(one: AuditedConversation): Conversation {
  const items: Item[] = [];
  const calls = new Map<string, number>();
  let seq = 0;
  const common = () => ({ key: `${one.line}.${(seq += 1)}`, seq, time: "" });
  const judged = { call: one.items.filter(({ kind }) => kind === "call"), result: one.items.filter(({ kind }) => kind === "result"), answer: one.items.filter(({ kind }) => kind === "answer") };
  if (one.left_out > 0) items.push({ ...common(), kind: "aside", word: "leftOut", text: String(one.left_out) });
  for (const message of one.messages) {
    if (message.role === "system") continue;
    const answer = message.role === "assistant" ? judged.answer.find(({ line }) => line === message.line) : undefined;
    if (message.text.trim() !== "" && message.role !== "tool") {
      const role = message.role === "assistant" ? "assistant" : "user";
      const assessment = answer ? { status: answer.status, confidence: null, findings: answer.findings, rationale: null } : null;
      items.push({ ...common(), kind: "message", messageId: String(seq), from: role === "user" ? "user" : (one.model ?? "model"), to: null, role, content: message.text, claims: [], state: "whole", assessment, citations: [], filtered: false });
    }
    for (const call of message.calls) {
      const id = typeof call["id"] === "string" ? call["id"] : null;
      const name = String(call["name"] ?? "");
      const given: unknown = call["arguments"];
      const made = { name, arguments: isObject(given) ? given : String(given ?? "") };
      const item = judged.call.find((other) => (id !== null && other.call_id === id) || (other.call_id === undefined && other.line === call["line"] && other.tool === name));
      const at = items.push({ ...card(name), ...common(), callId: id ?? String(seq), made, toRun: made, runBy: "client", outcome: "recorded", verdict: item ? verdictOf(item) : null, standing: item?.status ?? null } as CallCard) - 1;
      if (id !== null) calls.set(id, at);
    }
    for (const result of message.results) {
      const at = result.call_id === null ? undefined : calls.get(result.call_id);
      const known = at === undefined ? undefined : items[at];
      const item = judged.result.find((other) => other.call_id !== undefined && other.call_id === result.call_id);
      const given = { content: result.content, isError: result.is_error, unknown: false, verification: item ? reportOf(item) : null };
      if (at !== undefined && known?.kind === "call") items[at] = { ...known, result: given };
      else items.push({ ...card(""), ...common(), runBy: "client", result: given } as CallCard);
    }
  }
  return { ...NOTHING, items, head: seq };
}

/** How many findings a conversation has that are more than a note. */
export function gravityOf(one: AuditedConversation): number {
  return one.items.reduce((sum, item) => sum + item.findings.filter(({ severity }) => severity !== "info").length, 0);
}

function verdictOf(item: AuditedItem): Verdict {
  return { status: item.status, findings: item.findings, explanation: "", call: null } as unknown as Verdict;
}

function reportOf(item: AuditedItem): VerificationReport {
  return { is_suspicious: item.status !== "approved", findings: item.findings, concerns: [], checks_passed: 0, total_checks: 0 } as unknown as VerificationReport;
}
