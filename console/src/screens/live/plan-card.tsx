// A plan: its steps, where each stands, and what it came to.
import { JsonView } from "../../parts/json-view";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import type { PlanCard, PlanStep } from "./items";

export function PlanCardView({ plan }: { plan: PlanCard }) {
  const say = useWords(liveWords);
  return (
    <div className="plan-card">
      <strong>{say("plan")}</strong>
      {plan.steps.length === 0 && <p className="quiet">{say("planEmpty")}</p>}
      <ol>
        {plan.steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
    </div>
  );
}

function Step({ step }: { step: PlanStep }) {
  const say = useWords(liveWords);
  return (
    <li className={`step step-${step.state}`} data-step={step.id} data-state={step.state}>
      <div className="row">
        <span className="step-sign" aria-hidden="true">
          {SIGNS[step.state]}
        </span>
        <code>
          <Visible text={step.id} />
        </code>
        <span>
          <Visible text={step.description} />
        </span>
        <span className="quiet">
          <code>
            <Visible text={step.tool} />
          </code>
          {step.needs.length > 0 && (
            <>
              {" "}
              ← <Visible text={step.needs.join(", ")} />
            </>
          )}
        </span>
        <span className="badge badge-quiet">{say(`step_${step.state}`)}</span>
        {step.cached && <span className="badge badge-quiet">{say("cached")}</span>}
        {step.cited && <span className="badge badge-good">{say("cited")}</span>}
      </div>
      {step.evidence !== undefined && (
        <details className="evidence">
          <summary>{say("evidence")}</summary>
          <JsonView value={step.evidence} lines={6} />
        </details>
      )}
    </li>
  );
}

const SIGNS: Record<PlanStep["state"], string> = { waiting: "○", running: "◐", done: "✓", failed: "✗", skipped: "–" };
