// The first column: what the model did, to be changed, with the button that asks.
import { useState } from "react";
import { Ticked } from "../../text/ticked";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import { useWho } from "../../who";
import type { Worked } from "./bench";
import { Field } from "./field";
import { jsonTrouble } from "./json-trouble";
import { BENCH, KINDS, type FieldName, type Topic } from "./topics";

export function Does({ topic, bench }: { topic: Topic; bench: Worked }) {
  const say = useWords(tryWords);
  const who = useWho();
  const [refused, setRefused] = useState<FieldName | null>(null);
  const { shown, folded } = BENCH[topic];
  const given = folded.filter((name) => (bench.fields[name] ?? "").trim() !== "");
  const wrong = [...shown, ...folded].find((name) => KINDS[name] === "json" && jsonTrouble(bench.fields[name] ?? "") !== null) ?? null;
  const run = () => {
    setRefused(wrong);
    if (wrong === null) bench.run();
  };
  const field = (name: FieldName) => <Field key={name} name={name} text={bench.fields[name] ?? ""} change={(text) => bench.edit(name, text)} run={run} models={who.models} />;
  return (
    <>
      {bench.example && (topic !== "gateway" || who.demo) && (
        <p className="try-about" lang={bench.example.language === "zh" ? "zh-CN" : "en"}>
          <Ticked text={bench.example.about} />
        </p>
      )}
      {shown.map(field)}
      {folded.length > 0 && (
        <details className="try-folded">
          <summary>{given.length === 0 ? say("moreSettings") : say("moreFields", { fields: given.map((name) => say(`field_${name}`)).join(say("comma")) })}</summary>
          {folded.map(field)}
        </details>
      )}
      {topic === "gateway" && <p className="quiet">{say(who.demo ? "demoModel" : "realModel")}</p>}
      <div className="row">
        <button type="button" className="primary" onClick={run} disabled={bench.busy}>
          {say(topic === "gateway" ? "runGateway" : "run")}
        </button>
        <span className="quiet">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
        <small className="quiet">{say("edit")}</small>
      </div>
      <div role="alert">{refused !== null && refused === wrong && <p className="bad">{say("jsonNeeded", { field: say(`field_${refused}`) })}</p>}</div>
    </>
  );
}
