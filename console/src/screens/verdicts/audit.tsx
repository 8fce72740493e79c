// The list of verdicts, narrowed by filters; each row leads to one verdict.
import { useEffect, useMemo } from "react";
import { Failed, Loading } from "../../parts/note";
import type { StoredVerdict } from "../../contract";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { FilterBar, isUsual, type Seen } from "./filter-bar";
import { useFilters } from "./filters";
import { comeBack } from "./opened";
import { findingsOf, keyOf } from "./stored";
import { useVerdicts } from "./use-verdicts";
import { VerdictRow } from "./verdict-row";

export function Audit() {
  const say = useWords(verdictsWords);
  const filters = useFilters();
  const { verdicts, next, loading, error, older, refresh } = useVerdicts(filters);
  const seen = useMemo(() => seenIn(verdicts), [verdicts]);
  return (
    <>
      <p className="quiet">{say("about")}</p>
      <FilterBar filters={filters} seen={seen} />
      {error !== null && <Failed error={error} again={refresh} />}
      <div className="row audit-head">
        <p className="quiet grow" role="status">
          {loading && verdicts.length === 0 ? "" : say(next === null ? "shown" : "shownMore", { count: verdicts.length })}
        </p>
        <button type="button" onClick={refresh} disabled={loading}>
          {say("refresh")}
        </button>
      </div>
      {verdicts.length > 0 && <Table verdicts={verdicts} />}
      {verdicts.length === 0 && loading && <Loading />}
      {verdicts.length === 0 && !loading && error === null && <Nothing filtered={!isUsual(filters)} more={next !== null} />}
      {next !== null && (
        <button type="button" className="older" onClick={older} disabled={loading}>
          {say("older")}
        </button>
      )}
    </>
  );
}

function Table({ verdicts }: { verdicts: StoredVerdict[] }) {
  const say = useWords(verdictsWords);
  useEffect(comeBack, []);
  return (
    <table className="audit">
      <caption className="reader-only">{say("about")}</caption>
      <thead>
        <tr>
          <th scope="col">{say("time")}</th>
          <th scope="col">{say("kind")}</th>
          <th scope="col">{say("toolOrWords")}</th>
          <th scope="col">{say("status")}</th>
          <th scope="col">{say("findings")}</th>
          <th scope="col">{say("key")}</th>
          <th scope="col">{say("session")}</th>
        </tr>
      </thead>
      <tbody>
        {verdicts.map((verdict) => (
          <VerdictRow key={verdict.verdict_id} verdict={verdict} />
        ))}
      </tbody>
    </table>
  );
}

function Nothing({ filtered, more }: { filtered: boolean; more: boolean }) {
  const say = useWords(verdictsWords);
  if (filtered || more) return <p className="note quiet">{say(more ? "noneYet" : "noneFiltered")}</p>;
  return (
    <p className="note panel">
      {say("none")} <a href="#/live">{say("tryIt")}</a>
    </p>
  );
}

/** What occurs in the rows, to be offered in the filters. */
function seenIn(verdicts: StoredVerdict[]): Seen {
  const sorted = (values: string[]) => [...new Set(values)].sort().slice(0, MOST);
  return {
    tools: sorted(verdicts.flatMap((verdict) => verdict.tool || [])),
    codes: sorted(verdicts.flatMap((verdict) => findingsOf(verdict).flatMap(({ code }) => [code.replace(/\..*/, "."), code]))),
    keys: sorted(verdicts.flatMap((verdict) => keyOf(verdict) ?? [])),
  };
}

const MOST = 100;
