// Server-sent events, read from a response. Splits of the bytes do not matter; comments are signs of life.

export interface Frame {
  event: string;
  data: string;
  id: string | null;
}

/** The frames of a stream; `beat` is called for every piece of bytes, comments included. */
export async function* frames(body: ReadableStream<Uint8Array>, beat?: () => void): AsyncGenerator<Frame> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  const lines = new Lines();
  const frame = new Building();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      beat?.();
      for (const line of lines.push(value)) {
        const whole = frame.line(line);
        if (whole) yield whole;
      }
    }
  } finally {
    // Leaving the loop closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}

/** Cuts text into lines that end with CR LF, LF or CR, also where an ending is split between two pieces. */
class Lines {
  private rest = "";
  private afterReturn = false;

  push(piece: string): string[] {
    let text = piece;
    if (this.afterReturn && text.startsWith("\n")) text = text.slice(1);
    if (text !== "" || piece !== "") this.afterReturn = piece.endsWith("\r");
    const parts = (this.rest + text).split(/\r\n|\n|\r/);
    this.rest = parts.pop() ?? "";
    return parts;
  }
}

/** Puts lines together to frames. */
class Building {
  private event = "";
  private data: string[] = [];
  private id: string | null = null;

  line(line: string): Frame | null {
    if (line === "") return this.end();
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.id = value;
    return null;
  }

  private end(): Frame | null {
    const { event, data, id } = this;
    this.event = "";
    this.data = [];
    this.id = null;
    return data.length === 0 ? null : { event: event || "message", data: data.join("\n"), id };
  }
}
