// The line of checks that a call passed, with what each found and cost.
import type { LineStop } from "../../contract";
import { shell } from "../../words/shell";
import { tryWords, type TryWord } from "../../words/try";
import { useWords } from "../../words/words";

export function Line({ line }: { line: readonly LineStop[] }) {
  const say = useWords(tryWords);
  const sayShell = useWords(shell);
  return (
    <section className="try-line" aria-label={say("line")}>
      <h3>
        {say("line")} <span className="quiet">{say("lineAbout")}</span>
      </h3>
      <ol>
        {line.map((stop) => {
          const word: TryWord | null = `check_${stop.check}` in tryWords.en ? (`check_${stop.check}` as TryWord) : null;
          const found = stop.findings.length;
          const told = !stop.ran ? say("lineNotReached") : found > 0 ? say("lineFound", { count: found }) : say("lineClean");
          return (
            <li key={stop.check} data-stop={stop.check} data-ran={stop.ran} className={!stop.ran ? "try-line-off" : found > 0 ? "try-line-found" : ""}>
              <span>
                <span aria-hidden="true">{!stop.ran ? "·" : found > 0 ? "△" : "✓"}</span> {word ? say(word) : stop.check}
              </span>
              <small>
                {stop.status ? sayShell(stop.status) : stop.ran && found === 0 ? <span className="reader-only">{told}</span> : told}
                {stop.ran && stop.microseconds !== null && ` ${stop.microseconds < 10 ? stop.microseconds.toFixed(1) : Math.round(stop.microseconds)} µs`}
              </small>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
