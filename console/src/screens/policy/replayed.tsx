// What a replay found: how many calls, how many the same, and those that another policy decides differently, by kind of change.
import { Findings } from "../../parts/findings";
import { JsonView } from "../../parts/json-view";
import { StatusBadge } from "../../parts/status";
import { When } from "../../parts/when";
import type { Replay } from "../../contract";
import { href } from "../../route";
import { Ticked } from "../../text/ticked";
import { Visible } from "../../text/visible";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { comparable } from "../verdicts/stored";

type Change = Replay["changed"][number];

export function Replayed({ replay }: { replay: Replay }) {
  const say = useWords(verdictsWords);
  const groups = grouped(replay.changed);
  return (
    <section className="replayed" aria-labelledby="replayed-head">
      <h2 id="replayed-head">{say("changes")}</h2>
      <dl className="replayed-figures">
        <Figure name={say("total")} value={replay.total} />
        <Figure name={say("same")} value={replay.same} />
        <Figure name={say("changed")} value={replay.changed.length} />
      </dl>
      <p className="quiet">{say("candidate", { version: replay.policy_version })}</p>
      {replay.total === 0 && <p className="note">{say("noCalls")}</p>}
      {replay.total > 0 && replay.changed.length === 0 && <p className="note">✓ {say("allSame")}</p>}
      {[...groups].map(([key, changes], at) => (
        <Group key={key} changes={changes} open={at === 0 || changes.length < FEW} />
      ))}
    </section>
  );
}

/** The changes by what they were and what they would be. */
function grouped(changes: readonly Change[]): Map<string, Change[]> {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const key = `${change.before} ${change.after}`;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return groups;
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Group({ changes, open }: { changes: Change[]; open: boolean }) {
  const [one] = changes;
  if (!one) return null;
  return (
    <details className="panel replayed-group" open={open}>
      <summary>
        <StatusBadge status={one.before} /> → <StatusBadge status={one.after} /> <strong>{changes.length}</strong>
      </summary>
      <ul>
        {changes.map((change) => (
          <Changed key={change.verdict_id} change={change} />
        ))}
      </ul>
    </details>
  );
}

function Changed({ change }: { change: Change }) {
  const say = useWords(verdictsWords);
  return (
    <li className="replayed-change">
      <p className="row">
        <code>
          <Visible text={change.tool} />
        </code>
        {change.created_at && (
          <span className="quiet">
            <When time={change.created_at} />
          </span>
        )}
        <a href={href("verdicts", change.verdict_id)}>{say("goTo")}</a>
      </p>
      {change.call && <JsonView value={JSON.stringify(comparable(change.call)?.arguments)} />}
      {change.findings.length > 0 ? (
        <Findings findings={change.findings} />
      ) : (
        <p>
          <Ticked text={change.explanation} />
        </p>
      )}
    </li>
  );
}

const FEW = 4;
