// What can be done with the open item, each with its key; where nothing can, why.
import { Visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { aboutOf, holderOf } from "./asked";
import { focusForm } from "./focus-form";
import type { Desk } from "./use-desk";

export function Actions({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  const { bar, selected, group } = desk;
  if (!selected) return null;
  const many = group.length;
  const barred = bar !== null;
  const held = holderOf(selected, desk.now) !== null && !barred;
  const words = aboutOf(selected) !== "call";
  const editable = many === 0;
  const approve = desk.edited && editable ? (words ? "replaceWith" : "approveEdited") : words ? "accept" : "approve";
  return (
    <div className="foot-panel actions" role="toolbar" aria-label={say("actions")}>
      <button type="button" className="primary" disabled={barred} data-action="approve" onClick={() => desk.decide("approve")}>
        {many > 0 ? say("approveMany", { count: many }) : say(approve)} <kbd>a</kbd>
      </button>
      {editable && (
        <button type="button" disabled={barred} data-action="edit" onClick={focusForm}>
          {say(words ? "replace" : "edit")} <kbd>e</kbd>
        </button>
      )}
      <button type="button" className="danger" disabled={barred} data-action="reject" aria-expanded={desk.rejecting} onClick={() => desk.setRejecting(!desk.rejecting)}>
        {many > 0 ? say("rejectMany", { count: many }) : say("reject")} <kbd>r</kbd>
      </button>
      {many === 0 && (
        <button type="button" disabled={barred} data-action="reserve" aria-pressed={held} onClick={desk.reserve}>
          {say(held ? "giveBack" : "reserve")} <kbd>s</kbd>
        </button>
      )}
      {desk.edited && editable && !barred && (
        <button type="button" className="link" data-action="drop-edits" onClick={desk.dropEdits}>
          {say("dropEdits")}
        </button>
      )}
      {bar && (
        <span className="actions-why" role="status">
          {bar.why === "reserved" ? <Visible text={say("barReserved", { name: bar.by })} /> : say(`bar_${bar.why}`)}
        </span>
      )}
    </div>
  );
}
