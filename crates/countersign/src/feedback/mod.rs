//! From a verdict to words: for the model that should try again, and for the person who reads along.

/// How often a model may try again.
pub mod attempts;

use crate::contract::{Correction, Finding, Language, Severity, Status, ToolCall};
use crate::say;

/// The message for the model, on the tool-result channel: what is wrong, what would be right, what to do. It names
/// only what is left to mend, because models copy what they read.
pub fn for_model(call: &ToolCall, status: Status, findings: &[Finding], language: Language) -> String {
    let name = &call.name;
    let mut lines =
        vec![say!(language, "The call to `{name}` was not run:", "对 `{name}` 的调用没有执行，存在以下问题：")];
    for finding in open(findings) {
        let place = finding.pointer.strip_prefix("/arguments/").map(|place| format!("`{place}`: ")).unwrap_or_default();
        lines.push(format!("- {place}{}", finding.evidence));
        if let Some(Correction { note, .. }) = &finding.correction {
            lines.push(say!(language, "  Right would be: {note}", "  建议：{note}"));
        }
    }
    lines.push(match status {
        Status::Rejected => say!(
            language,
            "This is not allowed. Do not try it again; tell the user, or do something else.",
            "该操作不被允许。请不要重试，请告知用户或改用其他方式。"
        ),
        Status::RequiresReview => {
            say!(
                language,
                "A person has to decide. Tell the user that it waits for approval.",
                "需要人工确认。请告知用户该操作正在等待批准。"
            )
        }
        _ => say!(
            language,
            "Call the right tool again with everything put right. If a value is unknown, ask the user for it.",
            "请改正后重新调用正确的工具。若某个值未知，请向用户询问。"
        ),
    });
    lines.join("\n")
}

/// One or two sentences that a person can act on.
pub fn for_people(status: Status, findings: &[Finding], language: Language) -> String {
    let repaired = findings.iter().filter(|finding| finding.is_applied()).count();
    let first =
        open(findings).max_by_key(|finding| (finding.severity, finding.outcome == crate::contract::Outcome::Deny));
    let reason = first.map(|finding| finding.evidence.clone()).unwrap_or_default();
    let more = open(findings).count().saturating_sub(1);
    let and_more = match more {
        0 => String::new(),
        more => say!(language, " ({more} more)", "（另有 {more} 项）"),
    };
    match status {
        Status::Approved => say!(language, "Nothing speaks against this call.", "未发现问题，可以执行。"),
        Status::Caution if first.is_none() => {
            say!(
                language,
                "May run: {repaired} repair(s) were certain and are made.",
                "可以执行：已自动修正 {repaired} 处。"
            )
        }
        Status::Caution => {
            say!(language, "May run, with care: {reason}{and_more}.", "可以执行，但请留意：{reason}{and_more}。")
        }
        Status::RequiresReview => {
            say!(language, "A person should decide: {reason}{and_more}.", "需要人工确认：{reason}{and_more}。")
        }
        Status::Rejected => say!(language, "Refused: {reason}{and_more}.", "已拒绝：{reason}{and_more}。"),
        Status::ValidationFailed => say!(
            language,
            "Not run: {reason}{and_more}. The model should correct it.",
            "未执行：{reason}{and_more}，请模型改正。"
        ),
    }
}

/// The findings that still stand: neither information nor mended.
fn open(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.severity > Severity::Info && !finding.is_applied())
}
