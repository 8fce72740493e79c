// Under which name decisions are made.
import { Visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import type { Desk } from "./use-desk";

export function Reviewer({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  const shown = desk.signature;
  return (
    <div className="quiet reviewer">
      {shown ? <Visible text={say("reviewingAs", { name: shown })} /> : say("noName")}{" "}
      <button type="button" className="link" onClick={desk.askName}>
        {say(desk.name === "" ? "giveName" : "changeName")}
      </button>
    </div>
  );
}
