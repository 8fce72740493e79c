// The filters of the audit.
import { useId } from "react";
import { shell } from "../../words/shell";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { changeFilters, NO_FILTERS, type Filters, type Kind, type Span } from "./filters";

export interface Seen {
  tools: string[];
  codes: string[];
  keys: string[];
}

export function FilterBar({ filters, seen }: { filters: Filters; seen: Seen }) {
  const say = useWords(verdictsWords);
  const sayShell = useWords(shell);
  const more = filters.code !== "" || filters.key !== "" || filters.span === "between";
  return (
    <form className="filters panel" role="search" aria-label={say("filters")} onSubmit={(event) => event.preventDefault()}>
      <label className="filter-words">
        <span className="reader-only">{say("search")}</span>
        <input type="search" value={filters.words} placeholder={say("search")} title={say("searchAbout")} onChange={(event) => changeFilters({ words: event.target.value })} />
      </label>
      <Choice label={say("kind")} chosen={filters.kind} choose={(kind) => changeFilters({ kind, status: "" })} options={KINDS.map((kind) => [kind, say(KIND_WORDS[kind])])} />
      <label>
        <span className="reader-only">{say("status")}</span>
        <select value={filters.status} onChange={(event) => changeFilters({ status: event.target.value })}>
          <option value="">{say("anyStatus")}</option>
          {STATUSES[filters.kind].map((status) => (
            <option key={status} value={status}>
              {sayShell(status)}
            </option>
          ))}
        </select>
      </label>
      <Text name="tool" label={say("tool")} value={filters.tool} known={seen.tools} />
      <Choice label={say("time")} chosen={filters.span} choose={(span) => changeFilters({ span })} options={SPANS.map((span) => [span, say(span)])} />
      <details className="filter-more" open={more || undefined}>
        <summary>{say("moreFilters")}</summary>
        <div className="filter-rest">
          <Text name="code" label={say("code")} value={filters.code} known={seen.codes} about={say("codeAbout")} />
          <Text name="key" label={say("key")} value={filters.key} known={seen.keys} />
          {filters.span === "between" && (
            <>
              <label>
                <span>{say("from")}</span>
                <input type="datetime-local" value={filters.from} onChange={(event) => changeFilters({ from: event.target.value })} />
              </label>
              <label>
                <span>{say("to")}</span>
                <input type="datetime-local" value={filters.to} onChange={(event) => changeFilters({ to: event.target.value })} />
              </label>
            </>
          )}
        </div>
      </details>
      {!isUsual(filters) && (
        <button type="button" className="link" onClick={() => changeFilters(NO_FILTERS)}>
          {say("clear")}
        </button>
      )}
    </form>
  );
}

function Text({ name, label, value, known, about }: { name: "tool" | "code" | "key"; label: string; value: string; known: string[]; about?: string }) {
  const list = useId();
  return (
    <label>
      <span className="reader-only">{label}</span>
      <input value={value} placeholder={label} list={list} title={about} spellCheck={false} autoComplete="off" onChange={(event) => changeFilters({ [name]: event.target.value })} />
      <datalist id={list}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

function Choice<Option extends string>({ label, chosen, choose, options }: { label: string; chosen: Option; choose: (one: Option) => void; options: [Option, string][] }) {
  return (
    <label>
      <span className="reader-only">{label}</span>
      <select value={chosen} onChange={(event) => choose(event.target.value as Option)}>
        {options.map(([option, word]) => (
          <option key={option} value={option}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

export function isUsual(filters: Filters): boolean {
  return (Object.keys(NO_FILTERS) as (keyof Filters)[]).every((name) => filters[name] === NO_FILTERS[name]);
}

const KINDS: Kind[] = ["all", "call", "result", "answer"];
const KIND_WORDS = { all: "every", call: "calls", result: "results", answer: "answers" } as const;
const SPANS: Span[] = ["hour", "day", "week", "all", "between"];
const OF_ANSWERS = ["approved", "caution", "requires_review", "rejected"] as const;
const OF_CALLS = [...OF_ANSWERS, "validation_failed"] as const;
const OF_RESULTS = ["trusted", "suspicious", "error"] as const;
const STATUSES = { call: OF_CALLS, result: OF_RESULTS, answer: OF_ANSWERS, all: [...OF_CALLS, ...OF_RESULTS] } as const;
