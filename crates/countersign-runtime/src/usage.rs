//! What an answer cost, as the upstream counts: read from the answer on its way, in all three dialects.
//!
//! A stream tells it once or again and again, with growing figures; the last word counts. An upstream that tells nothing
//! costs nothing here: tokens are never guessed. The gateway reads it from bytes, hosted turns from what their parser kept.

use crate::metrics::{Metrics, Tokens};
use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads what an answer cost.
#[derive(Debug, Default)]
pub(crate) struct UsageReader {
    tokens: Tokens,
}

impl UsageReader {
    /// Looks at an event of a stream, or at a whole answer.
    pub(crate) fn read(&mut self, json: &[u8]) {
        if memmem::find(json, b"\"usage\"").is_none() {
            return;
        }
        let Ok(told) = serde_json::from_slice::<Told>(json) else { return };
        let inner = [told.message, told.response].into_iter().flatten().filter_map(|inner| inner.usage);
        for seen in told.usage.into_iter().chain(inner).map(Tokens::from) {
            let known = self.tokens;
            self.tokens = Tokens {
                input: known.input.max(seen.input),
                output: known.output.max(seen.output),
                cached: known.cached.max(seen.cached),
            };
        }
    }

    /// What it was so far.
    pub(crate) fn tokens(&self) -> Tokens {
        self.tokens
    }
}

/// What an answer cost, by the member `usage` that was kept of it.
pub(crate) fn read_usage(usage: &Value) -> Tokens {
    Usage::deserialize(usage).map(Tokens::from).unwrap_or_default()
}

/// Counts what an answer cost: for its caller and its model, and for each tool that it called.
pub(crate) fn count<'a>(
    metrics: &Metrics,
    tokens: Tokens,
    caller: &str,
    model: Option<&str>,
    tools: impl Iterator<Item = &'a str>,
) {
    metrics.count_tokens(caller, model.unwrap_or("default"), tokens);
    for tool in tools.collect::<BTreeSet<_>>() {
        metrics.count_tool_tokens(tool, tokens);
    }
}

/// Tells whoever watches what an answer cost.
pub(crate) fn record(span: &tracing::Span, tokens: Tokens) {
    if tokens != Tokens::default() {
        span.record("gen_ai.usage.input_tokens", tokens.input);
        span.record("gen_ai.usage.output_tokens", tokens.output);
    }
}

#[derive(Deserialize)]
struct Told {
    usage: Option<Usage>,
    message: Option<Inner>,
    response: Option<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    input_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        let cached = [usage.prompt_tokens_details, usage.input_tokens_details].into_iter().flatten();
        let cached = cached.filter_map(|details| details.cached_tokens).chain(usage.cache_read_input_tokens).max();
        Self {
            input: usage.prompt_tokens.or(usage.input_tokens).unwrap_or(0),
            output: usage.completion_tokens.or(usage.output_tokens).unwrap_or(0),
            cached: cached.unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-4
    #[test]
    fn every_dialect_tells_its_cost_and_the_last_word_counts() {
        let read = |events: &[&str]| {
            let mut reader = UsageReader::default();
            events.iter().for_each(|event| reader.read(event.as_bytes()));
            let Tokens { input, output, cached } = reader.tokens();
            (input, output, cached)
        };
        assert_eq!(
            read(&[
                r#"{"choices":[],"usage":null}"#,
                r#"{"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":2}}}"#
            ]),
            (9, 4, 2)
        );
        assert_eq!(
            read(&[
                r#"{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}}"#,
                r#"{"type":"message_delta","usage":{"output_tokens":25}}"#
            ]),
            (7, 25, 3)
        );
        assert_eq!(
            read(&[
                r#"{"type":"response.created","response":{"usage":null}}"#,
                r#"{"type":"response.completed","response":{"usage":{"input_tokens":5,"output_tokens":6,"input_tokens_details":{"cached_tokens":1}}}}"#
            ]),
            (5, 6, 1)
        );
        for nothing in [
            "[DONE]",
            r#"{"usage":"none"}"#,
            r#"{"usage":{"prompt_tokens":-1}}"#,
            r#"{"text":"\"usage\""}"#,
            "",
            "\"usage\"",
        ] {
            assert_eq!(read(&[nothing]), (0, 0, 0), "{nothing}");
        }
    }
}
