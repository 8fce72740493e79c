// The examples of a workbench, those in the reader's language first.
import { useSettings } from "../../settings";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import type { Worked } from "./bench";
import { examplesOf } from "./examples";
import type { Topic } from "./topics";

export function Examples({ topic, bench }: { topic: Topic; bench: Worked }) {
  const say = useWords(tryWords);
  const { language } = useSettings();
  const own = bench.example !== null && bench.fields !== bench.example.fields;
  return (
    <div className="try-examples" role="group" aria-label={say("examples")}>
      <span className="quiet" aria-hidden="true">
        {say("examples")}
      </span>
      {examplesOf(topic, language).map((one) => (
        <button key={one.id} type="button" lang={one.language === "zh" ? "zh-CN" : "en"} aria-pressed={one.id === bench.example?.id && !own} onClick={() => bench.choose(one)}>
          {one.label}
        </button>
      ))}
      {own ? <span className="badge badge-quiet">✎ {say("ownInput")}</span> : <span className="quiet try-edit">{say("edit")}</span>}
    </div>
  );
}
