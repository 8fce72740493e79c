//! Answers the lines of one chunk: each on its own, so that a broken one harms no other.

use super::split::Chunk;
use crate::human::canvas::Canvas;
use crate::tally::{LineLocation, Mark, Tally};
use memchr::memchr_iter;
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a command does with a line.
pub(crate) trait Judge: Sync {
    /// What it says.
    type Report: Serialize;

    /// Judges a line.
    fn judge(&self, line: &str) -> Result<Self::Report, BadLine>;

    /// How the line ended.
    fn mark(&self, answer: &Self::Report) -> Mark;

    /// Shows the answer to a person.
    fn show(&self, line: &str, answer: &Self::Report, canvas: &mut Canvas);

    /// The first finding code of an answer, for the hint under a human report.
    fn code(&self, answer: &Self::Report) -> Option<&'static str>;
}

/// A line that cannot be judged: what is wrong with it, or that we are.
#[derive(Debug)]
pub(crate) struct BadLine(pub String);

/// How answers are written.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// One JSON object a line.
    Lines,
    /// The items of one array, each with a comma before it; the writer takes off the first.
    Items,
    /// Drawn for people.
    Human(Canvas),
}

/// The answers to a chunk.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// What is written.
    pub out: Vec<u8>,
    /// How the lines ended.
    pub tally: Tally,
    /// How many bytes of input they were.
    pub read: u64,
}

/// Answers every line of a chunk.
pub(crate) fn judge_chunk<J: Judge>(judge: &J, chunk: &Chunk, shape: &Shape) -> Done {
    let mut done = Done { read: chunk.bytes.len() as u64, ..Done::default() };
    for (at, bytes) in lines_of(&chunk.bytes).enumerate() {
        let place = LineLocation { line: chunk.first_line + at as u64, file: chunk.file.as_deref() };
        let bytes = if place.line == 1 { bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes) } else { bytes };
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        if chunk.cut && at == 0 {
            done.refuse("the line is longer than 256 MiB".to_owned(), bytes, place, shape);
            continue;
        }
        match std::str::from_utf8(bytes) {
            Ok(line) => judge_line(judge, line, place, shape, &mut done),
            Err(_) => done.refuse("the line is not valid UTF-8".to_owned(), bytes, place, shape),
        }
    }
    done
}

/// The lines of a chunk, without their line feeds.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len()));
    ends.scan(0, |start, end| bytes.get(std::mem::replace(start, end + 1)..end))
}

/// Answers one line. A panic is caught here: it is our fault, it is counted as such, and the other lines go on.
fn judge_line<J: Judge>(judge: &J, line: &str, place: LineLocation<'_>, shape: &Shape, done: &mut Done) {
    let before = done.out.len();
    let answered = catch_unwind(AssertUnwindSafe(|| -> Result<(Mark, Option<&'static str>), BadLine> {
        let answer = judge.judge(line)?;
        match shape {
            Shape::Lines => write_json(&answer, &mut done.out, b"", b"\n")?,
            Shape::Items => write_json(&answer, &mut done.out, b",\n", b"")?,
            Shape::Human(canvas) => {
                let mut canvas = canvas.at(place);
                judge.show(line, &answer, &mut canvas);
                done.out.extend_from_slice(canvas.finish().as_bytes());
            }
        }
        Ok((judge.mark(&answer), judge.code(&answer)))
    }));
    match answered {
        Ok(Ok((mark, code))) => {
            done.tally.add(mark);
            done.tally.first_code = done.tally.first_code.or(code);
        }
        Ok(Err(BadLine(reason))) => {
            done.out.truncate(before);
            done.refuse(reason, line.as_bytes(), place, shape);
        }
        Err(_) => {
            done.out.truncate(before);
            done.tally.add_broken();
            done.write_error("internal error on this line; please report it", line.as_bytes(), place, shape);
        }
    }
}

fn write_json<A: Serialize>(answer: &A, out: &mut Vec<u8>, before: &[u8], after: &[u8]) -> Result<(), BadLine> {
    out.extend_from_slice(before);
    serde_json::to_writer(&mut *out, answer).map_err(|error| BadLine(error.to_string()))?;
    out.extend_from_slice(after);
    Ok(())
}

impl Done {
    fn refuse(&mut self, reason: String, line: &[u8], place: LineLocation<'_>, shape: &Shape) {
        self.tally.add_malformed();
        self.write_error(&reason, line, place, shape);
    }

    fn write_error(&mut self, reason: &str, line: &[u8], place: LineLocation<'_>, shape: &Shape) {
        let id = read_id(line);
        let error = ErrorLine { error: reason, line: place.line, file: place.file, id };
        // An error line holds strings and numbers only: writing it to memory cannot fail.
        let _ = match shape {
            Shape::Lines => write_json(&error, &mut self.out, b"", b"\n"),
            Shape::Items => write_json(&error, &mut self.out, b",\n", b""),
            Shape::Human(canvas) => {
                let mut canvas = canvas.at(place);
                canvas.show_malformed(reason, error.id.as_ref());
                self.out.extend_from_slice(canvas.finish().as_bytes());
                Ok(())
            }
        };
    }
}

/// Writes the answer to a line that could not be judged, without a line feed.
pub(crate) fn error_line(out: &mut Vec<u8>, reason: &str, line: &[u8], number: u64) {
    let error = ErrorLine { error: reason, line: number, file: None, id: read_id(line) };
    // Strings and numbers only: writing them to memory cannot fail.
    let _ = write_json(&error, out, b"", b"");
}

/// The answer to a line that could not be judged.
#[derive(Serialize)]
struct ErrorLine<'a> {
    error: &'a str,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
}

/// The `id` of a line, as far as it can be read: a line that breaks off later still has one.
fn read_id(line: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(line);
    let mut id = None;
    let mut reader = serde_json::Deserializer::from_str(&text);
    // The error is known already; what counts is how far the reading came.
    let _ = IdSeed(&mut id).deserialize(&mut reader);
    id.filter(|id: &Value| !id.is_null())
}

struct IdSeed<'a>(&'a mut Option<Value>);

impl<'de> DeserializeSeed<'de> for IdSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for IdSeed<'_> {
    type Value = ();

    fn expecting(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
        words.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "id" {
                *self.0 = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tone;
    use serde_json::json;

    /// Answers with the line's number, panics on `boom`.
    struct Echo;

    impl Judge for Echo {
        type Report = Value;

        fn judge(&self, line: &str) -> Result<Value, BadLine> {
            assert!(!line.contains("boom"), "as asked");
            serde_json::from_str(line).map_err(|error| BadLine(error.to_string()))
        }

        fn mark(&self, _: &Value) -> Mark {
            Mark { words: ("fine", "好"), tone: Tone::Good, passed: true }
        }

        fn show(&self, _: &str, _: &Value, _: &mut Canvas) {}

        fn code(&self, _: &Value) -> Option<&'static str> {
            None
        }
    }

    fn answers(bytes: &[u8]) -> (Vec<Value>, u8) {
        let chunk = Chunk { bytes: bytes.to_vec(), first_line: 1, file: None, cut: false };
        let done = judge_chunk(&Echo, &chunk, &Shape::Lines);
        let lines = String::from_utf8(done.out).unwrap();
        (lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), done.tally.exit_code())
    }

    // The contract: a malformed line gives an error with its number and its id, and the rest goes on.
    #[test]
    fn a_bad_line_costs_only_its_own_answer() {
        let (found, code) = answers(
            b"\xef\xbb\xbf{\"id\": 1}\r\n\n  \n{\"id\": \"x\", \"call\": {\n{\"id\": 7, \"a\": \"\xff\"}\n{\"id\": 3}",
        );
        assert_eq!(code, 1);
        assert_eq!((&found[0], &found[3]), (&json!({"id": 1}), &json!({"id": 3})));
        assert_eq!((&found[1]["line"], &found[1]["id"]), (&json!(4), &json!("x")));
        assert_eq!((&found[2]["line"], &found[2]["id"]), (&json!(5), &json!(7)));
        assert!(found[2]["error"].as_str().unwrap().contains("UTF-8"));
    }

    #[test]
    fn a_panic_is_caught_on_its_line() {
        let (found, code) = answers(b"{\"id\": 1}\n{\"id\": \"boom\"}\n{\"id\": 3}\n");
        assert_eq!((found.len(), code), (3, 3));
        assert_eq!((&found[1]["line"], &found[1]["id"]), (&json!(2), &json!("boom")));
    }
}
