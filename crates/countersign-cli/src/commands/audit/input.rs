//! A file, read record by record into conversations. Memory is bounded: by the longest line, by what a document may be
//! large, and by what a reader keeps open.

use super::summary::Problem;
use countersign::traces::readers::reader;
use countersign::traces::{Reader, Record, Trace, tell};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// What reading gives, in order.
pub(super) enum Event {
    Trace(Box<Trace>),
    Problem(Problem),
    /// So many bytes more were read.
    Bytes(u64),
}

/// Reads a file. Stops where nobody takes what is read.
pub(super) fn read(path: &Path, give: &mut dyn FnMut(Event) -> bool) {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => Input { name, reader: None, waiting: Vec::new(), give }.read(file),
        Err(error) => {
            give(Event::Problem(Problem { file: name, line: None, reason: format!("cannot be read: {error}") }));
        }
    }
}

struct Input<'g> {
    name: String,
    reader: Option<Box<dyn Reader>>,
    /// Lines before the first that tells the format.
    waiting: Vec<(u64, String)>,
    give: &'g mut dyn FnMut(Event) -> bool,
}

impl Input<'_> {
    fn read(mut self, file: File) {
        let mut input = BufReader::with_capacity(1 << 18, file);
        let (mut number, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let read = (&mut input).take(MAX_LINE).read_until(b'\n', &mut line);
            let read = match read {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => {
                    self.problem(None, format!("cannot be read: {error}"));
                    break;
                }
            };
            number += 1;
            let mut goes_on = (self.give)(Event::Bytes(read as u64));
            if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
                self.problem(Some(number), format!("is longer than {} MiB and was skipped", MAX_LINE >> 20));
                goes_on &= skip_line(&mut input).is_ok();
            } else if number == 1 && opens_document(&line) {
                return self.read_document(line, input);
            } else {
                goes_on &= self.line(number, &line);
            }
            if !goes_on {
                return;
            }
        }
        self.finish();
    }

    /// One line of JSON lines.
    fn line(&mut self, number: u64, line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return true;
        }
        if self.reader.is_none() {
            match tell(text) {
                Some(format) => {
                    self.reader = Some(reader(format));
                    for (number, text) in std::mem::take(&mut self.waiting) {
                        if !self.record(&Record { text: &text, line: number }) {
                            return false;
                        }
                    }
                }
                None if self.waiting.len() < MAX_WAITING => {
                    self.waiting.push((number, text.to_owned()));
                    return true;
                }
                None => {
                    self.finish();
                    return false;
                }
            }
        }
        self.record(&Record { text, line: number })
    }

    fn record(&mut self, record: &Record<'_>) -> bool {
        let Some(reader) = &mut self.reader else { return true };
        let mut traces = Vec::new();
        let read = reader.read(record, &mut traces);
        if let Err(reason) = read {
            self.problem(Some(record.line), reason);
        }
        traces.into_iter().all(|trace| (self.give)(Event::Trace(Box::new(trace))))
    }

    /// One large document over many lines.
    fn read_document(mut self, mut text: Vec<u8>, input: BufReader<File>) {
        let first = text.len();
        if let Err(error) = input.take(MAX_DOCUMENT).read_to_end(&mut text) {
            return self.problem(None, format!("cannot be read: {error}"));
        }
        if text.len() as u64 >= MAX_DOCUMENT {
            return self.problem(None, format!("is one document of more than {} MiB", MAX_DOCUMENT >> 20));
        }
        (self.give)(Event::Bytes((text.len() - first) as u64));
        let text = String::from_utf8_lossy(&text);
        let trimmed = text.trim_start_matches('\u{feff}');
        match tell(trimmed) {
            Some(format) => {
                self.reader = Some(reader(format));
                self.record(&Record { text: trimmed, line: 1 });
                self.finish();
            }
            // JSON lines after all, whose first line was cut.
            None => {
                for (at, line) in trimmed.lines().enumerate() {
                    if !self.line(at as u64 + 1, line.as_bytes()) {
                        return;
                    }
                }
                self.finish();
            }
        }
    }

    fn finish(&mut self) {
        match &mut self.reader {
            Some(reader) => {
                let traces = reader.finish();
                let _ = traces
                    .into_iter()
                    .filter(|trace| !trace.is_empty())
                    .all(|trace| (self.give)(Event::Trace(Box::new(trace))));
            }
            None => self.problem(None, "is no trace that is known here".to_owned()),
        }
    }

    fn problem(&mut self, line: Option<u64>, reason: String) {
        let problem = Problem { file: self.name.clone(), line, reason };
        (self.give)(Event::Problem(problem));
    }
}

/// Whether the first line is only the beginning of a document.
fn opens_document(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err()
}

fn skip_line(input: &mut BufReader<File>) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (used, end) = memchr::memchr(b'\n', buffer).map_or((buffer.len(), false), |at| (at + 1, true));
        input.consume(used);
        if end {
            return Ok(());
        }
    }
}

const MAX_LINE: u64 = 64 << 20;
const MAX_DOCUMENT: u64 = 512 << 20;
const MAX_WAITING: usize = 200;
