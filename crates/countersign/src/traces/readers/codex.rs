//! Rollouts of Codex: response items with their place in the turn.

use super::Reader;
use crate::contract::Role;
use crate::traces::form::{Format, Tokens, Trace};
use crate::traces::record::Record;
use crate::wire::messages::read_message;
use serde_json::Value;

/// A rollout.
#[derive(Default)]
pub(super) struct Rollout(Option<Trace>);

impl Reader for Rollout {
    fn read(&mut self, record: &Record<'_>, _: &mut Vec<Trace>) -> Result<(), String> {
        let line = record.value()?;
        let trace = self.0.get_or_insert_with(|| Trace::new(Format::Codex, record.line));
        let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        // Older rollouts have the items themselves.
        let (kind, payload) = match line.get("payload") {
            Some(payload) => (word(&line, "type").unwrap_or_default(), payload),
            None => ("response_item".to_owned(), &line),
        };
        match kind.as_str() {
            "session_meta" => {
                trace.id = word(payload, "id").or(trace.id.take());
                trace.cwd = word(payload, "cwd").unwrap_or_default();
                trace.whole &= payload.get("forked_from_id").is_none_or(Value::is_null);
            }
            "turn_context" => {
                trace.model = word(payload, "model").or(trace.model.take());
                if let Some(cwd) = word(payload, "cwd") {
                    trace.cwd = cwd;
                }
            }
            "event_msg" | "token_usage_record" => {
                let usage = payload.pointer("/info/total_token_usage").or_else(|| payload.get("total_token_usage"));
                if let Some(usage) = usage {
                    trace.tokens = Tokens::read(usage);
                }
            }
            "compacted" => trace.whole = false,
            "response_item" => push_item(trace, payload, record),
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        self.0.take().into_iter().collect()
    }
}

fn push_item(trace: &mut Trace, item: &Value, record: &Record<'_>) {
    if item.get("type").and_then(Value::as_str) == Some("reasoning") {
        return;
    }
    let Some(mut message) = read_message(item) else { return };
    // The program tells the model about its surroundings in the user's place.
    if message.role == Role::User && TOLD.iter().any(|tag| message.text.trim_start().starts_with(tag)) {
        message.role = Role::System;
    }
    for result in &mut message.results {
        let code = result.content.pointer("/metadata/exit_code").and_then(Value::as_i64);
        result.is_error |= code.is_some_and(|code| code != 0);
        if let Some(output) = result.content.get_mut("output").filter(|output| output.is_string()).map(Value::take) {
            result.content = output;
        }
    }
    trace.push(message, |id| record.line_of(id));
}

const TOLD: &[&str] = &["<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions", "<hook_prompt"];
