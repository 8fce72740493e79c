//! The arguments as one JSON object, whatever form they came in.

use crate::contract::codes::call::{MALFORMED_ARGUMENTS, TOO_DEEP};
use crate::contract::{Arguments, Finding, Language, Object, PatchOp};
use crate::localized;
use crate::parse::{ParseOptions, json};
use serde_json::Value;
use std::borrow::Cow;

/// The arguments, and what had to be mended to read them.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    /// The object.
    pub object: Cow<'a, Object>,
    /// What was mended in a broken string; its correction is certain, and whether it may be applied is for the caller.
    pub mended: Option<Finding>,
}

/// Reads the arguments. A string must be a whole JSON object, if need be a mended one; a tool that takes nothing accepts
/// nothing in any form. What is nested deeper than the checks look is refused: it could hide anything.
pub(crate) fn read(arguments: &Arguments, depth: usize, language: Language) -> Result<Read<'_>, Finding> {
    match read_any(arguments, language) {
        Ok(read) if is_deeper(read.object.as_value(), depth) => Err(too_deep(depth, language)),
        // The reader of JSON gives up on its own where text is much too deep, and says only that it is broken.
        Err(_) if matches!(arguments, Arguments::Text(text) if nesting_of_text(text) > depth) => {
            Err(too_deep(depth, language))
        }
        read => read,
    }
}

fn read_any(arguments: &Arguments, language: Language) -> Result<Read<'_>, Finding> {
    let plain = |object| Ok(Read { object, mended: None });
    match arguments {
        Arguments::Absent => plain(Cow::Owned(Object::default())),
        Arguments::Object(object) => plain(Cow::Borrowed(object)),
        Arguments::Text(text) => read_text(text, language),
        Arguments::Other(Value::Array(list)) if list.is_empty() => plain(Cow::Owned(Object::default())),
        Arguments::Other(other) => Err(not_an_object(&kind_of(other), language)),
    }
}

fn read_text(text: &str, language: Language) -> Result<Read<'static>, Finding> {
    let owned = |object: Object| Ok(Read { object: Cow::Owned(object), mended: None });
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => owned(map.into()),
        Ok(Value::Null) => owned(Object::default()),
        // A string in a string: some clients encode twice.
        Ok(Value::String(inner)) if inner.trim_start().starts_with('{') && inner.len() < text.len() => {
            read_text(&inner, language)
        }
        Ok(other) => Err(not_an_object(&kind_of(&other), language)),
        Err(error) => mend_text(text, &error, language),
    }
}

/// A broken string as the object it was meant to be, where that is certain. What breaks off is never mended: nobody
/// knows what was still to come.
fn mend_text(text: &str, error: &serde_json::Error, language: Language) -> Result<Read<'static>, Finding> {
    let evidence = localized!(language, "the arguments are not valid JSON: {error}", "参数不是有效的 JSON：{error}");
    let finding = Finding::new(&MALFORMED_ARGUMENTS, "/arguments", evidence);
    let one = json::read_answer(text, &ParseOptions::default());
    let rest = text.get(one.end..).unwrap_or_default();
    let over = rest.chars().all(|c| c.is_whitespace() || matches!(c, '}' | ']' | ')' | ',' | ';' | '`'));
    let Some(Value::Object(map)) = one.value.filter(|_| one.complete && over) else {
        return Err(finding.hint(advice(language)));
    };
    let notes: Vec<&str> = one.repairs.iter().map(|repair| repair.kind.note).take(3).collect();
    let note = localized!(language, "read as JSON: {}", "已按 JSON 读取：{}", notes.join("; "));
    let patch = vec![PatchOp::replace("/arguments", Value::Object(map.clone()))];
    if one.repairs.iter().any(|repair| repair.kind.confidence < CERTAIN) {
        return Err(finding.propose(note, patch));
    }
    Ok(Read { object: Cow::Owned(map.into()), mended: Some(finding.mend(note, patch)) })
}

fn too_deep(depth: usize, language: Language) -> Finding {
    let evidence =
        localized!(language, "the arguments are nested more than {depth} levels deep", "参数嵌套超过 {depth} 层");
    let advice = localized!(
        language,
        "send flatter arguments, or put the deep part into a string",
        "请减少嵌套层数，或将深层内容放进一个字符串"
    );
    Finding::new(&TOO_DEEP, "/arguments", evidence).hint(advice)
}

/// Whether a value is nested more than so many levels deep. It is not looked any deeper.
fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(fields) => levels == 0 || fields.values().any(|field| is_deeper(field, levels - 1)),
        _ => false,
    }
}

/// How many objects and lists are open at once in a text, at most. Brackets in strings do not count.
fn nesting_of_text(text: &str) -> usize {
    let (mut open, mut most, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

fn not_an_object(kind: &str, language: Language) -> Finding {
    let evidence = localized!(language, "the arguments are {kind}, not an object", "参数是 {kind}，不是对象");
    Finding::new(&MALFORMED_ARGUMENTS, "/arguments", evidence).hint(advice(language))
}

fn advice(language: Language) -> String {
    localized!(language, "send the arguments as one JSON object", "请以一个 JSON 对象给出参数")
}

/// The JSON type of a value, with its article.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
    .to_owned()
}

/// Mends below this are proposed and not made: a call is not built on a likely reading.
const CERTAIN: f64 = 0.8;
