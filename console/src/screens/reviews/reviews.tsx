// The screen "reviews": what waits for a person, and one key for each thing they can say to it.
import { useEffect, useState } from "react";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { Actions } from "./actions";
import { Announce } from "./announce";
import { focusForm } from "./focus-form";
import { Group } from "./group";
import { Help } from "./help";
import { Item } from "./item";
import { List } from "./list";
import { NameAsk } from "./name-ask";
import { Reject, REASONS } from "./reject";
import { Sent } from "./sent";
import { useDesk, type Desk } from "./use-desk";
import { useKeys, type Keys } from "./use-keys";
import { watch } from "./watch";
import "./reviews.css";

export default function Reviews() {
  const say = useWords(reviewsWords);
  const desk = useDesk();
  const [help, setHelp] = useState(false);
  useEffect(watch, []);
  useKeys({ ...keysOf(desk, (number) => say(REASONS[number - 1] ?? "reason1")), "?": () => setHelp(true) });
  const listed = desk.wide || desk.item === null;
  const opened = desk.wide || desk.item !== null;
  return (
    <div className="reviews">
      {listed && <List desk={desk} help={() => setHelp(true)} />}
      {opened && (
        <section className="review-side" aria-label={say("item")}>
          {desk.group.length > 0 ? <Group desk={desk} /> : <Item key={desk.item} desk={desk} />}
          <Foot desk={desk} />
        </section>
      )}
      {!opened && <Foot desk={desk} />}
      {help && <Help close={() => setHelp(false)} />}
      <Announce desk={desk} />
    </div>
  );
}

/** What stays in sight at the lower edge: decisions on their way, questions, the buttons. */
function Foot({ desk }: { desk: Desk }) {
  return (
    <div className="review-foot">
      <Sent desk={desk} />
      {desk.asking && <NameAsk sign={desk.sign} cancel={desk.cancelSign} />}
      {desk.rejecting && !desk.asking && <Reject desk={desk} />}
      {desk.selected && desk.bar?.why !== "decided" && <Actions desk={desk} />}
    </div>
  );
}

function keysOf(desk: Desk, reason: (number: number) => string): Keys {
  const keys: Keys = { j: () => desk.move(1), k: () => desk.move(-1), u: () => desk.undo() };
  if (desk.asking) return keys;
  if (desk.rejecting) for (const number of [1, 2, 3, 4, 5]) keys[String(number)] = () => desk.decide("reject", reason(number));
  if (desk.rejecting) keys.Escape = () => desk.setRejecting(false);
  else if (desk.group.length > 0) keys.Escape = () => desk.chooseGroup([]);
  keys.a = () => desk.decide("approve");
  keys.r = () => desk.setRejecting(!desk.rejecting);
  if (desk.group.length === 0) {
    keys.s = desk.reserve;
    keys.e = focusForm;
  }
  return keys;
}
