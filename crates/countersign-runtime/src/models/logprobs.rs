//! Whether a model is asked for the log-probabilities of its tokens, and who has refused to give them.
//!
//! Not every server knows the field, and some refuse a request that has it. Such a one is asked again without it, once,
//! and not for it again for a good while: nobody waits twice for the same refusal.

use super::ModelError;
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

/// The models that have refused.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<HashMap<String, Instant>>);

impl Refusals {
    /// Whether a model is asked for them now.
    pub(super) fn asks(&self, wanted: Logprobs, model: &str) -> bool {
        match wanted {
            Logprobs::Off => false,
            Logprobs::On => true,
            Logprobs::Auto => self.kept().get(model).is_none_or(|at| at.elapsed() >= REMEMBERED),
        }
    }

    /// Remembers that a model has refused.
    pub(super) fn remember(&self, model: &str) {
        let mut kept = self.kept();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(model.to_owned(), Instant::now());
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an error refuses the field: it names it, or says that a field is unknown and names none of the others that are
/// sent. Only worth asking where the field was sent.
pub(super) fn is_refused(error: &ModelError) -> bool {
    let ModelError::Status { status: 400 | 422, message, .. } = error else { return false };
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    says(&OF_LOGPROBS) || (says(&OF_FIELDS) && !says(&OTHER_FIELDS))
}

/// How servers name the field.
const OF_LOGPROBS: [&str; 3] = ["logprob", "log_prob", "log prob"];
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

    // SCORE-3: only a refusal of the field itself is worth a second request.
    #[test]
    fn a_refusal_of_logprobs_is_told_from_others() {
        let error =
            |status, message: &str| ModelError::Status { status, message: message.to_owned(), retry_after_ms: None };
        for (status, message, refuses) in [
            (400, "Unrecognized request argument supplied: logprobs", true),
            (400, "'logprobs' is not supported with this model", true),
            (422, r#"{"detail":[{"type":"extra_forbidden","loc":["body","logprobs"]}]}"#, true),
            (422, "Extra inputs are not permitted", true),
            (400, "unknown field in request", true),
            (400, "Unsupported parameter: tools", false),
            (422, "messages[0]: unknown field `image_url`", false),
            (400, "max_tokens is too large", false),
            (401, "logprobs need a key", false),
            (404, "the model `logprobs` does not exist", false),
            (429, "too many requests with logprobs", false),
            (500, "logprobs broke", false),
        ] {
            assert_eq!(is_refused(&error(status, message)), refuses, "{status} {message}");
        }
        assert!(!is_refused(&ModelError::Silent(40)));
    }

    // SCORE-3: a refusal is remembered for its model, and for a while.
    #[tokio::test(start_paused = true)]
    async fn who_refused_is_not_asked_for_a_while() {
        let refusals = Refusals::default();
        refusals.remember("small");
        assert!(!refusals.asks(Logprobs::Auto, "small") && refusals.asks(Logprobs::Auto, "large"));
        assert!(refusals.asks(Logprobs::On, "small") && !refusals.asks(Logprobs::Off, "large"));
        tokio::time::advance(REMEMBERED).await;
        assert!(refusals.asks(Logprobs::Auto, "small"));
    }
}
