// The reviewer's desk: which items lie on it, which one is open, and what can be done with it.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ask, told } from "../../api";
import type { Review } from "../../contract";
import { same } from "../../parts/changes";
import { useNow } from "../../parts/when";
import { go, settle, useRoute } from "../../route";
import { useSettings } from "../../settings";
import { useWho } from "../../who";
import { aboutOf, contentOf, holderOf, isAlike, originalOf, signatureOf } from "./asked";
import { useCell } from "./cell";
import { drafts, dropDraft } from "./drafts";
import { ahead, known, learn, learnDecided, learnOne, serverNow } from "./known";
import { isOnItsWay, outbox, parcelOf, post, takeBack, type Letter } from "./outbox";
import { arranged, placeIn, type Filter } from "./order";
import { useWide } from "./use-wide";

/** Why nothing can be done with an item now. */
export type Bar = { why: "decided" | "over" | "onItsWay" } | { why: "reserved"; by: string };

export type Desk = ReturnType<typeof useDesk>;

export function useDesk() {
  const { item } = useRoute();
  const who = useWho();
  const { reviewer, change } = useSettings();
  const all = useCell(known);
  const parcels = useCell(outbox);
  const draft = useCell(drafts).get(item ?? "") ?? null;
  const wide = useWide();
  const now = useNow() + useCell(ahead);
  const [filter, setFilter] = useState<Filter>({ state: "pending", tool: "" });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE);
  const [rejecting, setRejecting] = useState(false);
  const [asking, setAsking] = useState<{ then: (name: string) => void } | null>(null);
  const [notice, setNotice] = useState<{ id: string; text: string } | null>(null);
  /** When the page itself last opened an item: a key that was meant for nothing must not hit it. */
  const openedByItself = useRef(0);

  const name = reviewer.trim();
  const tools = useMemo(() => [...new Set([...all.values()].map((review) => review.tool))].filter((tool) => tool !== "").sort(), [all]);
  const shown = useMemo(() => arranged([...all.values()], filter), [all, filter]);
  const selected = item === null ? null : (all.get(item) ?? null);
  const free = useCallback((review: Review) => review.state === "pending" && !isOnItsWay(parcels, review.review_id), [parcels]);
  const signature = signatureOf(who, name);
  const isMine = (holder: string) => holder === signature;
  const barOf = (review: Review): Bar | null => {
    if (review.state !== "pending") return { why: "decided" };
    if (isOnItsWay(parcels, review.review_id)) return { why: "onItsWay" };
    if (review.expires_at_ms <= now) return { why: "over" };
    const holder = holderOf(review, now);
    return holder !== null && !isMine(holder) ? { why: "reserved", by: holder } : null;
  };
  const bar = selected ? barOf(selected) : null;
  const alike = selected && bar === null ? shown.filter((review) => isAlike(review, selected) && barOf(review) === null) : [];
  const group = alike.length > 1 ? alike.filter((review) => chosen.has(review.review_id)) : [];
  const original = selected ? originalOf(selected) : {};
  const edited = draft !== null && (!same(draft.value, original) || Object.keys(draft.broken).length > 0);

  useEffect(() => {
    if (filter.state !== "decided") return;
    const left = new AbortController();
    void learnDecided(filter.tool, left.signal).catch(() => undefined);
    return () => left.abort();
  }, [filter]);

  // On a wide window something is always open; what is open never changes by itself.
  const first = shown.find((review) => filter.state === "decided" || free(review))?.review_id;
  useEffect(() => {
    if (!wide || item !== null || first === undefined) return;
    openedByItself.current = Date.now();
    settle("reviews", first);
  }, [wide, item, first]);

  // Another item: what was begun for the last one is put away.
  useEffect(() => {
    setRejecting(false);
    setChosen(NONE);
    setAsking(null);
  }, [item]);

  const open = (id: string | null) => {
    // Who moves by themselves knows what is open: their keys count at once.
    openedByItself.current = 0;
    if (id === null) settle("reviews");
    else settle("reviews", id);
  };
  const move = (step: 1 | -1) => {
    const at = selected ? placeIn(shown, selected, filter) : -1;
    const inside = selected !== null && shown.some((review) => review.review_id === selected.review_id);
    const next = shown[at < 0 ? 0 : inside ? at + step : step === 1 ? at : at - 1];
    if (next) open(next.review_id);
  };
  /** Opens what comes after some items. */
  const openNext = (done: readonly Review[]) => {
    const ids = new Set(done.map((review) => review.review_id));
    const last = shown.findLastIndex((review) => ids.has(review.review_id));
    const open = (review: Review) => free(review) && !ids.has(review.review_id);
    const next = shown.slice(last + 1).find(open) ?? shown.slice(0, Math.max(0, last)).findLast(open);
    // The second half of a double click is not meant for what came up under it.
    openedByItself.current = Date.now();
    settle("reviews", next?.review_id);
  };
  /** Does something under the reviewer's name; asks for it first where the audit would have none. */
  const signed = (then: (name: string) => void) => {
    if (name !== "" || who.locked) then(name);
    else setAsking({ then });
  };
  const sign = (typed: string) => {
    change({ reviewer: typed });
    asking?.then(typed);
    setAsking(null);
  };
  const decide = (decision: "approve" | "reject", reason?: string) => {
    if (!selected || bar || Date.now() - openedByItself.current < SETTLING) return;
    const many = group.length > 0;
    const targets = many ? group : [selected];
    const changed = decision === "approve" && !many && edited ? draft : null;
    if (changed && Object.keys(changed.broken).length > 0) return setNotice({ id: selected.review_id, text: BROKEN });
    signed((reviewer) => {
      const words = aboutOf(selected) !== "call";
      const edit = !changed ? {} : words ? { content: contentOf(selected, changed.value.content) } : { arguments: changed.value };
      const letter = (review: Review): Letter => ({ review, reviewer, decision: changed ? "edit" : decision, ...edit, reason });
      setNotice(null);
      setRejecting(false);
      setChosen(NONE);
      post(targets.map(letter));
      openNext(targets);
    });
  };
  const reserve = () => {
    if (!selected || bar) return;
    const { review_id } = selected;
    const mine = holderOf(selected, serverNow()) !== null;
    signed((reviewer) => {
      setNotice(null);
      ask<Review | undefined>(`/v1/reviews/${encodeURIComponent(review_id)}/reserve`, { method: mine ? "DELETE" : "POST", body: reviewer === "" ? {} : { reviewer } }).then(
        (review) => (review ? learn(review) : void learnOne(review_id)),
        (error: unknown) => {
          setNotice({ id: review_id, text: told(error) });
          void learnOne(review_id);
        },
      );
    });
  };
  const undo = (id?: number) => {
    const parcel = takeBack(id);
    const back = parcel?.letters[0]?.review.review_id;
    if (back !== undefined) open(back);
  };
  return {
    item,
    who,
    name,
    signature,
    now,
    wide,
    filter,
    setFilter,
    tools,
    shown,
    selected,
    parcels,
    bar,
    barOf,
    alike,
    group,
    chooseGroup: (ids: Iterable<string>) => setChosen(new Set(ids)),
    chosen,
    original,
    draft,
    edited,
    dropEdits: () => selected && dropDraft(selected.review_id),
    rejecting,
    setRejecting: (wish: boolean) => setRejecting(wish && selected !== null && bar === null),
    asking: asking !== null,
    sign,
    cancelSign: () => setAsking(null),
    askName: () => setAsking({ then: () => undefined }),
    notice: notice && notice.id === item ? notice.text : null,
    failure: item === null ? null : failureOf(parcels, item),
    goTo: (id: string) => go("reviews", id),
    back: () => go("reviews"),
    move,
    decide,
    reserve,
    undo,
  };
}

function failureOf(parcels: Parameters<typeof parcelOf>[0], id: string) {
  const found = parcelOf(parcels, id);
  return found && found.outcome.state === "failed" ? { ...found, outcome: found.outcome } : null;
}

/** Said in the language of the page. */
export const BROKEN = "\u0000broken";
const NONE: ReadonlySet<string> = new Set();
const SETTLING = 500;
