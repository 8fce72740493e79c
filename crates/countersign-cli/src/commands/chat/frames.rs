//! Server-sent events, read as they come. What is split anywhere comes out the same; comments are signs of life only.

use serde_json::Value;

/// What a stream brought.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Frame {
    /// An event.
    Event(Value),
    /// The end, in order.
    Done,
}

/// Bytes that are not a whole frame yet.
#[derive(Debug, Default)]
pub(super) struct Frames {
    line: Vec<u8>,
    data: String,
}

impl Frames {
    /// Takes the next bytes; gives the frames that are whole now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, String> {
        let mut frames = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() + self.data.len() > MOST {
                return Err(format!("an event has more than {MOST} bytes"));
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                frames.extend(self.take(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r'])));
            }
        }
        Ok(frames)
    }

    fn take(&mut self, line: &str) -> Option<Frame> {
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            return None;
        }
        // The other fields say what the event says of itself.
        if !line.is_empty() || self.data.is_empty() {
            return None;
        }
        match std::mem::take(&mut self.data).as_str() {
            "[DONE]" => Some(Frame::Done),
            // What is no JSON is of a later version, and readers ignore what they do not know.
            text => serde_json::from_str(text).ok().map(Frame::Event),
        }
    }
}

/// No event of ours is larger.
const MOST: usize = 32 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // STREAM-2
    #[test]
    fn any_split_gives_the_same_frames() {
        let stream = ": hello\n\nid: 1.1\nevent: message\ndata: {\"a\": \"文\"}\n\nevent: later\ndata: no json\n\ndata: [DONE]\r\n\r\n";
        let expected = [Frame::Event(json!({"a": "文"})), Frame::Done];
        for size in 1..stream.len() {
            let mut frames = Frames::default();
            let found: Vec<Frame> =
                stream.as_bytes().chunks(size).flat_map(|piece| frames.push(piece).unwrap()).collect();
            assert_eq!(found, expected, "pieces of {size}");
        }
    }
}
