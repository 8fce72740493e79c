// The screen "verdicts".
import { useWords } from "../../words/words";
import { verdictsWords } from "../../words/verdicts";

export default function Verdicts() {
  const say = useWords(verdictsWords);
  return <h1>{say("title")}</h1>;
}
