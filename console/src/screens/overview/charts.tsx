// What is drawn over time: calls by what became of them, and results.
import type { Stats, StatsBucket } from "../../contract";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";
import { ChartPanel } from "./chart-panel";
import type { Course } from "./course";
import { passedOf, refusedOf } from "./read";
import type { Span } from "./use-stats";

export function CallsChart({ stats, span }: { stats: Stats; span: Span }) {
  const say = useWords(overviewWords);
  const courses: Course<StatsBucket>[] = [
    { word: say("passed"), value: passedOf, tone: "--good", look: "circle" },
    { word: say("lineRefused"), value: refusedOf, tone: "--bad", look: "square" },
    { word: say("linePeople"), value: (bucket) => bucket.requires_review, tone: "--person", look: "diamond" },
    { word: say("lineMended"), value: (bucket) => bucket.mended, tone: "--accent", look: "triangle" },
  ];
  return <ChartPanel name="calls" title={say("chartCalls")} span={span} series={stats.series} courses={courses} />;
}

export function ResultsChart({ stats, span }: { stats: Stats; span: Span }) {
  const say = useWords(overviewWords);
  if (stats.results.total === 0) return null;
  const courses: Course<StatsBucket>[] = [
    { word: say("examined"), value: (bucket) => bucket.results, tone: "--good", look: "circle" },
    { word: say("lineSuspicious"), value: (bucket) => bucket.suspicious, tone: "--warn-line", look: "triangle" },
  ];
  return <ChartPanel name="results" title={say("chartResults")} span={span} series={stats.series} courses={courses} />;
}
