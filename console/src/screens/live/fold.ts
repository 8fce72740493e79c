// Events become what the screen shows. Pure: the same events give the same items however they were cut into batches, and an item
// that no event of a batch touches is the same object before and after. No React here, and nothing is asked of the server.
import { isObject } from "../../parts/changes";
import type { Claim, ClaimUpdate, StreamEvent } from "../../contract";
import { common, Draft, seqOf, type Conversation } from "./draft";
import { onEvidence, onPlan, onStep, type PlanEvent } from "./fold-plan";
import { onCall, type CallEvent } from "./fold-call";
import { answerAssessment, found, kept, referred } from "./read";
import type { Bubble, End } from "./items";
import { fields, text, textOrNull } from "./payload";

export function fold(before: Conversation, events: readonly StreamEvent[]): Conversation {
  if (events.length === 0) return before;
  const draft = new Draft(before);
  for (const event of events) take(draft, event);
  return draft.done();
}

function take(draft: Draft, event: StreamEvent) {
  const seq = seqOf(event);
  if (seq <= draft.head) return;
  draft.head = seq;
  if (event.meta?.is_replay) draft.missed = seq;
  if (!isObject(event.payload)) return;
  if (OPENS.has(event.event_type)) draft.running = true;
  switch (event.event_type) {
    case "message":
      return onMessage(draft, event);
    case "text_delta":
      return onDelta(draft, event);
    case "verdict":
      onStep(draft, event.payload);
      return onCall(draft, event as CallEvent);
    case "review_required":
      return event.payload.about === "answer" ? onHeldAnswer(draft, event) : onCall(draft, event as CallEvent);
    case "tool_call":
    case "tool_result":
      return onCall(draft, event as CallEvent);
    case "warning":
    case "error":
      return onNotice(draft, event);
    case "claims_updated":
      onClaims(draft, event.payload.claims);
      return onWeighedAgain(draft, fields(event.payload)["messages"]);
    case "plan":
      return onPlan(draft, event as PlanEvent);
    case "evidence":
      return onEvidence(draft, event as PlanEvent);
    case "citation":
      return onCitation(draft, fields(event.payload));
    case "references":
      draft.add(referred(common(event), event.payload));
      return;
    case "search_results":
      draft.add(found(common(event), event.payload));
      return;
    case "note":
    case "material":
      draft.add(kept(common(event), event.event_type, event.payload));
      return;
    case "completed":
    case "failed":
    case "stopped":
    case "lost":
      return onEnd(draft, event.event_type, event);
    default:
      // Types that we do not know are not for us.
      return;
  }
}

function onMessage(draft: Draft, event: Extract<StreamEvent, { event_type: "message" }>) {
  const { payload } = event;
  const id = text(payload.message_id) || common(event).key;
  const begun = draft.message(id);
  // Written out: thousands of these are made when a long session is opened.
  const first = begun?.bubble ?? common(event);
  const role = payload.role === "user" || payload.role === "assistant" ? payload.role : "relayed";
  // A message that one's own agents pass on belongs to no turn.
  if (role === "user") draft.running = true;
  const bubble: Bubble = {
    key: first.key,
    seq: first.seq,
    time: first.time,
    kind: "message",
    messageId: id,
    from: text(payload.from),
    to: textOrNull(payload.to),
    role,
    content: text(payload.content),
    claims: Array.isArray(payload.claims) ? payload.claims : [],
    state: "whole",
    assessment: answerAssessment(payload["assessment"]),
    citations: begun?.bubble.citations ?? [],
    filtered: payload["filtered"] !== undefined,
  };
  draft.growing.delete(id);
  if (begun) draft.put(begun.at, bubble);
  else draft.addMessage(bubble);
}

function onDelta(draft: Draft, event: Extract<StreamEvent, { event_type: "text_delta" }>) {
  const { payload } = event;
  const id = text(payload.message_id);
  const begun = draft.message(id);
  if (begun?.bubble.state === "growing") {
    draft.put(begun.at, { ...begun.bubble, content: begun.bubble.content + text(payload.content) });
    return;
  }
  // A piece that comes after its whole message says nothing new.
  if (begun) return;
  draft.growing.add(id);
  draft.addMessage({
    ...common(event),
    kind: "message",
    messageId: id,
    from: event.agent_source,
    to: null,
    role: "assistant",
    content: text(payload.content),
    claims: [],
    state: "growing",
    assessment: null,
    citations: [],
    filtered: false,
  });
}

/** A claim's name begins with its message's; where it does not, every message is looked through. */
function onClaims(draft: Draft, updates: readonly ClaimUpdate[]) {
  for (const update of Array.isArray(updates) ? updates : []) {
    const near = draft.message(update.id.slice(0, Math.max(0, update.id.lastIndexOf("."))));
    if (near && updateClaim(draft, near.at, near.bubble, update)) continue;
    for (const [at, item] of draft.items.entries()) if (item.kind === "message" && updateClaim(draft, at, item, update)) break;
  }
}

/** An answer is weighed again once its claims were looked up. */
function onWeighedAgain(draft: Draft, messages: unknown) {
  for (const message of Array.isArray(messages) ? messages.map(fields) : []) {
    const named = draft.message(text(message["message_id"]));
    const assessment = answerAssessment(message["assessment"]);
    if (named && assessment) draft.put(named.at, { ...named.bubble, assessment });
  }
}

function updateClaim(draft: Draft, at: number, bubble: Bubble, update: ClaimUpdate): boolean {
  const place = bubble.claims.findIndex((claim) => claim.id === update.id);
  const claim = bubble.claims[place];
  if (!claim) return false;
  const after: Claim = { ...claim, status: update.status, verified: update.status === "verified", verify_note: update.note ?? null };
  if (update.source) after.source = update.source;
  draft.put(at, { ...bubble, claims: bubble.claims.map((other, index) => (index === place ? after : other)) });
  return true;
}

function onCitation(draft: Draft, payload: Record<string, unknown>) {
  const evidence = text(payload["evidence"]);
  const named = draft.message(text(payload["message_id"]));
  if (named) {
    const citation = { evidence, tool: text(payload["tool"]), text: text(payload["text"]) };
    draft.put(named.at, { ...named.bubble, citations: [...named.bubble.citations, citation] });
  }
  const plan = draft.plan === null ? undefined : draft.items[draft.plan];
  if (draft.plan !== null && plan?.kind === "plan") draft.put(draft.plan, { ...plan, steps: plan.steps.map((step) => (step.id === evidence ? { ...step, cited: true } : step)) });
}

/** An answer that a person looks at first: nobody has seen it, so there is no message yet. */
function onHeldAnswer(draft: Draft, event: Extract<StreamEvent, { event_type: "review_required" }>) {
  const { review_id, explanation } = event.payload;
  draft.add({ ...common(event), kind: "notice", what: "warning", code: "review_required", message: text(explanation), review: text(review_id) });
}

/** A warning about a call stands on its card, any other by itself. */
function onNotice(draft: Draft, event: Extract<StreamEvent, { event_type: "warning" | "error" }>) {
  const { code, message } = event.payload;
  const place = event.event_type === "warning" && typeof event.payload.call_id === "string" ? draft.calls.get(event.payload.call_id) : undefined;
  const card = place === undefined ? undefined : draft.items[place];
  if (place !== undefined && card?.kind === "call") {
    const warning = { code: text(code), message: text(message) };
    const withheld = code === "review_decided" ? null : card.withheld;
    draft.put(place, { ...card, warnings: [...card.warnings, warning], denied: card.denied || code === "review_denied", withheld });
    return;
  }
  draft.add({ ...common(event), kind: "notice", what: event.event_type, code: text(code), message: text(message), review: null });
}

/** The end of a turn is the end of all that was under way in it. */
function onEnd(draft: Draft, word: End["word"], event: StreamEvent) {
  const payload = fields(event.payload);
  for (const at of draft.calls.values()) {
    const card = draft.items[at];
    if (card?.kind === "call" && !card.over) draft.put(at, { ...card, over: true });
  }
  for (const id of draft.growing) {
    const begun = draft.message(id);
    if (begun) draft.put(begun.at, { ...begun.bubble, state: "broken" });
  }
  const plan = draft.plan === null ? undefined : draft.items[draft.plan];
  if (draft.plan !== null && plan?.kind === "plan") {
    const steps = plan.steps.map((step) => (step.state === "waiting" || step.state === "running" ? { ...step, state: "skipped" as const } : step));
    draft.put(draft.plan, { ...plan, steps });
  }
  draft.calls = new Map();
  draft.growing = new Set();
  draft.plan = null;
  draft.running = false;
  draft.add({ ...common(event), kind: "end", word, reason: textOrNull(payload["reason"]), message: textOrNull(payload["message"]) });
}

/** Only a turn writes these. */
const OPENS: ReadonlySet<string> = new Set(["text_delta", "verdict", "review_required", "tool_call", "tool_result", "plan", "references", "evidence", "search_results"]);
