// The line of a verdict as stations: what the server tells, or where it tells nothing, what the findings allow to say. Pure.
import type { Finding, LineStop, Severity, Status, Verdict } from "../../contract";

export type CheckName = (typeof CHECKS)[number];

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
export function first(all: readonly Station[]): string {
  const by = (state: StopState) => all.find((station) => station.state === state)?.stop.check;
  return by("refused") ?? by("found") ?? by("mended") ?? by("shadow") ?? "decision";
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

/** The line that findings allow to derive, for verdicts whose request is gone and servers that tell no line. */
export function derived(verdict: Verdict): LineStop[] {
  const shadow = verdict.shadow ?? [];
  const all = [...verdict.findings, ...shadow];
  const ended = CHECKS.findIndex((check) => all.some((finding) => checkOf(finding) === check && ends(finding)));
  return CHECKS.map((check, at) => {
    const found = verdict.findings.filter((finding) => checkOf(finding) === check);
    const watched = shadow.filter((finding) => checkOf(finding) === check);
    const ran = check === "decision" || ended < 0 || at <= ended;
    const mode = watched.length > 0 && found.length === 0 ? ("shadow" as const) : null;
    const stop: LineStop = { check, ran, mode, findings: [...found, ...watched], microseconds: null };
    return check === "decision" ? { ...stop, status: verdict.status } : stop;
  });
}

/** Whether the line ends at a finding: without a tool, or without arguments, nothing else can be looked at. */
function ends(finding: Finding): boolean {
  return !finding.correction?.applied && ENDINGS.includes(finding.code);
}

function checkOf(finding: Finding): CheckName {
  return BY_CODE[finding.code] ?? BY_LAYER[finding.layer] ?? "decision";
}

export const CHECKS = ["name", "arguments", "schema", "meaning", "danger", "permission", "provenance", "relevance", "facts", "repeat", "decision"] as const;

export function isCheck(name: string): name is CheckName {
  return (CHECKS as readonly string[]).includes(name);
}

const SEVERITIES: Severity[] = ["error", "warning", "info"];
const ENDINGS = ["call.unknown-tool", "call.misspelt-tool", "call.malformed-arguments"];
const BY_CODE: Record<string, CheckName> = {
  "call.malformed-arguments": "arguments",
  "provenance.unasked": "relevance",
  "provenance.better-tool": "relevance",
};
const BY_LAYER: Record<string, CheckName> = {
  tool_name: "name",
  parameter: "schema",
  meaning: "meaning",
  danger: "danger",
  context: "permission",
  provenance: "provenance",
  fact: "facts",
  capability: "facts",
  repeat: "repeat",
};
