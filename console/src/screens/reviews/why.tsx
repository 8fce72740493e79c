// Why a person is asked: in a sentence, and each finding with the argument that it points to.
import { FindingLine } from "../../parts/findings";
import type { Finding } from "../../contract";
import { Ticked } from "../../text/ticked";
import { visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useSettings } from "../../settings";
import { useWords } from "../../words/words";
import { aboutOf, explanationOf, placeOf, weighed, whyOf } from "./asked";
import type { Shown } from "./item";

export function Why({ review, lit, setLit }: { review: Shown; lit: string | null; setLit: (place: string | null) => void }) {
  const say = useWords(reviewsWords);
  const { language } = useSettings();
  const concerns = Array.isArray(review.context.concerns) ? review.context.concerns.filter((concern) => typeof concern === "string") : [];
  const passed = review.findings.length === 0 || review.signals.status === "approved";
  // What is at an argument stands beside it, and is not said twice.
  const isCall = aboutOf(review) === "call";
  const beside = isCall ? review.findings.filter((finding) => placeOf(finding)?.startsWith("/arguments/")) : [];
  const whole = weighed(review.findings.filter((finding) => !beside.includes(finding)));
  const doubted = [...new Set(beside.filter(isGrave).map((finding) => (placeOf(finding) ?? "").replace(/^\/arguments\//, "")))];
  const told = whole.some(isGrave) ? null : isCall ? whyOf(review, say, language) : (explanationOf(review) ?? concerns.join(" ")) || whyOf(review, say, language);
  const sentence = doubted.length > 0 && !passed ? say("whyArguments", { names: doubted.map((name) => `\`${name}\``).join(", ") }) : told;
  return (
    <section aria-labelledby="why-title">
      <h3 id="why-title">{say("whyHere")}</h3>
      {sentence !== null && (
        <p>
          <Ticked text={sentence} />
        </p>
      )}
      {whole.length > 0 && (
        <div className="why-findings">
          {whole.map((finding, at) => (
            <Pointing key={at} finding={finding} lit={lit} setLit={aboutOf(review) === "call" ? setLit : null} />
          ))}
        </div>
      )}
    </section>
  );
}

/** Whether it speaks against the call, and is not mended already. */
function isGrave(finding: Finding): boolean {
  return finding.severity !== "info" && !finding.correction?.applied;
}

/** A finding that shows its place when it is touched. */
function Pointing({ finding, lit, setLit }: { finding: Finding; lit: string | null; setLit: ((place: string | null) => void) | null }) {
  const say = useWords(reviewsWords);
  const place = placeOf(finding);
  const list = (
    <ul className="findings">
      <FindingLine finding={finding} forPeople />
    </ul>
  );
  if (place === null || setLit === null || place === "/name") return list;
  return (
    // The button does the same for the keyboard.
    <div className="why-finding" data-lit={lit === place || undefined} onClick={() => setLit(place)}>
      {list}
      <button type="button" className="link" aria-pressed={lit === place} onFocus={() => setLit(place)} onClick={() => setLit(place)}>
        {say("showPlace", { place: visible(place.replace(/^\/arguments\/?/, "") || "·") })}
      </button>
    </div>
  );
}
