//! A change that changes nothing: every value that the call sets is already so in what was looked up last.
//!
//! Who asks for a change wants another state than the one there is. Only switches are looked at: a model that sends a whole
//! record back to change one field of it changes that field.

use super::standing::{known_record, states_of};
use super::{Judge, Weight};
use crate::check_call::role::Role;
use crate::check_call::subject::Node;
use crate::contract::Finding;
use crate::contract::codes::meaning::OPPOSITE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::clause::Clause;
use crate::text::fold::fold;
use crate::text::lexicon::Deeds;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// The finding.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    let changes = judge.tool.deeds.meet(&Deeds::named(&["update", "turn-on", "turn-off"]));
    if !judge.acts || !changes {
        return None;
    }
    let mut set = Vec::new();
    let mut ids = Vec::new();
    for node in judge.subject.values.leaves() {
        match node {
            node if node.roles.has(Role::Id) => ids.push(node.value),
            // Why it is changed is no part of what is changed.
            node if matches!(node.key, "reason" | "note" | "notes" | "comment" | "remark" | "remarks") => {}
            node => set.push(node),
        }
    }
    let switch = set.iter().find(|node| node.value.is_boolean())?;
    if speaks_of_state(judge, switch) {
        return None;
    }
    let keys: Vec<&str> = set.iter().map(|node| node.key).collect();
    let known = last_known(judge, &keys, &ids)?;
    if !set.iter().all(|node| known.get(node.key) == Some(node.value)) {
        return None;
    }
    let (key, value, language) = (switch.key, switch.value, judge.subject.language);
    let evidence = localized!(
        language,
        "`{key}` is already {value}: the call changes nothing",
        "`{key}` 本来就是 {value}，这次调用不会改变任何东西"
    );
    let hint = localized!(language, "send the value that the user wants, or ask", "请填写用户想要的值，或询问用户");
    let pointer = judge.subject.values.pointer(switch);
    Some(judge.weigh(Finding::new(&OPPOSITE, pointer, evidence).hint(hint), Weight::Weak))
}

/// A choice that is already so: 报停 for an account that is 已报停, and the user names neither.
pub(crate) fn find_state(judge: &Judge<'_>) -> Option<Finding> {
    let record = known_record(judge).filter(|_| judge.acts)?;
    let mut choices =
        judge.subject.values.leaves().filter(|node| node.param.is_some_and(|param| param.allowed.len() >= 2));
    let (node, chosen, state) = choices.find_map(|node| {
        let chosen = node.value.as_str().filter(|text| text.chars().count() >= if text.is_ascii() { 4 } else { 2 })?;
        let state = states_of(record).find(|state| is_state(state, chosen))?;
        Some((node, chosen, state))
    })?;
    let folded = fold(chosen);
    let named = |clause: &Clause| clause.text.contains(&folded) || Cue::named("kept").stands_in(&clause.text);
    if judge.request.last.clauses.iter().any(named) {
        return None;
    }
    let (key, language) = (node.key, judge.subject.language);
    let evidence = localized!(
        language,
        "`{key}` is `{chosen}`, and that is how it already stands: \"{state}\"",
        "`{key}` 是 `{chosen}`，而现状已经是“{state}”"
    );
    let hint = localized!(language, "send the value that the user wants, or ask", "请填写用户想要的值，或询问用户");
    Some(judge.weigh(Finding::new(&OPPOSITE, judge.subject.values.pointer(node), evidence).hint(hint), Weight::Weak))
}

/// Whether a state is what a choice makes: 已报停 and 报停, `suspended` and `suspend`.
fn is_state(state: &str, chosen: &str) -> bool {
    let (state, chosen) = (fold(state), fold(chosen));
    match chosen.is_ascii() {
        true => state.starts_with(&chosen) && state.len() <= chosen.len() + 2 && state.len() > chosen.len(),
        false => state.strip_prefix('已').is_some_and(|rest| rest.starts_with(&chosen)),
    }
}

/// Whether the user may want what there is: they named the switch, or speak of what stays. Who names it may not know how it
/// stands.
fn speaks_of_state(judge: &Judge<'_>, switch: &Node<'_>) -> bool {
    let last = judge.request.last;
    let named: Vec<String> = identifier_words(switch.key);
    let kept = |clause: &Clause| {
        let words = clause.words.iter().map(|word| word.folded.as_str());
        let sure = words.clone().any(|word| word == "sure" || named.iter().any(|own| own == word && own.len() > 3));
        let left = words
            .clone()
            .zip(words.skip(1))
            .any(|pair| matches!(pair, ("leave", "it" | "them" | "that" | "everything")));
        sure || left || Cue::named("kept").stands_in(&clause.text)
    };
    let state = if switch.value == &Value::Bool(true) { ["turn-on", "start"] } else { ["turn-off", "stop"] };
    last.clauses.iter().any(kept) || last.may_want(Deeds::named(&state))
}

/// The newest record with all of some fields and ids; nothing where the tool has been called since.
fn last_known<'a>(judge: &Judge<'a>, keys: &[&str], ids: &[&Value]) -> Option<&'a Map<String, Value>> {
    let name = &judge.subject.tool.spec.name;
    for (call, result) in judge.subject.conversation.results().into_iter().rev() {
        if call.name == *name {
            return None;
        }
        let record = find_record(&result.content, keys, 0);
        if let Some(record) = record {
            let same = ids.iter().all(|id| record.values().any(|value| value == *id));
            return same.then_some(record);
        }
    }
    None
}

fn find_record<'v>(value: &'v Value, keys: &[&str], depth: usize) -> Option<&'v Map<String, Value>> {
    let map = value.as_object().filter(|_| depth < MAX_DEPTH)?;
    if keys.iter().all(|key| map.contains_key(*key)) {
        return Some(map);
    }
    map.values().find_map(|value| find_record(value, keys, depth + 1))
}

const MAX_DEPTH: usize = 4;
