// Why a decision was not taken, in plain words: who was faster, or what the checks said.
import type { Outcome } from "./outbox";
import { deciderOf, holderOf, type ReviewSay } from "./asked";
import { serverNow } from "./known";

export function failureWords(outcome: Extract<Outcome, { state: "failed" }>, say: ReviewSay): string {
  const { now, status, message } = outcome;
  if (status === 0) return say("failUnreachable");
  if (status === 422) return say("failChecks", { message });
  if (status === 409 && now) {
    const decider = deciderOf(now);
    if (now.state === "expired") return say("failExpired");
    if (now.state !== "pending") return decider === null ? say("failFasterNobody", { state: say(`was_${now.state}`) }) : say("failFaster", { name: decider, state: say(`was_${now.state}`) });
    const holder = holderOf(now, serverNow());
    if (holder !== null) return say("failReserved", { name: holder });
  }
  return message;
}
