//! Calls written as Python: `[get_weather(city="Oslo", days=3), ping()]`.

use super::payload::sure;
use super::tools::Tools;
use super::tracker::Tracker;
use super::word::is_name;
use crate::parse::event::ParseOptions;
use crate::parse::json;
use serde_json::{Map, Value};

/// A call as it was written.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    pub name: String,
    /// Absent where one of them could not be read.
    pub arguments: Option<Map<String, Value>>,
}

/// Reads a list of calls, with or without its brackets. None where the text is something else.
pub(super) fn read(text: &str, tools: &Tools, options: &ParseOptions) -> Option<Vec<Written>> {
    let text = text.trim();
    let inner = text.strip_prefix('[').map_or(text, |rest| rest.strip_suffix(']').unwrap_or(rest));
    let read = |parts: Vec<&str>| parts.iter().map(|part| read_call(part, tools, options)).collect::<Option<Vec<_>>>();
    let whole = |calls: &Vec<Written>| !calls.is_empty() && calls.iter().all(|call| call.arguments.is_some());
    let calls = read(split(inner));
    match calls.as_ref().is_some_and(whole) {
        true => calls,
        false => unescape_quotes(inner).and_then(|mended| read(split(&mended))).filter(whole).or(calls),
    }
    .filter(|calls| !calls.is_empty())
}

/// The same text with the quotation marks inside strings escaped: `query='say 'hi' now'`. A string ends where the next
/// argument, the next call or the end follows its mark. None where nothing of that kind is there.
fn unescape_quotes(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len() + 8);
    let mut string: Option<char> = None;
    let (mut before, mut changed) = (' ', false);
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        match string {
            Some(_) if c == '\\' => {
                mended.push(c);
                mended.extend(letters.next().map(|(_, escaped)| escaped));
                continue;
            }
            Some(quote) if c == quote && ends_string(after) => string = None,
            Some(quote) if c == quote => {
                mended.push('\\');
                changed = true;
            }
            None if matches!(c, '"' | '\'') && before == '=' => string = Some(c),
            _ => {}
        }
        mended.push(c);
        if !c.is_whitespace() {
            before = c;
        }
    }
    (changed && string.is_none()).then_some(mended)
}

/// Whether a string ends before `after`: another argument, or the end of the call and then another call or nothing.
fn ends_string(after: &str) -> bool {
    let word = |text: &str, sign: char| {
        let text = text.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))).unwrap_or(text.len());
        end > 0 && end <= LONGEST_WORD && text.get(end..).is_some_and(|rest| rest.trim_start().starts_with(sign))
    };
    let after = after.trim_start();
    if let Some(rest) = after.strip_prefix(',') {
        return word(rest, '=');
    }
    after.strip_prefix(')').is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.strip_prefix(',').is_some_and(|rest| word(rest, '('))
    })
}

fn read_call(part: &str, tools: &Tools, options: &ParseOptions) -> Option<Written> {
    let part = part.trim();
    let open = part.find('(')?;
    let name = part.get(..open)?.trim();
    let inner = part.get(open + 1..)?.strip_suffix(')')?;
    if !is_name(name) {
        return None;
    }
    let name = name.strip_suffix(".call").unwrap_or(name);
    let arguments = read_arguments(inner, name, tools, options);
    Some(Written { name: name.to_owned(), arguments })
}

fn read_arguments(inner: &str, name: &str, tools: &Tools, options: &ParseOptions) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    let positions = || tools.resolve(name).tool.and_then(|at| tools.properties(at));
    for (at, part) in split(inner).into_iter().enumerate() {
        let (key, value) = match keyword(part) {
            Some((key, value)) => (key.to_owned(), value),
            // Parameters stand in the order in which they are declared.
            None if part.trim_start().starts_with(['=', '*']) => return None,
            None => (positions()?.keys().nth(at)?.clone(), part),
        };
        found.insert(key, read_value(value, options)?);
    }
    Some(found)
}

fn keyword(part: &str) -> Option<(&str, &str)> {
    let (key, value) = part.split_once('=')?;
    let key = key.trim().trim_matches(|c| c == '"' || c == '\'');
    (is_name(key) && !value.starts_with('=')).then_some((key, value))
}

fn read_value(text: &str, options: &ParseOptions) -> Option<Value> {
    let text = text.trim();
    if is_prefixed_string(text) {
        return None;
    }
    let one = json::read_one(text, options);
    let whole = text.get(one.end..).is_some_and(|rest| rest.trim().is_empty());
    // The part ends where a comma or a bracket stands, so a bare word at its end is whole.
    let complete =
        |value: &Value| one.complete || !(value.is_array() || value.is_object() || text.starts_with(['"', '\'']));
    one.value.filter(|value| complete(value) && whole && sure(&one.repairs))
}

/// `f"…"`, `b'…'`: what they are worth only Python knows.
fn is_prefixed_string(text: &str) -> bool {
    let letters = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    (1..=2).contains(&(text.len() - letters.len())) && letters.starts_with(['"', '\''])
}

/// The parts between the commas that are outside strings and brackets.
fn split(text: &str) -> Vec<&str> {
    let mut tracker = Tracker::default();
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate() {
        let outside = tracker.outside();
        tracker.take(byte);
        if outside && byte == b',' {
            parts.extend(text.get(start..at));
            start = at + 1;
        }
    }
    parts.extend(text.get(start..));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Longer words are no names.
const LONGEST_WORD: usize = 64;
