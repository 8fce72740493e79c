// The screen "policy": what is in force and what it does, a change tried on past traffic and applied, and the versions before.
import { useAsked } from "../../parts/use-asked";
import { Failed, Loading } from "../../parts/note";
import type { PolicyText } from "../../contract";
import { href, useRoute } from "../../route";
import { policyWords } from "../../words/policy";
import { useWords } from "../../words/words";
import { Change } from "./change";
import { InForce } from "./in-force";
import { Versions } from "./versions";
import "../verdicts/verdicts.css";
import "./policy.css";

export default function PolicyScreen() {
  const say = useWords(policyWords);
  const { item } = useRoute();
  const { answer, error, again } = useAsked<PolicyText>("/v1/policy", EVERY);
  const part = item === "change" || item === "versions" ? item : "force";
  return (
    <div className="verdicts policy">
      <h1>{say("title")}</h1>
      <nav className="verdicts-parts" aria-label={say("parts")}>
        <a href={href("policy")} aria-current={part === "force" ? "page" : undefined}>
          {say("inForce")}
        </a>
        <a href={href("policy", "change")} aria-current={part === "change" ? "page" : undefined}>
          {say("change")}
        </a>
        <a href={href("policy", "versions")} aria-current={part === "versions" ? "page" : undefined}>
          {say("versions")}
        </a>
      </nav>
      {answer === null && error === null && <Loading />}
      {answer === null && error !== null && <Failed error={error} again={again} />}
      {answer && part === "force" && <InForce policy={answer} />}
      {answer && part === "change" && <Change policy={answer} applied={again} />}
      {answer && part === "versions" && <Versions policy={answer} applied={again} />}
    </div>
  );
}

const EVERY = 10_000;
