// The screen "verdicts": the audit of calls, results and answers, and one of them explained.
import { href, useRoute } from "../../route";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { Audit } from "./audit";
import { One } from "./one";
import { TraceFile } from "./trace-file";
import "./verdicts.css";

export default function Verdicts() {
  const say = useWords(verdictsWords);
  const { item } = useRoute();
  if (item === "file") return <TraceFile />;
  if (item !== null) return <One key={item} id={item} />;
  return (
    <div className="verdicts">
      <div className="row">
        <h1 className="grow">{say("title")}</h1>
        <a href={href("verdicts", "file")}>{say("openFile")}</a>
      </div>
      <Audit />
    </div>
  );
}
