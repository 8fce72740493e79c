// A state in a word, a sign and a colour: readable without the colour.
import { shell } from "../words/shell";
import { useWords } from "../words/words";

type Known = "approved" | "caution" | "requires_review" | "rejected" | "validation_failed" | "suspicious" | "trusted" | "error" | "pending" | "edited" | "expired";

export function StatusBadge({ status }: { status: string }) {
  const say = useWords(shell);
  const known = status in LOOKS ? (status as Known) : null;
  return (
    <span className={`badge badge-${known ? LOOKS[known].tone : "quiet"}`} data-status={status}>
      <span aria-hidden="true">{known ? LOOKS[known].sign : "•"}</span> {known ? say(known) : status}
    </span>
  );
}

const LOOKS: Record<Known, { sign: string; tone: "good" | "warn" | "bad" | "person" | "quiet" }> = {
  approved: { sign: "✓", tone: "good" },
  trusted: { sign: "✓", tone: "good" },
  caution: { sign: "△", tone: "warn" },
  suspicious: { sign: "△", tone: "warn" },
  requires_review: { sign: "☝", tone: "person" },
  pending: { sign: "…", tone: "person" },
  edited: { sign: "✎", tone: "good" },
  rejected: { sign: "⊘", tone: "bad" },
  validation_failed: { sign: "✗", tone: "bad" },
  error: { sign: "✗", tone: "bad" },
  expired: { sign: "◷", tone: "quiet" },
};
