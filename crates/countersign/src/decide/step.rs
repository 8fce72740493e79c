//! What happens to a whole step: the call, its result and the answer, weighed together.

use crate::contract::{Finding, Severity, Status};
use crate::policy::ScorePolicy;

/// The three confidences of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Confidences {
    /// Of the call.
    pub validation: f64,
    /// Of the result.
    pub verification: f64,
    /// Of the answer.
    pub overall: f64,
}

impl Confidences {
    /// Their mean, to six places: three times 0.8 is 0.8, whatever the last bits say.
    pub(crate) fn mean(self) -> f64 {
        let mean = (self.validation + self.verification + self.overall) / 3.0;
        (mean * 1e6).round() / 1e6
    }
}

/// The status of a step whose call passed: by the mean, held back by what was found.
pub(crate) fn status(
    confidences: Confidences,
    call: Status,
    suspicious: bool,
    answer: &[Finding],
    policy: &ScorePolicy,
) -> Status {
    let by_mean = match confidences.mean() {
        mean if mean > policy.approve => Status::Approved,
        mean if mean > policy.caution => Status::Caution,
        mean if mean > policy.review => Status::RequiresReview,
        _ => Status::Rejected,
    };
    let capped = answer.iter().any(|finding| finding.severity > Severity::Info);
    let limits =
        [(suspicious, Status::RequiresReview), (call == Status::RequiresReview, call), (capped, Status::Caution)];
    limits.into_iter().filter(|(holds, _)| *holds).map(|(_, limit)| limit).fold(by_mean, graver)
}

/// The graver of two statuses.
fn graver(a: Status, b: Status) -> Status {
    let rank = |status: Status| match status {
        Status::Approved => 0,
        Status::Caution => 1,
        Status::RequiresReview => 2,
        Status::Rejected => 3,
        Status::ValidationFailed => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(mean: f64, suspicious: bool) -> Status {
        let confidences = Confidences { validation: mean, verification: mean, overall: mean };
        status(confidences, Status::Approved, suspicious, &[], &ScorePolicy::default())
    }

    #[test]
    fn thresholds_are_open_and_suspicion_asks_a_person() {
        // SCORE-5
        assert_eq!(
            [0.81, 0.8, 0.6, 0.4].map(|mean| judged(mean, false)),
            [Status::Approved, Status::Caution, Status::RequiresReview, Status::Rejected]
        );
        assert_eq!(judged(0.95, true), Status::RequiresReview);
        assert_eq!(judged(0.1, true), Status::Rejected);
    }
}
