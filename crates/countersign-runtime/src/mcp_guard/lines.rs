//! Bytes cut into lines, each with an end.

/// Cuts bytes into lines. A line that is too long is dropped.
#[derive(Default)]
pub(super) struct LineCutter {
    line: Vec<u8>,
    is_too_long: bool,
}

impl LineCutter {
    /// Takes some bytes in, and gives each line that they end to `each`, without its line end.
    pub(super) fn take(&mut self, mut bytes: &[u8], mut each: impl FnMut(Vec<u8>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (piece, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            self.push(piece);
            let line = std::mem::take(&mut self.line);
            if !std::mem::take(&mut self.is_too_long) {
                each(line);
            }
        }
        self.push(bytes);
    }

    /// What stands behind the last line end.
    pub(super) fn rest(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        (!self.is_too_long && !line.is_empty()).then_some(line)
    }

    fn push(&mut self, piece: &[u8]) {
        if self.is_too_long || self.line.len() + piece.len() > LONGEST {
            if !self.is_too_long {
                tracing::warn!("a message is longer than {LONGEST} bytes and is dropped");
            }
            (self.is_too_long, self.line) = (true, Vec::new());
            return;
        }
        self.line.extend_from_slice(piece);
    }
}

/// How long a message may be.
pub(super) const LONGEST: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_arrive() {
        let (mut cutter, mut lines) = (LineCutter::default(), Vec::new());
        for piece in ["{\"a\"", ":1}\n{}\n", "\n{\"b\":2}", ""] {
            cutter.take(piece.as_bytes(), |line| lines.push(String::from_utf8(line).unwrap()));
        }
        assert_eq!(lines, ["{\"a\":1}", "{}", ""]);
        assert_eq!(cutter.rest().unwrap(), b"{\"b\":2}");
        let long = vec![b'x'; LONGEST];
        let mut lines = 0;
        cutter.take(&long, |_| lines += 1);
        cutter.take(b"xx\n{}\n", |line| lines += line.len());
        assert_eq!(lines, 2);
    }
}
