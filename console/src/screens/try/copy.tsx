// A button that copies, and says that it did.
import { useEffect, useState } from "react";
import { tryWords, type TryWord } from "../../words/try";
import { useWords } from "../../words/words";

export function Copy({ label, text }: { label: TryWord; text: string }) {
  const say = useWords(tryWords);
  const [state, setState] = useState<"copied" | "copyFailed" | null>(null);
  useEffect(() => {
    if (state === null) return;
    const timer = setTimeout(() => setState(null), 2_500);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <span className="try-copy">
      <button type="button" onClick={() => void copy(text).then((done) => setState(done ? "copied" : "copyFailed"))}>
        {say(label)}
      </button>
      <span className="quiet" role="status">
        {state && say(state)}
      </span>
    </span>
  );
}

/** The clipboard is closed to pages that came without TLS from another machine; there the old way is tried. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "reader-only";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
