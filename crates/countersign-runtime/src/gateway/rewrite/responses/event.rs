//! One event of a responses stream, read only as far as it must be known to say what is done with it.
//!
//! Most events are read without a copy. Those of an unusual form are read again, slowly and forgivingly.

use super::form::{is_call, text_of};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// What an event says.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    /// Its type, in the data or beside it.
    pub(super) kind: Cow<'a, str>,
    /// The id of the item that it is about; blank where it tells none.
    pub(super) id: Cow<'a, str>,
    /// The place of that item.
    pub(super) index: Option<u64>,
    /// The part of that item.
    pub(super) part: u64,
    /// Its own number.
    pub(super) sequence: Option<u64>,
    /// What is added.
    pub(super) delta: Cow<'a, str>,
    /// The type of the item that it holds; blank where it holds none.
    pub(super) item: Cow<'a, str>,
    /// Whether the response that it holds lists calls.
    pub(super) lists_calls: bool,
    /// Whether it is an error that names no type.
    bare_error: bool,
}

#[derive(Deserialize)]
struct Glance<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    item_id: Cow<'a, str>,
    #[serde(default)]
    output_index: Option<u64>,
    #[serde(default)]
    content_index: Option<u64>,
    #[serde(default)]
    sequence_number: Option<u64>,
    #[serde(borrow, default)]
    delta: Cow<'a, str>,
    #[serde(borrow, default)]
    item: ItemGlance<'a>,
    #[serde(borrow, default)]
    response: ResponseGlance<'a>,
}

#[derive(Deserialize, Default)]
struct ItemGlance<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Cow<'a, str>,
}

#[derive(Deserialize, Default)]
struct ResponseGlance<'a> {
    #[serde(borrow, default)]
    output: Vec<ItemGlance<'a>>,
}

impl<'a> Event<'a> {
    /// Looks at an event. Gives none where it is not written as events are.
    pub(super) fn glance(data: &'a [u8]) -> Option<Self> {
        // A list would be read as the fields in their order.
        if data.trim_ascii_start().first() != Some(&b'{') {
            return None;
        }
        serde_json::from_slice::<Glance>(data).ok().map(Self::of_glance)
    }

    fn of_glance(glance: Glance<'a>) -> Self {
        Self {
            kind: glance.kind,
            id: if glance.item_id.trim().is_empty() { glance.item.id } else { glance.item_id },
            index: glance.output_index,
            part: glance.content_index.unwrap_or(0),
            sequence: glance.sequence_number,
            delta: glance.delta,
            item: glance.item.kind,
            lists_calls: glance.response.output.iter().any(|item| item.kind == "function_call"),
            bare_error: false,
        }
    }

    /// An event of an unusual form. `name` is what stands beside the data.
    pub(super) fn of_value(value: &Value, name: Option<&str>) -> Event<'static> {
        let number = |key: &str| {
            let value = value.get(key)?;
            value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
        };
        let owned = |text: &str| Cow::Owned(text.to_owned());
        let kind = Some(text_of(value, "type")).filter(|kind| !kind.is_empty()).or(name).unwrap_or_default();
        let item = value.get("item").unwrap_or(&Value::Null);
        let id = Some(text_of(value, "item_id")).filter(|id| !id.trim().is_empty()).unwrap_or(text_of(item, "id"));
        let listed = value.pointer("/response/output").or(value.get("output")).and_then(Value::as_array);
        let error = value.get("error").is_some_and(|error| error.is_object() || error.is_string());
        Event {
            kind: owned(kind),
            id: owned(id),
            index: number("output_index"),
            part: number("content_index").unwrap_or(0),
            sequence: number("sequence_number"),
            delta: owned(text_of(value, "delta")),
            item: owned(text_of(item, "type")),
            lists_calls: listed.is_some_and(|items| items.iter().any(is_call)),
            bare_error: error && !kind.starts_with("response."),
        }
    }

    /// Whether it says that the answer failed.
    pub(super) fn is_failure(&self) -> bool {
        self.bare_error || matches!(self.kind.as_ref(), "error" | "response.failed" | "response.cancelled")
    }

    /// Whether it is the last of an answer that did not fail.
    pub(super) fn is_last(&self) -> bool {
        matches!(self.kind.as_ref(), "response.completed" | "response.incomplete" | "response.done")
    }

    /// Whether it is about an item, and not about the whole response.
    pub(super) fn is_of_item(&self) -> bool {
        self.index.is_some() || !self.id.trim().is_empty() || !self.item.is_empty() || is_text(&self.kind)
    }
}

fn is_text(kind: &str) -> bool {
    matches!(kind, TEXT_DELTA | TEXT_DONE | PART_DONE)
}

pub(super) const ITEM_ADDED: &str = "response.output_item.added";
pub(super) const ITEM_DONE: &str = "response.output_item.done";
pub(super) const TEXT_DELTA: &str = "response.output_text.delta";
pub(super) const TEXT_DONE: &str = "response.output_text.done";
pub(super) const PART_ADDED: &str = "response.content_part.added";
pub(super) const PART_DONE: &str = "response.content_part.done";
pub(super) const ARGUMENTS_DELTA: &str = "response.function_call_arguments.delta";
pub(super) const ARGUMENTS_DONE: &str = "response.function_call_arguments.done";
