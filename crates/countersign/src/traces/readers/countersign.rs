//! What Countersign itself writes: verdicts of the audit and of the commands, and sessions as they are exported.

use super::Reader;
use crate::contract::{Arguments, Message, Role, ToolCall, ToolResult};
use crate::traces::form::{Format, Recorded, Trace};
use crate::traces::record::Record;
use serde_json::Value;

/// Verdicts and events.
#[derive(Default)]
pub(super) struct Own {
    session: Option<Trace>,
    verdicts: Option<Trace>,
}

impl Reader for Own {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let line = record.value()?;
        if let Some(events) = record.elements(Some("events")) {
            for event in events {
                self.add_event(&event.value()?, event.line);
            }
        } else if let Some(verdicts) = record.elements(Some("verdicts")) {
            for verdict in verdicts {
                self.add_verdict(&verdict.value()?, verdict.line);
            }
        } else if line.get("event_type").is_some() {
            self.add_event(&line, record.line);
        } else if line.get("status").is_some() || line.get("is_suspicious").is_some() {
            self.add_verdict(&line, record.line);
        }
        // Verdicts stand alone: a long file of them is given out in parts.
        if self.verdicts.as_ref().is_some_and(|trace| trace.recorded.len() >= MAX_VERDICTS) {
            out.extend(self.verdicts.take());
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        self.session.take().into_iter().chain(self.verdicts.take()).collect()
    }
}

impl Own {
    fn add_verdict(&mut self, verdict: &Value, line: u64) {
        let trace = self.verdicts.get_or_insert_with(|| Trace::new(Format::Countersign, line));
        let inner = verdict.get("verdict").filter(|inner| inner.is_object()).unwrap_or(verdict);
        let word = |keys: &[&str]| {
            keys.iter()
                .find_map(|at| verdict.pointer(at)?.as_str().or_else(|| inner.pointer(at)?.as_str()))
                .map(str::to_owned)
        };
        let suspicious = inner.get("is_suspicious").and_then(Value::as_bool);
        let status = word(&["/status"])
            .unwrap_or_else(|| if suspicious == Some(true) { "suspicious" } else { "approved" }.to_owned());
        let kind = word(&["/kind"]).unwrap_or_else(|| if suspicious.is_some() { "result" } else { "call" }.to_owned());
        trace.recorded.push(Recorded {
            kind,
            tool: word(&["/tool", "/tool_name", "/call/name"]),
            status,
            findings: inner.get("findings").and_then(Value::as_array).cloned().unwrap_or_default(),
            line,
        });
    }

    fn add_event(&mut self, event: &Value, line: u64) {
        let trace = self.session.get_or_insert_with(|| Trace::new(Format::Countersign, line));
        let payload = event.get("payload").unwrap_or(&Value::Null);
        let word = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
        trace.id = trace.id.take().or_else(|| event.get("session_id")?.as_str().map(str::to_owned));
        let id = word("call_id").or_else(|| word("id"));
        let message = match event.get("event_type").and_then(Value::as_str) {
            Some("message") => {
                let source =
                    event.get("agent_source").and_then(Value::as_str).or_else(|| payload.get("role")?.as_str());
                let role = if source == Some("user") { Role::User } else { Role::Assistant };
                Message::text(role, word("content").unwrap_or_default())
            }
            Some("tool_call") => {
                let arguments = payload.get("arguments").cloned().map_or(Arguments::Absent, Arguments::from);
                let mut message = Message::text(Role::Assistant, "");
                message.calls.push(ToolCall { id, name: word("name").unwrap_or_default(), arguments });
                message
            }
            Some("tool_result") => {
                let content = payload.get("content").cloned().unwrap_or_default();
                let is_error = payload.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                let mut message = Message::text(Role::Tool, "");
                message.results.push(ToolResult { call_id: id, name: word("name"), content, is_error, seal: None });
                message
            }
            _ => return,
        };
        trace.push(message, |_| line);
    }
}

const MAX_VERDICTS: usize = 1000;
