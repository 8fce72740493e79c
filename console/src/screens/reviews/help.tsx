// The keys, in a dialog.
import { useEffect, useRef } from "react";
import { shell } from "../../words/shell";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";

export function Help({ close }: { close: () => void }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="help"
      aria-labelledby="help-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
      onKeyDown={(event) => event.key === "?" && close()}
    >
      <h2 id="help-title">{say("keys")}</h2>
      <table>
        <tbody>
          {KEYS.map(([keys, word]) => (
            <tr key={word}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{say(word)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet">{say("keysNote")}</p>
      <button type="button" className="primary" autoFocus onClick={close}>
        {frame("close")} <kbd>Esc</kbd>
      </button>
    </dialog>
  );
}

const KEYS = [
  [["a"], "key_a"],
  [["e"], "key_e"],
  [["r"], "key_r"],
  [["1", "…", "5"], "key_number"],
  [["s"], "key_s"],
  [["j", "k"], "key_jk"],
  [["u"], "key_u"],
  [["Ctrl", "↵"], "key_send"],
  [["Esc"], "key_esc"],
  [["?"], "key_help"],
] as const;
