// The counts of the server as the overview speaks of them. Fields that older servers leave out count as nothing. Pure.
import type { Stats, StatsBucket } from "../../contract";

export function refused(counts: Record<string, number>): number {
  return (counts["rejected"] ?? 0) + (counts["validation_failed"] ?? 0);
}

export function people(counts: Record<string, number>): number {
  return counts["requires_review"] ?? 0;
}

export function caught(stats: Stats): number {
  return refused(stats.verdicts) + people(stats.verdicts) + stats.mended;
}

export function isEmpty(stats: Stats): boolean {
  return stats.calls === 0 && stats.turns.total === 0 && resultsOf(stats).total === 0;
}

export function resultsOf(stats: Partial<Stats>): Stats["results"] {
  return stats.results ?? { total: 0, suspicious: 0 };
}

export function codesOf(stats: Partial<Stats>): [string, number][] {
  return Object.entries(stats.by_code ?? {}).sort((one, two) => two[1] - one[1] || one[0].localeCompare(two[0]));
}

export function outcomesOf(stats: Partial<Stats>): Stats["outcomes"] {
  return stats.outcomes ?? { decided: 0, approved: 0, edited: 0, rejected: 0, expired: 0, false_alarm_rate: null, by_tool: {} };
}

export function latencyOf(stats: Partial<Stats>): Stats["latency"] {
  return stats.latency ?? { check: null, routes: [] };
}

export function passedOf(bucket: StatsBucket): number {
  return bucket.approved + bucket.caution;
}

export function refusedOf(bucket: StatsBucket): number {
  return bucket.rejected + bucket.validation_failed;
}
