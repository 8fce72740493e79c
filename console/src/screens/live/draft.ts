// A conversation as the screen knows it, and the same while a batch of events is taken in.
import type { StreamEvent } from "../../contract";
import { needsVerify, type Bubble, type Item } from "./items";

export interface Conversation {
  /** In the order of the log. */
  items: readonly Item[];
  /** Whether a turn is under way. */
  running: boolean;
  /** How many messages hold a claim that nobody has verified. */
  unverified: number;
  /** The newest event. */
  head: number;
  /** The newest event that had been missed and was given later. */
  missed: number;
  /** Where each message stands in `items`. */
  messages: ReadonlyMap<string, number>;
  /** Where this turn's calls stand: their ids may come again in another turn. */
  calls: ReadonlyMap<string, number>;
  /** Where this turn's newest plan stands. */
  plan: number | null;
  /** Messages that are still growing. */
  growing: ReadonlySet<string>;
}

export const NOTHING: Conversation = { items: [], running: false, unverified: 0, head: 0, missed: 0, messages: new Map(), calls: new Map(), plan: null, growing: new Set() };

/** A conversation while a batch is taken in. Lists are copied once, when they first change. */
export class Draft {
  readonly items: Item[];
  running: boolean;
  unverified: number;
  head: number;
  missed: number;
  plan: number | null;
  calls: Map<string, number>;
  growing: Set<string>;
  private messages: Map<string, number>;
  private messagesCopied = false;

  constructor(before: Conversation) {
    this.items = [...before.items];
    this.running = before.running;
    this.unverified = before.unverified;
    this.head = before.head;
    this.missed = before.missed;
    this.plan = before.plan;
    this.calls = new Map(before.calls);
    this.growing = new Set(before.growing);
    this.messages = before.messages as Map<string, number>;
  }

  done(): Conversation {
    const { items, running, unverified, head, missed, plan, calls, growing, messages } = this;
    return { items, running, unverified, head, missed, plan, calls, growing, messages };
  }

  add(item: Item): number {
    return this.items.push(item) - 1;
  }

  /** Puts an item in the place of its former self. */
  put(at: number, item: Item) {
    const former = this.items[at];
    if (former?.kind === "message" && needsVerify(former)) this.unverified -= 1;
    if (item.kind === "message" && needsVerify(item)) this.unverified += 1;
    this.items[at] = item;
  }

  addMessage(bubble: Bubble) {
    if (!this.messagesCopied) {
      this.messages = new Map(this.messages);
      this.messagesCopied = true;
    }
    this.messages.set(bubble.messageId, this.add(bubble));
    if (needsVerify(bubble)) this.unverified += 1;
  }

  message(id: string): { at: number; bubble: Bubble } | null {
    const at = this.messages.get(id);
    const bubble = at === undefined ? undefined : this.items[at];
    return at !== undefined && bubble?.kind === "message" ? { at, bubble } : null;
  }
}

/** What every item takes from its first event. */
export function common(event: StreamEvent): { key: string; seq: number; time: string } {
  return { key: event.id ?? "", seq: seqOf(event), time: event.timestamp };
}

export function seqOf(event: StreamEvent): number {
  return event.id ? Number(event.id.slice(event.id.indexOf(".") + 1)) : 0;
}
