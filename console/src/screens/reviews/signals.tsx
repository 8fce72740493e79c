// How far the words beside a call can be trusted.
import { SignalTable } from "../../parts/signals";
import type { Assessment } from "../../contract";
import { reviewsWords } from "../../words/reviews";
import { signalsWords } from "../../words/signals";
import { useWords } from "../../words/words";
import type { About } from "./asked";

export function Signals({ assessment, about }: { assessment: Assessment; about: About }) {
  const say = useWords(reviewsWords);
  const saySignals = useWords(signalsWords);
  const { overall } = assessment;
  return (
    <section aria-labelledby="signals-title">
      <h3 id="signals-title">{saySignals("signals")}</h3>
      <p className="quiet">{say(about === "answer" ? "signalsAnswer" : "signalsAbout")}</p>
      <SignalTable signals={assessment.signals} weights={assessment.weights} onlyPresent />
      <p className="quiet signals-sum">
        {saySignals("overall")}: <strong>{overall === null ? saySignals("absent") : overall.toFixed(2)}</strong>
      </p>
    </section>
  );
}
