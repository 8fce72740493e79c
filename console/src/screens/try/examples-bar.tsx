// The examples of a workbench: those in the reader's language, and at a click those in the other.
import { useState } from "react";
import { useSettings } from "../../settings";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import type { Worked } from "./bench";
import { EXAMPLES } from "./examples";
import type { Topic } from "./topics";

export function Examples({ topic, bench }: { topic: Topic; bench: Worked }) {
  const say = useWords(tryWords);
  const { language } = useSettings();
  const [all, setAll] = useState(bench.example !== null && bench.example.language !== language);
  const other = language === "en" ? "zh" : "en";
  const own = bench.example !== null && bench.fields !== bench.example.fields;
  const buttons = (spoken: "en" | "zh") =>
    EXAMPLES[topic]
      .filter((one) => one.language === spoken)
      .map((one) => (
        <button key={one.id} type="button" lang={TAGS[spoken]} aria-pressed={one.id === bench.example?.id && !own} onClick={() => bench.choose(one)}>
          {one.label}
        </button>
      ));
  return (
    <div className="try-examples" role="group" aria-label={say("examples")}>
      <span className="quiet" aria-hidden="true">
        {say("examples")}
      </span>
      {buttons(language)}
      <button type="button" className="link" lang={TAGS[other]} aria-expanded={all} onClick={() => setAll(!all)}>
        {other === "zh" ? "中文" : "English"} {all ? "▴" : "▾"}
      </button>
      {all && buttons(other)}
      {own && <span className="badge badge-quiet">✎ {say("ownInput")}</span>}
    </div>
  );
}

const TAGS = { en: "en", zh: "zh-CN" } as const;
