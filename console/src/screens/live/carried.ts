// What the gateway carried becomes what the screen shows: the same items as a hosted conversation. Pure, like `fold`.
import { isObject } from "../../parts/changes";
import type { Claim, ConversationDetail, Exchange, Review, StoredVerdict, TrafficMessage, VerificationReport } from "../../contract";
import { NOTHING, type Conversation } from "./draft";
import { needsVerify, type AnswerAssessment, type CallCard, type Item } from "./items";
import { answerAssessment } from "./read";

/** The newest exchanges of a conversation, the oldest of them first. */
export function carried({ list }: Pick<ConversationDetail, "list">): Conversation {
  const items: Item[] = [];
  const log: Log = { items, seq: 0, calls: new Map(), asked: new Map(), told: "" };
  for (const exchange of list) take(log, exchange);
  const unverified = items.filter((item) => item.kind === "message" && needsVerify(item)).length;
  return { ...NOTHING, items, unverified, head: log.seq, running: list.at(-1)?.state === "open" };
}

interface Log {
  items: Item[];
  seq: number;
  /** Where the newest call of each id stands. */
  calls: Map<string, number>;
  /** Where the call of each item stands: made again, it is still one call. */
  asked: Map<string, number>;
  /** What the client was told last. */
  told: string;
}

function take(log: Log, exchange: Exchange) {
  const again = exchange.repeat ? exchange : null;
  if (again) add(log, exchange, { kind: "aside", word: "again", text: null });
  if (exchange.left_out > 0) add(log, exchange, { kind: "aside", word: "leftOut", text: String(exchange.left_out) });
  for (const message of exchange.messages) said(log, exchange, message);
  const verdicts = exchange.verdicts;
  for (const verdict of verdicts) if (verdict.of === "result") examined(log, exchange, verdict);
  calls(log, exchange, verdicts);
  const weighed = verdicts.find((verdict) => verdict.of === "answer");
  answered(log, exchange, weighed ? answerAssessment(weighed.assessment) : null);
}

function said(log: Log, exchange: Exchange, message: TrafficMessage) {
  if (message.text.trim() !== "" && message.role !== "tool") bubble(log, exchange, message.role === "assistant" ? "assistant" : "user", message.text);
  // Calls of a history that nobody here has judged.
  for (const { id, name, arguments: given } of message.calls) {
    const made = { name, arguments: isObject(given) ? given : String(given ?? "") };
    put(log, exchange, id, { ...card(name), made, toRun: made, runBy: "client" });
  }
  for (const result of message.results) {
    const at = result.call_id === null ? undefined : log.calls.get(result.call_id);
    const found = at === undefined ? undefined : log.items[at];
    const given = { content: result.content, isError: result.is_error, unknown: false, verification: null };
    if (at !== undefined && found?.kind === "call") log.items[at] = { ...found, result: given };
    else put(log, exchange, result.call_id, { ...card(""), runBy: "client", result: given });
  }
}

/** What the checks said of a result stands beside it. */
function examined(log: Log, exchange: Exchange, verdict: StoredVerdict) {
  const at = verdict.call_id === null ? undefined : log.calls.get(verdict.call_id);
  const found = at === undefined ? undefined : log.items[at];
  const report = isObject(verdict.verification) ? (verdict.verification as unknown as VerificationReport) : null;
  const result = { content: verdict.result, isError: verdict.status === "error", unknown: false, verification: report };
  if (at !== undefined && found?.kind === "call") log.items[at] = { ...found, result: { ...result, content: found.result?.content ?? verdict.result } };
  else if (verdict.status !== "trusted") put(log, exchange, verdict.call_id, { ...card(verdict.tool), runBy: "client", result });
}

/** The calls of an answer. What went back to the model stands on the card of what came of it. */
function calls(log: Log, exchange: Exchange, verdicts: readonly StoredVerdict[]) {
  const tries: StoredVerdict[] = [];
  const waiting = new Map(exchange.reviews.map((review) => [(review as unknown as Review).review_id, review as unknown as Review]));
  for (const verdict of verdicts) {
    if (verdict.of !== "call") continue;
    if (verdict.outcome === "sent_back") {
      tries.push(verdict);
      continue;
    }
    if (verdict.outcome === "repeated") continue;
    const first = (verdict.attempt ?? 0) > 0 ? tries.shift() : undefined;
    const review = verdict.review_id ? waiting.get(verdict.review_id) : undefined;
    waiting.delete(verdict.review_id ?? "");
    const correction = first ? { original: verdict.released ? first.tool : null, attempts: verdict.attempt ?? 1 } : null;
    put(log, exchange, verdict.call_id, { ...judged(verdict), ...(review ? { review: asked(review), over: false } : {}), correction }, verdict.review_id ?? null);
  }
  // Held until somebody decides: there is no verdict in the audit yet.
  for (const review of waiting.values()) if ((review.about ?? "call") === "call") put(log, exchange, null, { ...card(review.tool), made: review.made ?? review.call, toRun: review.call, review: asked(review), over: false }, review.review_id);
}

function judged(verdict: StoredVerdict): CallCard {
  const status = verdict.status ?? verdict.verdict?.status ?? null;
  const denied = verdict.outcome === "denied_by_person" || verdict.review_state === "rejected" || verdict.review_state === "expired";
  return {
    ...card(verdict.tool),
    verdictId: verdict.verdict_id,
    verdict: verdict.verdict ?? null,
    standing: status,
    outcome: verdict.outcome ?? null,
    reviewState: verdict.review_state ?? null,
    made: verdict.call ?? null,
    toRun: verdict.verdict?.call ?? null,
    runBy: verdict.released ? "client" : null,
    denied,
  };
}

function asked(review: Review) {
  return { id: review.review_id, expiresAt: review.expires_at, explanation: String(review.context.explanation ?? "") };
}

function answered(log: Log, exchange: Exchange, assessment: AnswerAssessment | null) {
  const { answer, state, reason } = exchange;
  if (answer && answer.text.trim() !== "") bubble(log, exchange, "assistant", answer.text, answer.claims, assessment);
  if (answer && answer.note.trim() !== "" && answer.note !== log.told) add(log, exchange, { kind: "aside", word: "told", text: answer.note });
  log.told = answer?.note ?? log.told;
  if (state === "failed") add(log, exchange, { kind: "notice", what: "error", code: "failed", message: reason ?? "", review: null });
  if (state === "broken") add(log, exchange, { kind: "aside", word: "broken", text: null });
  if (state === "unread") add(log, exchange, { kind: "aside", word: "unread", text: null });
  if (state === "open" && exchange.reviews.length === 0) add(log, exchange, { kind: "aside", word: "open", text: null });
}

type Bare<T> = T extends Item ? Omit<T, "key" | "seq" | "time"> : never;

function add(log: Log, exchange: Exchange, item: Bare<Item>): number {
  log.seq += 1;
  return log.items.push({ ...item, key: `${exchange.answer_id}.${log.seq}`, seq: log.seq, time: exchange.created_at } as Item) - 1;
}

function put(log: Log, exchange: Exchange, id: string | null, call: CallCard, item: string | null = null) {
  const known = item === null ? undefined : log.asked.get(item);
  const before = known === undefined ? undefined : log.items[known];
  if (known !== undefined && before?.kind === "call") {
    const { key, seq, time, callId } = before;
    log.items[known] = { ...call, key, seq, time, callId };
    if (id !== null) log.calls.set(id, known);
    return;
  }
  const at = add(log, exchange, { ...call, callId: id ?? `${exchange.answer_id}.${log.seq}` });
  if (id !== null) log.calls.set(id, at);
  if (item !== null) log.asked.set(item, at);
}

function bubble(log: Log, exchange: Exchange, role: "user" | "assistant", content: string, claims: readonly Claim[] = [], assessment: AnswerAssessment | null = null) {
  const from = role === "user" ? (exchange.key ?? "client") : (exchange.model ?? "model");
  add(log, exchange, { kind: "message", messageId: `${exchange.answer_id}.${log.seq}`, from, to: null, role, content, claims, state: "whole", assessment, citations: [], filtered: false });
}

/** A card of a call that somebody else runs. */
export function card(name: string): CallCard {
  return {
    kind: "call",
    key: "",
    seq: 0,
    time: "",
    callId: "",
    name,
    agent: "",
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
    over: true,
    carried: true,
  };
}
