//! What a chunk of a chat completion is read for at first sight.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Deref;

/// The parts of a chunk that decide what is done with it.
#[derive(Deserialize)]
pub(super) struct Glance<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<ChoiceGlance<'a>>>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct ChoiceGlance<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) delta: Option<DeltaGlance<'a>>,
    #[serde(borrow, default)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct DeltaGlance<'a> {
    #[serde(borrow, default)]
    pub(super) content: Option<Text<'a>>,
    #[serde(borrow, default, alias = "reasoning")]
    pub(super) reasoning_content: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) function_call: Option<&'a RawValue>,
    /// Words of a refusal, and sound: such a chunk is read whole.
    #[serde(borrow, default, alias = "audio")]
    pub(super) refusal: Option<&'a RawValue>,
}

/// One call in a list that has no other.
#[derive(Deserialize)]
pub(super) struct CallGlance<'a> {
    #[serde(borrow)]
    pub(super) function: FunctionGlance<'a>,
}

#[derive(Deserialize)]
pub(super) struct FunctionGlance<'a> {
    #[serde(borrow)]
    pub(super) arguments: &'a RawValue,
}

/// A string, as it stands there where it has no escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What a chunk says with one string.
pub(super) enum Said {
    /// Text of a choice.
    Text(u64),
    /// Arguments of a call of a choice that is held, as its reader takes them.
    Arguments(u64, Value),
}

impl Said {
    /// The arguments in such a chunk.
    pub(super) fn arguments(chunk: &mut Value) -> Option<&mut Value> {
        let delta = chunk.get_mut("choices")?.get_mut(0)?.get_mut("delta")?;
        delta.get_mut("tool_calls")?.get_mut(0)?.get_mut("function")?.get_mut("arguments")
    }
}
