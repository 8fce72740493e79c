// One item of the list: the tool, its arguments in a line, why it is here, how long it waits, and who has it.
import { memo, useEffect, useRef } from "react";
import type { Review } from "../../contract";
import { StatusBadge } from "../../parts/status";
import { When } from "../../parts/when";
import { href } from "../../route";
import { Ticked } from "../../text/ticked";
import { Visible, visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useSettings } from "../../settings";
import { useWords } from "../../words/words";
import { aboutOf, deciderOf, holderOf, lineOf, riskOf, titleOf, whyOf } from "./asked";
import { Countdown } from "./countdown";
import { parcelOf } from "./outbox";
import type { Desk } from "./use-desk";

export function Entry({ review, desk }: { review: Review; desk: Desk }) {
  const id = review.review_id;
  const found = parcelOf(desk.parcels, id);
  const grouped = desk.group.length > 0 && desk.alike.some((other) => other.review_id === id);
  const toggle = () => {
    const ids = new Set(desk.chosen);
    if (!ids.delete(id)) ids.add(id);
    desk.chooseGroup(ids);
  };
  return (
    <Line
      review={review}
      current={desk.item === id}
      holder={holderOf(review, desk.now)}
      mine={review.reserved_by !== null && review.reserved_by === desk.signature}
      way={found?.outcome.state ?? null}
      decision={found?.letter.decision ?? null}
      checked={grouped ? desk.chosen.has(id) : null}
      toggle={toggle}
    />
  );
}

interface LineProps {
  review: Review;
  current: boolean;
  holder: string | null;
  mine: boolean;
  way: "waiting" | "sending" | "sent" | "failed" | null;
  decision: "approve" | "edit" | "reject" | null;
  checked: boolean | null;
  toggle: () => void;
}

const Line = memo(
  function Line({ review, current, holder, mine, way, decision, checked, toggle }: LineProps) {
    const say = useWords(reviewsWords);
    const { language } = useSettings();
    const place = useRef<HTMLLIElement>(null);
    useEffect(() => {
      if (current) place.current?.scrollIntoView({ block: "nearest" });
    }, [current]);
    const pending = review.state === "pending";
    const decider = deciderOf(review);
    return (
      <li ref={place}>
        {checked !== null && <input type="checkbox" checked={checked} onChange={toggle} aria-label={say("choose", { tool: visible(titleOf(review, say)) })} />}
        <a className="review-entry" href={href("reviews", review.review_id)} data-review={review.review_id} data-state={review.state} data-way={way ?? undefined} aria-current={current ? "true" : undefined}>
          <span className="review-entry-top">
            <strong>
              <Visible text={titleOf(review, say)} />
            </strong>
            {pending && riskOf(review) === 0 && (
              <span className="badge badge-bad">
                <span aria-hidden="true">⚠</span> {say("riskFollows")}
              </span>
            )}
            {aboutOf(review) === "result" && <span className="badge badge-warn">{say("result")}</span>}
            <span className="grow" />
            {pending ? way === null || way === "failed" ? <Countdown until={review.expires_at_ms} /> : <span className="badge badge-quiet">{say(`way_${decision ?? "approve"}`)}</span> : <StatusBadge status={review.state} />}
          </span>
          <code className="review-entry-line">
            <Visible text={lineOf(review)} />
          </code>
          <span className="review-entry-why">
            <Ticked text={whyOf(review, say, language)} />
          </span>
          {pending && holder !== null && (
            <span className="review-entry-holder">
              <span aria-hidden="true">⚑ </span>
              {mine ? say("reservedByYou") : <Visible text={say("reservedBy", { name: holder })} />}
            </span>
          )}
          {way === "failed" && (
            <span className="bad">
              <span aria-hidden="true">✗ </span>
              {say("cameBack")}
            </span>
          )}
          {!pending && (
            <span className="quiet">
              {decider !== null && (
                <>
                  <Visible text={say("decidedBy", { name: decider })} /> ·{" "}
                </>
              )}
              {say("asked")} <When time={review.created_at} />
            </span>
          )}
        </a>
      </li>
    );
  },
  (before, after) => KEYS.every((key) => before[key] === after[key]),
);

/** What an entry shows; how it is toggled is told again each time. */
const KEYS = ["review", "current", "holder", "mine", "way", "decision", "checked"] as const;
