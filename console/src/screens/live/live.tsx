// The screen "live".
import { useWords } from "../../words/words";
import { liveWords } from "../../words/live";

export default function Live() {
  const say = useWords(liveWords);
  return <h1>{say("title")}</h1>;
}
