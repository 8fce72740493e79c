// Files that go with the next message: each is uploaded as soon as it is chosen.
import { useCallback, useRef, useState } from "react";
import { told } from "../../api";
import { removeFile, upload } from "./session-calls";

export interface Attachment {
  key: number;
  name: string;
  size: number;
  /** Once it is uploaded. */
  fileId: string | null;
  /** Why it was refused, in the server's words. */
  refused: string | null;
}

export interface Attachments {
  attachments: readonly Attachment[];
  add: (files: Iterable<File>) => void;
  remove: (attachment: Attachment) => void;
  /** They went with a message. */
  sent: () => void;
}

export function useAttachments(session: string): Attachments {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const next = useRef(1);
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const key = next.current++;
        const change = (some: Partial<Attachment>) => setAttachments((before) => before.map((one) => (one.key === key ? { ...one, ...some } : one)));
        setAttachments((before) => [...before, { key, name: file.name, size: file.size, fileId: null, refused: null }]);
        upload(session, file).then(
          (uploaded) => change({ fileId: uploaded.file_id, name: uploaded.name }),
          (error: unknown) => change({ refused: told(error) }),
        );
      }
    },
    [session],
  );
  const remove = useCallback(
    (attachment: Attachment) => {
      setAttachments((before) => before.filter((one) => one.key !== attachment.key));
      // Where this fails, the file stays in the session unused.
      if (attachment.fileId !== null) void removeFile(session, attachment.fileId).catch(() => undefined);
    },
    [session],
  );
  const sent = useCallback(() => setAttachments([]), []);
  return { attachments, add, remove, sent };
}
