//! Which way a model writes, by name.

use super::formats::Format;
use super::native::Dialect;
use super::tags::{self, TagProtocol};
use serde_json::Value;
use std::sync::Arc;

/// How an output is to be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Protocol {
    /// Calls in any known format, recognised from the text and the registered tools.
    Auto,
    /// Calls in one format.
    Format(&'static Format),
    /// One JSON value, aligned to a schema where one is given.
    Json(Option<Value>),
    /// A protocol of tags.
    Tags(Arc<TagProtocol>),
    /// The stream or the whole response of a hosted model.
    Native(Dialect),
}

impl Protocol {
    /// The protocol of that name; `schema` is used by `json` alone.
    pub fn from_name(name: &str, schema: Option<&Value>) -> Option<Self> {
        Some(match name {
            "auto" | "" => Self::Auto,
            "json" => Self::Json(schema.cloned()),
            "concierge" => Self::Tags(tags::concierge()),
            other => match Dialect::from_name(other) {
                Some(dialect) => Self::Native(dialect),
                None => Self::Format(Format::from_name(other)?),
            },
        })
    }

    /// All names, for messages and help.
    pub fn names() -> Vec<&'static str> {
        let own = ["auto", "json", "concierge", "openai", "anthropic", "responses"];
        own.into_iter().chain(Format::names()).collect()
    }
}
