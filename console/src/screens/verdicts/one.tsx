// One verdict: what was judged, how it came out, and why.
import { useEffect, useRef } from "react";
import { Failed, Loading } from "../../parts/note";
import { StatusBadge } from "../../parts/status";
import { useAsked } from "../../parts/use-asked";
import type { StoredVerdict } from "../../contract";
import { href } from "../../route";
import { Ticked } from "../../text/ticked";
import { Visible } from "../../text/visible";
import { shell } from "../../words/shell";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { AnswerExplained } from "./answer-explained";
import { CallExplained } from "./call-explained";
import { Facts } from "./facts";
import { leaveFor } from "./opened";
import { ResultExplained } from "./result-explained";
import { kindOf, statusOf } from "./stored";

export function One({ id }: { id: string }) {
  const sayShell = useWords(shell);
  const { answer, error, loading, again } = useAsked<StoredVerdict>(`/v1/verdicts/${encodeURIComponent(id)}`);
  return (
    <article className="verdict">
      <p>
        <a href={href("verdicts")}>← {sayShell("backToList")}</a>
      </p>
      {loading && <Loading />}
      {error !== null && <Failed error={error} again={again} />}
      {answer && <Shown verdict={answer} />}
    </article>
  );
}

function Shown({ verdict }: { verdict: StoredVerdict }) {
  const say = useWords(verdictsWords);
  const kind = kindOf(verdict);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    leaveFor(verdict.verdict_id);
    head.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [verdict.verdict_id]);
  return (
    <>
      <h1 className="verdict-title" ref={head} tabIndex={-1}>
        {say(HEADS[kind])}{" "}
        {verdict.tool && (
          <code>
            <Visible text={verdict.tool} />
          </code>
        )}{" "}
        <StatusBadge status={statusOf(verdict)} />
      </h1>
      {verdict.verdict && (
        <p className="verdict-lead">
          <Ticked text={verdict.verdict.explanation} />
        </p>
      )}
      <Facts verdict={verdict} />
      <Explained verdict={verdict} />
    </>
  );
}

function Explained({ verdict }: { verdict: StoredVerdict }) {
  if (verdict.verdict) return <CallExplained verdict={verdict} judged={verdict.verdict} />;
  return kindOf(verdict) === "answer" ? <AnswerExplained verdict={verdict} /> : <ResultExplained verdict={verdict} />;
}

const HEADS = { call: "verdictOf", result: "resultOf", answer: "answerOf" } as const;
