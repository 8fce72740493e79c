//! From findings to a decision. The only place that turns what was found into what happens.

use crate::check_call::Checked;
use crate::contract::codes::call::NO_SCHEMA;
use crate::contract::{Finding, Layer, Level, Mode, Outcome, Severity, Status, ToolCall};

/// A call that may run. Only [`clear`] makes one, so that nothing can run a call that was not judged. It cannot be
/// read back from JSON: an approval by a person comes back through this module too.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearedCall(ToolCall);

impl ClearedCall {
    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.0
    }
}

/// The status of a checked call. It comes from the findings, never from the score.
pub fn status(checked: &Checked) -> Status {
    let enforced = || checked.findings.iter().filter(|finding| finding.mode == Mode::Enforce);
    let any = |outcome: Outcome| enforced().any(|finding| finding.outcome == outcome && !finding.is_applied());
    if any(Outcome::Deny) {
        return Status::Rejected;
    }
    let refuses = |finding: &Finding| match (finding.outcome, finding.severity, checked.level) {
        _ if finding.outcome == Outcome::Gentle => false,
        (Outcome::Fatal, _, _) => true,
        (Outcome::Ordinary, Severity::Error, Level::Strict | Level::Moderate) => true,
        (Outcome::Ordinary, Severity::Warning, Level::Strict) => true,
        _ => false,
    };
    if enforced().any(refuses) || checked.call.is_none() {
        return Status::ValidationFailed;
    }
    let doubtful = |finding: &Finding| finding.severity == Severity::Warning && finding.outcome == Outcome::Ordinary;
    if any(Outcome::Review) || (checked.irreversible && checked.level != Level::Lenient && enforced().any(doubtful)) {
        return Status::RequiresReview;
    }
    let noticed = checked.findings.iter().any(|finding| finding.severity > Severity::Info);
    if noticed { Status::Caution } else { Status::Approved }
}

/// The validation confidence: what `check` calls the score.
pub fn score(checked: &Checked) -> f64 {
    if checked.findings.iter().any(|finding| finding.code.is(&NO_SCHEMA)) {
        return 0.5;
    }
    if checked.level == Level::Strict {
        let refused = |layer: Layer| {
            checked.findings.iter().any(|f| {
                f.code.layer == layer
                    && f.mode == Mode::Enforce
                    && f.severity > Severity::Info
                    && f.outcome != Outcome::Gentle
            })
        };
        if refused(Layer::Parameter) {
            return 0.3;
        }
        if refused(Layer::Meaning) {
            return 0.4;
        }
    }
    let counted = checked.findings.iter().filter(|finding| finding.severity > Severity::Info).count();
    let score = 10usize.saturating_sub(counted.min(10));
    score as f64 / 10.0
}

/// The call, where it may run.
pub fn clear(checked: &Checked) -> Option<ClearedCall> {
    if status(checked).is_refused() { None } else { checked.call.clone().map(ClearedCall) }
}
