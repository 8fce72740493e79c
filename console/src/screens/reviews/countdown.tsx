// How long an item still waits. Its last minute looks different, and not by its colour alone.
import { clock, useNow } from "../../parts/when";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { useCell } from "./cell";
import { ahead } from "./known";

export function Countdown({ until }: { until: number }) {
  const say = useWords(reviewsWords);
  const left = until - useNow() - useCell(ahead);
  return (
    <span className={left < SOON ? "countdown countdown-soon" : "countdown"} role="timer" aria-live="off" title={say("timeLeft")}>
      <span aria-hidden="true">{left < SOON ? "◷ " : ""}</span>
      {left <= 0 ? say("timeOver") : clock(left)}
    </span>
  );
}

const SOON = 60_000;
