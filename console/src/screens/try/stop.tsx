// One stop of the tour, which is a workbench too: what the model did, what Countersign made of it, what the program gets.
import { type ReactNode } from "react";
import { told } from "../../api";
import { href } from "../../route";
import { useSettings } from "../../settings";
import { Ticked } from "../../text/ticked";
import { Visible } from "../../text/visible";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import { useWho } from "../../who";
import { useBench, type Worked } from "./bench";
import { Does } from "./does";
import { Examples } from "./examples-bar";
import { Line } from "./line";
import { passes } from "./made/passes";
import { Gets, MadeOf } from "./made/made";
import { Raw } from "./raw";
import { TOPICS, type Topic } from "./topics";

export function Stop({ topic }: { topic: Topic }) {
  const say = useWords(tryWords);
  const who = useWho();
  // A real model costs money: it is asked only when a person says so.
  const bench = useBench(topic, topic !== "gateway" || who.demo);
  const { made } = bench;
  return (
    <section className="try-stop" aria-labelledby="try-stop-title" data-try={topic}>
      <h2 id="try-stop-title" tabIndex={-1}>
        {TOPICS.indexOf(topic) + 1}. {say(`${topic}Title`)}
      </h2>
      <Examples topic={topic} bench={bench} />
      <div className="try-columns">
        <Column title={say(topic === "result" ? "didResult" : topic === "gateway" ? "didGateway" : "did")} name="did">
          <Does topic={topic} bench={bench} />
        </Column>
        <Column title={say("madeOf")} name="made" busy={bench.busy}>
          <Missing topic={topic} bench={bench} />
          {made && <MadeOf answer={made.answer} />}
          <Time topic={topic} milliseconds={made?.milliseconds ?? null} />
        </Column>
        <Column title={say("gets")} name="gets" busy={bench.busy}>
          {made && <Gets answer={made.answer} />}
        </Column>
      </div>
      {made?.answer.of === "call" && made.answer.line && <Line line={made.answer.line} />}
      <p className="reader-only" role="status">
        {made && !bench.busy ? say("newAnswer") : ""}
      </p>
      <Foot topic={topic} nothing={made !== null && passes(made.answer)} />
      {made && <Raw topic={topic} made={made} />}
    </section>
  );
}

function Column({ title, name, busy = false, children }: { title: string; name: string; busy?: boolean; children: ReactNode }) {
  return (
    <section className={`try-column try-column-${name}`} aria-label={title} data-column={name} aria-busy={busy}>
      <header>
        <h3>{title}</h3>
      </header>
      <div className="try-column-body">
        {children}
      </div>
    </section>
  );
}

/** What stands where there is no answer, or one to another question. */
function Missing({ topic, bench }: { topic: Topic; bench: Worked }) {
  const say = useWords(tryWords);
  if (bench.error) {
    return (
      <div className="note note-bad">
        {say("failedAsk")}: <Visible text={told(bench.error)} />
      </div>
    );
  }
  if (!bench.made) return <p className="quiet">{say(bench.busy ? "running" : topic === "gateway" ? "notSent" : "notRun")}</p>;
  return bench.made.from !== bench.fields ? <p className="quiet">✎ {say("changed")}</p> : null;
}

function Time({ topic, milliseconds }: { topic: Topic; milliseconds: number | null }) {
  const say = useWords(tryWords);
  const { language } = useSettings();
  if (milliseconds === null) return null;
  const time = new Intl.NumberFormat(language === "zh" ? "zh-CN" : "en-GB", { maximumSignificantDigits: 2 }).format(milliseconds);
  return (
    <p className="quiet try-time" title={say("measured")}>
      {say(topic === "output" || topic === "claims" ? "read" : topic === "gateway" ? "answered" : "decided", { time })}
    </p>
  );
}

function Foot({ topic, nothing }: { topic: Topic; nothing: boolean }) {
  const say = useWords(tryWords);
  const next = TOPICS[TOPICS.indexOf(topic) + 1];
  return (
    <div className="try-foot">
      <p>
        {nothing ? (
          say("passes")
        ) : (
          <>
            <strong>{say("without")}</strong> <Ticked text={say(`${topic}Otherwise`)} />
          </>
        )}
      </p>
      {next ? (
        <a className="button try-next" href={href("try", next)}>
          {say("next", { stop: say(next) })} <span aria-hidden="true">→</span>
        </a>
      ) : (
        <div className="try-end">
          <p>
            <strong>{say("end")}</strong> {say("endAbout")}
          </p>
          <div className="row">
            <a className="button try-next" href={href("live")}>
              {say("live")} <span aria-hidden="true">→</span>
            </a>
            <a className="button" href={href("verdicts")}>
              {say("allVerdicts")}
            </a>
          </div>
        </div>
      )}
    </div>
  );
}
