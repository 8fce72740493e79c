//! JSON as models write it.
//!
//! `read` takes a whole answer, `read_one` a text that should be one value. Both give the value that was meant and a
//! list of what had to be mended; they never fail. Well-formed JSON comes out as serde_json reads it, without a repair.
//! Everything runs in linear time without recursion. Nothing is invented: a key that the end of the text cut is left out,
//! a string is not split at its commas, and members next to a damaged one stay as they are.

/// Halves of characters.
mod halves;
/// The repairs, by name.
mod kind;
/// What a character stands for.
mod glyph;
/// What a token means.
mod scalar;
/// A place in the text.
mod cursor;
/// What stands ahead.
mod ahead;
/// What is around a string.
mod around;
/// Strings that another quote closes.
mod mixed;
/// Where a string ends.
mod ending;
/// What a string says.
mod string;
/// Values without quotes.
mod bare;
/// What programs put around a value.
mod wrapper;
/// An open container.
mod frame;
/// The state of a reader.
mod reader;
/// Strings.
mod quoted;
/// Commas and closing brackets.
mod closing;
/// The value at a place.
mod value;
/// Well-formed stretches, fast.
mod lane;
/// Members and elements, one after the other.
mod run;
/// One layer of escaping off.
mod unescape;
/// All values of an answer.
mod document;

use serde_json::Value;

use crate::parse::event::{ParseOptions, Repair, Span};

pub use halves::keep_halves;
pub use kind::KINDS;

use document::Scan;
use reader::Reader;

/// What one text holds when it should be JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Every value in the text, in order.
    pub values: Vec<Found>,
    /// What was mended.
    pub repairs: Vec<Repair>,
    /// The value that the text as a whole stands for; absent where it holds no JSON.
    pub answer: Option<Value>,
    /// Whether the end of the answer was seen.
    pub complete: bool,
}

/// A value in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Where it is.
    pub span: Span,
    /// Whether it was not cut by the end of the text.
    pub complete: bool,
    /// Whether it is in a fenced block.
    pub fenced: bool,
    /// Whether it is in the model's reasoning.
    pub reasoning: bool,
}

/// One value, read from the beginning of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct One {
    /// The value; absent where none begins.
    pub value: Option<Value>,
    /// The byte just after it.
    pub end: usize,
    /// Whether the end of it was seen.
    pub complete: bool,
    /// What was mended.
    pub repairs: Vec<Repair>,
}

/// Reads a whole answer: with prose around, in fences, several values in a row; what is in the model's reasoning
/// counts only where there is nothing else.
pub fn read(text: &str, options: &ParseOptions) -> Document {
    if let Some((value, span)) = well_formed(text) {
        let found = Found { value: value.clone(), span, complete: true, fenced: false, reasoning: false };
        return Document { values: vec![found], repairs: Vec::new(), answer: Some(value), complete: true };
    }
    let (values, mut repairs) = Scan::over(text, options, LAYERS);
    let chosen = document::choose(text, &values);
    document::tell(text, &values, &chosen, &mut repairs);
    repairs.truncate(options.max_repairs);
    let answers: Vec<&Found> = chosen.iter().filter_map(|index| values.get(*index)).collect();
    let complete = !answers.is_empty() && answers.iter().all(|found| found.complete);
    let answer = document::join_values(answers.into_iter().map(|found| found.value.clone()).collect());
    Document { values, repairs, answer, complete }
}

/// The answer of [`read`] alone, without a copy of its values.
pub fn read_answer(text: &str, options: &ParseOptions) -> One {
    if let Some((value, span)) = well_formed(text) {
        return One { value: Some(value), end: span.end, complete: true, repairs: Vec::new() };
    }
    let (mut values, mut repairs) = Scan::over(text, options, LAYERS);
    let chosen = document::choose(text, &values);
    document::tell(text, &values, &chosen, &mut repairs);
    repairs.truncate(options.max_repairs);
    let mut answers = Vec::with_capacity(chosen.len());
    let (mut complete, mut end) = (!chosen.is_empty(), 0);
    for index in chosen {
        let Some(found) = values.get_mut(index) else { continue };
        complete &= found.complete;
        end = found.span.end;
        answers.push(std::mem::take(&mut found.value));
    }
    One { value: document::join_values(answers), end, complete, repairs }
}

/// Reads one value that begins at the first character of `text` that is not blank.
pub fn read_one(text: &str, options: &ParseOptions) -> One {
    if let Some((value, span)) = well_formed(text) {
        return One { value: Some(value), end: span.end, complete: true, repairs: Vec::new() };
    }
    let mut reader = Reader::new(text, options);
    let outcome = reader.read(0);
    One { value: outcome.value, end: outcome.end, complete: outcome.complete, repairs: reader.into_repairs() }
}

/// The value of a text that is JSON, and where it is. A text whose last byte closes nothing is not tried.
fn well_formed(text: &str) -> Option<(Value, Span)> {
    let trimmed = text.trim_matches([' ', '\n', '\t', '\r']);
    let bytes = trimmed.as_bytes();
    let may_close = match bytes.first()? {
        b'{' => bytes.last() == Some(&b'}'),
        b'[' => bytes.last() == Some(&b']'),
        b'"' => bytes.len() > 1 && bytes.last() == Some(&b'"'),
        b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => true,
        _ => false,
    };
    let value = may_close.then(|| serde_json::from_str(trimmed).ok())??;
    let start = text.len() - text.trim_start_matches([' ', '\n', '\t', '\r']).len();
    Some((value, Span::new(start, start + trimmed.len())))
}

/// How often JSON inside a string is looked into.
const LAYERS: usize = 2;
