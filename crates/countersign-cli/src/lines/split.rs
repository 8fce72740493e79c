//! Cuts a stream of bytes into chunks of whole lines.
//!
//! A chunk is what one read gave, so a program that sends one line and waits gets its answer at once, and a file
//! gives chunks of `CHUNK` bytes. A line may be as long as `LONGEST`; a longer one is thrown away up to its end
//! and reported, so that memory stays bounded whatever comes in.

use memchr::{memchr, memchr_iter, memrchr};
use std::io::{self, Read};
use std::sync::Arc;

/// Whole lines of one input.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// The lines, with their line breaks.
    pub bytes: Vec<u8>,
    /// The number of the first line, from 1.
    pub first_line: u64,
    /// The input, where there are several.
    pub file: Option<Arc<str>>,
    /// The first line was longer than [`LONGEST`]; what is left of it is its beginning.
    pub cut: bool,
}

/// Reads chunks.
pub(crate) struct Splitter<R> {
    input: R,
    file: Option<Arc<str>>,
    rest: Vec<u8>,
    line: u64,
    longest: usize,
}

impl<R: Read> Splitter<R> {
    /// A splitter at the beginning of an input.
    pub(crate) fn new(input: R, file: Option<Arc<str>>) -> Self {
        Self { input, file, rest: Vec::new(), line: 1, longest: LONGEST }
    }

    /// The next chunk; `None` at the end.
    pub(crate) fn next_chunk(&mut self) -> io::Result<Option<Chunk>> {
        let mut bytes = std::mem::take(&mut self.rest);
        if let Some(at) = memrchr(b'\n', &bytes) {
            // Only after a line that was too long do whole lines wait here.
            self.rest = bytes.split_off(at + 1);
            return Ok(Some(self.chunk(bytes)));
        }
        loop {
            let searched = bytes.len();
            // A long line doubles the buffer, so that reading it stays linear.
            let read = self.read_into(&mut bytes, searched.max(CHUNK))?;
            if read == 0 {
                return Ok((!bytes.is_empty()).then(|| self.chunk(bytes)));
            }
            if let Some(at) = bytes.get(searched..).and_then(|new| memrchr(b'\n', new)) {
                self.rest = bytes.split_off(searched + at + 1);
                return Ok(Some(self.chunk(bytes)));
            }
            if bytes.len() > self.longest {
                return self.skip_long_line(bytes).map(Some);
            }
        }
    }

    fn read_into(&mut self, bytes: &mut Vec<u8>, room: usize) -> io::Result<usize> {
        let filled = bytes.len();
        bytes.resize(filled + room, 0);
        let read = loop {
            match self.input.read(bytes.get_mut(filled..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        bytes.truncate(filled + read.as_ref().copied().unwrap_or(0));
        read
    }

    fn chunk(&mut self, bytes: Vec<u8>) -> Chunk {
        let first_line = self.line;
        self.line += memchr_iter(b'\n', &bytes).count() as u64;
        Chunk { bytes, first_line, file: self.file.clone(), cut: false }
    }

    /// Keeps the beginning of a line that is too long and reads on to the next one.
    fn skip_long_line(&mut self, mut start: Vec<u8>) -> io::Result<Chunk> {
        start.truncate(KEPT);
        start.push(b'\n');
        let chunk = Chunk { cut: true, ..self.chunk(start) };
        let mut thrown = Vec::new();
        while self.read_into(&mut thrown, CHUNK)? > 0 {
            if let Some(at) = memchr(b'\n', &thrown) {
                self.rest = thrown.split_off(at + 1);
                break;
            }
            thrown.clear();
        }
        Ok(chunk)
    }
}

/// What one read asks for: the size of a pipe, and small enough to keep all cores busy on a small file.
const CHUNK: usize = 64 * 1024;
/// The longest line that is read.
const LONGEST: usize = 256 * 1024 * 1024;
/// What is kept of a longer one, so that its id can be found.
const KEPT: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives what it has in pieces of a size.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(self.0.len()).min(into.len());
            into[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }

    fn lines(text: &str, drop: usize, longest: usize) -> Vec<(u64, String, bool)> {
        let mut splitter = Splitter { longest, ..Splitter::new(Drops(text.as_bytes(), drop), None) };
        let mut found = Vec::new();
        while let Some(chunk) = splitter.next_chunk().unwrap() {
            let text = String::from_utf8(chunk.bytes).unwrap();
            for (at, line) in text.lines().enumerate() {
                found.push((chunk.first_line + at as u64, line.to_owned(), chunk.cut && at == 0));
            }
        }
        found
    }

    #[test]
    fn any_size_of_reads_gives_the_same_lines_and_numbers() {
        let text = "a\n\nbb\nccc\r\n\n dd";
        let whole = lines(text, 1000, LONGEST);
        assert_eq!(whole.len(), 6);
        assert_eq!(whole[5], (6, " dd".into(), false));
        for drop in 1..8 {
            assert_eq!(lines(text, drop, LONGEST), whole, "{drop}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_rest_goes_on() {
        let long = "x".repeat(300_000);
        let text = format!("a\n{long}\nb\nc");
        for drop in [7, 70_000, 1_000_000] {
            let found = lines(&text, drop, 100_000);
            assert_eq!(found.len(), 4, "{drop}");
            let cut: Vec<bool> = found.iter().map(|line| line.2).collect();
            assert_eq!((found[1].0, found[3].0, &found[3].1), (2, 4, &"c".to_owned()));
            // A line that arrives whole with its end is read, however long it is.
            assert!(cut == [false, true, false, false] || drop == 1_000_000, "{cut:?}");
        }
    }
}
