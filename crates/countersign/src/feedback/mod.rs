//! From a verdict to words: for the model that should try again, and for the person who reads along.

/// How often a model may try again.
pub mod attempts;

use crate::check_call::secrets::redact;
use crate::contract::codes::call::UNKNOWN_TOOL;
use crate::contract::codes::result::INSTRUCTIONS;
use crate::contract::{Correction, Finding, Language, Outcome, Severity, Status, ToolCall, VerificationReport};
use crate::localized;

/// The message for the model, on the tool-result channel: what is wrong, what would be right, what to do. It names
/// only what is left to mend, because models copy what they read.
pub fn for_model(call: &ToolCall, status: Status, findings: &[Finding], language: Language) -> String {
    let name: String = redact(&call.name).chars().take(MAX_NAME).collect();
    let mut lines =
        vec![localized!(language, "The call to `{name}` was not run:", "对 `{name}` 的调用没有执行，存在以下问题：")];
    for finding in reasons(findings) {
        let place = finding.pointer.strip_prefix("/arguments/").map(|place| format!("`{place}`: ")).unwrap_or_default();
        lines.push(format!("- {place}{}", told(finding)));
        if let Some(Correction { note, .. }) = &finding.correction {
            lines.push(localized!(language, "  To mend it: {note}", "  建议：{note}"));
        }
    }
    lines.push(match status {
        Status::Rejected => localized!(
            language,
            "This is not allowed. Do not try it again; tell the user, or do something else.",
            "该操作不被允许。请不要重试，请告知用户或改用其他方式。"
        ),
        Status::RequiresReview => {
            localized!(
                language,
                "A person has to decide. Tell the user that it waits for approval.",
                "需要人工确认。请告知用户该操作正在等待批准。"
            )
        }
        _ if findings.iter().any(|finding| finding.code.is(&UNKNOWN_TOOL)) => localized!(
            language,
            "Call the right tool again, one that exists, or answer without a tool.",
            "请重新调用正确的工具（仅限已有的工具），或直接回答。"
        ),
        _ => localized!(
            language,
            "Call the right tool again with everything put right. If a value is unknown, ask the user for it.",
            "请改正后重新调用正确的工具。若某个值未知，请向用户询问。"
        ),
    });
    lines.join("\n")
}

/// The message for the model where the call ran, and its result or the answer does not pass.
pub fn after_the_call(
    call: &ToolCall,
    status: Status,
    verification: &VerificationReport,
    answer: &[Finding],
    language: Language,
) -> String {
    let name: String = redact(&call.name).chars().take(MAX_NAME).collect();
    let (opening, findings) = match verification.is_suspicious {
        true => (
            localized!(language, "The result of `{name}` looks wrong:", "`{name}` 的结果看起来有问题："),
            verification.findings.as_slice(),
        ),
        false => (localized!(language, "The answer does not pass:", "该回答没有通过检查："), answer),
    };
    let reasons = reasons(findings).into_iter().map(|finding| format!("- {}", told(finding)));
    let closing = match status {
        Status::RequiresReview => localized!(
            language,
            "A person has to decide. Do not rely on it before.",
            "需要人工确认，在此之前请不要依赖它。"
        ),
        _ => localized!(
            language,
            "Try again, say only what the results show, and say what you do not know.",
            "请重试，只说结果能够证明的内容，并说明哪些内容未知。"
        ),
    };
    [opening].into_iter().chain(reasons).chain([closing]).collect::<Vec<_>>().join("\n")
}

/// What a model is told of a finding: no order that a result or a description gave is repeated to it.
fn told(finding: &Finding) -> &str {
    let quotes = finding.code.id.starts_with("trust.") || finding.code.id.starts_with("tool.");
    if !quotes && !finding.code.is(&INSTRUCTIONS) {
        return &finding.evidence;
    }
    let end = finding.evidence.find('“').unwrap_or(finding.evidence.len());
    finding.evidence.get(..end).unwrap_or_default().trim_end_matches([' ', ':', '：'])
}

/// One or two sentences that a person can act on.
pub fn for_people(status: Status, findings: &[Finding], language: Language) -> String {
    let repaired = findings.iter().filter(|finding| finding.is_applied()).count();
    let reasons = reasons(findings);
    let gravest = |finding: &&&Finding| (finding.outcome == Outcome::Deny, finding.severity);
    let first = reasons.iter().rev().max_by_key(gravest);
    let reason = first.map(|finding| finding.evidence.clone()).unwrap_or_default();
    let more = reasons.len().saturating_sub(1);
    let and_more = match more {
        0 => String::new(),
        more => localized!(language, " ({more} more)", "（另有 {more} 项）"),
    };
    match status {
        Status::Approved => localized!(language, "No problems found.", "未发现问题，可以执行。"),
        Status::Caution if reasons.iter().all(|finding| finding.is_applied()) => {
            let repairs = if repaired == 1 { "repair" } else { "repairs" };
            localized!(language, "May run: {repaired} {repairs} applied.", "可以执行：已自动修正 {repaired} 处。")
        }
        Status::Caution => {
            localized!(language, "May run, with care: {reason}{and_more}.", "可以执行，但请留意：{reason}{and_more}。")
        }
        Status::RequiresReview => {
            localized!(language, "A person should decide: {reason}{and_more}.", "需要人工确认：{reason}{and_more}。")
        }
        Status::Rejected => localized!(language, "Refused: {reason}{and_more}.", "已拒绝：{reason}{and_more}。"),
        Status::ValidationFailed => localized!(
            language,
            "Not run: {reason}{and_more}. The model should correct it.",
            "未执行：{reason}{and_more}，请模型改正。"
        ),
    }
}

/// The findings that still stand; where all are mended, the mended ones, because they are why somebody was asked.
fn reasons(findings: &[Finding]) -> Vec<&Finding> {
    let noticed = || findings.iter().filter(|finding| finding.severity > Severity::Info);
    let open: Vec<&Finding> = noticed().filter(|finding| !finding.is_applied()).collect();
    if open.is_empty() { noticed().collect() } else { open }
}

const MAX_NAME: usize = 120;
