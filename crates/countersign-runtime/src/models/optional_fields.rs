//! What a model is asked for that not every server gives: the log-probabilities of its tokens, and what they cost.
//!
//! Some servers refuse a request that has a field which they do not know. Such a one is asked again without it, once,
//! and not for it again for a good while: nobody waits twice for the same refusal.

use super::ModelError;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Whether a model is asked for log-probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Logprobs {
    /// Where it gives them.
    #[default]
    Auto,
    /// Always; readers are warned where none come.
    On,
    /// Never.
    Off,
}

/// A field that not every server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum OptionalField {
    /// Log-probabilities of the tokens.
    Logprobs,
    /// What the answer cost, at the end of the stream.
    Usage,
}

impl OptionalField {
    /// All of them.
    pub(super) const ALL: [Self; 2] = [Self::Logprobs, Self::Usage];

    /// Its name in a request.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Logprobs => "logprobs",
            Self::Usage => "stream_options",
        }
    }

    /// What is sent.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Logprobs => Value::Bool(true),
            Self::Usage => json!({"include_usage": true}),
        }
    }

    /// How servers name it when they refuse it.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Logprobs => &["logprob", "log_prob", "log prob"],
            Self::Usage => &["stream_options", "stream options", "streamoptions", "include_usage"],
        }
    }
}

/// The models that have refused a field.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<HashMap<(OptionalField, String), Instant>>);

impl Refusals {
    /// Whether a model is asked for log-probabilities now.
    pub(super) fn asks_logprobs(&self, wanted: Logprobs, model: &str) -> bool {
        match wanted {
            Logprobs::Off => false,
            Logprobs::On => true,
            Logprobs::Auto => self.asks(OptionalField::Logprobs, model),
        }
    }

    /// Whether a model may be sent a field now.
    pub(super) fn asks(&self, field: OptionalField, model: &str) -> bool {
        self.kept().get(&(field, model.to_owned())).is_none_or(|at| at.elapsed() >= REMEMBERED)
    }

    /// Remembers that a model has refused a field.
    pub(super) fn remember(&self, field: OptionalField, model: &str) {
        let mut kept = self.kept();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert((field, model.to_owned()), Instant::now());
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<(OptionalField, String), Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which of the fields that were sent an error refuses: those that it names, or all where it says that a field is unknown and
/// names none of the others that are sent.
pub(super) fn refused(error: &ModelError, sent: &[OptionalField]) -> Vec<OptionalField> {
    let ModelError::Status { status: 400 | 422, message, .. } = error else { return Vec::new() };
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let named: Vec<_> = sent.iter().copied().filter(|field| says(field.words())).collect();
    match named.is_empty() && says(&OF_FIELDS) && !says(&OTHER_FIELDS) {
        true => sent.to_vec(),
        false => named,
    }
}

/// How servers say that they do not know a field.
const OF_FIELDS: [&str; 12] = [
    "unknown parameter",
    "unknown field",
    "unknown argument",
    "unrecognized request argument",
    "unrecognized field",
    "unexpected field",
    "unexpected keyword",
    "unsupported parameter",
    "unsupported field",
    "extra inputs are not permitted",
    "extra fields not permitted",
    "additional properties",
];
/// What else is sent: a refusal that names one of these is about that.
const OTHER_FIELDS: [&str; 8] = ["tool", "function", "message", "stream", "model", "image", "content", "role"];
/// How long a refusal is remembered.
const REMEMBERED: Duration = Duration::from_secs(6 * 3600);
/// So many models are remembered.
const MOST: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-3, SERVE-4: only a refusal of the field itself is worth a second request.
    #[test]
    fn a_refusal_of_a_field_is_told_from_others() {
        use OptionalField::{Logprobs, Usage};
        let error =
            |status, message: &str| ModelError::Status { status, message: message.to_owned(), retry_after_ms: None };
        let both = [Logprobs, Usage].as_slice();
        for (status, message, refuses) in [
            (400, "Unrecognized request argument supplied: logprobs", &[Logprobs] as &[OptionalField]),
            (400, "'logprobs' is not supported with this model", &[Logprobs]),
            (422, r#"{"detail":[{"type":"extra_forbidden","loc":["body","logprobs"]}]}"#, &[Logprobs]),
            (400, "Unsupported parameter: 'stream_options'", &[Usage]),
            (
                422,
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"]}]}"#,
                &[Usage],
            ),
            (422, "Extra inputs are not permitted", both),
            (400, "unknown field in request", both),
            (400, "Unsupported parameter: tools", &[]),
            (422, "messages[0]: unknown field `image_url`", &[]),
            (400, "max_tokens is too large", &[]),
            (401, "logprobs need a key", &[]),
            (404, "the model `logprobs` does not exist", &[]),
            (429, "too many requests with logprobs", &[]),
            (500, "logprobs broke", &[]),
        ] {
            assert_eq!(refused(&error(status, message), both), refuses, "{status} {message}");
        }
        assert!(refused(&error(400, "no stream_options here"), &[Logprobs]).is_empty());
        assert!(refused(&ModelError::Silent(40), both).is_empty());
    }

    // SCORE-3, SERVE-4: a refusal is remembered for its model and its field, and for a while.
    #[tokio::test(start_paused = true)]
    async fn who_refused_is_not_asked_for_a_while() {
        let refusals = Refusals::default();
        refusals.remember(OptionalField::Logprobs, "small");
        assert!(!refusals.asks_logprobs(Logprobs::Auto, "small") && refusals.asks_logprobs(Logprobs::Auto, "large"));
        assert!(refusals.asks_logprobs(Logprobs::On, "small") && !refusals.asks_logprobs(Logprobs::Off, "large"));
        assert!(refusals.asks(OptionalField::Usage, "small"));
        tokio::time::advance(REMEMBERED).await;
        assert!(refusals.asks_logprobs(Logprobs::Auto, "small"));
    }
}
