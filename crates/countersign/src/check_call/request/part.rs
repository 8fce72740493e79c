//! One of those that a record lists, and the call ends the whole record: "Jonas has moved out" and `cancel_policy` of a policy
//! with three drivers, where `remove_driver` takes the policy and a name.

use super::asked::{Asked, stands_in};
use super::records::words_in;
use super::slip::{Slip, Strength};
use crate::check_call::declared_tool::DeclaredTool;
use crate::contract::codes::meaning::SCOPE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::reading::{Reading, Stance};
use crate::text::lexicon::Deeds;
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

/// Finds calls that end a record of which the user named a part.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let all = ["all-of-them", "all-but", "by-and-large"];
    if !asked.takes_away() || all.iter().any(|list| Cue::named(list).stands_in(&asked.last.lower)) {
        return;
    }
    let Some((said, key, sibling)) = find_part(asked) else { return };
    let (name, other, language) = (&asked.subject.tool.spec.name, &sibling.name, asked.subject.language);
    let evidence = localized!(
        language,
        "the user named \"{said}\", which is one of `{key}`; `{name}` ends the whole record, and `{other}` takes one of them",
        "用户说的“{said}”只是 `{key}` 中的一项，而 `{name}` 会处理整条记录；`{other}` 可以只处理其中一项"
    );
    let hint = localized!(language, "look at `{other}`", "请考虑 `{other}`");
    slips.push(Slip { pointer: "/name".to_owned(), code: &SCOPE, strength: Strength::Strong, evidence, hint });
}

/// The words that name a part, the list that it is in, and the tool for it.
fn find_part<'a>(asked: &Asked<'a>) -> Option<(String, &'a str, &'a DeclaredTool)> {
    let subject = asked.subject;
    let (id_key, id) = subject.arguments.iter().next().filter(|(_, value)| value.is_string())?;
    let record = asked.results.iter().find_map(|result| find_record(result, id, 0))?;
    let registry = subject.registry?;
    record.iter().find_map(|(key, value)| {
        let said = name_part(&asked.last.lower, value.as_array()?)?;
        let sibling = registry.specs().take(MAX_TOOLS).find(|spec| takes_part(spec, id_key, key))?;
        (!is_meant(asked, &said) && sibling.name != subject.tool.spec.name).then_some((said, key.as_str(), sibling))
    })
}

/// The record that has an id, in a result.
fn find_record<'v>(value: &'v Value, id: &Value, depth: usize) -> Option<&'v Map<String, Value>> {
    if depth > MAX_DEPTH {
        return None;
    }
    match value {
        Value::Array(items) => items.iter().take(MAX_ITEMS).find_map(|item| find_record(item, id, depth + 1)),
        Value::Object(map) if map.values().any(|own| own == id) => Some(map),
        Value::Object(map) => map.values().find_map(|inner| find_record(inner, id, depth + 1)),
        _ => None,
    }
}

/// The word of a text that names some items of a list and not all of them.
fn name_part(lower: &str, items: &[Value]) -> Option<String> {
    let texts = |item: &Value| -> FxHashSet<String> {
        let mut found = FxHashSet::default();
        let fields = item.as_object().into_iter().flat_map(Map::values).chain([item]);
        fields.filter_map(Value::as_str).for_each(|text| words_in(&text.to_lowercase(), &mut found));
        found
    };
    let words: Vec<FxHashSet<String>> = items.iter().take(MAX_ITEMS).map(texts).collect();
    let said = |word: &String| if word.is_ascii() { stands_in(lower, word) } else { lower.contains(word.as_str()) };
    let own =
        |at: usize, word: &String| words.iter().enumerate().all(|(other, list)| other == at || !list.contains(word));
    let named: Vec<&String> =
        (0..words.len()).filter_map(|at| words.get(at)?.iter().find(|word| own(at, word) && said(word))).collect();
    (!named.is_empty() && named.len() < words.len())
        .then(|| named.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", "))
}

/// Whether a tool takes one item of a list out of the record: it has the record's id, something else, and the item's name.
fn takes_part(spec: &DeclaredTool, id_key: &str, list: &str) -> bool {
    let tool = spec.deeds();
    let Some(item) = identifier_words(list).pop().map(|word| stem(&word).into_owned()) else { return false };
    let root = spec.params();
    let called = tool.things.iter().chain(root.order.iter()).flat_map(|name| identifier_words(name));
    let called = called.into_iter().any(|word| stem(&word) == item);
    let takes = Deeds::named(&["remove", "delete", "cancel", "return", "refund", "stop"]);
    called && root.order.len() > 1 && root.properties.contains_key(id_key) && tool.deeds.meet(&takes)
}

/// Whether the user means the whole record: its kind is named, or the deed in a clause that names no part.
fn is_meant(asked: &Asked<'_>, said: &str) -> bool {
    let own = asked.subject.tool.spec.deeds();
    let first = said.split(", ").next().unwrap_or(said);
    let reading = Reading::of(&asked.last.lower);
    let apart = |clause: usize| reading.clauses.get(clause).is_none_or(|clause| !clause.text.contains(first));
    let wanted = reading
        .of_deeds(own.deeds)
        .any(|mention| matches!(mention.stance, Stance::Wanted | Stance::Open) && apart(mention.clause));
    wanted || own.things.iter().any(|thing| stands_in(&asked.last.lower, thing))
}

const MAX_TOOLS: usize = 128;
const MAX_ITEMS: usize = 100;
const MAX_DEPTH: usize = 4;
