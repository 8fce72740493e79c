//! Draws the verdict on a call.

use super::canvas::{Canvas, Paint};
use super::{findings, frame};
use crate::tally::{Mark, Tone};
use countersign::contract::{Action, Arguments, Finding, Status, ToolCall, Verdict};
use serde_json::json;

/// How a call or a step ended, as people say it.
pub(crate) fn mark(status: Status) -> Mark {
    let (words, tone) = match status {
        Status::Approved => (("approved", "通过"), Tone::Good),
        Status::Caution => (("caution", "谨慎通过"), Tone::Watch),
        Status::RequiresReview => (("requires review", "需人工审核"), Tone::Person),
        Status::Rejected => (("rejected", "已拒绝"), Tone::Bad),
        Status::ValidationFailed => (("validation failed", "未通过校验"), Tone::Bad),
    };
    Mark { words, tone, passed: !status.is_refused() }
}

/// Draws the call as it was made, what was found in it, and what happens next.
pub(crate) fn draw(canvas: &mut Canvas, made: &ToolCall, verdict: &Verdict) {
    canvas.title(mark(verdict.status), &verdict.id, "");
    call(canvas, made, &verdict.findings);
    let next = next(canvas, verdict.status.action(), verdict.call.as_ref(), &verdict.findings);
    if let Some(next) = next {
        let next = canvas.paint(Paint::Dim, &next);
        canvas.line(&format!("  ╰ {next}"));
    }
    canvas.line("");
}

/// Draws a call with its findings.
pub(crate) fn call(canvas: &mut Canvas, made: &ToolCall, found: &[Finding]) {
    let lines = frame::draw(made, &findings::pointers(found), &findings::secrets(found));
    let before = json!({"name": made.name, "arguments": made.arguments});
    findings::draw(canvas, &lines, found, &before);
}

/// What happens next, where that is not plain.
fn next(canvas: &Canvas, action: Action, run: Option<&ToolCall>, found: &[Finding]) -> Option<String> {
    let mended = found.iter().any(Finding::is_applied);
    Some(match action {
        Action::Proceed => return None,
        Action::ProceedWithCaution => {
            let run = run.filter(|_| mended)?;
            let arguments = match &run.arguments {
                Arguments::Object(object) => object.as_value().clone(),
                _ => json!({}),
            };
            let hidden = !findings::secrets(found).is_empty();
            let arguments = if hidden { "{…}".to_owned() } else { frame::brief(&arguments) };
            format!("{} {} {arguments}", canvas.say("runs as", "执行："), super::canvas::safe(&run.name))
        }
        Action::RequestHumanReview => canvas.say("waits for a person", "等待人工决定").to_owned(),
        Action::RejectAndRetry => canvas.say("not run", "不执行").to_owned(),
        Action::RequestCorrection => {
            canvas.say("not run; the model is told what to correct", "不执行；告知模型如何改正").to_owned()
        }
    })
}
