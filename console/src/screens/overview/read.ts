// The counts of the server as the overview speaks of them. Pure.
import type { Stats, StatsBucket } from "../../contract";

export function refused(counts: Record<string, number>): number {
  return (counts["rejected"] ?? 0) + (counts["validation_failed"] ?? 0);
}

export function people(counts: Record<string, number>): number {
  return counts["requires_review"] ?? 0;
}

/** Calls in which something was found. Each counts once, however much was mended in it. */
export function caught(stats: Stats): number {
  return refused(stats.verdicts) + people(stats.verdicts) + stats.mended;
}

export function isEmpty(stats: Stats): boolean {
  return stats.calls === 0 && stats.turns.total === 0 && stats.results.total === 0 && stats.answers.total === 0;
}

export function codesOf(stats: Stats): [string, number][] {
  return Object.entries(stats.by_code).sort((one, two) => two[1] - one[1] || one[0].localeCompare(two[0]));
}

/** Those that ran as they were made: with the other lines they add up to all calls. */
export function passedOf(bucket: StatsBucket): number {
  return bucket.approved + bucket.caution - bucket.mended;
}

export function refusedOf(bucket: StatsBucket): number {
  return bucket.rejected + bucket.validation_failed;
}
