//! What is in the brackets of a step: a JSON object, Python's keywords, a quoted text or bare words, with brackets of
//! their own inside, over several lines, or without an end.

use super::draft::Input;
use super::reference::narrow;
use crate::parse::event::ParseOptions;
use crate::parse::formats::KnownTools;
use crate::parse::json;
use serde_json::Value;

/// What was read.
#[derive(Debug)]
pub(super) struct Body {
    pub input: Input,
    /// The byte after it, closing bracket included.
    pub end: usize,
    pub unclosed: bool,
}

/// Which bracket opened the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    Square,
    Round,
    /// The object itself follows the name.
    Curly,
    /// Nothing follows the name.
    Nothing,
}

/// Reads the input of the tool `name`; `text` begins after the opening bracket (at it, for an object without others)
/// and ends where the next step begins.
pub(super) fn read(text: &str, opened: Opened, name: &str, tools: &KnownTools, options: &ParseOptions) -> Body {
    if opened == Opened::Nothing {
        return Body { input: Input::Text(String::new()), end: 0, unclosed: false };
    }
    let first = text.trim_start().chars().next();
    if matches!(first, Some('{' | '｛' | '"' | '“'))
        && let Some(body) = value(text, opened, options)
    {
        return body;
    }
    let (inner, end, unclosed) = words(text, opened);
    let named = inner.contains('=').then(|| tools.python_arguments(name, inner)).flatten();
    let input = match named {
        Some(arguments) => Input::Object(arguments),
        None => Input::Text(unquote(inner).to_owned()),
    };
    Body { input, end, unclosed }
}

/// The same for a step that is a string of its own.
pub(super) fn inside(text: &str, opened: Opened, options: &ParseOptions) -> Input {
    if matches!(text.trim_start().chars().next(), Some('{' | '｛' | '"' | '“'))
        && let Some(body) = value(text, opened, options)
    {
        return body.input;
    }
    Input::Text(unquote(words(text, opened).0).to_owned())
}

/// An object that was written as a text.
pub(super) fn object(text: &str, options: &ParseOptions) -> Option<Input> {
    let text = text.trim();
    if !text.starts_with(['{', '｛']) {
        return None;
    }
    let one = json::read_one(text, options);
    let whole = text.get(one.end..).is_some_and(|rest| rest.trim().is_empty());
    let usable = one.complete && sure(&one);
    match one.value {
        Some(Value::Object(object)) if whole => Some(if usable { Input::Object(object) } else { Input::Unreadable }),
        _ => None,
    }
}

/// Input that is JSON: an object, or a quoted text. None where it only begins like that.
fn value(text: &str, opened: Opened, options: &ParseOptions) -> Option<Body> {
    let one = json::read_one(text, options);
    let end = closing(text, one.end, opened);
    let input = match one.value.as_ref()? {
        Value::Object(object) if one.complete && sure(&one) && (end.is_some() || object.iter().any(is_written)) => {
            Input::Object(object.clone())
        }
        Value::Object(object) if object.iter().any(is_written) => Input::Unreadable,
        Value::String(words) if one.complete => {
            end?;
            Input::Text(words.clone())
        }
        _ => return None,
    };
    let unclosed = !one.complete && end.is_none();
    Some(Body { input, end: end.unwrap_or(one.end), unclosed })
}

/// Whether a member is one that the model wrote as such; a mere word in braces becomes a key without a value.
fn is_written((_, value): (&String, &Value)) -> bool {
    !value.is_null()
}

fn sure(one: &json::One) -> bool {
    one.repairs.iter().all(|repair| repair.kind.confidence > SURE)
}

/// The byte after the bracket that closes the input, where it is next.
fn closing(text: &str, at: usize, opened: Opened) -> Option<usize> {
    if opened == Opened::Curly {
        return Some(at);
    }
    let rest = text.get(at..)?;
    let blank = rest.len() - rest.trim_start().len();
    let c = rest.trim_start().chars().next().filter(|c| matches!(narrow(*c), ']' | ')' | '}'))?;
    Some(at + blank + c.len_utf8())
}

/// Bare words up to the bracket that closes them. Where brackets do not balance, the last one of the text counts.
fn words(text: &str, opened: Opened) -> (&str, usize, bool) {
    let (open, close) = if opened == Opened::Round { ('(', ')') } else { ('[', ']') };
    let (mut depth, mut last) = (0_usize, None);
    for (at, c) in text.char_indices() {
        let plain = narrow(c);
        if plain == open {
            depth += 1;
        } else if plain == close {
            last = Some((at, at + c.len_utf8()));
            if depth == 0 {
                return (text.get(..at).unwrap_or_default(), at + c.len_utf8(), false);
            }
            depth -= 1;
        }
    }
    match last {
        Some((at, end)) => (text.get(..at).unwrap_or_default(), end, false),
        None => (text.trim_end().trim_end_matches("```"), text.len(), true),
    }
}

/// A text without the quotes that are around all of it.
fn unquote(text: &str) -> &str {
    let text = text.trim();
    let pairs = [('"', '"'), ('\'', '\''), ('“', '”'), ('「', '」'), ('`', '`')];
    let inner = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.filter(|inner| !inner.contains(['"', '“', '「', '`'])).unwrap_or(text).trim()
}

/// A mend no surer than this is a guess, and a call is not built on guesses.
const SURE: f64 = 0.5;
