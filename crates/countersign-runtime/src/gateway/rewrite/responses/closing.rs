//! The end of a stream: the rest of its texts, then what was decided, calls and notes, and the last event, which tells
//! all of it again.

use super::calls::MAX_ITEMS;
use super::event::{
    ARGUMENTS_DELTA, ARGUMENTS_DONE, INPUT_DELTA, INPUT_DONE, ITEM_ADDED, ITEM_DONE, PART_ADDED, PART_DONE, TEXT_DONE,
};
use super::form::{Role, call_item, message_item, put_status, put_sums, put_text, text_of, text_part};
use super::items::Shown;
use super::{Fate, LOGPROBS, Last, Responses, text_delta};
use crate::gateway::held::{CallForm, HeldCall, Released, Settled};
use crate::gateway::json::{Document, read, rewrite};
use crate::gateway::rewrite::remember;
use crate::gateway::sse::Output;
use countersign::parse::Finish;
use serde_json::{Value, json};

impl Responses {
    /// The rest of all texts, and the events that waited for it. Gives the calls that were in them.
    pub(super) fn end_texts(&mut self, finish: Finish, out: &mut Output) -> Vec<HeldCall> {
        let mut calls = Vec::new();
        for at in 0..self.shown.len() {
            let Some(mut item) = self.shown.get_mut(at).map(std::mem::take) else { continue };
            let id = item.id().to_owned();
            for part in &mut item.parts {
                let rest = part.scan.finish(finish);
                calls.extend(part.scan.take_calls().into_iter().map(HeldCall::from));
                let measured = part.measure(0, None);
                if !rest.is_empty() {
                    part.shown.push_str(&rest);
                    remember(&mut self.text, &rest);
                    let measured = measured.map(|list| (LOGPROBS, list));
                    self.send_with(text_delta(&id, part.number, &rest), measured, item.place, out);
                }
            }
            for mut event in std::mem::take(&mut item.waiting) {
                item.put_shown(&mut event.value);
                if text_of(&event.value, "type") == ITEM_DONE {
                    item.keep_done(&event);
                }
                self.send(event, Some(item.place), out);
            }
            if let Some(place) = self.shown.get_mut(at) {
                *place = item;
            }
        }
        calls
    }

    /// The model's thoughts, as they must be sent back.
    pub(super) fn thoughts(&self, response: &Value) -> Vec<Value> {
        let listed = response.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let thoughts = self.shown.iter().filter(|item| item.kind == "reasoning");
        thoughts.filter_map(|item| item.item(listed)).collect()
    }

    /// Items that only the last event tells of are shown like all others, so that what it tells was seen.
    pub(super) fn show_unseen(&mut self, response: &Value, out: &mut Output) {
        let held = self.last.as_ref().is_some_and(|last| matches!(last.fate, Fate::Held));
        if !held || !self.numbers.shifted {
            return;
        }
        let listed = response.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let unknown = self.options.unknown_items;
        let others = listed.iter().enumerate().filter(|(_, item)| item.is_object() && !Role::of(item).is_held(unknown));
        for (at, item) in others.take(MAX_ITEMS) {
            if self.shown.iter().any(|shown| shown.is(item, at)) {
                continue;
            }
            let place = self.numbers.place(None);
            let mut shown = Shown::new(text_of(item, "id"), Some(at as u64), place);
            let done = json!({"type": ITEM_DONE, "item": item});
            shown.keep_done(&Document::new(done.clone()));
            self.shown.push(shown);
            self.send_ours(json!({"type": ITEM_ADDED, "item": item}), place, out);
            self.send_ours(done, place, out);
        }
    }

    /// Writes what was decided, and the last event where it was held.
    pub(super) fn write_settled(&mut self, settled: &Settled, out: &mut Output) {
        let mut event = match self.last.take() {
            Some(Last { event, fate: Fate::Held }) => event,
            Some(Last { fate: Fate::Waits(frame), .. }) if !settled.is_changed() => {
                write_comments(settled, out);
                return out.pass(&frame);
            }
            Some(Last { fate: Fate::Waits(frame), event }) => {
                Document::read(&frame.data().unwrap_or_default()).unwrap_or(event)
            }
            _ => return write_comments(settled, out),
        };
        let response = event.value.get("response").cloned().unwrap_or(Value::Null);
        let mut output = self.seen(&response);
        if let Some(decided) = settled.choice(0) {
            output.extend(decided.calls.iter().map(|call| self.write_call(call, out)));
            output.extend(
                decided.stream_note("").map(|note| self.write_note(message_item(&response, &note), &note, out)),
            );
        }
        write_comments(settled, out);
        self.put_decided(&mut event.value, output, settled);
        self.send(event, None, out);
    }

    /// The items as the client has seen them.
    fn seen(&mut self, response: &Value) -> Vec<Value> {
        let listed = response.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.shown.sort_by_key(|item| item.place);
        self.shown.iter().filter_map(|item| item.item(listed)).collect()
    }

    /// One call, begun and done. Gives its item.
    fn write_call(&mut self, call: &Released, out: &mut Output) -> Value {
        let text = self.calls.text(&call.id);
        // Fields that are not known here stay as they were written.
        let written = |item: &Value| {
            let before = read(&text).map(|read| read.value);
            before.map_or_else(|| item.to_string(), |before| rewrite(&text, &before, item))
        };
        let item = call_item(self.calls.release(&call.id), call);
        let mut begun = item.clone();
        let pieces = match call.form {
            CallForm::Arguments => Some((ARGUMENTS_DELTA, ARGUMENTS_DONE, "arguments")),
            CallForm::Text => Some((INPUT_DELTA, INPUT_DONE, "input")),
            _ => None,
        };
        if let Some(fields) = begun.as_object_mut() {
            pieces.iter().for_each(|(_, _, key)| put_text(fields, key, ""));
            put_text(fields, "status", "in_progress");
        }
        let place = self.numbers.place(None);
        let id = item.get("id");
        let (began, ended) = (("/item", written(&begun)), ("/item", written(&item)));
        self.send_with(json!({"type": ITEM_ADDED, "item": null}), Some(began), place, out);
        if let Some((delta, done, key)) = pieces {
            self.send_ours(json!({"type": delta, "item_id": id, "delta": call.arguments}), place, out);
            let mut done = json!({"type": done, "item_id": id, key: call.arguments});
            if let (CallForm::Arguments, Some(fields)) = (call.form, done.as_object_mut()) {
                fields.insert("name".to_owned(), call.name.as_str().into());
            }
            self.send_ours(done, place, out);
        }
        self.send_with(json!({"type": ITEM_DONE, "item": null}), Some(ended), place, out);
        item
    }

    /// What is said about calls that do not go to the client, as a message. Gives its item.
    fn write_note(&mut self, item: Value, note: &str, out: &mut Output) -> Value {
        let mut begun = item.clone();
        if let Some(fields) = begun.as_object_mut() {
            fields.insert("content".to_owned(), json!([]));
            put_text(fields, "status", "in_progress");
        }
        let place = self.numbers.place(None);
        let id = item.get("id");
        let of_part =
            |kind: &str, key: &str, value: Value| json!({"type": kind, "item_id": id, "content_index": 0, key: value});
        self.send_ours(json!({"type": ITEM_ADDED, "item": begun}), place, out);
        self.send_ours(of_part(PART_ADDED, "part", text_part("")), place, out);
        self.send_ours(text_delta(text_of(&item, "id"), 0, note), place, out);
        self.send_ours(of_part(TEXT_DONE, "text", note.into()), place, out);
        self.send_ours(of_part(PART_DONE, "part", text_part(note)), place, out);
        self.send_ours(json!({"type": ITEM_DONE, "item": item}), place, out);
        item
    }

    /// Puts into the last event what became of the answer.
    fn put_decided(&self, event: &mut Value, output: Vec<Value>, settled: &Settled) {
        let Some(fields) = event.as_object_mut() else { return };
        let response = fields.entry("response").or_insert_with(|| json!({}));
        let Some(response) = response.as_object_mut() else { return };
        if self.numbers.shifted || settled.choice(0).is_some() {
            response.insert("output".to_owned(), Value::Array(output));
        }
        put_sums(response, settled);
        if let Some(extension) = &settled.extension {
            response.insert("countersign".to_owned(), extension.clone());
        }
        if let Some(decided) = settled.choice(0) {
            let status = put_status(response, decided);
            fields.insert("type".to_owned(), Value::String(format!("response.{status}")));
        }
    }
}

fn write_comments(settled: &Settled, out: &mut Output) {
    if !settled.verdicts.is_empty() {
        out.write(settled.comments().as_bytes());
    }
}
