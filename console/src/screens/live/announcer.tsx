// Tells screen readers what is finished: whole messages, calls that changed, ends of turns. Never each piece of a text, and never
// what was there before the conversation was opened.
import { useEffect, useRef, useState } from "react";
import { visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords, type Say } from "../../words/words";
import type { Conversation } from "./draft";
import { statusOf, waitsForClient, waitsForPerson, type Item } from "./items";

export function Announcer({ conversation }: { conversation: Conversation }) {
  const say = useWords(liveWords);
  const told = useRef(new Map<string, string>());
  const opened = useRef<number | null>(null);
  const [line, setLine] = useState("");
  useEffect(() => {
    opened.current ??= Date.now();
    // What is read in the first moments without being live is history.
    const history = conversation.head === conversation.missed && Date.now() - opened.current < SETTLING;
    const fresh: string[] = [];
    for (const item of conversation.items.slice(-RECENT)) {
      const news = newsOf(item, say);
      if (news === null || told.current.get(item.key) === news) continue;
      told.current.set(item.key, news);
      fresh.push(news);
    }
    if (fresh.length > 0 && !history) setLine(fresh.join(". "));
  }, [conversation, say]);
  return (
    <p className="reader-only" aria-live="polite" aria-atomic="true">
      {line}
    </p>
  );
}

function newsOf(item: Item, say: Say<keyof (typeof liveWords)["en"]>): string | null {
  switch (item.kind) {
    case "message":
      return item.state === "whole" ? say("saidBy", { from: visible(item.from), text: visible(item.content.slice(0, LONGEST)) }) : null;
    case "call":
      if (waitsForPerson(item)) return say("newsPerson", { name: visible(item.name) });
      if (waitsForClient(item)) return say("newsClient", { name: visible(item.name) });
      return say("newsCall", { name: visible(item.name), status: statusOf(item) });
    case "end":
      return say(`end_${item.word}`);
    case "notice":
      return visible(item.message);
    default:
      return null;
  }
}

const SETTLING = 3_000;
const RECENT = 12;
const LONGEST = 300;
