//! What happens to a whole step: the call, its result and the answer, weighed together.

use crate::contract::codes::score::{CONTRADICTION, DISPUTED};
use crate::contract::{Finding, Recommendation, Severity, Status};
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

/// What holds a step back, whatever the mean of its confidences says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// The status of the call.
    pub call: Status,
    /// Whether the result looks wrong.
    pub suspicious: bool,
    /// What speaks against the answer.
    pub answer: &'a [Finding],
    /// What the confidence in the answer asks for; `None` where there is no answer.
    pub recommendation: Option<Recommendation>,
}

/// The status of a step whose call passed: by the mean, held back by what was found.
pub(crate) fn status(confidences: Confidences, limits: Limits<'_>, policy: &ScorePolicy) -> Status {
    let by_mean = match confidences.mean() {
        mean if mean > policy.approve => Status::Approved,
        mean if mean > policy.caution => Status::Caution,
        mean if mean > policy.review => Status::RequiresReview,
        _ => Status::Rejected,
    };
    let by_result = if limits.suspicious { Status::RequiresReview } else { Status::Approved };
    [limits.call, by_result, limits.by_answer(confidences.overall)].into_iter().fold(by_mean, graver)
}

impl Limits<'_> {
    /// The best that the answer allows: its own confidence binds too, and what was found on it.
    fn by_answer(&self, confidence: f64) -> Status {
        let noticed = self.answer.iter().any(|finding| finding.severity > Severity::Info);
        let refuted = self.answer.iter().any(|finding| finding.code.is(&DISPUTED) || finding.code.is(&CONTRADICTION));
        let by_confidence = match self.recommendation {
            Some(Recommendation::ManualReview) if refuted && confidence <= WORTHLESS => Status::Rejected,
            Some(Recommendation::ManualReview) => Status::RequiresReview,
            Some(Recommendation::LowConfidence) => Status::Caution,
            Some(Recommendation::HighConfidence | Recommendation::MediumConfidence) | None => Status::Approved,
        };
        graver(by_confidence, if noticed { Status::Caution } else { Status::Approved })
    }
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

/// Up to this confidence, with its facts disputed or against itself, an answer is worth nothing.
const WORTHLESS: f64 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(mean: f64, suspicious: bool) -> Status {
        let confidences = Confidences { validation: mean, verification: mean, overall: mean };
        let limits = Limits { call: Status::Approved, suspicious, answer: &[], recommendation: None };
        status(confidences, limits, &ScorePolicy::default())
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

    // SCORE-5, Figure 11-7: an answer that nobody can rely on does not proceed on the strength of its call.
    #[test]
    fn the_confidence_in_the_answer_binds_whatever_the_mean() {
        let disputed = [Finding::new(&DISPUTED, "", String::new())];
        let judged = |overall: f64, answer: &[Finding]| {
            let policy = ScorePolicy::default();
            let confidences = Confidences { validation: 1.0, verification: 1.0, overall };
            let recommendation = Some(crate::score::recommend(overall, &policy));
            status(confidences, Limits { call: Status::Approved, suspicious: false, answer, recommendation }, &policy)
        };
        assert_eq!(
            [0.7, 0.5, 0.28].map(|overall| judged(overall, &[])),
            [Status::Approved, Status::Caution, Status::RequiresReview]
        );
        assert_eq!(
            [0.5, 0.28, 0.2].map(|overall| judged(overall, &disputed)),
            [Status::Caution, Status::RequiresReview, Status::Rejected]
        );
        assert_eq!(judged(0.2, &[]), Status::RequiresReview);
    }
}
