// The items that this page knows of, whoever told it: the stream, a list, an answer. Decisions are final, so news that come late
// never turn a decided item back into one that waits.
import { ask, onSignedOut } from "../../api";
import type { Review } from "../../contract";
import { Cell } from "./cell";

export type Known = ReadonlyMap<string, Review>;

export const known = new Cell<Known>(new Map());

/** How far the server's clock is ahead of ours, in milliseconds. Countdowns are told by the server's. */
export const ahead = new Cell(0);

/** The server's time. */
export function serverNow(): number {
  return Date.now() + ahead.get();
}

/** Takes the server's time from an answer; the header knows only whole seconds, so small differences mean nothing. */
export function readClock(response: Response) {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  const difference = date - Date.now();
  ahead.set(Math.abs(difference) > 2_000 ? difference : 0);
}

/** When each item was last heard of on the stream: a list that was asked for before knows less. */
const heard = new Map<string, number>();
let clock = 0;

/** Takes an item as it is now. */
export function learn(review: Review) {
  clock += 1;
  heard.set(review.review_id, clock);
  put([review]);
}

/** Asks for a list; what was heard of meanwhile is not overwritten. */
export async function learnList(query: string, signal?: AbortSignal): Promise<Review[]> {
  const asked = clock;
  const { reviews } = await ask<{ reviews: Review[] }>(`/v1/reviews?${query}`, { signal });
  put(reviews.filter((review) => (heard.get(review.review_id) ?? 0) <= asked));
  return reviews;
}

/** Asks for one item. One that is gone is forgotten. */
export async function learnOne(id: string, signal?: AbortSignal): Promise<Review | null> {
  try {
    const review = await ask<Review>(`/v1/reviews/${encodeURIComponent(id)}`, { signal });
    learn(review);
    return review;
  } catch {
    return known.get().get(id) ?? null;
  }
}

/** Holds what we believe to wait against what waits: words may have been lost between two connections. */
export async function refresh(signal: AbortSignal) {
  const believed = [...known.get().values()].filter((review) => review.state === "pending");
  const waiting = new Set((await learnList("state=pending&limit=1000", signal)).map((review) => review.review_id));
  const lost = believed.filter((review) => !waiting.has(review.review_id)).slice(0, MOST_ASKED);
  await Promise.all(lost.map((review) => learnOne(review.review_id, signal)));
}

/** Asks for what was decided. */
export async function learnDecided(tool: string, signal: AbortSignal) {
  const named = tool === "" ? "" : `&tool=${encodeURIComponent(tool)}`;
  await Promise.all(DECIDED.map((state) => learnList(`state=${state}&order=newest&limit=500${named}`, signal)));
}

function put(reviews: readonly Review[]) {
  if (reviews.length === 0) return;
  known.change((before) => {
    const after = new Map(before);
    for (const review of reviews) {
      const old = after.get(review.review_id);
      if (old && old.state !== "pending" && review.state === "pending") continue;
      after.set(review.review_id, review);
    }
    return after;
  });
}

// Whoever signs in next sees only what the server shows them.
onSignedOut(() => {
  heard.clear();
  known.set(new Map());
});

const DECIDED = ["approved", "edited", "rejected", "expired"] as const;
const MOST_ASKED = 50;
