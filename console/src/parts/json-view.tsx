// A value as indented JSON, with nothing hidden in it.
import { useState } from "react";
import { Visible } from "../text/visible";
import { shell } from "../words/shell";
import { useWords } from "../words/words";

export function JsonView({ value, lines = 14 }: { value: unknown; lines?: number }) {
  const say = useWords(shell);
  const [whole, setWhole] = useState(false);
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const all = text.split("\n");
  const long = all.length > lines || text.length > LONG;
  const shown = long && !whole ? all.slice(0, lines).join("\n").slice(0, LONG) : text;
  return (
    <div className="json">
      <pre tabIndex={0}>
        <code>
          <Visible text={shown} />
          {long && !whole && "\n…"}
        </code>
      </pre>
      {long && (
        <button type="button" className="link" onClick={() => setWhole(!whole)}>
          {say(whole ? "less" : "more")}
        </button>
      )}
    </div>
  );
}

const LONG = 2_000;
