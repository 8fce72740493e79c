// Decisions on their way: each waits some seconds before it is sent, so that it can be taken back. Nothing is lost by leaving: a
// page that closes sends what waits. A refusal comes back with its reason; nothing is ever sent twice.
import { ask, onSignedOut, Refused, told } from "../../api";
import type { Finding, Review } from "../../contract";
import { Cell } from "./cell";
import { dropDraft, markDraft } from "./drafts";
import { known, learn, learnOne, serverNow } from "./known";

export type Word = "approve" | "edit" | "reject";

/** What is sent for one item. */
export interface Letter {
  review: Review;
  decision: Word;
  arguments?: Record<string, unknown>;
  /** What stands in the place of a result or an answer. */
  content?: unknown;
  reason?: string;
  reviewer: string;
}

export type Outcome =
  | { state: "waiting" | "sending" | "sent" }
  /** Not taken: `status` is the server's (0: not reached); `now` is the item as it stands. */
  | { state: "failed"; status: number; message: string; now: Review | null };

/** One decision of a person: one item, or several alike. */
export interface Parcel {
  id: number;
  letters: Letter[];
  outcomes: Outcome[];
  /** When it is sent, in milliseconds since 1970 by our clock. */
  due: number;
  /** When all of it was through. */
  finished: number | null;
}

export const outbox = new Cell<readonly Parcel[]>([]);

/** How long a decision can be taken back. */
export const DELAY = 5_000;

const timers = new Map<number, ReturnType<typeof setTimeout>>();
let count = 0;

/** Puts a decision where it waits to be sent. */
export function post(letters: Letter[]) {
  count += 1;
  const id = count;
  // An item that is about to expire is not kept waiting beyond its end.
  const left = Math.min(...letters.map((letter) => letter.review.expires_at_ms)) - serverNow() - MARGIN;
  const delay = Math.max(0, Math.min(DELAY, left));
  const ids = new Set(letters.map((letter) => letter.review.review_id));
  const parcel: Parcel = { id, letters, outcomes: letters.map(() => ({ state: "waiting" })), due: Date.now() + delay, finished: null };
  outbox.change((before) => [...before.filter((other) => !(isOver(other) && other.letters.every((letter) => ids.has(letter.review.review_id)))), parcel]);
  timers.set(
    id,
    setTimeout(() => void commit(id), delay),
  );
}

/** Takes back the newest decision that was not sent yet, or a certain one. */
export function takeBack(id?: number): Parcel | null {
  const parcel = outbox.get().findLast((each) => isWaiting(each) && (id === undefined || each.id === id));
  if (!parcel) return null;
  clearTimeout(timers.get(parcel.id));
  remove(parcel.id);
  return parcel;
}

/** Sends what was not taken once more. */
export function resend(id: number) {
  const parcel = outbox.get().find((each) => each.id === id);
  if (!parcel) return;
  const failed = parcel.letters.filter((_, at) => parcel.outcomes[at]?.state === "failed");
  remove(id);
  if (failed.length > 0) post(failed);
}

export function remove(id: number) {
  timers.delete(id);
  outbox.change((before) => before.filter((parcel) => parcel.id !== id));
}

/** The parcel in which an item's decision is on its way, or came back. */
export function parcelOf(parcels: readonly Parcel[], id: string): { parcel: Parcel; letter: Letter; outcome: Outcome } | null {
  for (const parcel of [...parcels].reverse()) {
    const at = parcel.letters.findIndex((letter) => letter.review.review_id === id);
    const letter = parcel.letters[at];
    const outcome = parcel.outcomes[at];
    if (letter && outcome) return { parcel, letter, outcome };
  }
  return null;
}

/** Whether an item's decision is on its way. */
export function isOnItsWay(parcels: readonly Parcel[], id: string): boolean {
  const state = parcelOf(parcels, id)?.outcome.state;
  return state === "waiting" || state === "sending";
}

export function isWaiting(parcel: Parcel): boolean {
  return parcel.outcomes.some((outcome) => outcome.state === "waiting");
}

export function isOver(parcel: Parcel): boolean {
  return parcel.outcomes.every((outcome) => outcome.state === "sent" || outcome.state === "failed");
}

async function commit(id: number, keepalive = false) {
  const parcel = outbox.get().find((each) => each.id === id);
  if (!parcel || !isWaiting(parcel)) return;
  clearTimeout(timers.get(id));
  for (const at of parcel.letters.keys()) mark(id, at, { state: "sending" });
  const send = async (letter: Letter, at: number) => mark(id, at, await deliver(letter, keepalive));
  if (keepalive) await Promise.all(parcel.letters.map(send));
  else await inTurns(parcel.letters, send);
  const after = outbox.get().find((each) => each.id === id);
  if (!after) return;
  outbox.change((before) => before.map((each) => (each.id === id ? { ...each, finished: Date.now() } : each)));
  // What went well is told for a moment; what did not stays until somebody has seen it.
  if (after.outcomes.every((outcome) => outcome.state === "sent")) setTimeout(() => remove(id), SEEN);
}

async function deliver(letter: Letter, keepalive: boolean): Promise<Outcome> {
  const id = letter.review.review_id;
  const body: Record<string, unknown> = { decision: letter.decision };
  if (letter.arguments !== undefined) body.arguments = letter.arguments;
  if (letter.content !== undefined) body.content = letter.content;
  if (letter.reason) body.reason = letter.reason;
  if (letter.reviewer) body.reviewer = letter.reviewer;
  try {
    learn(await ask<Review>(`/v1/reviews/${encodeURIComponent(id)}/decision`, { method: "POST", body, keepalive }));
    dropDraft(id);
    return { state: "sent" };
  } catch (error) {
    const status = error instanceof Refused ? error.status : 0;
    if (status === 422) markDraft(id, findingsOf(error));
    const now = status === 0 ? (known.get().get(id) ?? null) : await learnOne(id);
    return { state: "failed", status, message: told(error), now };
  }
}

function findingsOf(error: unknown): Finding[] {
  if (!(error instanceof Refused)) return [];
  const findings = (error.body as { error?: { findings?: unknown } } | null)?.error?.findings;
  return Array.isArray(findings) ? (findings as Finding[]) : [];
}

/** A few at a time: a large group does not take all connections of the browser. */
async function inTurns(letters: Letter[], send: (letter: Letter, at: number) => Promise<void>) {
  const queue = [...letters.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await send(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function mark(id: number, at: number, outcome: Outcome) {
  outbox.change((before) => before.map((parcel) => (parcel.id === id ? { ...parcel, outcomes: parcel.outcomes.with(at, outcome) } : parcel)));
}

addEventListener("pagehide", () => {
  for (const parcel of outbox.get()) if (isWaiting(parcel)) void commit(parcel.id, true);
});

// A decision of somebody who has left is not sent under the name of the next.
onSignedOut(() => {
  for (const parcel of outbox.get()) clearTimeout(timers.get(parcel.id));
  timers.clear();
  outbox.set([]);
});

/** So long before its end an item's decision is sent at the latest. */
const MARGIN = 1_500;
const SEEN = 3_000;
const AT_ONCE = 4;
