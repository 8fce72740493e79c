//! From a verdict to words: for the model that should try again, and for the person who reads along.

/// How often a model may try again.
pub mod attempts;

use crate::contract::{Finding, Language, Severity, Status, ToolCall};
use crate::say;

/// The message for the model, on the tool-result channel: what is wrong, what would be right, what to do.
pub fn for_model(call: &ToolCall, findings: &[Finding], language: Language) -> String {
    let name = &call.name;
    let mut lines = vec![say!(language, "The call to `{name}` was not run.", "对 `{name}` 的调用没有执行。")];
    for finding in findings.iter().filter(|finding| finding.severity > Severity::Info && !finding.is_applied()) {
        lines.push(format!("- {} ({})", finding.evidence, finding.pointer));
    }
    lines.push(say!(language, "Call the right tool again.", "请重新调用正确的工具。"));
    lines.join("\n")
}

/// One or two sentences for a person.
pub fn for_people(status: Status, findings: &[Finding], language: Language) -> String {
    let first = findings.iter().max_by_key(|finding| finding.severity).map(|f| f.evidence.clone()).unwrap_or_default();
    let status = status.name();
    say!(language, "{status}: {first}", "{status}：{first}")
}
