// The screen "overview".
import { useWords } from "../../words/words";
import { overviewWords } from "../../words/overview";

export default function Overview() {
  const say = useWords(overviewWords);
  return <h1>{say("title")}</h1>;
}
