// The screen "Try it": a tour of the product in eight stops, each of them a workbench for one's own calls, outputs and texts.
import { useEffect } from "react";
import { href, useRoute } from "../../route";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import { Front } from "./front";
import { Head } from "./head";
import { Stepper } from "./stepper";
import { Stop } from "./stop";
import { isTopic } from "./topics";
import "./try.css";

export default function Try() {
  const say = useWords(tryWords);
  const { item } = useRoute();
  const topic = isTopic(item) ? item : null;
  const open = topic ?? "call";
  useEffect(() => {
    if (topic !== null) scrollTo({ top: 0 });
  }, [topic]);
  return (
    <div className="try">
      {topic === null ? (
        <Head />
      ) : (
        <header className="try-crumb">
          <h1>{say("tour")}</h1>
          <a href={href("try")}>{say("back")}</a>
        </header>
      )}
      <Stepper open={open} titled={topic === null} />
      <Stop key={open} topic={open} />
      <Front key={`front-${open === "gateway"}`} open={open === "gateway"} />
    </div>
  );
}
