// The plan of a ReWOO turn: its steps, and what each came to.
import type { StreamEvent } from "../../contract";
import { common, type Draft } from "./draft";
import type { PlanCard, PlanStep } from "./items";
import { fields, list, text } from "./payload";

export type PlanEvent = Extract<StreamEvent, { event_type: "plan" | "evidence" }>;

export function onPlan(draft: Draft, event: PlanEvent) {
  const steps = list(fields(event.payload)["steps"]).map((step) => begin(fields(step)));
  draft.plan = draft.add({ ...common(event), kind: "plan", steps });
}

/** A verdict says which step its call belongs to: that step is under way. */
export function onStep(draft: Draft, payload: Record<string, unknown>) {
  const id = /(?:^|\/)work\/(#?\w+)/.exec(text(payload["step"]))?.[1];
  if (id !== undefined) change(draft, id, (step) => (step.state === "waiting" ? { ...step, state: "running" } : step));
}

export function onEvidence(draft: Draft, event: PlanEvent) {
  const payload = fields(event.payload);
  const id = text(payload["id"]);
  // Evidence of a plan that we never saw is a plan of its own.
  if (planOf(draft)?.steps.some((step) => step.id === id) !== true) draft.plan = draft.add({ ...common(event), kind: "plan", steps: [begin(payload)] });
  const state = payload["is_error"] === true ? "failed" : "done";
  change(draft, id, (step) => ({ ...step, state, cached: payload["cached"] === true, arguments: payload["arguments"] ?? step.arguments, evidence: payload["content"] }));
}

function planOf(draft: Draft): PlanCard | null {
  const item = draft.plan === null ? undefined : draft.items[draft.plan];
  return item?.kind === "plan" ? item : null;
}

function change(draft: Draft, id: string, to: (step: PlanStep) => PlanStep) {
  const plan = planOf(draft);
  if (draft.plan === null || plan === null || !plan.steps.some((step) => step.id === id)) return;
  draft.put(draft.plan, { ...plan, steps: plan.steps.map((step) => (step.id === id ? to(step) : step)) });
}

function begin(step: Record<string, unknown>): PlanStep {
  return {
    id: text(step["id"]),
    description: text(step["description"]),
    tool: text(step["tool"]),
    needs: list(step["depends_on"]).map(text),
    state: "waiting",
    cached: false,
    cited: false,
    arguments: step["arguments"],
    evidence: undefined,
  };
}
