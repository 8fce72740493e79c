// The findings that occurred most; each leads to its verdicts.
import type { Stats } from "../../contract";
import { href } from "../../route";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";
import { changeFilters, NO_FILTERS } from "../verdicts/filters";
import { Bar } from "./bar";
import { codesOf } from "./read";
import type { Span } from "./use-stats";

export function ByCode({ stats, span }: { stats: Stats; span: Span }) {
  const say = useWords(overviewWords);
  const codes = codesOf(stats).slice(0, MOST);
  const most = codes[0]?.[1] ?? 0;
  return (
    <section className="panel">
      <h2>{say("byCode")}</h2>
      <p className="quiet">{codes.length === 0 ? say("none") : say("byCodeAbout")}</p>
      <ul className="bars">
        {codes.map(([code, count]) => (
          <li key={code}>
            <span className="bar-name">
              <a href={href("verdicts")} onClick={() => changeFilters({ ...NO_FILTERS, code, span: span === "month" ? "all" : span })}>
                <code>{code}</code>
              </a>
              <span className="quiet">{count}</span>
            </span>
            <Bar whole={count} most={most} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const MOST = 10;
