//! What was and what is to be, exchanged: `old_owner` and `new_owner`, where the record that the call names shows who the owner is.

use super::argument::{Argument, Held};
use super::asked::Asked;
use super::slip::Slip;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds a new value that the record has already, beside an old one that it does not have.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    // Once it was changed, the record that was read before no longer tells.
    let tool = &asked.subject.tool.spec.name;
    if asked.subject.conversation.answered_calls().any(|call| call.name == *tool) {
        return;
    }
    for new in asked.arguments.iter().filter(|argument| begins(argument, NEW)) {
        let rest = new.words.get(1..).unwrap_or_default();
        let old = asked.arguments.iter().find(|other| {
            begins(other, OLD) && other.words.get(1..) == Some(rest) && other.node.value != new.node.value
        });
        slips
            .extend(old.filter(|old| is_so_already(asked, old, new, rest)).map(|old| Slip::exchanged(asked, old, new)));
    }
}

/// Whether the newest record that another argument names has the new value under that name, and not the old one.
fn is_so_already(asked: &Asked<'_>, old: &Argument<'_>, new: &Argument<'_>, name: &[String]) -> bool {
    let pair = |other: &Argument<'_>| std::ptr::eq(other.node, old.node) || std::ptr::eq(other.node, new.node);
    let ids: Vec<_> = asked.arguments.iter().filter(|other| !pair(other)).filter_map(Argument::reference).collect();
    let named = |key: &str| {
        let words = identifier_words(key);
        !name.is_empty()
            && (words.ends_with(name) || words.starts_with(name))
            && !words.first().is_some_and(|word| OLD_ONLY.contains(&word.as_str()) || NEW.contains(&word.as_str()))
    };
    let held = asked.records().iter().filter(|record| ids.iter().any(|id| record.has(id))).find_map(|record| {
        let values: Vec<&Value> = record.fields.iter().filter(|(key, _)| named(key)).map(|(_, value)| *value).collect();
        (!values.is_empty()).then_some(values)
    });
    held.is_some_and(|values| {
        let has = |argument: &Argument<'_>| values.iter().any(|value| is_same(argument, value));
        has(new) && !has(old)
    })
}

fn is_same(argument: &Argument<'_>, value: &Value) -> bool {
    match (&argument.value, value) {
        (Held::Text(text), Value::String(own)) => own.eq_ignore_ascii_case(text),
        _ => argument.node.value == value,
    }
}

fn begins(argument: &Argument<'_>, list: &[&str]) -> bool {
    argument.words.len() >= 2 && argument.words.first().is_some_and(|word| list.contains(&word.as_str()))
}

const OLD: &[&str] = &["old", "previous", "current", "former", "present", "existing", "original"];
/// What a record calls so is no longer, so that it does not tell what is.
const OLD_ONLY: &[&str] = &["old", "previous", "former", "original"];
const NEW: &[&str] = &["new", "next", "future", "updated"];
