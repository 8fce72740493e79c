//! What happens to a call.

use crate::check_call::Checked;
use crate::contract::codes::call::NO_SCHEMA;
use crate::contract::{Finding, Layer, Level, Mode, Outcome, Severity, Status};

/// The status of a checked call. It comes from the findings, never from the score.
pub fn status(checked: &Checked<'_>) -> Status {
    let enforced = || checked.findings.iter().filter(|finding| finding.mode == Mode::Enforce);
    let any = |outcome: Outcome| enforced().any(|finding| finding.outcome == outcome && !finding.is_applied());
    if any(Outcome::Deny) {
        return Status::Rejected;
    }
    if checked.call.is_none() || enforced().any(|finding| refuses(finding, checked.level)) {
        return Status::ValidationFailed;
    }
    let doubtful = |finding: &Finding| finding.severity == Severity::Warning && finding.outcome == Outcome::Ordinary;
    // What cannot be undone is not done on a doubt. LENIENT was asked to accept doubts.
    if any(Outcome::Review) || (checked.irreversible && checked.level != Level::Lenient && enforced().any(doubtful)) {
        return Status::RequiresReview;
    }
    let noticed = checked.findings.iter().any(|finding| finding.severity > Severity::Info);
    if noticed { Status::Caution } else { Status::Approved }
}

/// Whether an enforced finding refuses the call at a level.
fn refuses(finding: &Finding, level: Level) -> bool {
    match finding.outcome {
        Outcome::Fatal => true,
        Outcome::Ordinary => match level {
            Level::Strict => finding.severity > Severity::Info,
            Level::Moderate => finding.severity == Severity::Error,
            Level::Lenient => false,
        },
        Outcome::Gentle | Outcome::Review | Outcome::Deny => false,
    }
}

/// The validation confidence: what `check` calls the score.
pub fn score(checked: &Checked<'_>) -> f64 {
    if checked.findings.iter().any(|finding| finding.code.is(&NO_SCHEMA)) {
        return 0.5;
    }
    let strict = |layer: Layer| {
        let refused = |f: &&Finding| f.code.layer == layer && f.mode == Mode::Enforce && refuses(f, Level::Strict);
        checked.level == Level::Strict && checked.findings.iter().any(|finding| refused(&finding))
    };
    if strict(Layer::Parameter) {
        return 0.3;
    }
    if strict(Layer::Meaning) {
        return 0.4;
    }
    let counted = checked.findings.iter().filter(|finding| finding.severity > Severity::Info).count();
    10usize.saturating_sub(counted) as f64 / 10.0
}
