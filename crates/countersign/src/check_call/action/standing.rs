//! A deed that the record already shows: a member who is suspended is to be suspended, a lift that stands still is to be stopped.
//!
//! Who speaks of such a record wants another state than the one that it is in, or at least not the same one once more.

use super::super::tool_deeds::does_both;
use super::{Judge, Weight};
use crate::check_call::role::Role;
use crate::check_call::subject::Node;
use crate::contract::Finding;
use crate::contract::codes::meaning::OPPOSITE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::reading::{Mention, Stance};
use crate::text::lexicon::{Deeds, Form, find_chinese, find_english};
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// The finding, where another tool does the opposite and nobody asked for what is so already.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    let deeds = judge.tool.deeds;
    let standing = deeds.meeting(&Deeds::named(STANDING));
    if !judge.acts || standing.is_empty() {
        return None;
    }
    let opposites = deeds.opposites();
    let sibling = judge.find_sibling(opposites.join(&Deeds::named(&["restore"])))?;
    let wanted = |mention: &&Mention| mention.stance == Stance::Wanted;
    let last = judge.request.last;
    let reversed = last.of_deeds(opposites).find(wanted);
    let asked = last.of_deeds(deeds).any(|mention| mention.stance == Stance::Wanted);
    let open = || judge.request.may_want(deeds) || last.clauses.iter().any(|clause| stays(&clause.text));
    if asked || reversed.is_none() && open() || does_both(&judge.subject.tool.spec, deeds) {
        return None;
    }
    let record = known_record(judge)?;
    let state = states_of(record).find(|state| read_state(state).meet(&standing))?;
    let (name, language) = (&judge.subject.tool.spec.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the record is already \"{state}\", and `{name}` does that once more",
        "该记录的现状已经是“{state}”，而 `{name}` 会再做一次"
    );
    let weight = if reversed.is_some() { Weight::Strong } else { Weight::Weak };
    let hint = judge.point_to(Some(sibling));
    Some(judge.weigh(Finding::new(&OPPOSITE, "/name", evidence).hint(hint), weight))
}

/// Whether a clause says that something stays as it is.
fn stays(clause: &str) -> bool {
    Cue::named("kept").stands_in(clause)
}

/// The newest record with the ids of the call; nothing where something else was done to it since.
pub(crate) fn known_record<'a>(judge: &Judge<'a>) -> Option<&'a Map<String, Value>> {
    let ids = ids_of(judge);
    let registry = judge.subject.registry;
    let acts = |name: &str| {
        let spec = registry.and_then(|registry| registry.specs().find(|spec| spec.name == name));
        spec.is_none_or(|spec| spec.deeds().acts())
    };
    for (call, result) in judge.subject.conversation.results().into_iter().rev().filter(|_| !ids.is_empty()) {
        let record = find_record(&result.content, &ids, 0);
        if record.is_some_and(|record| states_of(record).next().is_some()) {
            return record;
        }
        if acts(&call.name) {
            return None;
        }
    }
    None
}

/// The values of the call that are copied from a record.
fn ids_of<'a>(judge: &Judge<'a>) -> Vec<&'a Value> {
    let copied = |node: &&Node<'_>| {
        let digits = node.value.as_str().map_or(0, |text| text.bytes().filter(u8::is_ascii_digit).count());
        node.roles.has(Role::Id) || digits >= LONG && !node.roles.has(Role::Date) && !node.roles.has(Role::Time)
    };
    judge.subject.values.leaves().filter(copied).map(|node| node.value).collect()
}

/// The object that has all of some ids.
fn find_record<'v>(value: &'v Value, ids: &[&Value], depth: usize) -> Option<&'v Map<String, Value>> {
    let inside = |value: &'v Value| find_record(value, ids, depth + 1);
    match value {
        _ if depth >= MAX_DEPTH => None,
        Value::Array(items) => items.iter().take(MAX_ITEMS).find_map(inside),
        Value::Object(map) if ids.iter().all(|id| map.values().any(|value| value == *id)) => Some(map),
        Value::Object(map) => map.values().find_map(inside),
        _ => None,
    }
}

/// What a record says of its state: `status: suspended`, `locked: true`.
pub(crate) fn states_of(record: &Map<String, Value>) -> impl Iterator<Item = &str> {
    record.iter().filter_map(|(key, value)| match value {
        Value::String(text) => is_state_key(key).then_some(text.as_str()),
        Value::Bool(true) => Some(key.as_str()),
        _ => None,
    })
}

/// Whether a field says how a record stands.
pub(crate) fn is_state_key(key: &str) -> bool {
    let states = ["state", "status", "access", "availability"];
    key.ends_with("状态") || identifier_words(key).last().is_some_and(|word| states.contains(&word.as_str()))
}

/// The deeds that led to a state: of "suspended" and 停运; none of what waits ("stop requested", 待关闭) or is denied.
fn read_state(state: &str) -> Deeds {
    if state.chars().any(is_han) {
        let short = state.chars().count() <= MAX_STATE && !state.contains(PENDING_ZH);
        let found = find_chinese(state).into_iter().next().filter(|_| short);
        return found.map(|found| found.deeds).unwrap_or_default();
    }
    let words = identifier_words(state);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let past = |form: Form| form == Form::Past;
    let found = find_english(&words).into_iter().next();
    let whole = found.filter(|found| past(found.form) && found.range.len() == words.len());
    whole.map(|found| found.deeds).unwrap_or_default()
}

/// Deeds that leave a record in a state, so that doing them twice does nothing.
const STANDING: &[&str] = word_list!("check_call", "action/standing/deeds");
/// Signs of what is still to come, or is not so.
const PENDING_ZH: [char; 10] = ['未', '待', '可', '不', '无', '拟', '将', '申', '解', '没'];
const MAX_STATE: usize = 5;
const MAX_DEPTH: usize = 5;
const MAX_ITEMS: usize = 200;
const LONG: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_tell_the_deed_that_led_to_them() {
        // MEANING-3
        for (state, deed) in
            [("suspended", "freeze"), ("closed", "close"), ("frozen", "freeze"), ("停运", "stop"), ("已冻结", "freeze")]
        {
            assert!(read_state(state).meet(&Deeds::named(&[deed])), "{state}");
        }
        for state in ["active", "stop_requested", "open", "not closed", "待关闭", "未锁定", "运行"] {
            assert!(!read_state(state).meet(&Deeds::named(STANDING)), "{state}");
        }
    }
}
