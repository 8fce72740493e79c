// The open item: what was asked, why it is here, the call, what speaks for it, and what was said before.
import { useEffect, useState } from "react";
import type { Review, ReviewDetail } from "../../contract";
import { Failed, Loading } from "../../parts/note";
import { useAsked } from "../../parts/use-asked";
import { reviewsWords } from "../../words/reviews";
import { shell } from "../../words/shell";
import { useSettings } from "../../settings";
import { useWords } from "../../words/words";
import { Alike } from "./alike";
import { aboutOf } from "./asked";
import { Beside } from "./beside";
import { Call } from "./call";
import { Context } from "./context";
import { Head } from "./head";
import { known, learn } from "./known";
import { News } from "./news";
import { Signals } from "./signals";
import type { Desk } from "./use-desk";
import { Why } from "./why";
import { Words } from "./words";

/** What the list knows, and what was asked for beside it (absent until it is there). */
export type Shown = Review & Partial<ReviewDetail>;

export function Item({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const { language } = useSettings();
  const [lit, setLit] = useState<string | null>(null);
  const { answer, error, loading, again } = useAsked<ReviewDetail>(desk.item === null ? null : `/v1/reviews/${encodeURIComponent(desk.item)}?language=${language}`);
  useEffect(() => {
    if (answer && !known.get().has(answer.review_id)) learn(answer);
  }, [answer]);
  // Each item is read from its beginning.
  useEffect(() => void scrollTo({ top: 0 }), []);
  if (desk.item === null) return <Empty desk={desk} />;
  const shown: Shown | null = desk.selected ? { ...answer, ...live(desk.selected, answer) } : null;
  return (
    <article className="review-item" data-item={desk.item}>
      {!desk.wide && <h1 className="reader-only">{frame("reviews")}</h1>}
      {!desk.wide && (
        <button type="button" className="link" onClick={desk.back}>
          ← {frame("backToList")}
        </button>
      )}
      {!desk.wide && <Alike desk={desk} />}
      {shown === null && loading && <Loading />}
      {error !== null && <Failed error={error} again={again} />}
      {shown && (
        <>
          <Head review={shown} />
          <News review={shown} desk={desk} />
          <Beside review={shown} />
          <Why review={shown} lit={lit} setLit={setLit} />
          {aboutOf(shown) === "call" ? <Call review={shown} desk={desk} lit={lit} /> : <Words review={shown} desk={desk} />}
          {aboutOf(shown) !== "result" && shown.assessment && shown.assessment.overall !== null && <Signals assessment={shown.assessment} about={aboutOf(shown)} />}
          <Context review={shown} />
          {shown.state === "pending" && <p className="quiet review-note">{say(aboutOf(shown) === "call" ? "onceOnly" : "wordsOnly")}</p>}
        </>
      )}
    </article>
  );
}

/** The newest words on an item; what only the detail knows is kept. */
function live(review: Review, detail: ReviewDetail | null): Review {
  if (!detail) return review;
  // The detail tells the reasons in the reader's language.
  return { ...review, findings: detail.findings, context: detail.context, made: review.made ?? detail.made, verdict_id: review.verdict_id ?? detail.verdict_id, about: review.about ?? detail.about };
}

function Empty({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  return (
    <div className="review-empty">
      <p className="review-empty-sign" aria-hidden="true">
        ☑
      </p>
      <p>{say(desk.filter.state === "pending" ? "nothingWaits" : "nothingOpen")}</p>
      <p className="quiet">{say("nothingWaitsAbout")}</p>
    </div>
  );
}
