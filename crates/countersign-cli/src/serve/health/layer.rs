//! What is said about a layer: how it is, since when, and why.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// How a layer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Well.
    Healthy,
    /// Working, with less.
    Degraded,
    /// Not working.
    Unhealthy,
}

impl Status {
    /// The word on the wire.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Unhealthy => "unhealthy",
        }
    }
}

/// What one look saw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Look {
    status: Status,
    note: Option<String>,
    details: Map<String, Value>,
}

impl Look {
    /// It is well.
    pub(crate) fn healthy() -> Self {
        Self { status: Status::Healthy, note: None, details: Map::new() }
    }

    /// It works, with less.
    pub(crate) fn degraded(note: impl Into<String>) -> Self {
        Self { status: Status::Degraded, note: Some(note.into()), details: Map::new() }
    }

    /// It does not work.
    pub(crate) fn unhealthy(note: impl Into<String>) -> Self {
        Self { status: Status::Unhealthy, note: Some(note.into()), details: Map::new() }
    }

    /// With a word about it.
    pub(crate) fn noting(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    /// With a number or a name more.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// How it is.
    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// A word about it.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

/// A layer.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    last: Look,
    since: Timestamp,
}

impl Layer {
    /// A layer that was looked at for the first time.
    pub(crate) fn new(look: Look) -> Self {
        Self { last: look, since: Timestamp::now() }
    }

    /// Looked at again.
    pub(crate) fn see(&mut self, look: Look) {
        if look.status != self.last.status {
            self.since = Timestamp::now();
        }
        self.last = look;
    }

    /// How it is.
    pub(crate) fn status(&self) -> Status {
        self.last.status
    }

    /// Why.
    pub(crate) fn note(&self) -> Option<&str> {
        self.last.note.as_deref()
    }

    /// As the wire shows it.
    pub(crate) fn show(&self) -> Value {
        let mut shown = Map::new();
        shown.insert("status".to_owned(), self.last.status.name().into());
        shown.insert("since".to_owned(), self.since.to_string().into());
        if let Some(note) = &self.last.note {
            shown.insert("note".to_owned(), note.as_str().into());
        }
        shown.extend(self.last.details.clone());
        Value::Object(shown)
    }
}
