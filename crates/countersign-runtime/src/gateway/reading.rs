//! What one answer is read and decided with.

use super::call_resolution::CallResolution;
use super::held::{Held, Settled};
use super::rewrite::{Extend, Options, UnknownItems};
use super::traffic::OpenExchange;
use super::wire::Wire;
use crate::metrics::Tokens;
use crate::usage;
use countersign::parse::KnownTools;
use countersign::wire::claims::ClaimsRequest;
use serde_json::{Value, json};
use std::time::Duration;

/// Whether claims are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claims {
    /// No.
    Unwanted,
    /// In an extension field.
    Wanted,
}

/// Everything that one answer is read with.
pub struct Reading {
    /// Its dialect.
    pub wire: Wire,
    /// Decides about its calls.
    pub resolution: CallResolution,
    /// The tools to look for in its text.
    pub text_tools: Option<KnownTools>,
    /// What becomes of its items that nobody here knows.
    pub unknown_items: UnknownItems,
    /// Whether its claims are wanted.
    pub claims: Claims,
    /// What was said of the results that the request brought.
    pub verdicts: Vec<(String, &'static str)>,
    /// How often a stream that is held carries a comment.
    pub heartbeat: Duration,
    /// Its exchange, on record for people.
    pub exchange: OpenExchange,
    /// The answer for whoever watches; it ends with this.
    pub span: tracing::Span,
}

impl Reading {
    /// Counts what the answer cost.
    pub(super) fn count(&self, tokens: Tokens, held: &Held) {
        let judging = &self.resolution.judging;
        let tools = held.choices.iter().flat_map(|choice| &choice.calls).map(|call| call.name.as_str());
        usage::count(&judging.metrics, tokens, &judging.caller, judging.asked.model.as_deref(), tools);
        usage::record(&self.span, tokens);
    }

    /// Decides about everything that is held.
    pub async fn settle(self, held: Held) -> Settled {
        let extension = self.extension(&held);
        let (verdicts, exchange) = (self.verdicts, self.exchange);
        let said = held.choices.first().map(|choice| choice.text.clone()).unwrap_or_default();
        if !self.resolution.concerns(&held) {
            let settled = Settled { extension, verdicts, ..Settled::default() };
            exchange.answer(&said, &settled);
            return settled;
        }
        // Most answers hold no call and must not carry what deciding about one needs.
        let mut settled = Box::pin(self.resolution.resolve(held)).await;
        settled.verdicts.extend(verdicts);
        exchange.answer(&said, &settled);
        Settled { extension, ..settled }
    }

    /// The field that tells the claims of the answer, where they are wanted.
    fn extension(&self, held: &Held) -> Option<Value> {
        if self.claims == Claims::Unwanted {
            return None;
        }
        let text = held.choices.first().map(|choice| choice.text.clone()).unwrap_or_default();
        let request = ClaimsRequest { id: Value::Null, text };
        let report = countersign::inspect::claims::claims(request, &self.resolution.judging.rules.policy);
        Some(json!({"needs_verify": report.needs_verify, "claims": report.claims}))
    }

    /// How a stream of it is written again.
    pub fn options(&self) -> Options {
        let waits = self.resolution.may_call || self.resolution.judging.asked.has_results();
        let extend = match self.claims {
            Claims::Wanted => Extend::Field,
            Claims::Unwanted if waits || !self.verdicts.is_empty() => Extend::Wait,
            Claims::Unwanted => Extend::No,
        };
        Options { text_tools: self.text_tools.clone(), extend, unknown_items: self.unknown_items }
    }
}
