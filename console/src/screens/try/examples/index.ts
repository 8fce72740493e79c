// All examples. Each was tried against the running server and shows what it says.
import type { Topic } from "../topics";
import { ANSWER } from "./answer";
import { CALL } from "./call";
import { CLAIMS } from "./claims";
import { DANGER } from "./danger";
import type { Example } from "./example";
import { GATEWAY } from "./gateway";
import { OUTPUT } from "./output";
import { PROVENANCE } from "./provenance";
import { RESULT } from "./result";

/** The examples of a workbench, those in the reader's language first. */
export function examplesOf(topic: Topic, language: Example["language"]): Example[] {
  const all = EXAMPLES[topic];
  return [...all.filter((one) => one.language === language), ...all.filter((one) => one.language !== language)];
}

export const EXAMPLES: Record<Topic, readonly Example[]> = {
  call: CALL,
  danger: DANGER,
  provenance: PROVENANCE,
  output: OUTPUT,
  claims: CLAIMS,
  answer: ANSWER,
  result: RESULT,
  gateway: GATEWAY,
};
