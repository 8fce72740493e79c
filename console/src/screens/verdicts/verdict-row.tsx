// One row of the audit; a card on a small window. The whole row leads to its verdict by one link.
import { StatusBadge } from "../../parts/status";
import { When } from "../../parts/when";
import type { StoredVerdict } from "../../contract";
import { href } from "../../route";
import { Visible, visible } from "../../text/visible";
import { outcomeWord, shell } from "../../words/shell";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { beginningOf, findingsOf, keyOf, kindOf, lineOf, statusOf } from "./stored";

export function VerdictRow({ verdict }: { verdict: StoredVerdict }) {
  const say = useWords(verdictsWords);
  const kind = kindOf(verdict);
  const words = kind === "answer" ? beginningOf(verdict) || say("noWords") : null;
  return (
    <tr data-verdict={verdict.verdict_id}>
      <td>
        <When time={verdict.created_at} />
      </td>
      <td>
        <span aria-hidden="true">{SIGNS[kind]}</span> {say(kind)}
      </td>
      <td>
        <a className="row-link" href={href("verdicts", verdict.verdict_id)} aria-label={visible(words === null ? say("open", { kind: say(kind), tool: verdict.tool }) : say("openAnswer", { words }))}>
          {words === null ? (
            <code>
              <Visible text={verdict.tool} />
            </code>
          ) : (
            <Visible text={words} />
          )}
        </a>
        {words === null && (
          <span className="row-arguments quiet">
            <Visible text={lineOf(verdict)} />
          </span>
        )}
      </td>
      <td>
        <StatusBadge status={statusOf(verdict)} />
        <Became verdict={verdict} />
      </td>
      <td data-label={say("findings")} data-empty={findingsOf(verdict).length === 0}>
        <Codes verdict={verdict} />
      </td>
      <td data-label={say("key")} data-empty={keyOf(verdict) === null}>{keyOf(verdict) === null ? <span className="quiet">–</span> : <Visible text={keyOf(verdict) ?? ""} />}</td>
      <td data-label={say("session")} data-empty={!verdict.session_id}>
        {verdict.session_id ? (
          <a className="over-row" href={href("live", verdict.session_id)} title={visible(verdict.session_id)}>
            <Visible text={short(verdict.session_id)} />
          </a>
        ) : (
          <span className="quiet">–</span>
        )}
      </td>
    </tr>
  );
}

/** What became of a call, where its status does not say it. */
function Became({ verdict }: { verdict: StoredVerdict }) {
  const say = useWords(shell);
  const word = verdict.outcome && !SAID.includes(verdict.outcome) ? outcomeWord(verdict.outcome) : null;
  return word === null ? null : <span className="quiet row-outcome">{say(word)}</span>;
}

/** The codes that were found, each once. */
function Codes({ verdict }: { verdict: StoredVerdict }) {
  const codes = [...new Set(findingsOf(verdict).map((finding) => finding.code))];
  if (codes.length === 0) return <span className="quiet">–</span>;
  return (
    <span className="codes">
      {codes.slice(0, MOST).map((code) => (
        <code key={code}>{code}</code>
      ))}
      {codes.length > MOST && <span className="quiet">+{codes.length - MOST}</span>}
    </span>
  );
}

function short(id: string): string {
  return id.length > 14 ? `…${id.slice(-8)}` : id;
}

const SIGNS = { call: "→", result: "←", answer: "¶" } as const;
const MOST = 3;
/** What the status says already. */
const SAID = ["released", "refused", "waiting_for_person", "review"];
