// A text with stretches of it marked. Where stretches lie in each other, the shortest one shows; one without length is a sign.
import { Visible, visible } from "../../text/visible";
import type { Stretch } from "./places";

export interface Mark extends Stretch {
  tone: "mended" | "bad" | "good";
  about: string;
}

export function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  const cuts = [...new Set([0, text.length, ...marks.flatMap((mark) => [mark.from, mark.to])])].filter((at) => at <= text.length).sort((one, two) => one - two);
  return (
    <p className="plain try-marked">
      {cuts.map((from, at) => {
        const points = marks.filter((mark) => mark.from === from && mark.to === from);
        const to = cuts[at + 1];
        const mark = to === undefined ? undefined : shortest(marks.filter((one) => one.from <= from && one.to >= to && one.to > one.from));
        const piece = to === undefined ? null : <Visible text={text.slice(from, to)} />;
        return (
          <span key={from}>
            {points.length > 0 && (
              <mark className="try-mark try-mark-point" title={visible(points.map((point) => point.about).join("\n"))}>
                ⌃
              </mark>
            )}
            {mark ? (
              <mark className={`try-mark try-mark-${mark.tone}`} title={visible(mark.about)}>
                {piece}
                {mark.tone === "bad" && <span className="reader-only"> ({visible(mark.about)})</span>}
              </mark>
            ) : (
              piece
            )}
          </span>
        );
      })}
    </p>
  );
}

function shortest(marks: readonly Mark[]): Mark | undefined {
  return [...marks].sort((one, two) => one.to - one.from - (two.to - two.from))[0];
}
