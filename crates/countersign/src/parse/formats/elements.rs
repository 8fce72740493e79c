//! Parameters that are tags inside tags: `<where><x>1</x><label>home</label></where>`.
//!
//! Children of one name become a list, others an object; what holds no tags is text, typed by its schema.

use super::tag::MARK;
use crate::parse::align;
use crate::parse::event::ParseOptions;
use crate::parse::markup::{Bounds, Input, Lexed, lex};
use serde_json::{Map, Value};

/// Reads nested tags. None where the text is not made of them alone.
pub(super) fn read(text: &str, schema: &Value, root: &Value, options: &ParseOptions) -> Option<Value> {
    read_at(text, schema, root, options, 0)
}

fn read_at(text: &str, schema: &Value, root: &Value, options: &ParseOptions, depth: usize) -> Option<Value> {
    let children = if depth < DEEPEST { split(text) } else { None };
    let Some(children) = children else {
        return (depth > 0).then(|| align::from_text(text, schema, root, options));
    };
    let names: Vec<&str> = children.iter().map(|(name, _)| name.as_str()).collect();
    let list = names.iter().all(|name| *name == "item") || wants_list(schema);
    let child_schema = |name: &str| -> &Value {
        let own = if list { schema.get("items") } else { schema.get("properties").and_then(|all| all.get(name)) };
        own.unwrap_or(&Value::Null)
    };
    let read = |(name, text): &(String, &str)| read_at(text, child_schema(name), root, options, depth + 1);
    if list {
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
    Some(Value::Object(object))
}

fn is_repeated(names: &[&str], name: &str) -> bool {
    names.iter().filter(|known| **known == name).count() > 1
}

fn wants_list(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("array")
}

/// The children of a text that consists of nothing but tags and blanks.
fn split(text: &str) -> Option<Vec<(String, &str)>> {
    let (mut children, mut at) = (Vec::new(), 0);
    loop {
        let rest = text.get(at..)?;
        let blank = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        if rest.is_empty() {
            return (!children.is_empty()).then_some(children);
        }
        let (name, len) = opening(rest)?;
        let from = at + blank + len;
        let (end, after) = closing(text, from, &name)?;
        children.push((name, text.get(from..end)?));
        at = after;
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

/// Deeper nesting is kept as text.
const DEEPEST: usize = 16;
