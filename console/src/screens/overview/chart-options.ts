// How uPlot draws: colours of the theme, dashes, marks on the points, and the names of the lines at their ends.
import type UPlot from "uplot";
import type { Language } from "../../settings";
import type { StatsBucket } from "../../contract";
import type { Course } from "./course";
import { DASHES, outline } from "./marks";
import type { Span } from "./use-stats";

export function optionsOf(element: HTMLElement, courses: readonly Course<StatsBucket>[], span: Span, language: Language, point: (at: number | null) => void): UPlot.Options {
  const colours = new Map(["--quiet", "--line", ...courses.map((course) => course.tone)].map((name) => [name, colourOf(element, name)]));
  const colour = (name: string) => colours.get(name) ?? "currentcolor";
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: colour("--quiet"), font, grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
  const format = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", LABELS[span]);
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [12, (plot) => (isWide(plot) ? 96 : 12), 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, Math.max(4, Math.ceil((most || 0) * 1.1))] } },
    axes: [
      { ...axis, size: 34, space: span === "week" || span === "month" ? 70 : 60, values: (_plot, times) => times.map((time) => format.format(time * 1000)) },
      { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000] },
    ],
    series: [{}, ...courses.map((course) => ({ label: course.word, stroke: colour(course.tone), width: 2, dash: DASHES[course.look], points: { show: false } }))],
    hooks: {
      draw: [
        (plot) => {
          marks(plot, courses, colour);
          if (isWide(plot)) names(plot, courses, colour, font);
        },
      ],
      setCursor: [(plot) => point(plot.cursor.idx ?? null)],
    },
  };
}

/** A colour of the theme as a canvas takes it. The property itself may hold both themes; only an element has one of them. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Whether there is room for names at the ends; else the legend must do. */
function isWide(plot: UPlot): boolean {
  return plot.width > NARROW;
}

/** A mark on every point where something happened. */
function marks(plot: UPlot, courses: readonly Course<StatsBucket>[], colour: (name: string) => string) {
  const { ctx } = plot;
  const radius = 4 * devicePixelRatio;
  ctx.save();
  courses.forEach((course, index) => {
    ctx.fillStyle = colour(course.tone);
    plot.data[index + 1]?.forEach((value, at) => {
      const time = plot.data[0][at];
      if (!value || time === undefined) return;
      ctx.fill(outline(course.look, plot.valToPos(time, "x", true), plot.valToPos(value, "y", true), radius));
    });
  });
  ctx.restore();
}

/** The name of each line at its end, moved apart where two ends meet. */
function names(plot: UPlot, courses: readonly Course<StatsBucket>[], colour: (name: string) => string, font: string) {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const height = 16 * ratio;
  const ends = courses.map((course, index) => ({ course, y: plot.valToPos(plot.data[index + 1]?.at(-1) ?? 0, "y", true) }));
  ends.sort((one, two) => one.y - two.y);
  // From the bottom up, so that many lines that end at nothing still stand above the axis.
  let room = bbox.top + bbox.height + height / 2;
  for (const end of ends.toReversed()) {
    end.y = Math.min(end.y, room - height);
    room = end.y;
  }
  ctx.save();
  ctx.font = font.replace(/^(\d+)px/, (_whole, size: string) => `${Number(size) * ratio}px`);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const x = bbox.left + bbox.width + 14 * ratio;
  for (const { course, y } of ends) {
    ctx.fillStyle = colour(course.tone);
    ctx.fill(outline(course.look, x, y, 4 * ratio));
    ctx.fillText(course.word, x + 9 * ratio, y);
  }
  ctx.restore();
}

export const HEIGHT = 240;
const NARROW = 520;
const LABELS: Record<Span, Intl.DateTimeFormatOptions> = {
  hour: { hour: "2-digit", minute: "2-digit" },
  day: { hour: "2-digit", minute: "2-digit" },
  week: { weekday: "short", day: "numeric" },
  month: { month: "short", day: "numeric" },
};
