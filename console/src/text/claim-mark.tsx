// One claim: underlined where it is, with its state also for those who see no colours, and a card that says where it came from.
import { createContext, useContext, useEffect, useId, useRef, useState, type ReactNode } from "react";
import { ask, told } from "../api";
import type { Claim } from "../contract";
import { claims as claimWords } from "../words/claims";
import { useWords, type Say } from "../words/words";
import { Visible, visible } from "./visible";

/** The session whose claims are shown: their path can be asked for. */
export const ClaimSession = createContext<string | null>(null);

export function ClaimMark({ claim, children }: { claim: Claim; children: ReactNode }) {
  const say = useWords(claimWords);
  const [open, setOpen] = useState(false);
  const card = useId();
  return (
    <span className="claim-place">
      <span
        className={`claim claim-${claim.status}`}
        data-claim={claim.id ?? claim.utf16_start}
        data-status={claim.status}
        role="button"
        tabIndex={0}
        title={title(say, claim)}
        aria-expanded={open}
        aria-controls={open ? card : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            setOpen(!open);
          } else if (event.key === "Escape") setOpen(false);
        }}
      >
        {children}
      </span>
      {open && <ClaimCard id={card} claim={claim} say={say} close={() => setOpen(false)} />}
    </span>
  );
}

function title(say: ClaimSay, claim: Claim): string {
  const lines = [say(claim.status, { text: visible(claim.text) }), `${say("state")}: ${say(`state_${claim.status}`)}`];
  lines.push(`${say("source")}: ${visible(sourceOf(claim) ?? say("noSource"))}`);
  if (claim.verify_note) lines.push(`${say("note")}: ${visible(claim.verify_note)}`);
  return lines.join("\n");
}

function ClaimCard({ id, claim, say, close }: { id: string; claim: Claim; say: ClaimSay; close: () => void }) {
  const card = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const shown = card.current;
    if (!shown) return;
    const leave = (event: MouseEvent) => {
      if (event.target instanceof Node && !shown.parentElement?.contains(event.target)) close();
    };
    document.addEventListener("mousedown", leave);
    const watch = new ResizeObserver(() => place(shown));
    watch.observe(shown);
    return () => {
      document.removeEventListener("mousedown", leave);
      watch.disconnect();
    };
  }, [close]);
  const kind = claim.kind in claimWords.en ? say(claim.kind as "date") : claim.kind;
  return (
    <span ref={card} id={id} className="claim-card" role="note">
      <strong>
        <Visible text={say(claim.status, { text: claim.text })} />
      </strong>
      <Line label={say("state")} text={say(`state_${claim.status}`)} />
      <Line label={say("kind")} text={kind} />
      <Line label={say("source")} text={sourceOf(claim) ?? say("noSource")} />
      {claim.verify_note && <Line label={say("note")} text={claim.verify_note} />}
      <Lineage claim={claim} say={say} />
    </span>
  );
}

/** A card that would be outside of the window or of the log is moved back: to the left, and above its claim. */
function place(card: HTMLElement) {
  const { style } = card;
  style.cssText = "";
  const { right, top, bottom, height } = card.getBoundingClientRect();
  const log = card.closest(".log")?.getBoundingClientRect();
  const over = right - (document.documentElement.clientWidth - 8);
  if (over > 0) style.translate = `${-over}px 0`;
  if (bottom > (log?.bottom ?? innerHeight) && top - height > (log?.top ?? 0)) {
    style.top = "auto";
    style.bottom = "100%";
  }
}

function Line({ label, text }: { label: string; text: string }) {
  return (
    <span className="claim-line">
      <span className="quiet">{label}</span> <Visible text={text} />
    </span>
  );
}

interface Ancestor {
  id: string;
  between: [string, string];
  text: string;
  status: Claim["status"];
  back: number;
}

/** From whom to whom the claim has travelled. */
function Lineage({ claim, say }: { claim: Claim; say: ClaimSay }) {
  const session = useContext(ClaimSession);
  const [path, setPath] = useState<Ancestor[] | string | null>(null);
  useEffect(() => {
    if (session === null || !claim.id) return;
    const left = new AbortController();
    ask<{ lineage: Ancestor[] }>(`/v1/sessions/${encodeURIComponent(session)}/claims/${encodeURIComponent(claim.id)}`, { signal: left.signal }).then(
      (answer) => setPath(answer.lineage),
      (error: unknown) => {
        if (!left.signal.aborted) setPath(told(error));
      },
    );
    return () => left.abort();
  }, [session, claim.id, claim.status]);
  if (path === null) return null;
  if (typeof path === "string") return <Line label={say("lineage")} text={path} />;
  if (path.length <= 1) return <Line label={say("lineage")} text={say("lineageHere")} />;
  return (
    <span className="claim-line">
      <span className="quiet">{say("lineage")}</span>
      {[...path].reverse().map((step) => (
        <span key={step.id} className="claim-step">
          <Visible text={`${step.between[0]} → ${step.between[1]}: ${step.text}`} /> <span className="quiet">({say(`state_${step.status}`)})</span>
        </span>
      ))}
    </span>
  );
}

/** What a source is called: a place, a name, whatever it has. */
export function sourceOf(claim: Claim): string | null {
  const source = claim.source;
  if (!source) return null;
  const named = ["place", "title", "name", "url", "path", "tool", "call_id", "kind"].map((key) => source[key]).filter((value) => typeof value === "string" && value !== "");
  return named.length > 0 ? [...new Set(named)].join(" · ") : JSON.stringify(source);
}

type ClaimSay = Say<keyof (typeof claimWords)["en"]>;
