// One item of the log. Drawn again only when it changed.
import { memo } from "react";
import { BubbleView } from "./bubble";
import { CallCardView } from "./call-card";
import { AsideView, EndView, FoundView, KeptView, NoticeView, ReferredView } from "./small-items";
import type { Item } from "./items";
import { PlanCardView } from "./plan-card";

export const ItemView = memo(function ItemView({ item, session }: { item: Item; session: string }) {
  switch (item.kind) {
    case "message":
      return <BubbleView bubble={item} />;
    case "call":
      return <CallCardView card={item} session={session} />;
    case "plan":
      return <PlanCardView plan={item} />;
    case "search":
      return <FoundView found={item} />;
    case "kept":
      return <KeptView kept={item} />;
    case "references":
      return <ReferredView referred={item} />;
    case "notice":
      return <NoticeView notice={item} />;
    case "end":
      return <EndView end={item} />;
    case "aside":
      return <AsideView aside={item} />;
  }
});
