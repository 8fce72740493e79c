// The canvas of a chart. uPlot draws the axes and lines; marks and the names at the ends of lines are drawn here, and what
// the pointer stands on is told in words below, without any HTML of the library.
import { useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { StatsBucket } from "../../contract";
import { useDark, useSettings } from "../../settings";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";
import { HEIGHT, optionsOf } from "./chart-options";
import { moment, type Course } from "./course";
import type { Span } from "./use-stats";

interface Given {
  series: StatsBucket[];
  courses: Course<StatsBucket>[];
  span: Span;
  about: string;
}

export function Chart({ series, courses, span, about }: Given) {
  const say = useWords(overviewWords);
  const dark = useDark();
  const { language } = useSettings();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  // Numbers change often, the look seldom: only the look makes a new canvas.
  const data = useRef<UPlot.AlignedData>([[]]);
  data.current = aligned(series, courses);
  const look = courses.map((course) => course.word).join();
  const drawn = useRef(courses);
  drawn.current = courses;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new UPlot(optionsOf(element, drawn.current, span, language, setPointed), data.current, element);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [dark, language, span, look]);
  useEffect(() => plot.current?.setData(data.current), [series]);
  const bucket = pointed === null ? undefined : series[pointed];
  return (
    <>
      <div className="chart" ref={place} role="img" aria-label={about} />
      <p className="chart-pointed quiet" aria-hidden="true">
        {bucket ? `${moment(bucket.from, language)} – ${courses.map((course) => `${course.word} ${course.value(bucket)}`).join(" · ")}` : say("point")}
      </p>
    </>
  );
}

function aligned(series: StatsBucket[], courses: Course<StatsBucket>[]): UPlot.AlignedData {
  return [series.map((bucket) => Date.parse(bucket.from) / 1000), ...courses.map((course) => series.map((bucket) => course.value(bucket)))];
}
