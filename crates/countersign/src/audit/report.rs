//! What was found in one conversation.

use crate::contract::{Finding, Severity, Status};
use crate::traces::{Format, Tokens};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use sha2::{Digest, Sha256};

/// One conversation, judged.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// What it was read from.
    pub format: Format,
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The line where it begins.
    pub line: u64,
    /// How much was looked at.
    pub counts: Counts,
    /// What it cost.
    pub tokens: Tokens,
    /// Each call, result and answer that was judged.
    pub items: Vec<Item>,
    /// What could not be checked, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<NotChecked>,
}

/// How much was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Messages.
    pub messages: usize,
    /// Calls.
    pub calls: usize,
    /// Calls that would have been refused.
    pub refused: usize,
    /// Calls that would have needed a person.
    pub review: usize,
    /// Calls that would have been repaired.
    pub repaired: usize,
    /// Results.
    pub results: usize,
    /// Answers.
    pub answers: usize,
}

impl Counts {
    /// Adds others.
    pub fn add(&mut self, more: Self) {
        self.messages += more.messages;
        self.calls += more.calls;
        self.refused += more.refused;
        self.review += more.review;
        self.repaired += more.repaired;
        self.results += more.results;
        self.answers += more.answers;
    }
}

/// What was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// A call.
    Call,
    /// A result.
    Result,
    /// An answer.
    Answer,
}

impl ItemKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Result => "result",
            Self::Answer => "answer",
        }
    }
}

/// One call, result or answer.
#[derive(Debug, Clone)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Where it is written.
    pub line: u64,
    /// The tool.
    pub tool: Option<String>,
    /// The call's id.
    pub call_id: Option<String>,
    /// How it ended; of a result, whether it looked wrong.
    pub status: Status,
    /// What was called or said, in short and without secrets; empty where nothing was found.
    pub excerpt: String,
    /// What was asked last, where something was found.
    pub asked: String,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Item {
    /// The gravest finding.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// What tells a finding from others, wherever the trace lies: the rule, the tool, the place and what was called.
    pub fn fingerprint(&self, finding: &Finding) -> String {
        let tool = self.tool.as_deref().unwrap_or_default();
        let whole = [finding.code.id, self.kind.name(), tool, &finding.pointer, &self.excerpt].join("\n");
        Sha256::digest(whole.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut item = out.serialize_map(None)?;
        item.serialize_entry("kind", &self.kind)?;
        item.serialize_entry("line", &self.line)?;
        if let Some(tool) = &self.tool {
            item.serialize_entry("tool", tool)?;
        }
        if let Some(id) = &self.call_id {
            item.serialize_entry("call_id", id)?;
        }
        item.serialize_entry("status", &self.status)?;
        if !self.excerpt.is_empty() {
            item.serialize_entry("excerpt", &self.excerpt)?;
        }
        item.serialize_entry("findings", &self.findings)?;
        item.end()
    }
}

/// Something that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    /// What.
    pub what: &'static str,
    /// Why.
    pub why: &'static str,
    /// How often.
    pub count: usize,
}
