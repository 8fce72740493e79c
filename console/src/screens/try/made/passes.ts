// Whether there was nothing to find in what was asked.
import type { Answer } from "../engine";

export function passes(answer: Answer): boolean {
  switch (answer.of) {
    case "call":
      return answer.verdict.findings.length === 0;
    case "output":
      return answer.report.repairs.length === 0 && answer.report.complete;
    case "claims":
      return answer.report.claims.length === 0;
    case "answer":
      return answer.report.sentences.length > 0 && answer.report.sentences.every((sentence) => sentence.support >= SUPPORTED);
    case "result":
      return !answer.report.is_suspicious;
    case "gateway":
      // A call that was only written into the text leaves no finding, and would be lost all the same.
      return false;
  }
}

/** From here on a sentence counts as standing in the documents. */
export const SUPPORTED = 0.5;
