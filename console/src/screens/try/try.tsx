// The screen "try".
import { useWords } from "../../words/words";
import { tryWords } from "../../words/try";

export default function Try() {
  const say = useWords(tryWords);
  return <h1>{say("title")}</h1>;
}
