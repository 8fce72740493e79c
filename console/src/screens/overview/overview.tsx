// The screen "overview": what was caught, mended, refused and sent to people, over time and by tool, and how the server is.
import { useState } from "react";
import { Failed, Loading } from "../../parts/note";
import { When } from "../../parts/when";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";
import { Alarms } from "./alarms";
import { ByCode } from "./by-code";
import { ByTool } from "./by-tool";
import { CallsChart, ResultsChart } from "./charts";
import { Figures } from "./figures";
import { HealthByLayer } from "./health";
import { Latency } from "./latency";
import { useSettings } from "../../settings";
import { moment } from "./course";
import { isEmpty } from "./read";
import { SPANS, useStats, type Span } from "./use-stats";
import "./overview.css";

export default function Overview() {
  const say = useWords(overviewWords);
  const { language } = useSettings();
  const [span, setSpan] = useState<Span>(kept);
  const { stats, narrowed, at, error, again } = useStats(span);
  const choose = (one: Span) => {
    kept = one;
    setSpan(one);
  };
  return (
    <div className="overview">
      <div className="row overview-head">
        <h1 className="grow">{say("title")}</h1>
        {at !== null && (
          <span className="quiet">
            {say("updated")} <When time={at} />
          </span>
        )}
        <div className="spans" role="group" aria-label={say("span")}>
          {SPANS.map((one) => (
            <button key={one} type="button" aria-pressed={one === span} onClick={() => choose(one)}>
              {say(one)}
            </button>
          ))}
        </div>
      </div>
      {error !== null && <Failed error={error} again={again} />}
      {stats === null && error === null && <Loading />}
      {stats && isEmpty(stats) && <Empty />}
      {stats && (
        <>
          <Figures stats={stats} />
          {!isEmpty(stats) && (
            <>
              {narrowed && stats.series?.[0] && <p className="quiet">{say("narrowed", { from: moment(stats.series[0].from, language) })}</p>}
              <CallsChart stats={stats} span={narrowed ? "day" : span} />
              <div className="overview-pair">
                <ByTool stats={stats} span={span} />
                <ByCode stats={stats} span={span} />
              </div>
              <ResultsChart stats={stats} span={narrowed ? "day" : span} />
            </>
          )}
          <div className="overview-pair">
            <Alarms stats={stats} />
            <Latency stats={stats} />
          </div>
        </>
      )}
      <HealthByLayer />
    </div>
  );
}

function Empty() {
  const say = useWords(overviewWords);
  return (
    <section className="panel overview-empty">
      <h2>{say("emptyHead")}</h2>
      <p>
        {say("emptyAbout")} <a href="#/live">{say("toLive")}</a>
      </p>
    </section>
  );
}

/** The span that was chosen last stays chosen while the page is open. */
let kept: Span = "day";
