// A chart with its title, its legend, its words for those who do not see it, and the same numbers as a table.
import { useId, useState } from "react";
import type { StatsBucket } from "../../contract";
import { useSettings, type Language } from "../../settings";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";
import { Chart } from "./chart";
import { moment, type Course } from "./course";
import { LegendMark } from "./marks";
import type { Span } from "./use-stats";

interface Given {
  name: string;
  title: string;
  span: Span;
  series: StatsBucket[] | undefined;
  courses: Course<StatsBucket>[];
}

export function ChartPanel({ name, title, span, series, courses }: Given) {
  const say = useWords(overviewWords);
  const { language } = useSettings();
  const [table, setTable] = useState(false);
  const head = useId();
  const about = series ? described(series, courses, language, say) : "";
  return (
    <section className="panel chart-panel" aria-labelledby={head} data-chart={name}>
      <div className="row">
        <h2 id={head} className="grow">
          {title}
        </h2>
        {series && (
          <button type="button" className="link" aria-pressed={table} onClick={() => setTable(!table)}>
            {say(table ? "showChart" : "showTable")}
          </button>
        )}
      </div>
      {series && !table && (
        <>
          <ul className="legend">
            {courses.map((course) => (
              <li key={course.word}>
                <LegendMark look={course.look} tone={course.tone} /> {course.word}{" "}
                <strong>{series.reduce((sum, bucket) => sum + course.value(bucket), 0)}</strong>
              </li>
            ))}
          </ul>
          <Chart series={series} courses={courses} span={span} about={about} />
        </>
      )}
      {series && table && <Numbers series={series} courses={courses} title={title} />}
    </section>
  );
}

/** The same as a table; steps in which nothing happened are left out. */
function Numbers({ series, courses, title }: { series: StatsBucket[]; courses: Course<StatsBucket>[]; title: string }) {
  const say = useWords(overviewWords);
  const { language } = useSettings();
  const rows = series.filter((bucket) => courses.some((course) => course.value(bucket) > 0));
  if (rows.length === 0) return <p className="quiet">{say("none")}</p>;
  return (
    <div className="wide chart-table" tabIndex={0} role="group" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say("time")}</th>
            {courses.map((course) => (
              <th key={course.word} scope="col" className="number">
                {course.word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((bucket) => (
            <tr key={bucket.from}>
              <th scope="row">{moment(bucket.from, language)}</th>
              {courses.map((course) => (
                <td key={course.word} className="number">
                  {course.value(bucket)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function described(series: StatsBucket[], courses: Course<StatsBucket>[], language: Language, say: ReturnType<typeof useWords<keyof typeof overviewWords.en>>): string {
  const first = series[0];
  const last = series[series.length - 1];
  if (!first || !last) return "";
  const sums = courses.map((course) => `${course.word} ${series.reduce((sum, bucket) => sum + course.value(bucket), 0)}`).join(", ");
  const most = courses.map((course) => `${course.word} ${Math.max(...series.map((bucket) => course.value(bucket)))}`).join(", ");
  return say("chartAbout", { buckets: series.length, from: moment(first.from, language), to: moment(last.to, language), sums, most });
}
