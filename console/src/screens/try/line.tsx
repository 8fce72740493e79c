// The line of checks that a call passed, with what each found and cost.
import type { LineStop } from "../../contract";
import { took } from "../../parts/took";
import { useCheckName } from "../../words/checks";
import { shell } from "../../words/shell";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";

export function Line({ line }: { line: readonly LineStop[] }) {
  const say = useWords(tryWords);
  const sayShell = useWords(shell);
  const nameOf = useCheckName();
  return (
    <section className="try-line" aria-label={say("line")}>
      <h3>
        {say("line")} <span className="quiet">{say("lineAbout")}</span>
      </h3>
      <ol>
        {line.map((stop) => {
          const found = stop.findings.length;
          const look = lookOf(stop);
          const told = !stop.ran ? say("lineNotReached") : found > 0 ? say("lineFound", { count: found }) : say("lineClean");
          return (
            <li key={stop.check} data-stop={stop.check} data-ran={stop.ran} className={`try-line-${look}`}>
              <span>
                <span aria-hidden="true">{SIGNS[look]}</span> {nameOf(stop.check)}
              </span>
              <small>
                {stop.status ? sayShell(stop.status) : stop.ran && found === 0 ? <span className="reader-only">{told}</span> : told}
                {stop.ran && stop.microseconds !== null && ` ${took(stop.microseconds)}`}
              </small>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** How a stop looks: what stopped the call is told apart from what was only found. */
function lookOf({ ran, status, findings }: LineStop): keyof typeof SIGNS {
  if (!ran) return "off";
  if (status) return status === "approved" || status === "caution" ? "clean" : status === "requires_review" ? "person" : "bad";
  if (findings.length === 0) return "clean";
  return findings.some((finding) => finding.severity === "error") ? "bad" : "found";
}

const SIGNS = { off: "·", clean: "✓", found: "△", person: "☝", bad: "✗" } as const;
