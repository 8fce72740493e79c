// Six signals as bars, with their weights where they are known. One that is absent is shown as absent: nothing is known, which is
// not the same as zero.
import type { SignalName, Signals } from "../contract";
import { signalsWords } from "../words/signals";
import { useWords } from "../words/words";

export function SignalTable({ signals, weights, onlyPresent = false }: { signals: Signals; weights?: Signals; onlyPresent?: boolean }) {
  const say = useWords(signalsWords);
  return (
    <table className="signals">
      <thead>
        <tr>
          <th scope="col">{say("signal")}</th>
          <th scope="col" className="signal-bar-column">
            <span className="reader-only">{say("bar")}</span>
          </th>
          <th scope="col">{say("value")}</th>
          {weights && <th scope="col">{say("weight")}</th>}
        </tr>
      </thead>
      <tbody>
        {NAMES.filter((name) => !onlyPresent || (signals[name] ?? null) !== null).map((name) => (
          <Signal key={name} name={name} value={signals[name] ?? null} weight={weights && (weights[name] ?? null)} />
        ))}
      </tbody>
    </table>
  );
}

function Signal({ name, value, weight }: { name: SignalName; value: number | null; weight: number | null | undefined }) {
  const say = useWords(signalsWords);
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
      {weight !== undefined && <td className="signal-number quiet">{weight === null ? "–" : `${Math.round(weight * 100)} %`}</td>}
    </tr>
  );
}

const NAMES = ["model_logprobs", "token_probability", "semantic_consistency", "fact_verification", "coherence", "knowledge_grounding"] as const satisfies SignalName[];
