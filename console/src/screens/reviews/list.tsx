// The list: what waits, or what was decided, kept live.
import { shell } from "../../words/shell";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { visible } from "../../text/visible";
import { Alike } from "./alike";
import { ConnectionState } from "./connection-state";
import { Entry } from "./entry";
import { Reviewer } from "./reviewer";
import type { Desk } from "./use-desk";

export function List({ desk, help }: { desk: Desk; help: () => void }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const { filter, setFilter } = desk;
  const waiting = filter.state === "pending" ? desk.shown.length : null;
  return (
    <section className="review-list" aria-label={say("list")}>
      <div className="review-list-head">
        <div className="row">
          <h1>{frame("reviews")}</h1>
          <span className="grow" />
          <ConnectionState />
          <button type="button" onClick={help} title={say("help")} aria-label={say("help")}>
            <kbd>?</kbd>
          </button>
        </div>
        <div className="row">
          <div className="segments" role="group" aria-label={say("which")}>
            {(["pending", "decided"] as const).map((state) => (
              <button key={state} type="button" aria-pressed={filter.state === state} onClick={() => setFilter({ ...filter, state })}>
                {say(state)}
                {state === "pending" && waiting !== null && <span className="segment-count">{waiting}</span>}
              </button>
            ))}
          </div>
          <select className="grow" aria-label={say("byTool")} value={filter.tool} onChange={(event) => setFilter({ ...filter, tool: event.target.value })}>
            <option value="">{say("allTools")}</option>
            {desk.tools.map((tool) => (
              <option key={tool} value={tool}>
                {visible(tool)}
              </option>
            ))}
          </select>
        </div>
        <Reviewer desk={desk} />
        <Alike desk={desk} />
      </div>
      {desk.shown.length === 0 ? (
        <p className="quiet note">{say(filter.state === "pending" ? "nothingWaits" : "nothingDecided")}</p>
      ) : (
        <ul className="review-entries">
          {desk.shown.map((review) => (
            <Entry key={review.review_id} review={review} desk={desk} />
          ))}
        </ul>
      )}
    </section>
  );
}
