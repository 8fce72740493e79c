// What all fields of one form share.
import { createContext, useContext } from "react";
import type { ArgumentSource, Finding } from "../../../contract";
import type { Schema } from "./schema";
import type { Steps } from "./place";

export interface Filling {
  root: Schema;
  readOnly: boolean;
  findings: readonly Finding[];
  /** What was found when the call was judged; what is at an argument stands beside it. */
  against: readonly Finding[];
  sources: readonly ArgumentSource[];
  /** The place that a finding in hand points to. */
  lit: string | null;
  broken: Readonly<Record<string, string>>;
  change: (steps: Steps, value: unknown) => void;
  /** Notes a text that is no JSON (null: it is again). */
  breakAt: (pointer: string, text: string | null) => void;
}

export const FillingContext = createContext<Filling | null>(null);

export function useFilling(): Filling {
  const filling = useContext(FillingContext);
  if (!filling) throw new Error("a field stands outside of its form");
  return filling;
}
