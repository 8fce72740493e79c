// Six signals as bars, with their weights. One that is absent is shown as absent: nothing is known, which is not the same as zero.
import type { Assessment, Signals as Six } from "../../contract";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";

export function Signals({ assessment }: { assessment: Assessment }) {
  const say = useWords(reviewsWords);
  const { overall } = assessment;
  return (
    <section aria-labelledby="signals-title">
      <h3 id="signals-title">{say("signals")}</h3>
      <p className="quiet">{say("signalsAbout")}</p>
      <table className="signals">
        <thead>
          <tr>
            <th scope="col">{say("signal")}</th>
            <th scope="col" className="signal-bar-column">
              <span className="reader-only">{say("bar")}</span>
            </th>
            <th scope="col">{say("value")}</th>
            <th scope="col">{say("weight")}</th>
          </tr>
        </thead>
        <tbody>
          {NAMES.map((name) => (
            <Signal key={name} name={name} value={assessment.signals[name] ?? null} weight={assessment.weights[name] ?? null} />
          ))}
        </tbody>
      </table>
      <p className="quiet signals-sum">
        {overall === null && <>{say("allAbsent")} </>}
        {say("overall")}: <strong>{overall === null ? say("absent") : overall.toFixed(2)}</strong>
      </p>
    </section>
  );
}

function Signal({ name, value, weight }: { name: keyof Six; value: number | null; weight: number | null }) {
  const say = useWords(reviewsWords);
  const width = value === null ? 0 : Math.max(0, Math.min(1, value)) * 100;
  return (
    <tr data-signal={name} data-absent={value === null || undefined}>
      <th scope="row">{say(name)}</th>
      <td className="signal-bar-column">
        <svg className="signal-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect className="signal-ground" width="100" height="10" />
          {value !== null && <rect className={width < 50 ? "signal-low" : "signal-high"} width={width} height="10" />}
        </svg>
      </td>
      <td className="signal-number">{value === null ? <span className="quiet">{say("absent")}</span> : value.toFixed(2)}</td>
      <td className="signal-number quiet">{weight === null ? "–" : `${Math.round(weight * 100)} %`}</td>
    </tr>
  );
}

const NAMES = ["model_logprobs", "token_probability", "semantic_consistency", "fact_verification", "coherence", "knowledge_grounding"] as const satisfies (keyof Six)[];
