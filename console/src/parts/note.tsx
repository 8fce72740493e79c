// Small things that every screen says: it loads, it failed, there is nothing.
import { told } from "../api";
import { Visible } from "../text/visible";
import { shell } from "../words/shell";
import { useWords } from "../words/words";

export function Loading() {
  const say = useWords(shell);
  return (
    <p className="quiet note" role="status">
      {say("loading")}
    </p>
  );
}

export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  const say = useWords(shell);
  return (
    <div className="note note-bad" role="alert">
      <Visible text={say("failed", { message: told(error) })} />{" "}
      {again && (
        <button type="button" onClick={again}>
          {say("again")}
        </button>
      )}
    </div>
  );
}
