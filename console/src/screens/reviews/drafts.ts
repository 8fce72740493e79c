// What a reviewer typed into an item's form, kept until its decision is through: moving to another item, a refusal or an expiry
// loses nothing.
import { onSignedOut } from "../../api";
import type { Finding } from "../../contract";
import { Cell } from "./cell";

export interface Draft {
  /** The arguments as the form stands; of a result or an answer its text, as `content`. */
  value: Record<string, unknown>;
  /** Texts of JSON fields that do not parse, by the pointer of their field. They cannot be sent. */
  broken: Record<string, string>;
  /** What the server found in the last edit that it refused. */
  findings: Finding[];
}

export const drafts = new Cell<ReadonlyMap<string, Draft>>(new Map());

export function keepDraft(id: string, draft: Draft) {
  drafts.change((before) => new Map(before).set(id, draft));
}

export function dropDraft(id: string) {
  if (!drafts.get().has(id)) return;
  drafts.change((before) => {
    const after = new Map(before);
    after.delete(id);
    return after;
  });
}

/** Notes what the server found in an edit, beside what was typed. */
export function markDraft(id: string, findings: Finding[]) {
  const draft = drafts.get().get(id);
  if (draft) keepDraft(id, { ...draft, findings });
}

onSignedOut(() => drafts.set(new Map()));
