// The files that go with the next message, each with a way to take it off again.
import { Visible, visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import type { Attachments } from "./attachments";

export function AttachmentChips({ files }: { files: Attachments }) {
  const say = useWords(liveWords);
  if (files.attachments.length === 0) return null;
  return (
    <ul className="chips" aria-label={say("attached")} aria-live="polite">
      {files.attachments.map((one) => (
        <li key={one.key} className={one.refused === null ? "chip" : "chip chip-refused"}>
          <span>
            <Visible text={one.name} />{" "}
            <span className="quiet">{one.refused === null ? (one.fileId === null ? say("uploading") : size(one.size)) : <Visible text={say("refused", { message: one.refused })} />}</span>
          </span>
          <button type="button" className="link" onClick={() => files.remove(one)} aria-label={say("takeOff", { name: visible(one.name) })}>
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
