// The place to write. What could not be sent stays here.
import { useEffect, useRef, useState, type DragEvent } from "react";
import { Refused, told } from "../../api";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { AttachmentChips } from "./attachment-chips";
import { useAttachments } from "./attachments";
import { Clip } from "./clip";
import { say as sayTo } from "./session-calls";

interface Props {
  session: string;
  running: boolean;
  /** Why nothing can be sent, where that is so. */
  hurdle: string | null;
  /** Whether writing is what comes next. */
  focus: boolean;
  sent: () => void;
}

export function Composer({ session, running, hurdle, focus, sent }: Props) {
  const say = useWords(liveWords);
  const files = useAttachments(session);
  const picker = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const uploading = files.attachments.some((one) => one.fileId === null && one.refused === null);
  const reason = running ? say("composerRuns") : uploading ? say("composerUploads") : null;
  const may = reason === null && !busy && text.trim() !== "";
  const refused = files.attachments.filter((one) => one.refused !== null).length;
  /** Sent once the files are there; how many had been refused by then. */
  const [later, setLater] = useState<number | null>(null);
  const submit = () => {
    if (uploading && !running) return setLater(refused);
    if (!may) return;
    setBusy(true);
    setError(null);
    const ids = files.attachments.flatMap((one) => (one.fileId === null ? [] : [one.fileId]));
    sayTo(session, text, ids)
      .then(() => {
        setText("");
        files.sent();
        sent();
      }, setError)
      .finally(() => setBusy(false));
  };
  useEffect(() => {
    if (later === null || uploading) return;
    setLater(null);
    // A file that was refused meanwhile is missing from what was meant.
    if (later === refused) submit();
  });
  const drag = (event: DragEvent, inside: boolean) => {
    event.preventDefault();
    setOver(inside);
  };
  return (
    <form
      className={over ? "composer composer-over" : "composer"}
      aria-label={say("composer")}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        files.add(event.dataTransfer.files);
      }}
    >
      {error !== null && (
        <p className="bad" role="alert">
          <Visible text={error instanceof Refused && error.status === 409 ? say("busy", { message: error.message }) : say("notSent", { message: told(error) })} />
        </p>
      )}
      <AttachmentChips files={files} />
      <div className="composer-row">
        <button type="button" className="composer-attach" onClick={() => picker.current?.click()} title={say("attachAbout")} aria-label={say("attach")}>
          <Clip />
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            files.add(event.target.files ?? []);
            event.target.value = "";
          }}
        />
        <textarea
          rows={Math.min(8, Math.max(1, text.split("\n").length))}
          value={text}
          autoFocus={focus}
          placeholder={say("composerPlaceholder")}
          aria-label={say("message")}
          aria-describedby="composer-reason"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            // While a word is being composed (Chinese, Japanese), Enter belongs to the input method.
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <button type="submit" className="primary" disabled={!may} title={reason ?? undefined}>
          {say(busy ? "sending" : "send")}
        </button>
      </div>
      <p id="composer-reason" className="quiet composer-reason">
        {reason ?? hurdle ?? say("composerKeys")}
      </p>
    </form>
  );
}
