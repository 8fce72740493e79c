//! The calls of a responses stream, put together from whatever tells of them: an item begun, its deltas, the item
//! done, or the finished response alone.
//!
//! Servers leave out ids and places or change them between events. Who is meant is found here, and told to the reader
//! under names of our own, so that one call is never read as two, nor two as one.

use super::event::{ARGUMENTS_DELTA, ARGUMENTS_DONE, INPUT_DELTA, INPUT_DONE, ITEM_ADDED, ITEM_DONE};
use super::form::{Role, call_key, text_of, tool_of};
use crate::gateway::held::{CallReader, HeldCall};
use crate::gateway::rewrite::UnknownItems;
use countersign::parse::Finish;
use countersign::parse::native::Dialect;
use countersign::wire::built_in;
use serde_json::{Map, Value, json};

/// The calls that are held.
#[derive(Debug, Default)]
pub(super) struct Calls {
    reader: Option<CallReader>,
    calls: Vec<Call>,
}

#[derive(Debug, Default)]
struct Call {
    /// The place that the upstream gave it.
    index: Option<u64>,
    /// The item as it came last, without its arguments.
    item: Option<Value>,
    /// How it was written last.
    text: String,
    /// Whether the reader knows it; one without a name is not told.
    told: bool,
    /// Whether its arguments were told as a whole.
    confirmed: bool,
    /// Whether the finished response has listed it.
    listed: bool,
}

impl Calls {
    /// Begins a call.
    pub(super) fn begin(&mut self, index: Option<u64>) -> usize {
        self.calls.push(Call { index, ..Call::default() });
        self.calls.len() - 1
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The call that an item tells of, by its call id.
    pub(super) fn find(&self, item: &Value) -> Option<usize> {
        let id = Some(text_of(item, "call_id")).filter(|id| !id.trim().is_empty())?;
        self.calls.iter().rposition(|call| call.item.as_ref().is_some_and(|known| text_of(known, "call_id") == id))
    }

    /// Takes the item of a call, begun or done.
    pub(super) fn take_item(&mut self, at: usize, kind: &str, item: &Value) {
        let Some(call) = self.calls.get_mut(at) else { return };
        call.keep(item);
        call.confirmed |= kind != ITEM_ADDED;
        let whole_only = built_in::item(text_of(item, "type")).is_some();
        if (!is_named(item) && !call.told) || (whole_only && kind == ITEM_ADDED) {
            return;
        }
        let kind = if kind == ITEM_ADDED && !call.told { ITEM_ADDED } else { ITEM_DONE };
        call.told = true;
        self.reader().take(&json!({"type": kind, "item": renamed(at, item)}));
    }

    /// Keeps how the item of a call is written, for fields that are not known here.
    pub(super) fn keep_text(&mut self, at: usize, text: &str) {
        self.calls.get_mut(at).into_iter().for_each(|call| call.text = text.to_owned());
    }

    /// How the item of a call is written.
    pub(super) fn text(&self, id: &str) -> String {
        let found = self.calls.iter().find(|call| call.key().as_deref() == Some(id));
        found.map(|call| call.text.clone()).unwrap_or_default()
    }

    /// Takes a piece of the arguments, or all of them.
    pub(super) fn take_arguments(&mut self, at: usize, event: &Value) {
        // What comes before the name is told again when the item is done.
        let Some(call) = self.calls.get_mut(at).filter(|call| call.told) else { return };
        let kind = text_of(event, "type");
        call.confirmed |= matches!(kind, ARGUMENTS_DONE | INPUT_DONE);
        let told = match kind {
            ARGUMENTS_DONE => json!({"type": kind, "item_id": name(at), "arguments": event.get("arguments")}),
            INPUT_DONE => json!({"type": kind, "item_id": name(at), "input": event.get("input")}),
            ARGUMENTS_DELTA | INPUT_DELTA => json!({"type": kind, "item_id": name(at), "delta": event.get("delta")}),
            // The other pieces are told again when the item is done.
            _ => return,
        };
        self.reader().take(&told);
    }

    /// Takes the finished response, and gives the calls.
    pub(super) fn finish(&mut self, response: &Value, finish: Finish, unknown: UnknownItems) -> Vec<HeldCall> {
        let items = response.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut listed = Vec::new();
        let held = items.iter().enumerate().filter(|(_, item)| Role::of(item).is_held(unknown));
        for (place, item) in held.take(MAX_ITEMS) {
            let at = self.find_listed(item, place as u64);
            let Some(call) = self.calls.get_mut(at) else { continue };
            call.keep(item);
            call.confirmed = true;
            call.told |= is_named(item);
            if call.told {
                listed.push(renamed(at, item));
            }
        }
        if self.calls.is_empty() {
            return Vec::new();
        }
        let mut end = json!({"output": listed});
        for key in ["status", "incomplete_details"] {
            if let (Some(value), Some(end)) = (response.get(key), end.as_object_mut()) {
                end.insert(key.to_owned(), value.clone());
            }
        }
        if self.has_strays() {
            // Told to nobody's call, it makes the reader doubt all of them.
            self.reader().take(&json!({"type": ARGUMENTS_DELTA, "item_id": OURS, "delta": "?"}));
        }
        self.reader().take(&json!({"type": "response.completed", "response": end}));
        let mut calls = self.reader().finish(finish);
        calls.iter_mut().for_each(|call| call.id = call.id.take().filter(|id| !id.starts_with(OURS)));
        // A call without a name can be nobody's, but that it was made is told.
        let nameless = self.calls.iter().filter(|call| !call.told && (call.item.is_some() || calls.is_empty()));
        let nameless: Vec<&Call> = nameless.collect();
        calls.extend(nameless.iter().map(|call| call.untold()));
        calls
    }

    /// The item of a call that is released, without its arguments. It is given once.
    pub(super) fn release(&mut self, id: &str) -> Option<Value> {
        self.calls.iter_mut().find(|call| call.key().as_deref() == Some(id))?.item.take()
    }

    /// The call that an item of the finished response is: by its ids, else by its place; else a new one.
    fn find_listed(&mut self, item: &Value, place: u64) -> usize {
        let same = |call: &Call, key: &str| {
            let id = text_of(item, key);
            !id.trim().is_empty() && call.item.as_ref().is_some_and(|known| text_of(known, key) == id)
        };
        let free = |call: &Call| !call.listed;
        let by = |key: &'static str| self.calls.iter().position(|call| free(call) && same(call, key));
        let unnamed = call_key(item).is_none();
        let by_place = || self.calls.iter().position(|call| free(call) && call.fits(item, place, unnamed));
        let found = by("call_id").or_else(|| by("id")).or_else(by_place);
        let at = found.unwrap_or_else(|| self.begin(Some(place)));
        if let Some(call) = self.calls.get_mut(at) {
            call.listed = true;
        }
        at
    }

    /// Whether arguments came that may belong to a call whose arguments were not told again as a whole.
    fn has_strays(&self) -> bool {
        let stray = self.calls.iter().any(|call| call.item.is_none());
        stray && self.calls.iter().any(|call| call.told && !call.confirmed)
    }

    fn reader(&mut self) -> &mut CallReader {
        self.reader.get_or_insert_with(|| CallReader::new(Dialect::Responses))
    }
}

impl Call {
    fn keep(&mut self, item: &Value) {
        let Some(fields) = item.as_object() else { return };
        let fields: Map<String, Value> =
            fields.iter().filter(|(key, _)| *key != "arguments").map(|(k, v)| (k.clone(), v.clone())).collect();
        match self.item.as_mut().and_then(Value::as_object_mut) {
            // The first ids count: the reader was told those.
            Some(known) => {
                let ids = |key: &str| known.get(key).filter(|id| id.is_string()).cloned();
                let (id, call_id) = (ids("id"), ids("call_id"));
                known.extend(fields);
                known.extend(id.map(|id| ("id".to_owned(), id)));
                known.extend(call_id.map(|id| ("call_id".to_owned(), id)));
            }
            None => self.item = Some(Value::Object(fields)),
        }
    }

    /// A call that the reader was not told of: it has no name, or its kind is not known.
    fn untold(&self) -> HeldCall {
        let unknown = self.item.as_ref().filter(|item| Role::of(item) == Role::Unknown);
        unknown.map_or_else(|| HeldCall { id: self.key(), ..HeldCall::default() }, unknown_call)
    }

    fn key(&self) -> Option<String> {
        self.item.as_ref().and_then(call_key).map(str::to_owned)
    }

    /// Whether a listed item may be this call though no id says so: one that lacks ids, or whose beginning was missed.
    fn fits(&self, item: &Value, place: u64, unnamed: bool) -> bool {
        let known = self.item.as_ref();
        let same_name = known.is_none_or(|known| tool_of(known) == tool_of(item));
        self.index == Some(place) && same_name && (unnamed || known.is_none_or(|known| call_key(known).is_none()))
    }
}

/// The item under a name of our own, by which the reader finds it again. Ids of the server's are kept for the client.
fn renamed(at: usize, item: &Value) -> Value {
    let mut item = item.clone();
    let key = call_key(&item).map(str::to_owned);
    if let Some(fields) = item.as_object_mut() {
        fields.insert("id".to_owned(), Value::String(name(at)));
        fields.extend(key.map(|key| ("call_id".to_owned(), Value::String(key))));
    }
    item
}

/// An item of a kind that nobody here knows, as a call of that name.
pub(in crate::gateway) fn unknown_call(item: &Value) -> HeldCall {
    let kind = Some(text_of(item, "type")).filter(|kind| !kind.is_empty()).unwrap_or("item");
    HeldCall::unknown(kind, call_key(item).map(str::to_owned), item)
}

/// Whether an item says which tool it calls.
fn is_named(item: &Value) -> bool {
    Role::of(item) == Role::Call && !tool_of(item).trim().is_empty()
}

fn name(at: usize) -> String {
    format!("{OURS}{at}")
}

/// More items than any response has.
pub(super) const MAX_ITEMS: usize = 4096;
/// No server's id begins like this.
const OURS: &str = "\u{1}call ";
