// The line of a verdict as stations. Which checks there are is the server's to say. Pure.
import type { Finding, LineStop, Severity, Status } from "../../contract";

/** How a station came out. */
export type StopState = "passed" | "found" | "mended" | "refused" | "notReached" | "shadow" | "decided";

export interface Station {
  stop: LineStop;
  state: StopState;
  worst: Severity | null;
}

/** The stations of a line. `refused`: whether its verdict refuses the call. */
export function stations(line: readonly LineStop[], status: Status): Station[] {
  const refuses = refuser(line, status);
  return line.map((stop) => ({ stop, state: stateOf(stop, refuses), worst: worstOf(stop.findings) }));
}

/** The station that a reader wants to see first: what refused, else what found something, else the decision. */
export function first(all: readonly Station[]): string | undefined {
  const by = (state: StopState) => all.find((station) => station.state === state)?.stop.check;
  return by("refused") ?? by("found") ?? by("mended") ?? by("shadow") ?? by("decided");
}

/** The microseconds of all checks together, where they are known. */
export function costOf(line: readonly LineStop[]): number | null {
  const costs = line.flatMap((stop) => stop.microseconds ?? []);
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

function stateOf(stop: LineStop, refuses: (finding: Finding) => boolean): StopState {
  if (stop.check === "decision") return "decided";
  if (!stop.ran) return "notReached";
  if (stop.mode === "shadow") return "shadow";
  if (stop.mode !== "advise" && stop.findings.some(refuses)) return "refused";
  if (stop.findings.length === 0) return "passed";
  return stop.findings.every((finding) => finding.correction?.applied) ? "mended" : "found";
}

/** Which findings refused: errors that were not mended; at a strict level, where there is none, warnings too. */
function refuser(line: readonly LineStop[], status: Status): (finding: Finding) => boolean {
  if (status !== "rejected" && status !== "validation_failed") return () => false;
  const open = line.filter((stop) => stop.mode !== "shadow" && stop.mode !== "advise").flatMap((stop) => stop.findings.filter((finding) => !finding.correction?.applied));
  const grave = open.some((finding) => finding.severity === "error") ? "error" : "warning";
  return (finding) => finding.severity === grave && !finding.correction?.applied;
}

function worstOf(findings: readonly Finding[]): Severity | null {
  return SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity)) ?? null;
}

const SEVERITIES: Severity[] = ["error", "warning", "info"];
