// The screen "verdicts": the audit of calls, results and answers, one of them explained, and stored calls replayed with another policy.
import { href, useRoute } from "../../route";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { Audit } from "./audit";
import { One } from "./one";
import { ReplayPart } from "./replay";
import "./verdicts.css";

export default function Verdicts() {
  const say = useWords(verdictsWords);
  const { item } = useRoute();
  if (item !== null && item !== REPLAY) return <One key={item} id={item} />;
  return (
    <div className="verdicts">
      <h1>{say("title")}</h1>
      <nav className="verdicts-parts" aria-label={say("parts")}>
        <a href={href("verdicts")} aria-current={item === null ? "page" : undefined}>
          {say("audit")}
        </a>
        <a href={href("verdicts", REPLAY)} aria-current={item === REPLAY ? "page" : undefined}>
          {say("replay")}
        </a>
      </nav>
      {item === REPLAY ? <ReplayPart /> : <Audit />}
    </div>
  );
}

const REPLAY = "replay";
