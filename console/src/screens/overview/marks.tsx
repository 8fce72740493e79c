// The marks of lines: shapes and dashes that tell them apart without colour, on the canvas and in the legend.
export type Look = "circle" | "square" | "diamond" | "triangle";

/** Dashes of each look, in pixels of the page. */
export const DASHES: Record<Look, number[]> = { circle: [], square: [8, 4], diamond: [2, 3], triangle: [10, 3, 2, 3] };

/** The outline of a mark around a point. */
export function outline(look: Look, x: number, y: number, radius: number): Path2D {
  const path = new Path2D();
  switch (look) {
    case "circle":
      path.arc(x, y, radius, 0, 2 * Math.PI);
      break;
    case "square":
      path.rect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8);
      break;
    default:
      for (const [at, [dx, dy]] of CORNERS[look].entries()) {
        if (at === 0) path.moveTo(x + dx * radius, y + dy * radius);
        else path.lineTo(x + dx * radius, y + dy * radius);
      }
  }
  path.closePath();
  return path;
}

/** A piece of the line with its mark. */
export function LegendMark({ look, tone }: { look: Look; tone: string }) {
  return (
    <svg className="legend-mark" width="34" height="14" viewBox="0 0 34 14" aria-hidden="true" stroke={`var(${tone})`} fill={`var(${tone})`}>
      <line x1="0" y1="7" x2="34" y2="7" strokeWidth="2" strokeDasharray={DASHES[look].join(" ")} />
      {look === "circle" && <circle cx="17" cy="7" r="4.5" />}
      {look === "square" && <rect x="13" y="3" width="8" height="8" />}
      {(look === "diamond" || look === "triangle") && <polygon points={CORNERS[look].map(([dx, dy]) => `${17 + dx * 5},${7 + dy * 5}`).join(" ")} />}
    </svg>
  );
}

const CORNERS: Record<"diamond" | "triangle", [number, number][]> = {
  diamond: [
    [0, -1.2],
    [1.2, 0],
    [0, 1.2],
    [-1.2, 0],
  ],
  triangle: [
    [0, -1.15],
    [1.1, 0.85],
    [-1.1, 0.85],
  ],
};
