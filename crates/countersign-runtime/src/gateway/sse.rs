//! Event streams cut into frames, and frames put together again.
//!
//! What nobody needs to change goes out as the bytes that came in: a run of untouched frames is one slice of the
//! upstream's piece, not a copy. Where frames end does not depend on how the stream was split. A frame has a limit.

use bytes::{Bytes, BytesMut};
use memchr::memchr;

/// Cuts a stream into frames.
#[derive(Debug, Default)]
pub struct Frames {
    carry: BytesMut,
    /// How much of `carry` has been looked at, up to the beginning of a line.
    looked: usize,
}

/// One frame: what stands between two blank lines.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Where it stands in its piece, the blank line included.
    pub start: usize,
    /// One past its end.
    pub end: usize,
    /// The bytes, the blank line included.
    pub raw: Bytes,
}

/// A frame that does not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

impl Frames {
    /// Takes the next bytes. Gives the piece that is complete by now, and the frames in it, which cover it.
    pub fn push(&mut self, bytes: Bytes, frames: &mut Vec<Frame>) -> Result<Bytes, TooLong> {
        frames.clear();
        // Most pieces hold whole frames, and then nothing is copied.
        let from_carry = !self.carry.is_empty();
        if from_carry {
            self.carry.extend_from_slice(&bytes);
        }
        let text: &[u8] = if from_carry { &self.carry } else { &bytes };
        let mut ends = Vec::new();
        let mut line = self.looked;
        while let Some(found) = text.get(line..).and_then(|rest| memchr(b'\n', rest)) {
            let content = text.get(line..line + found).unwrap_or_default();
            line += found + 1;
            if content.is_empty() || content == b"\r" {
                ends.push(line);
            }
        }
        let whole = ends.last().copied().unwrap_or(0);
        let rest = text.len() - whole;
        self.looked = line - whole;
        let piece = if from_carry {
            self.carry.split_to(whole).freeze()
        } else {
            self.carry.extend_from_slice(bytes.get(whole..).unwrap_or_default());
            bytes.slice(..whole)
        };
        cut(&piece, &ends, frames);
        if rest > MAX_FRAME { Err(TooLong) } else { Ok(piece) }
    }

    /// What came behind the last blank line: a frame whose end is missing, and is added.
    pub fn rest(&mut self) -> Option<Frame> {
        let mut raw = std::mem::take(&mut self.carry);
        self.looked = 0;
        raw.truncate(raw.trim_ascii_end().len());
        if raw.is_empty() {
            return None;
        }
        raw.extend_from_slice(b"\n\n");
        let raw = raw.freeze();
        Some(Frame { start: usize::MAX, end: usize::MAX, raw })
    }
}

fn cut(piece: &Bytes, ends: &[usize], frames: &mut Vec<Frame>) {
    let mut start = 0;
    for end in ends {
        // A blank line alone is no frame, but belongs to what is before it.
        frames.push(Frame { start, end: *end, raw: piece.slice(start..*end) });
        start = *end;
    }
}

impl Frame {
    /// The data, where there is any; several lines are joined as the standard says.
    pub fn data(&self) -> Option<Bytes> {
        let mut found: Option<Bytes> = None;
        for (start, end) in lines(&self.raw) {
            let Some(from) = self.field(start, end, b"data") else { continue };
            let next = self.raw.slice(from..end);
            found = Some(match found {
                None => next,
                Some(before) => [before.as_ref(), b"\n", next.as_ref()].concat().into(),
            });
        }
        found
    }

    /// The event's name, where it has one.
    pub fn event(&self) -> Option<&str> {
        let (from, end) = lines(&self.raw).find_map(|(start, end)| Some((self.field(start, end, b"event")?, end)))?;
        std::str::from_utf8(self.raw.get(from..end)?).ok()
    }

    /// The same frame with other data; its other lines stay.
    pub fn with_data(&self, data: &str) -> Self {
        let mut raw = BytesMut::with_capacity(self.raw.len() + data.len());
        let (mut copied, mut written) = (0, false);
        for (start, end) in lines(&self.raw) {
            let Some(from) = self.field(start, end, b"data") else { continue };
            let kept = if written { start } else { from };
            raw.extend_from_slice(self.raw.get(copied..kept).unwrap_or_default());
            copied = end;
            if written {
                // The line goes, and its end with it.
                let rest = self.raw.get(end..).unwrap_or_default();
                copied += memchr(b'\n', rest).map_or(rest.len(), |line_end| line_end + 1);
            } else {
                extend_lines(&mut raw, data);
                written = true;
            }
        }
        raw.extend_from_slice(self.raw.get(copied..).unwrap_or_default());
        Self { start: usize::MAX, end: usize::MAX, raw: raw.freeze() }
    }

    /// Where the value of a field begins, if the line has that field.
    fn field(&self, start: usize, end: usize, name: &[u8]) -> Option<usize> {
        let line = self.raw.get(start..end)?;
        let rest = line.strip_prefix(name)?.strip_prefix(b":")?;
        let blank = usize::from(rest.first() == Some(&b' '));
        Some(start + name.len() + 1 + blank)
    }
}

/// Data of several lines: each has its mark.
fn extend_lines(raw: &mut BytesMut, data: &str) {
    for (at, line) in data.split('\n').enumerate() {
        raw.extend_from_slice(if at > 0 { b"\ndata: " } else { b"" });
        raw.extend_from_slice(line.as_bytes());
    }
}

/// The lines of a frame, without their ends.
fn lines(raw: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    // A mark of the byte order may stand at the beginning of a stream.
    let mut at = if raw.starts_with(BYTE_ORDER) { BYTE_ORDER.len() } else { 0 };
    std::iter::from_fn(move || {
        let rest = raw.get(at..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let start = at;
        at += length + 1;
        let end = start + length;
        Some((start, if end > start && raw.get(end - 1) == Some(&b'\r') { end - 1 } else { end }))
    })
}

/// What goes to the client for one piece of the upstream: the piece itself as long as nothing was changed.
#[derive(Debug)]
pub struct Output {
    piece: Bytes,
    /// How much of the piece goes out as it is.
    verbatim: usize,
    written: Option<BytesMut>,
}

impl Output {
    /// Output for a piece.
    pub fn new(piece: Bytes) -> Self {
        Self { piece, verbatim: 0, written: None }
    }

    /// A frame of the piece, as it is.
    pub fn pass(&mut self, frame: &Frame) {
        match &mut self.written {
            Some(written) => written.extend_from_slice(&frame.raw),
            None if frame.start == self.verbatim && frame.end <= self.piece.len() => self.verbatim = frame.end,
            None => self.write(&frame.raw),
        }
    }

    /// Other bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        let Self { piece, verbatim, written } = self;
        let begun = || BytesMut::from(piece.get(..*verbatim).unwrap_or_default());
        written.get_or_insert_with(begun).extend_from_slice(bytes);
    }

    /// A frame with data alone.
    pub fn data(&mut self, data: &str) {
        self.write(b"data: ");
        let mut lines = BytesMut::with_capacity(data.len());
        extend_lines(&mut lines, data);
        self.write(&lines);
        self.write(b"\n\n");
    }

    /// A frame with a name.
    pub fn event(&mut self, event: &str, data: &str) {
        self.write(b"event: ");
        self.write(event.as_bytes());
        self.write(b"\n");
        self.data(data);
    }

    /// What goes out.
    pub fn take(self) -> Bytes {
        match self.written {
            Some(written) => written.freeze(),
            None => self.piece.slice(..self.verbatim),
        }
    }
}

/// The longest frame: longer than any event of a model.
const MAX_FRAME: usize = 32 * 1024 * 1024;
const BYTE_ORDER: &[u8] = "\u{feff}".as_bytes();

#[cfg(test)]
mod tests {
    use super::*;

    fn all(stream: &[u8], size: usize) -> (Vec<Vec<u8>>, Vec<u8>) {
        let mut frames = Frames::default();
        let (mut found, mut list, mut out) = (Vec::new(), Vec::new(), Vec::new());
        for part in stream.chunks(size) {
            let piece = frames.push(Bytes::copy_from_slice(part), &mut list).unwrap();
            let mut output = Output::new(piece);
            for frame in &list {
                found.push(frame.raw.to_vec());
                output.pass(frame);
            }
            out.extend_from_slice(&output.take());
        }
        if let Some(rest) = frames.rest() {
            out.extend_from_slice(rest.raw.trim_ascii_end());
        }
        (found, out)
    }

    // PARSE-4: any split gives the same frames. SERVE-6: what is not touched passes byte for byte.
    #[test]
    fn frames_do_not_depend_on_the_split() {
        let stream =
            ": hello\n\nevent: a\r\ndata: {\"x\": 1}\r\n\r\ndata:1\ndata: 2\n\n\n\ndata: é未\n\ndata: cut".as_bytes();
        let (whole, out) = all(stream, stream.len());
        assert_eq!(out, stream);
        assert_eq!(whole.len(), 6);
        for size in 1..stream.len() {
            assert_eq!(all(stream, size), (whole.clone(), stream.to_vec()), "pieces of {size}");
        }
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        let frame = |raw: &'static [u8]| Frame { start: 0, end: raw.len(), raw: Bytes::from_static(raw) };
        assert_eq!(frame(b"event: a\r\ndata: x\r\n\r\n").event(), Some("a"));
        assert_eq!(frame(b"event: a\r\ndata: x\r\n\r\n").data().unwrap(), "x");
        assert_eq!(frame(b"data:x\ndata:  y\n\n").data().unwrap(), "x\n y");
        assert_eq!(frame(b": comment\n\n").data(), None);
        assert_eq!(frame(b"database: 1\n\n").data(), None);
        assert_eq!(frame(b"\xef\xbb\xbfdata: 1\n\n").data().unwrap(), "1");
    }

    // SERVE-6: other data in a frame leaves its other lines alone.
    #[test]
    fn data_is_put_into_a_frame() {
        let frame = |raw: &'static [u8]| Frame { start: 0, end: raw.len(), raw: Bytes::from_static(raw) };
        let put = |raw, data| frame(raw).with_data(data).raw;
        assert_eq!(put(b"id: 7\r\nevent: a\r\ndata: x\r\n\r\n", "y"), "id: 7\r\nevent: a\r\ndata: y\r\n\r\n");
        assert_eq!(put(b"data:x\ndata: y\n: z\n\n", "1\n2"), "data:1\ndata: 2\n: z\n\n");
        assert_eq!(frame(b"data:x\ndata: y\n\n").with_data("1\n2").data().unwrap(), "1\n2");
    }

    #[test]
    fn a_change_keeps_what_was_before_and_after_it() {
        let mut list = Vec::new();
        let piece =
            Frames::default().push(Bytes::from_static(b"data: 1\n\ndata: 2\n\ndata: 3\n\n"), &mut list).unwrap();
        let mut output = Output::new(piece);
        output.pass(&list[0]);
        output.data("two");
        output.pass(&list[2]);
        assert_eq!(output.take(), "data: 1\n\ndata: two\n\ndata: 3\n\n");
    }
}
