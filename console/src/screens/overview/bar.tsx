// A horizontal bar: the whole, and a hatched part of it. The numbers stand beside it in words.
import { useId } from "react";

export function Bar({ whole, part = 0, most }: { whole: number; part?: number; most: number }) {
  const pattern = useId();
  const percent = (value: number) => `${most === 0 ? 0 : (100 * value) / most}%`;
  return (
    <svg className="bar" width="100%" height="14" aria-hidden="true">
      <defs>
        <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" className="bar-part-ground" />
          <rect width="2.5" height="6" className="bar-part-stroke" />
        </pattern>
      </defs>
      <rect width={percent(whole)} height="14" rx="3" className="bar-whole" />
      {part > 0 && <rect width={percent(part)} height="14" rx="3" fill={`url(#${pattern})`} />}
    </svg>
  );
}
