//! What a tag's content says where it is not plain: a JSON object, labelled lines, one child around all of it, escapes.
//!
//! Only what can be read in one way is taken apart; everything else is the content as it stands.

use super::protocol::{TagProtocol, TagRule};
use crate::parse::markup::{Bounds, Candidate, Input, Lexed, decode_entities, fold_name, lex};
use serde_json::{Map, Value};

/// Values by the place of their field.
pub(super) type Fields = Vec<(usize, String)>;

/// A content as it was meant: trimmed, without CDATA, decoded where it was escaped throughout.
pub(super) fn clean(written: &str) -> String {
    let text = trim(written);
    if let Some(inner) = text.strip_prefix("<![CDATA[").and_then(|text| text.strip_suffix("]]>")) {
        return trim(inner).to_owned();
    }
    if is_escaped(text) { trim(&decode_entities(text)).to_owned() } else { text.to_owned() }
}

/// Without blanks and invisible characters at both ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}' | '\u{2060}'))
}

/// The fields of a tag whose whole content is a JSON object with no other keys.
pub(super) fn json_fields(body: &str, tag: usize, protocol: &TagProtocol) -> Option<Fields> {
    let object = json_object(body)?;
    object.iter().map(|(key, value)| Some((protocol.field(tag, key)?, scalar(value)?))).collect()
}

/// The text of a tag whose whole content is a JSON object that holds nothing else.
pub(super) fn json_text(body: &str, rule: &TagRule) -> Option<String> {
    let object = json_object(body)?;
    let (key, value) = object.iter().next().filter(|_| object.len() == 1)?;
    rule.is_text_from(key).then(|| scalar(value)).flatten()
}

/// The fields of a tag whose content is lines such as `id: 3`, at least two of them, the first at the beginning.
pub(super) fn labelled_fields(body: &str, tag: usize, protocol: &TagProtocol) -> Option<Fields> {
    let mut fields: Fields = Vec::new();
    for line in trim(body).lines() {
        let label = read_label(line, tag, protocol).filter(|(field, _)| fields.iter().all(|(known, _)| known != field));
        match (label, fields.last_mut()) {
            (Some((field, value)), _) => fields.push((field, value.to_owned())),
            (None, Some((_, value))) => {
                value.push('\n');
                value.push_str(line);
            }
            (None, None) => return None,
        }
    }
    (fields.len() > 1).then(|| fields.into_iter().map(|(field, value)| (field, clean(&value))).collect())
}

/// What one child that spans the whole content of a tag without fields holds.
pub(super) fn only_child<'b>(body: &'b str, rule: &TagRule) -> Option<&'b str> {
    let text = trim(body);
    let open = tag_at(text, 0).filter(|open| !open.closing && open.terminated && rule.is_text_from(&open.name))?;
    let last = text.rfind('<')?;
    let close = tag_at(text, last).filter(|close| close.closing && close.name == open.name)?;
    (last + close.len == text.len()).then(|| text.get(open.len..last)).flatten()
}

/// A number as it may be in a tag: digits, also full-width, at the end of a word, circled or Chinese.
pub(super) fn number(written: &str) -> Option<u64> {
    let text: String = trim(written).chars().map(half_width).collect();
    if let Some(place) = CHINESE_DIGITS.iter().position(|digit| *digit == text) {
        return Some(place as u64 + 1);
    }
    let mut only = text.chars();
    if let (Some(c @ '①'..='⑳'), None) = (only.next(), only.next()) {
        return Some(u64::from(u32::from(c) - u32::from('①')) + 1);
    }
    let from = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
    from.get(..end)?.parse().ok()
}

fn json_object(body: &str) -> Option<Map<String, Value>> {
    let text = without_fence(trim(body));
    let object = text.starts_with('{').then(|| serde_json::from_str::<Map<String, Value>>(text).ok())??;
    (!object.is_empty()).then_some(object)
}

/// The inside of a fence that spans a whole content.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    trim(inner.strip_prefix("json").unwrap_or(inner))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(trim(text).to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// `id: 3` and the like, of a field that is written as it is.
fn read_label<'l>(line: &'l str, tag: usize, protocol: &TagProtocol) -> Option<(usize, &'l str)> {
    let (label, value) = line.split_once([':', '：', '='])?;
    let label = label.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '"' | '\''));
    let field = protocol.field(tag, label)?;
    let rule = protocol.rule(tag)?.fields.get(field)?;
    let folded = fold_name(label);
    let exact = std::iter::once(&rule.name).chain(&rule.aliases).any(|name| fold_name(name) == folded);
    exact.then_some((field, value.trim_start_matches('*')))
}

fn tag_at(text: &str, at: usize) -> Option<Candidate> {
    match lex(text.get(at..)?, Input::Ended, &Bounds::default(), &|_| true) {
        Lexed::Tag(candidate) => Some(candidate),
        Lexed::NotATag | Lexed::NeedMore => None,
    }
}

/// Whether everything that would have to be escaped is: then the model escaped, and did not mean the entities.
fn is_escaped(text: &str) -> bool {
    let mut any = false;
    for (at, _) in text.match_indices(['<', '&']) {
        let rest = text.get(at..).unwrap_or_default();
        if !ESCAPES.iter().any(|escape| rest.starts_with(escape)) {
            return false;
        }
        any = true;
    }
    any
}

fn half_width(c: char) -> char {
    match c {
        '０'..='９' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

impl TagRule {
    /// Whether the text may be in an attribute or a child of this name.
    pub(super) fn is_text_from(&self, name: &str) -> bool {
        let folded = fold_name(name);
        self.text_from.iter().any(|known| fold_name(known) == folded)
    }

    /// Whether the number may be in an attribute of this name.
    pub(super) fn is_number_from(&self, name: &str) -> bool {
        let folded = fold_name(name);
        self.number_from.iter().any(|known| fold_name(known) == folded)
    }
}

const CHINESE_DIGITS: [&str; 10] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];

const ESCAPES: [&str; 7] = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#39;", "&#34;"];
