//! Parameters that are tags inside tags: `<where><x>1</x><label>home</label></where>`.
//!
//! Children of one name become a list, others an object; what holds no tags is text, typed by its schema.

use super::tag::MARK;
use crate::contract::schema;
use crate::parse::align;
use crate::parse::event::ParseOptions;
use crate::parse::markup::{Bounds, Input, Lexed, lex};
use serde_json::{Map, Value};

/// Reads nested tags. None where the text is not made of them alone.
pub(super) fn read(text: &str, schema: &Value, root: &Value, options: &ParseOptions) -> Option<Value> {
    read_at(text, schema, root, options, 0)
}

fn read_at(text: &str, schema: &Value, root: &Value, options: &ParseOptions, depth: usize) -> Option<Value> {
    let split = if depth < DEEPEST { split(text, schema, root) } else { None };
    let Some(Split { children, words }) = split else {
        // The mark of the dialect inside a text: tags that do not fit together.
        let torn = depth > 0 && text.contains(MARK);
        return (depth > 0 && !torn).then(|| align::from_text(text, schema, root, options));
    };
    let names: Vec<&str> = children.iter().map(|(name, _)| name.as_str()).collect();
    let list = names.iter().all(|name| *name == "item") && !takes_member(schema, root, "item")
        || (schema::takes(schema, root, "array") && !names.iter().all(|name| takes_member(schema, root, name)));
    let child_schema = |name: &str| -> &Value {
        let own = if list { schema::items(schema, root) } else { schema::property(schema, name, root) };
        own.unwrap_or(&Value::Null)
    };
    let read = |(name, text): &(String, &str)| read_at(text, child_schema(name), root, options, depth + 1);
    if list && words.is_empty() {
        return children.iter().map(read).collect::<Option<Vec<Value>>>().map(Value::Array);
    }
    let mut object = Map::new();
    for child in &children {
        let value = read(child)?;
        match object.get_mut(&child.0) {
            Some(Value::Array(list)) if is_repeated(&names, &child.0) => list.push(value),
            _ if is_repeated(&names, &child.0) => {
                object.insert(child.0.clone(), Value::Array(vec![value]));
            }
            _ => {
                object.insert(child.0.clone(), value);
            }
        }
    }
    if !words.is_empty() {
        let key = if object.contains_key(WORDS) { OTHER_WORDS } else { WORDS };
        object.insert(key.to_owned(), Value::from(words));
    }
    Some(Value::Object(object))
}

fn is_repeated(names: &[&str], name: &str) -> bool {
    names.iter().filter(|known| **known == name).count() > 1
}

fn takes_member(schema: &Value, root: &Value, name: &str) -> bool {
    schema::property(schema, name, root).is_some()
}

/// What an element holds.
struct Split<'t> {
    children: Vec<(String, &'t str)>,
    /// The words between them, where the dialect marks its tags so that they cannot be part of a tag.
    words: String,
}

/// The children of a text that consists of tags and blanks, in a marked dialect also of words.
fn split<'t>(text: &'t str, schema: &Value, root: &Value) -> Option<Split<'t>> {
    let (mut children, mut words, mut at) = (Vec::new(), String::new(), 0);
    loop {
        let rest = text.get(at..)?;
        let blank = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        if rest.is_empty() {
            return (!children.is_empty()).then_some(Split { children, words });
        }
        let Some((name, len)) = opening(rest) else {
            let next = if text.contains(MARK) { rest.find(MARK).unwrap_or(rest.len()) } else { 0 };
            if next == 0 {
                return None;
            }
            words.push_str(rest.get(..next)?.trim());
            at += blank + next;
            continue;
        };
        let from = at + blank + len;
        let Some((end, after)) = closing(text, from, &name) else {
            // An empty container that nothing closes before its parent ends is empty.
            let empty =
                text.get(from..)?.trim().is_empty() && is_container(schema::property(schema, &name, root)?, root);
            if !empty {
                return None;
            }
            children.push((name, ""));
            return Some(Split { children, words });
        };
        children.push((name, text.get(from..end)?));
        at = after;
    }
}

/// Whether a schema takes a list or an object, perhaps also `null`, and it is certain which.
fn is_container(schema: &Value, root: &Value) -> bool {
    let schema = schema::resolve(schema, root);
    let branches: Vec<&Value> =
        schema::COMBINING.iter().filter_map(|word| schema.get(*word)?.as_array()).flatten().collect();
    let kind = |kind: &Value| matches!(kind.as_str(), Some("array" | "object"));
    match schema.get("type") {
        _ if schema.get("not").is_some() => false,
        Some(Value::Array(kinds)) if branches.is_empty() => {
            let mut others = kinds.iter().filter(|kind| *kind != "null");
            others.next().is_some_and(kind) && others.next().is_none()
        }
        Some(one) => branches.is_empty() && kind(one),
        None => {
            let mut others = branches.iter().filter(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
            let only = others.next().is_some_and(|branch| branch.get("type").is_some_and(kind));
            only && others.next().is_none() && (schema.get("allOf").is_none() || branches.len() == 1)
        }
    }
}

fn opening(text: &str) -> Option<(String, usize)> {
    let (mark, body) = text.strip_prefix(MARK).map_or((0, text), |rest| (MARK.len(), rest));
    match lex(body, Input::Ended, &Bounds::default(), &|_| true) {
        Lexed::Tag(tag) if !tag.closing && tag.terminated => Some((tag.raw_name, mark + tag.len)),
        _ => None,
    }
}

/// Where the content ends and where its closing tag ends.
fn closing(text: &str, from: usize, name: &str) -> Option<(usize, usize)> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let (mut at, mut depth) = (from, 1);
    loop {
        let next = at + text.get(at..)?.find('<')?;
        let rest = text.get(next..)?;
        if rest.starts_with(&close) {
            depth -= 1;
            if depth == 0 {
                let end = text.get(..next)?.strip_suffix(MARK).map_or(next, str::len);
                return Some((end, next + close.len()));
            }
        } else if rest.starts_with(&open) {
            depth += 1;
        }
        at = next + 1;
    }
}

/// The member that holds words beside tags.
const WORDS: &str = "$text";
/// Its name where a tag has that name.
const OTHER_WORDS: &str = "$$text";
/// Deeper nesting is kept as text.
const DEEPEST: usize = 16;
