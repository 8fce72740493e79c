// Calls by tool; each leads to its verdicts.
import type { Stats } from "../../contract";
import { href } from "../../route";
import { Visible } from "../../text/visible";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";
import { changeFilters, NO_FILTERS } from "../verdicts/filters";
import { Bar } from "./bar";
import { people, refused } from "./read";
import type { Span } from "./use-stats";

export function ByTool({ stats, span }: { stats: Stats; span: Span }) {
  const say = useWords(overviewWords);
  const tools = Object.entries(stats.by_tool).sort((one, two) => (two[1]["calls"] ?? 0) - (one[1]["calls"] ?? 0));
  const most = tools[0]?.[1]["calls"] ?? 0;
  return (
    <section className="panel">
      <h2>{say("byTool")}</h2>
      <p className="quiet">{tools.length === 0 ? say("none") : say("byToolAbout")}</p>
      <ul className="bars">
        {tools.slice(0, MOST).map(([tool, counts]) => (
          <li key={tool} data-tool={tool}>
            <span className="bar-name">
              <a href={href("verdicts")} onClick={() => changeFilters({ ...NO_FILTERS, tool, span: span === "month" ? "all" : span })}>
                <code>
                  <Visible text={tool} />
                </code>
              </a>
              <span className="quiet">{told(counts, say)}</span>
            </span>
            <Bar whole={counts["calls"] ?? 0} part={refused(counts) + people(counts)} most={most} />
          </li>
        ))}
      </ul>
      {tools.length > MOST && <p className="quiet">+{tools.length - MOST}</p>}
    </section>
  );
}

function told(counts: Record<string, number>, say: ReturnType<typeof useWords<keyof typeof overviewWords.en>>): string {
  const parts = [say("ofCalls", { calls: counts["calls"] ?? 0 })];
  if (refused(counts) > 0) parts.push(say("ofRefused", { count: refused(counts) }));
  if (people(counts) > 0) parts.push(say("ofPeople", { count: people(counts) }));
  if ((counts["mended"] ?? 0) > 0) parts.push(say("ofMended", { count: counts["mended"] ?? 0 }));
  return parts.join(" · ");
}

const MOST = 12;
