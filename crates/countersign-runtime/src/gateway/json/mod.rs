//! JSON text of a model or a client: read with patience, and changed in place.
//!
//! Whatever is changed in a text, its other bytes stay as they came: `1.10` stays `1.10`, a number of thirty digits keeps
//! all of them, and fields that nobody here knows keep their order and their blanks. What is read is only used to
//! decide; it is never written back in place of the text.

/// Reading.
mod read;
/// Keys that stand there twice.
mod repeats;
/// Changing.
mod edit;

pub(crate) use edit::{find, put, rewrite};
pub(crate) use read::{Read, read};
pub(crate) use repeats::{without_repeats, without_repeats_around_calls};

use serde_json::Value;
use std::borrow::Cow;

/// A text, what it says, and what it is to say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    text: String,
    before: Value,
    /// What it is to say.
    pub value: Value,
    /// Whether the text is the one that came, or lost keys that stood there twice.
    pub cleaned: bool,
}

impl Document {
    /// Reads bytes that came from an upstream. Around calls the last of each key alone is kept.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let Read { value, repeats, .. } = read(&text)?;
        let clean = if repeats { without_repeats_around_calls(&text) } else { String::new() };
        let cleaned = repeats && clean != text;
        let text = if cleaned { clean } else { text.into_owned() };
        Some(Self { text, before: value.clone(), value, cleaned })
    }

    /// A text of our own.
    pub(crate) fn new(value: Value) -> Self {
        Self { value, ..Self::default() }
    }

    /// The text as it came.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is to say something else.
    pub(crate) fn is_changed(&self) -> bool {
        self.value != self.before
    }

    /// The text of what it is to say.
    pub(crate) fn write(&self) -> Cow<'_, str> {
        match self.text.is_empty() {
            true => Cow::Owned(self.value.to_string()),
            false if self.is_changed() => Cow::Owned(rewrite(&self.text, &self.before, &self.value)),
            false => Cow::Borrowed(&self.text),
        }
    }
}
