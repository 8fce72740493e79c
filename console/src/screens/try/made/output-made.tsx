// A broken output: where it was mended, and what is left of it.
import { JsonView } from "../../../parts/json-view";
import { Plain } from "../../../text/markdown";
import { Visible } from "../../../text/visible";
import { tryWords, type TryWord } from "../../../words/try";
import { useWords } from "../../../words/words";
import { useSettings } from "../../../settings";
import type { Answer, ReadOutput } from "../engine";
import { lineAndColumn } from "../json-trouble";
import { Marked } from "../marked";
import { stretchOf } from "../places";

type OutputAnswer = Extract<Answer, { of: "output" }>;

export function OutputMade({ answer: { report, input } }: { answer: OutputAnswer }) {
  const say = useWords(tryWords);
  const note = useNote();
  const repairs = report.repairs.map((repair) => ({ ...repair, ...stretchOf(input, repair.at, repair.end ?? repair.at) }));
  if (repairs.length === 0) return <p className="try-headline">✓ {say("nothingMended")}</p>;
  return (
    <>
      <p className="try-headline">✎ {repairs.length === 1 ? say("repairs1") : say("repairs", { count: repairs.length })}</p>
      <Marked text={input} marks={repairs.filter((repair) => narrow(repair, input)).map((repair) => ({ from: repair.code.endsWith(".unclosed") ? repair.to : repair.from, to: repair.to, tone: "mended", about: `${repair.code}: ${note(repair)}` }))} />
      <ol className="try-repairs">
        {repairs.map((repair, at) => (
          <li key={at}>
            <code>{repair.code}</code> <span className="quiet">{say("place", lineAndColumn(input, repair.from))}</span>
            <br />
            <Visible text={note(repair)} />
          </li>
        ))}
      </ol>
    </>
  );
}

export function OutputGets({ answer: { report } }: { answer: OutputAnswer }) {
  const say = useWords(tryWords);
  const hasValue = report.value !== undefined && report.value !== null;
  return (
    <>
      {hasValue && (
        <>
          <h4>{say("value")}</h4>
          <JsonView value={report.value} />
        </>
      )}
      {!hasValue && (
        <>
          <h4>{say("calls")}</h4>
          {report.calls.length === 0 ? <p>{say("noCalls")}</p> : report.calls.map((call, at) => <JsonView key={at} value={{ name: call.name, arguments: call.arguments }} />)}
        </>
      )}
      <h4>{say("readable")}</h4>
      {report.remaining_text.trim() === "" ? <p className="quiet">{say("noText")}</p> : <Plain text={report.remaining_text} />}
      {!report.complete && <p className="quiet">△ {say(hasValue ? "incompleteValue" : "incomplete")}</p>}
    </>
  );
}

/** A mark over nearly everything marks nothing; what was not closed is marked where its end should be. */
function narrow(repair: { code: string; from: number; to: number }, input: string): boolean {
  return repair.code.endsWith(".unclosed") || repair.to - repair.from <= input.length * 0.5;
}

/** The parser speaks English; the repairs that are met most often have a word in the reader's language. */
function useNote(): (repair: ReadOutput["repairs"][number]) => string {
  const say = useWords(tryWords);
  const { language } = useSettings();
  return (repair) => {
    const key = `fix_${repair.code.replace(/^.*\./, "").replaceAll("-", "_")}`;
    return language !== "en" && key in tryWords.en ? say(key as TryWord) : repair.note;
  };
}
