//! OpenAI responses: output items, begun, continued and done, and the whole response again at the end.
//!
//! Everything is sent several times: as deltas, when a part is done, when its item is done, and in the finished
//! response. What was read once is not read again; what a sloppy server left out earlier is taken where it comes.

use super::calls::{Form, Origin};
use super::fields::{as_text, field, identifier, listed, number, string};
use super::page::Page;
use super::turn::Turn;
use crate::wire::built_in;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What is remembered between events.
#[derive(Debug, Default)]
pub(super) struct Reader {
    items: Vec<Item>,
    by_id: BTreeMap<String, usize>,
    by_index: BTreeMap<u64, usize>,
}

/// An output item.
#[derive(Debug, Default, Clone, Copy)]
struct Item {
    /// Its call, where it is one.
    call: Option<usize>,
    /// Whether its words were read already.
    spoken: bool,
}

impl Reader {
    /// Reads an event, a body, or a part of one.
    pub(super) fn read(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        let kind = string(object, "type");
        match kind.strip_prefix("response.") {
            Some(event) => self.event(event, object, turn, page),
            None if kind == "error" => turn.failed(object.get("error").unwrap_or(&Value::Object(object.clone())), page),
            None if object.get("error").is_some_and(Value::is_object) && !object.contains_key("output") => {
                turn.failed(object.get("error").unwrap_or(&Value::Null), page);
            }
            None if object.get("output").is_some_and(Value::is_array) => self.response(object, turn, page),
            None if kind.is_empty() && !object.is_empty() => {
                page.unrecovered(page.raw(), "this is no part of a response");
            }
            None => self.whole_item(&Value::Object(object.clone()), turn, page),
        }
    }

    fn event(&mut self, event: &str, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        match event {
            "output_item.added" => self.add_item(object, turn, page),
            "output_item.done" => self.done(object, turn, page),
            "function_call_arguments.delta" | "custom_tool_call_input.delta" => {
                self.delta(object, &as_text(object.get("delta")), turn, page);
            }
            "function_call_arguments.done" => self.confirm(object, as_text(object.get("arguments")), turn, page),
            "custom_tool_call_input.done" => self.confirm(object, as_text(object.get("input")), turn, page),
            "output_text.delta" | "refusal.delta" => {
                self.speak(object);
                page.text(string(object, "delta"));
            }
            "reasoning_summary_text.delta" | "reasoning_text.delta" | "reasoning.delta" => {
                self.speak(object);
                page.reasoning(string(object, "delta"));
            }
            "completed" | "incomplete" | "done" => {
                if let Some(response) = object.get("response").and_then(Value::as_object) {
                    self.response(response, turn, page);
                }
                turn.over(page);
            }
            "failed" | "cancelled" => {
                let response = object.get("response");
                turn.failed(response.and_then(|response| response.get("error")).unwrap_or(&Value::Null), page);
            }
            "created" | "in_progress" | "queued" => {
                if let Some(response) = object.get("response").and_then(Value::as_object) {
                    turn.note(response);
                }
            }
            _ => {}
        }
    }

    /// A whole response, alone or at the end of a stream that has told most of it.
    fn response(&mut self, response: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        turn.note(response);
        for (index, item) in listed(response.get("output")).enumerate() {
            match self.find_known(identifier(item, "id"), Some(index as u64)) {
                Some(at) => self.again(at, item, turn, page),
                None => self.whole_item(item, turn, page),
            }
        }
        let details = response.get("incomplete_details").and_then(|details| details.get("reason"));
        if let Some(error) = response.get("error").filter(|error| error.is_object()) {
            return turn.failed(error, page);
        }
        match string(response, "status") {
            "in_progress" | "queued" => {}
            _ => turn.reason(details.filter(|reason| reason.is_string()).or(response.get("status"))),
        }
        turn.body_over(page);
    }

    fn add_item(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        let Some(item) = object.get("item") else {
            return;
        };
        let call = self.begin(item, Origin::Pieces, turn, page);
        self.remember(identifier(item, "id"), number(object.get("output_index")), Item { call, spoken: false });
    }

    fn done(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        let Some(item) = object.get("item") else {
            return;
        };
        match self.find_known(identifier(item, "id"), number(object.get("output_index"))) {
            Some(at) => self.again(at, item, turn, page),
            None => {
                let call = self.whole(item, Origin::Pieces, turn, page);
                let known = Item { call, spoken: true };
                self.remember(identifier(item, "id"), number(object.get("output_index")), known);
            }
        }
    }

    /// An item that was begun before comes as a whole.
    fn again(&mut self, at: usize, item: &Value, turn: &mut Turn, page: &mut Page) {
        let Some(known) = self.items.get_mut(at) else {
            return;
        };
        let spoken = std::mem::replace(&mut known.spoken, true);
        match known.call {
            Some(call) => {
                turn.calls.confirm(call, &input(item), page);
                spoil_if_cut(item, call, turn);
            }
            None if !spoken => drop(self.whole(item, Origin::Pieces, turn, page)),
            None => {}
        }
    }

    fn whole_item(&mut self, item: &Value, turn: &mut Turn, page: &mut Page) {
        self.whole(item, Origin::Body, turn, page);
    }

    /// All that an item says.
    fn whole(&mut self, item: &Value, origin: Origin, turn: &mut Turn, page: &mut Page) -> Option<usize> {
        match field(item, "type") {
            "message" => listed(item.get("content")).for_each(|part| words(part, page)),
            "reasoning" => {
                let summary = listed(item.get("summary")).chain(listed(item.get("content")));
                summary.for_each(|part| page.reasoning(field(part, "text")));
            }
            "output_text" | "text" | "refusal" => words(item, page),
            kind => {
                let call =
                    self.begin(item, origin, turn, page).or_else(|| client_tool(kind, item, origin, turn, page))?;
                spoil_if_cut(item, call, turn);
                return Some(call);
            }
        }
        None
    }

    /// Opens a call, where the item is one.
    fn begin(&mut self, item: &Value, origin: Origin, turn: &mut Turn, page: &mut Page) -> Option<usize> {
        let form = match field(item, "type") {
            "function_call" => Form::Json,
            "custom_tool_call" => Form::Text,
            _ => return None,
        };
        let id = identifier(item, "call_id").or(identifier(item, "id"));
        let call = turn.calls.begin(id, field(item, "name"), origin, page)?;
        turn.calls.set_form(call, form);
        turn.calls.append(call, &input(item), page);
        Some(call)
    }

    fn delta(&mut self, object: &Map<String, Value>, delta: &str, turn: &mut Turn, page: &mut Page) {
        match self.find_addressed(object) {
            Some(call) => turn.calls.append(call, delta, page),
            None => {
                // Whose they are is not known: no open call can be sure of its arguments.
                turn.calls.spoil_open();
                page.unrecovered(delta, "arguments of a call that was not begun");
            }
        }
    }

    fn confirm(&mut self, object: &Map<String, Value>, whole: String, turn: &mut Turn, page: &mut Page) {
        if let Some(call) = self.find_addressed(object) {
            turn.calls.confirm(call, &whole, page);
        }
    }

    /// The call that an event is about: by the item's id, by its place, else the last one.
    fn find_addressed(&self, object: &Map<String, Value>) -> Option<usize> {
        let (id, index) = (Some(string(object, "item_id")), number(object.get("output_index")));
        match self.find_known(id, index) {
            Some(at) => self.items.get(at)?.call,
            None if index.is_none() && id.is_none_or(str::is_empty) => self.items.last()?.call,
            None => None,
        }
    }

    fn find_known(&self, id: Option<&str>, index: Option<u64>) -> Option<usize> {
        let by_id = id.and_then(|id| self.by_id.get(id));
        by_id.or_else(|| self.by_index.get(&index?)).copied()
    }

    fn remember(&mut self, id: Option<&str>, index: Option<u64>, item: Item) {
        if self.items.len() >= MAX_ITEMS {
            return;
        }
        let at = self.items.len();
        self.items.push(item);
        if let Some(id) = id {
            self.by_id.insert(id.to_owned(), at);
        }
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
    }

    /// Words of an item are being read: they are not read again when it is done.
    fn speak(&mut self, object: &Map<String, Value>) {
        let id = Some(string(object, "item_id")).filter(|id| !id.is_empty());
        let index = number(object.get("output_index"));
        match self.find_known(id, index) {
            Some(at) => self.items.get_mut(at).into_iter().for_each(|item| item.spoken = true),
            None => self.remember(id, index, Item { call: None, spoken: true }),
        }
    }
}

/// A part of a message.
fn words(part: &Value, page: &mut Page) {
    page.text(field(part, "text"));
    page.text(field(part, "refusal"));
}

/// A tool of the provider's that the client has to run: its action is its arguments.
fn client_tool(kind: &str, item: &Value, origin: Origin, turn: &mut Turn, page: &mut Page) -> Option<usize> {
    let known = built_in::item(kind)?;
    let fields = item.as_object().filter(|fields| !built_in::is_server_run(fields))?;
    let call = turn.calls.begin(identifier(item, "call_id").or(identifier(item, "id")), known.tool, origin, page)?;
    turn.calls.set_form(call, Form::Item(known));
    turn.calls.append(call, &as_text(known.arguments(fields).as_ref()), page);
    Some(call)
}

/// An item that says itself that it was cut.
fn spoil_if_cut(item: &Value, call: usize, turn: &mut Turn) {
    if matches!(field(item, "status"), "incomplete" | "failed" | "cancelled") {
        turn.calls.spoil(call);
    }
}

/// The arguments of a call, or the text of a custom one.
fn input(item: &Value) -> String {
    if field(item, "type") == "custom_tool_call" {
        return as_text(item.get("input"));
    }
    as_text(item.get("arguments").or(item.get("input")))
}

/// More items than any response has.
const MAX_ITEMS: usize = 16_384;
