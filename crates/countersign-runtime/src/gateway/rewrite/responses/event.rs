//! One event of a responses stream, read only as far as it must be known to say what is done with it.
//!
//! Most events are read without a copy. Those of an unusual form are read again, slowly and forgivingly.

use super::form::{Role, text_of};
use crate::gateway::rewrite::UnknownItems;
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
    /// What that item is to the client.
    role: Role,
    /// What the items that the response lists are.
    listed: Vec<Role>,
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
    #[serde(borrow, default)]
    call_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    execution: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    environment: Option<Environment<'a>>,
}

#[derive(Deserialize)]
struct Environment<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
}

impl ItemGlance<'_> {
    fn role(&self) -> Role {
        let place = self.environment.as_ref().map_or("", |place| place.kind.as_ref());
        let hosted = place.starts_with("container") || self.execution.as_deref() == Some("server");
        Role::of_kind(&self.kind, self.call_id.as_deref().is_some_and(|id| !id.is_empty()), hosted)
    }
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
        let role = glance.item.role();
        Self {
            kind: glance.kind,
            id: if glance.item_id.trim().is_empty() { glance.item.id } else { glance.item_id },
            index: glance.output_index,
            part: glance.content_index.unwrap_or(0),
            sequence: glance.sequence_number,
            delta: glance.delta,
            role,
            item: glance.item.kind,
            listed: glance.response.output.iter().map(ItemGlance::role).filter(|role| *role != Role::Shown).collect(),
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
            role: Role::of(item),
            listed: listed.into_iter().flatten().map(Role::of).filter(|role| *role != Role::Shown).collect(),
            bare_error: error && !kind.starts_with("response."),
        }
    }

    /// Whether it is about an item that is held.
    pub(super) fn is_held(&self, unknown: UnknownItems) -> bool {
        self.role.is_held(unknown)
    }

    /// Whether the response that it holds lists items that are held.
    pub(super) fn lists_held(&self, unknown: UnknownItems) -> bool {
        self.listed.iter().any(|role| role.is_held(unknown))
    }

    /// Whether it is a piece of a call, and so held, even where the beginning of the call was not told.
    pub(super) fn is_piece_of_call(&self) -> bool {
        PIECES.iter().any(|begin| self.kind.starts_with(begin))
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
pub(super) const INPUT_DELTA: &str = "response.custom_tool_call_input.delta";
pub(super) const INPUT_DONE: &str = "response.custom_tool_call_input.done";
/// How the events begin that tell a call piece by piece.
const PIECES: &[&str] = &[
    "response.function_call_arguments.",
    "response.custom_tool_call_input.",
    "response.shell_call_command.",
    "response.apply_patch_call_operation_diff.",
];
