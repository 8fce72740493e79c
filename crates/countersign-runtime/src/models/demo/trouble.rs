//! Why a request cannot be answered, in the form that each dialect's clients read.

use serde_json::{Value, json};

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    /// The HTTP status.
    pub(super) status: u16,
    /// What is wrong and what to do.
    pub(super) message: String,
    /// The field it is about.
    pub(super) field: Option<&'static str>,
    /// A word for programs.
    pub(super) code: Option<&'static str>,
}

impl Trouble {
    /// A field that is absent or of the wrong kind.
    pub(super) fn field(field: &'static str, what: &str) -> Self {
        Self { status: 400, message: format!("{field}: {what}"), field: Some(field), code: None }
    }

    /// A body that is no JSON object.
    pub(super) fn body(what: &str) -> Self {
        Self { status: 400, message: format!("the body cannot be read: {what}"), field: None, code: None }
    }

    /// A demo model that does not exist.
    pub(super) fn model(name: &str, known: &str) -> Self {
        let name: String = name.chars().take(NAME).collect();
        let message = format!("the model `{name}` does not exist; ask for one of {known}");
        Self { status: 404, message, field: Some("model"), code: Some("model_not_found") }
    }

    /// As OpenAI's servers say it.
    pub(super) fn openai(&self) -> Value {
        let error = json!({
            "message": self.message, "type": "invalid_request_error", "param": self.field, "code": self.code,
        });
        json!({"error": error})
    }

    /// As Anthropic's servers say it.
    pub(super) fn anthropic(&self) -> Value {
        let kind = if self.status == 404 { "not_found_error" } else { "invalid_request_error" };
        json!({"type": "error", "error": {"type": kind, "message": self.message}})
    }
}

const NAME: usize = 80;
