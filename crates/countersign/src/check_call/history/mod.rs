//! A conversation's calls and results, put right before they go upstream (CALL-11).
//!
//! Providers refuse a history in which a call has no result, a result no call, or two calls one id. It is read once,
//! from the front, and what has been written is never changed again. Three laws follow, and are tested: the same
//! history is always repaired the same way; a repaired history stays as it is; and a longer history begins as the
//! shorter one did, because prompt caches live on that. A result that comes after its call was given up is therefore
//! dropped like any second result. Messages that need nothing leave exactly as they came.
//!
//! A responses request with `previous_response_id` has its calls elsewhere; its input must not be repaired.

/// Where calls and results stand in a message.
mod shape;

use crate::contract::codes::history::{BAD_ARGUMENTS, DUPLICATE_ID, MISSING_ID, ORPHAN_CALL, ORPHAN_RESULT};
use crate::contract::{Code, Finding, Language};
use crate::localized;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value, json};
use shape::{Part, Shape, calls_in, id_of, is_result_block, mended_arguments, put_arguments, result_key};
use std::collections::VecDeque;

/// A repaired history.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The messages.
    pub messages: Vec<Value>,
    /// What was put right; the pointers are places in the history as it came.
    pub findings: Vec<Finding>,
}

/// Repairs a history that may still grow: calls at its end that wait for their results are left alone.
pub fn repair(messages: &[Value]) -> Repaired {
    run(messages).done()
}

/// Repairs a history that goes upstream now: a call that still waits at its end will get no result either, so it gets
/// one that says so. What [`repair`] gives is always the beginning of this.
pub fn repair_to_send(messages: &[Value]) -> Repaired {
    let mut repair = run(messages);
    repair.close();
    repair.done()
}

fn run(messages: &[Value]) -> Repair {
    let first_user = messages.iter().find(|m| m.get("role").and_then(Value::as_str) == Some("user"));
    let spoken = first_user.and_then(|message| message.get("content")).and_then(Value::as_str).unwrap_or_default();
    let mut repair = Repair { language: Language::of(spoken), ..Repair::default() };
    for (at, message) in messages.iter().enumerate() {
        repair.add(message, at);
    }
    repair
}

/// What has been written so far, and what is still waited for.
#[derive(Debug, Default)]
struct Repair {
    language: Language,
    out: Vec<Value>,
    findings: Vec<Finding>,
    /// Calls in order; those with a result are no longer open.
    calls: Vec<Waiting>,
    open: usize,
    /// Open calls by the id that their results will name.
    by_id: FxHashMap<String, VecDeque<usize>>,
    /// Whether a result has come since the last call.
    answered: bool,
    /// Whether a waiting call is inside a message, so that the next message ends the calling.
    inside: bool,
    /// Whether a call may be in an item that only the provider has.
    elsewhere: bool,
    used: FxHashSet<String>,
    counts: FxHashMap<String, usize>,
}

#[derive(Debug)]
struct Waiting {
    shape: Shape,
    id: String,
    pointer: String,
    open: bool,
}

/// Whom a result belongs to.
enum Owner {
    /// A call, and the id it now has where that differs.
    Call(Option<String>),
    /// A call that only the provider knows.
    Elsewhere,
    Nobody,
}

impl Repair {
    fn add(&mut self, message: &Value, at: usize) {
        match Part::of(message) {
            Part::Result => self.add_result(message, at),
            Part::User => self.add_user(message, at),
            Part::Call(shape) => {
                self.close_before_item();
                let mut message = message.clone();
                if let Some(entry) = message.as_object_mut() {
                    self.add_call(shape, entry, format!("/messages/{at}"));
                }
                self.out.push(message);
            }
            Part::Assistant => {
                self.close_before_item();
                let mut message = message.clone();
                for (shape, place, entry) in calls_in(&mut message) {
                    self.add_call(shape, entry, format!("/messages/{at}{place}"));
                }
                self.out.push(message);
            }
            part @ (Part::Item | Part::Reference) => {
                self.close_before_item();
                self.elsewhere |= part == Part::Reference;
                self.out.push(message.clone());
            }
        }
    }

    /// Closes what waits before something that is no result. In a responses conversation several items make one turn
    /// of the model, so that only a result ends the calling.
    fn close_before_item(&mut self) {
        if self.answered || self.inside {
            self.close();
        }
    }

    /// Gives every open call a result that says that there is none.
    fn close(&mut self) {
        let mut blocks = Vec::new();
        for (shape, result) in self.missing_results() {
            match shape {
                Shape::Block => blocks.push(result),
                _ => self.out.push(result),
            }
        }
        if !blocks.is_empty() {
            self.out.push(json!({"role": "user", "content": blocks}));
        }
    }

    /// Ends the waiting: the results that are missing, in the order of their calls.
    fn missing_results(&mut self) -> Vec<(Shape, Value)> {
        let mut results = Vec::new();
        for call in self.new_round().into_iter().filter(|call| call.open) {
            results.push((call.shape, call.shape.missing_result(&call.id)));
            let id = short(&call.id);
            let evidence = localized!(
                self.language,
                "the call `{id}` has no result; it got an error result",
                "调用 `{id}` 没有结果；已补上一个错误结果"
            );
            self.findings.push(Finding::new(&ORPHAN_CALL, call.pointer, evidence));
        }
        results
    }

    /// Forgets the calls so far and gives them back.
    fn new_round(&mut self) -> Vec<Waiting> {
        self.by_id.clear();
        (self.open, self.answered, self.inside) = (0, false, false);
        std::mem::take(&mut self.calls)
    }

    fn add_call(&mut self, shape: Shape, entry: &mut Map<String, Value>, pointer: String) {
        if let Some(arguments) = mended_arguments(shape, entry) {
            put_arguments(shape, entry, arguments);
            let evidence =
                localized!(self.language, "the call's arguments are not a JSON object", "调用的参数不是 JSON 对象");
            self.findings.push(Finding::new(&BAD_ARGUMENTS, pointer.clone(), evidence));
        }
        let key = shape.id_key();
        let given = entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = self.own_id(&given, &pointer);
        if id != given {
            entry.insert(key.to_owned(), Value::String(id.clone()));
        }
        let named = if given.trim().is_empty() { String::new() } else { given };
        self.by_id.entry(named).or_default().push_back(self.calls.len());
        self.inside |= !shape.is_item();
        self.calls.push(Waiting { shape, id, pointer, open: true });
        self.open += 1;
    }

    /// The id itself where it is new, else the next free one that begins like it.
    fn own_id(&mut self, given: &str, pointer: &str) -> String {
        let blank = given.trim().is_empty();
        if !blank && self.used.insert(given.to_owned()) {
            return given.to_owned();
        }
        let stem = if blank { "call" } else { given };
        let count = self.counts.entry(stem.to_owned()).or_insert(1);
        let id = loop {
            *count += 1;
            let id = add_suffix(stem, *count);
            if self.used.insert(id.clone()) {
                break id;
            }
        };
        let (code, given): (&'static Code, String) = (if blank { &MISSING_ID } else { &DUPLICATE_ID }, short(given));
        let evidence = match blank {
            true => localized!(self.language, "the call has no id; it is now `{id}`", "调用没有 id；现为 `{id}`"),
            false => localized!(
                self.language,
                "the id `{given}` was used before; this call is now `{id}`",
                "id `{given}` 已被使用；此调用现为 `{id}`"
            ),
        };
        self.findings.push(Finding::new(code, pointer, evidence));
        id
    }

    /// A message that is a result.
    fn add_result(&mut self, message: &Value, at: usize) {
        match self.owner(message, format!("/messages/{at}")) {
            Owner::Call(None) | Owner::Elsewhere => self.out.push(message.clone()),
            Owner::Call(Some(id)) => self.out.push(rename(message, id)),
            Owner::Nobody => {}
        }
    }

    /// A user's message. Its `tool_result` blocks are results; anything else in it ends the waiting, and what is
    /// missing is put in after the results that lead it.
    fn add_user(&mut self, message: &Value, at: usize) {
        let Some(blocks) = message.get("content").and_then(Value::as_array) else {
            return self.add_words(message);
        };
        let mut kept: Vec<Value> = Vec::with_capacity(blocks.len());
        let mut changed = false;
        for (place, block) in blocks.iter().enumerate() {
            let owner = match is_result_block(block) {
                true => self.owner(block, format!("/messages/{at}/content/{place}")),
                false => Owner::Elsewhere,
            };
            changed |= !matches!(owner, Owner::Call(None) | Owner::Elsewhere);
            match owner {
                Owner::Call(None) | Owner::Elsewhere => kept.push(block.clone()),
                Owner::Call(Some(id)) => kept.push(rename(block, id)),
                Owner::Nobody => {}
            }
        }
        if kept.is_empty() && changed {
            // A message without content is refused, and without the message the roles no longer take turns.
            kept.push(json!({"type": "text", "text": REMOVED}));
        }
        if kept.is_empty() || !kept.iter().all(is_result_block) {
            changed |= self.fill(&mut kept);
        }
        self.out.push(if changed { with_content(message, kept) } else { message.clone() });
    }

    /// A user's message that holds only words.
    fn add_words(&mut self, message: &Value) {
        let text = message.get("content").and_then(Value::as_str).filter(|text| !text.is_empty());
        let (Some(text), true) = (text, self.calls.iter().any(|call| call.open && call.shape == Shape::Block)) else {
            self.close();
            return self.out.push(message.clone());
        };
        let mut content = vec![json!({"type": "text", "text": text})];
        self.fill(&mut content);
        self.out.push(with_content(message, content));
    }

    /// Ends the waiting in front of a content: missing blocks go into it, other results before the message.
    fn fill(&mut self, content: &mut Vec<Value>) -> bool {
        let leading = content.iter().take_while(|block| is_result_block(block)).count();
        let mut blocks = Vec::new();
        for (shape, result) in self.missing_results() {
            match shape {
                Shape::Block => blocks.push(result),
                _ => self.out.push(result),
            }
        }
        let any = !blocks.is_empty();
        content.splice(leading..leading, blocks);
        any
    }

    /// Finds the call that a result belongs to: the first open one with its id. A result without id belongs to the
    /// only open call, where there is only one.
    fn owner(&mut self, result: &Value, pointer: String) -> Owner {
        let given = id_of(result, &[result_key(result)]);
        let found = match given {
            Some(id) => self.by_id.get_mut(id).and_then(VecDeque::pop_front),
            None if self.open == 1 => self.calls.iter().position(|call| call.open),
            None => self.by_id.get_mut("").and_then(VecDeque::pop_front),
        };
        let Some(call) = found.and_then(|at| self.calls.get_mut(at)).filter(|call| call.open) else {
            // Without an id it belongs to nobody, wherever the calls are; kept, it would find a call the next time.
            if self.elsewhere && given.is_some() {
                return Owner::Elsewhere;
            }
            let id = short(given.unwrap_or_default());
            let evidence = localized!(
                self.language,
                "the result for `{id}` belongs to no open call; it was dropped",
                "`{id}` 的结果不属于任何等待中的调用；已删除"
            );
            self.findings.push(Finding::new(&ORPHAN_RESULT, pointer, evidence));
            return Owner::Nobody;
        };
        call.open = false;
        self.open -= 1;
        self.answered = true;
        let id = call.id.clone();
        if given.is_none() {
            let evidence =
                localized!(self.language, "the result has no id; it is now `{id}`", "结果没有 id；现为 `{id}`");
            self.findings.push(Finding::new(&MISSING_ID, pointer, evidence));
        }
        Owner::Call((given != Some(id.as_str())).then_some(id))
    }

    fn done(self) -> Repaired {
        Repaired { messages: self.out, findings: self.findings }
    }
}

/// A result under its call's new id.
fn rename(result: &Value, id: String) -> Value {
    let key = result_key(result);
    let mut result = result.clone();
    if let Some(result) = result.as_object_mut() {
        result.insert(key.to_owned(), Value::String(id));
    }
    result
}

fn with_content(message: &Value, content: Vec<Value>) -> Value {
    let mut message = message.clone();
    if let Some(message) = message.as_object_mut() {
        message.insert("content".into(), Value::Array(content));
    }
    message
}

/// An id with a number at its end. Providers take no more than forty characters, so a full id gives up its last ones.
fn add_suffix(stem: &str, count: usize) -> String {
    let suffix = format!("_{count}");
    let length = stem.chars().count();
    let keep = if length <= MAX_ID { MAX_ID.saturating_sub(suffix.len()) } else { length };
    stem.chars().take(keep).chain(suffix.chars()).collect()
}

fn short(id: &str) -> String {
    id.chars().take(MAX_ID).collect()
}

const MAX_ID: usize = 40;
const REMOVED: &str = "[A tool result was removed here, because its call is no longer part of this conversation.]";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes(repaired: &Repaired) -> Vec<&str> {
        repaired.findings.iter().map(|finding| finding.code.id).collect()
    }

    fn chat_call(id: &str) -> Value {
        json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})
    }

    fn tool(id: &str, content: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": content})
    }

    #[test]
    fn calls_at_the_end_still_wait_unless_the_history_is_sent() {
        // CALL-11
        let history =
            [json!({"role": "user", "content": "go"}), json!({"role": "assistant", "tool_calls": [chat_call("a")]})];
        assert_eq!(repair(&history).messages, history);
        let sent = repair_to_send(&history);
        assert_eq!((sent.messages.len(), codes(&sent)), (3, vec!["history.orphan-call"]));
        assert_eq!(sent.messages[2]["tool_call_id"], "a");
    }

    #[test]
    fn a_late_result_is_a_second_one() {
        // CALL-11: the call was given up when the user spoke, and that beginning stands.
        let history = [
            json!({"role": "assistant", "tool_calls": [chat_call("a"), chat_call("b")]}),
            tool("b", "1"),
            json!({"role": "user", "content": "你好"}),
            tool("a", "2"),
        ];
        let repaired = repair(&history);
        let ids: Vec<&Value> = repaired.messages.iter().map(|message| &message["tool_call_id"]).collect();
        assert_eq!(ids, [&Value::Null, &json!("b"), &json!("a"), &Value::Null]);
        assert_eq!(codes(&repaired), ["history.orphan-call", "history.orphan-result"]);
        assert!(repaired.findings[0].evidence.contains("没有结果"));
        assert_eq!(repaired.findings[1].pointer, "/messages/3");
    }

    #[test]
    fn arguments_are_put_right_only_where_they_must() {
        // CALL-11
        let chat = |arguments: Value| {
            let call = json!({"id": "a", "function": {"name": "f", "arguments": arguments}});
            let repaired = repair(&[json!({"role": "assistant", "tool_calls": [call]})]);
            repaired.messages[0]["tool_calls"][0]["function"]["arguments"].clone()
        };
        for fine in ["{}", " {\"b\": 1.0,\"a\":2 } ", "{\"n\": 12345678901234567890123}"] {
            assert_eq!(chat(json!(fine)), json!(fine));
        }
        for empty in [json!(""), json!("  "), Value::Null, json!("null")] {
            assert_eq!(chat(empty), json!("{}"));
        }
        assert_eq!(chat(json!({"a": 1})), json!(r#"{"a":1}"#));
        assert_eq!(chat(json!("{\"a\": ")), json!(r#"{"raw_arguments":"{\"a\": "}"#));
        assert_eq!(chat(json!("[1]")), json!(r#"{"raw_arguments":[1]}"#));
        let block = |input: Value| {
            let content = json!([{"type": "tool_use", "id": "a", "name": "f", "input": input}]);
            repair(&[json!({"role": "assistant", "content": content})]).messages[0]["content"][0]["input"].clone()
        };
        assert_eq!(
            (block(json!({"a": 1})), block(json!("")), block(json!("{\"a\": 1}"))),
            (json!({"a": 1}), json!({}), json!({"a": 1}))
        );
        assert_eq!(block(json!("oops")), json!({"raw_arguments": "oops"}));
    }

    fn id() -> impl Strategy<Value = &'static str> {
        prop_oneof![4 => Just("a"), 4 => Just("b"), 2 => Just("c"), 1 => Just("a_2"), 1 => Just(""), 1 => Just(" ")]
    }

    fn arguments() -> impl Strategy<Value = Value> {
        prop_oneof![4 => Just(json!("{}")), 1 => Just(json!("")), 1 => Just(json!("{x")), 1 => Just(json!({"a": 1})), 1 => Just(Value::Null)]
    }

    fn chat() -> impl Strategy<Value = Value> {
        let calls = prop::collection::vec((id(), arguments()), 0..4).prop_map(|calls| {
            let calls: Vec<Value> =
                calls.into_iter().map(|(id, a)| json!({"id": id, "function": {"name": "f", "arguments": a}})).collect();
            json!({"role": "assistant", "tool_calls": calls})
        });
        prop_oneof![
            3 => calls,
            5 => id().prop_map(|id| tool(id, "ok")),
            1 => Just(json!({"role": "tool", "content": "no id"})),
            1 => Just(json!({"role": "user", "content": "hi"})),
            1 => Just(json!({"role": "assistant", "content": "well"})),
        ]
    }

    fn blocks() -> impl Strategy<Value = Value> {
        let calls = prop::collection::vec((id(), arguments()), 0..4).prop_map(|calls| {
            let mut content = vec![json!({"type": "text", "text": "so"})];
            content.extend(
                calls.into_iter().map(|(id, a)| json!({"type": "tool_use", "id": id, "name": "f", "input": a})),
            );
            json!({"role": "assistant", "content": content})
        });
        let results = (prop::collection::vec(id(), 0..4), any::<bool>()).prop_map(|(ids, speaks)| {
            let result = |id| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
            let mut content: Vec<Value> = ids.into_iter().map(result).collect();
            content.extend(speaks.then(|| json!({"type": "text", "text": "and"})));
            json!({"role": "user", "content": content})
        });
        prop_oneof![3 => calls, 4 => results, 1 => Just(json!({"role": "user", "content": "hi"}))]
    }

    fn items() -> impl Strategy<Value = Value> {
        prop_oneof![
            4 => (id(), arguments()).prop_map(|(id, a)| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": a})),
            5 => id().prop_map(|id| json!({"type": "function_call_output", "call_id": id, "output": "ok"})),
            1 => Just(json!({"type": "reasoning", "summary": []})),
            1 => Just(json!({"type": "message", "role": "assistant", "content": []})),
            1 => Just(json!({"type": "message", "role": "user", "content": "hi"})),
        ]
    }

    fn history() -> impl Strategy<Value = Vec<Value>> {
        let one = |message: BoxedStrategy<Value>| prop::collection::vec(message, 0..14).boxed();
        let reference = Just(json!({"type": "item_reference", "id": "x"}));
        prop_oneof![
            one(chat().boxed()),
            one(blocks().boxed()),
            one(items().boxed()),
            one(prop_oneof![6 => chat(), 6 => blocks(), 6 => items(), 1 => reference, 1 => Just(json!(7))].boxed()),
        ]
    }

    /// Every call has one result with its id, in the message or the run of messages right after it; ids are unique.
    fn assert_valid(messages: &[Value]) -> Result<(), TestCaseError> {
        let mut seen = FxHashSet::default();
        let mut open: Vec<String> = Vec::new();
        for message in messages {
            let mut message = message.clone();
            let part = Part::of(&message);
            let blocks: Vec<Value> = match message.get("content").and_then(Value::as_array) {
                Some(blocks) if part == Part::User => blocks.iter().filter(|b| is_result_block(b)).cloned().collect(),
                _ if part == Part::Result => vec![message.clone()],
                _ => Vec::new(),
            };
            for result in &blocks {
                let id = result[result_key(result)].as_str().unwrap_or_default();
                let at = open.iter().position(|open| open == id);
                prop_assert!(at.is_some(), "orphan result {} in {:?}", id, messages);
                open.remove(at.unwrap());
            }
            if part == Part::Assistant || (part == Part::User && blocks.is_empty()) {
                prop_assert!(open.is_empty(), "open calls {:?} before {} in {:?}", open, message, messages);
            }
            let key = if matches!(part, Part::Call(_)) { "call_id" } else { "id" };
            let own = matches!(part, Part::Call(_)).then(|| message.as_object().cloned().unwrap());
            let inside = if part == Part::Assistant { calls_in(&mut message) } else { Vec::new() };
            for call in own.into_iter().chain(inside.into_iter().map(|(_, _, call)| call.clone())) {
                let id = call[key].as_str().unwrap_or_default().to_owned();
                prop_assert!(!id.trim().is_empty() && seen.insert(id.clone()), "id {:?} twice in {:?}", id, messages);
                open.push(id);
            }
        }
        prop_assert!(open.is_empty(), "calls left open: {:?}", open);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn the_same_history_is_repaired_the_same_way_once(history in history()) {
            // CALL-11
            let repaired = repair(&history);
            prop_assert_eq!(&repaired, &repair(&history));
            let again = repair(&repaired.messages);
            prop_assert_eq!(&again.messages, &repaired.messages);
            prop_assert_eq!(codes(&again), Vec::<&str>::new());
            let sent = repair_to_send(&history);
            prop_assert_eq!(&sent.messages[..repaired.messages.len()], &repaired.messages[..]);
            prop_assert_eq!(&repair_to_send(&sent.messages).messages, &sent.messages);
        }

        #[test]
        fn a_longer_history_begins_as_the_shorter_one_did(history in history(), cut in 0usize..14) {
            // CALL-11: prompt caches live on the beginning.
            let cut = cut.min(history.len());
            let (short, long) = (repair(&history[..cut]).messages, repair(&history).messages);
            prop_assert!(long.len() >= short.len());
            prop_assert_eq!(&long[..short.len()], &short[..]);
        }

        #[test]
        fn what_was_sent_stays_the_beginning(mut history in prop_oneof![
            prop::collection::vec(chat(), 0..12), prop::collection::vec(blocks(), 0..12)
        ]) {
            // CALL-11: the answer to what was sent makes the next request.
            let sent = repair_to_send(&history).messages;
            history.push(json!({"role": "assistant", "content": "done"}));
            prop_assert_eq!(&repair(&history).messages[..sent.len()], &sent[..]);
        }

        #[test]
        fn what_is_sent_is_paired(history in prop_oneof![
            prop::collection::vec(chat(), 0..14), prop::collection::vec(blocks(), 0..14)
        ]) {
            // CALL-11
            assert_valid(&repair_to_send(&history).messages)?;
        }

        #[test]
        fn items_that_are_sent_are_paired(history in prop::collection::vec(items(), 0..14)) {
            // CALL-11
            let sent = repair_to_send(&history).messages;
            let ids = |kind: &str| -> Vec<String> {
                let of = sent.iter().filter(|item| item["type"] == kind);
                let mut ids: Vec<String> = of.map(|item| item["call_id"].as_str().unwrap().to_owned()).collect();
                ids.sort();
                ids
            };
            let calls = ids("function_call");
            prop_assert_eq!(&calls, &ids("function_call_output"));
            prop_assert!(calls.windows(2).all(|pair| pair[0] != pair[1]));
        }

        #[test]
        fn good_messages_leave_as_they_came(rounds in prop::collection::vec(1usize..4, 1..5)) {
            // CALL-11
            let mut history = vec![json!({"role": "user", "content": "go", "unknown": {"kept": true}})];
            for (round, calls) in rounds.iter().enumerate() {
                let ids: Vec<String> = (0..*calls).map(|n| format!("c{round}_{n}")).collect();
                let calls: Vec<Value> = ids.iter().map(|id| chat_call(id)).collect();
                history.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
                history.extend(ids.iter().rev().map(|id| tool(id, "ok")));
            }
            let repaired = repair_to_send(&history);
            prop_assert!(repaired.findings.is_empty());
            prop_assert_eq!(serde_json::to_string(&repaired.messages).unwrap(), serde_json::to_string(&history).unwrap());
        }
    }
}
