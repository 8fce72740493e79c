//! The three dialects that clients speak, and how each of them says that something went wrong.
//!
//! Clients read errors by their form: an error in another dialect's words is a crash in their parser.

use bytes::Bytes;
use countersign::parse::native::Dialect;
use serde_json::{Value, json};

/// A dialect on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// OpenAI chat completions.
    Chat,
    /// OpenAI responses.
    Responses,
    /// Anthropic messages.
    Messages,
}

impl Wire {
    /// The dialect of its answers.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Chat => Dialect::OpenAi,
            Self::Responses => Dialect::Responses,
            Self::Messages => Dialect::Anthropic,
        }
    }

    /// Its name in settings, records and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// The key of the conversation in a request.
    pub const fn conversation(self) -> &'static str {
        match self {
            Self::Responses => "input",
            Self::Chat | Self::Messages => "messages",
        }
    }

    /// What an id of a call begins with.
    pub const fn call_prefix(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "call",
            Self::Messages => "toolu",
        }
    }
}

/// Something that went wrong, before it is said in a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The status, where none was sent yet.
    pub status: u16,
    /// A word for machines.
    pub code: &'static str,
    /// A sentence for people.
    pub message: String,
    /// After how many seconds trying again may help.
    pub retry_after: Option<u64>,
}

impl Fault {
    /// A fault.
    pub fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None }
    }

    /// The upstream's answer broke off.
    pub fn cut(why: &str) -> Self {
        Self::new(502, "upstream_cut", format!("the upstream's answer broke off: {why}"))
    }

    /// The body of an answer that is an error.
    pub fn body(&self, wire: Wire) -> Value {
        match wire {
            Wire::Messages => json!({
                "type": "error",
                "error": {"type": self.anthropic_type(), "message": self.message},
            }),
            Wire::Chat | Wire::Responses => json!({"error": self.openai()}),
        }
    }

    /// The event that ends a stream. `sequence` is the number that a responses stream expects next.
    pub fn event(&self, wire: Wire, sequence: u64) -> Bytes {
        let frame = match wire {
            Wire::Chat => format!("data: {}\n\n", json!({"error": self.openai()})),
            Wire::Messages => format!("event: error\ndata: {}\n\n", self.body(wire)),
            Wire::Responses => {
                let event = json!({
                    "type": "error", "code": self.code, "message": self.message, "param": null,
                    "sequence_number": sequence, "error": self.openai(),
                });
                format!("event: error\ndata: {event}\n\n")
            }
        };
        Bytes::from(frame)
    }

    fn openai(&self) -> Value {
        let kind = match self.status {
            400..=499 => "invalid_request_error",
            503 => "service_unavailable_error",
            _ => "api_error",
        };
        json!({"message": self.message, "type": kind, "param": null, "code": self.code})
    }

    const fn anthropic_type(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            503 | 529 => "overloaded_error",
            504 => "timeout_error",
            _ => "api_error",
        }
    }
}
