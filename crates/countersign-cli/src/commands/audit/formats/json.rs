//! JSON: the whole run as one object, or a line for each conversation and one for the summary.

use super::super::summary::Summary;
use countersign::audit::Report;
use countersign::contract::Severity;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
struct Conversation<'a> {
    file: &'a str,
    #[serde(flatten)]
    report: &'a Report,
}

pub(super) fn conversation(file: &str, report: &Report) -> String {
    serde_json::to_string(&Conversation { file, report }).unwrap_or_default() + "\n"
}

pub(super) fn end(summary: &Summary) -> String {
    json!({"summary": describe(summary)}).to_string() + "\n"
}

pub(super) fn whole(summary: &Summary) -> String {
    let whole = json!({"summary": describe(summary), "findings": summary.worst()});
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

fn describe(summary: &Summary) -> Value {
    json!({
        "files": summary.files, "bytes": summary.bytes, "conversations": summary.conversations,
        "conversations_with_findings": summary.with_findings, "formats": summary.formats, "counts": summary.counts,
        "tokens": summary.tokens, "tokens_in_conversations_with_findings": summary.tokens_in_doubt,
        "errors": summary.count(Severity::Error), "warnings": summary.count(Severity::Warning),
        "by_code": summary.codes, "not_checked": summary.not_checked, "known_by_baseline": summary.known,
        "findings_left_off": summary.left_off, "unreadable": {"count": summary.skipped, "first": summary.problems},
        "difference": summary.difference,
    })
}
