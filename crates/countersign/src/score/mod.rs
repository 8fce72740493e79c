//! How sure one may be of an answer: six signals, each in its own file, weighed here.
//!
//! A signal without input has no say: it is listed as absent and its weight goes to the others (an unknown is not a
//! half). Every value lies within 0 and 1 whatever comes in, and the rationale says what moved the score and by how
//! much. Nothing here asks a model, reads a clock or remembers.

pub(crate) mod logprobs;
pub(crate) mod token_probability;
pub(crate) mod samples;
pub(crate) mod consistency;
pub(crate) mod fact_verification;
pub(crate) mod coherence;
mod rationale;
mod derived;
mod findings;
pub mod calibrate;

use crate::contract::{ConfidenceAssessment, Language, Recommendation, Signal, Signals, Support};
use crate::grounding;
use crate::localized;
use crate::parse::chatter;
use crate::policy::ScorePolicy;
use crate::wire::requests::ScoreRequest;
use serde_json::Value;

pub use findings::answer_findings;
pub(crate) use findings::find_dispute;

/// Weighs an answer, and says why in English.
pub fn assess(request: &ScoreRequest, policy: &ScorePolicy) -> ConfidenceAssessment {
    assess_in(Language::English, request, policy)
}

/// Weighs an answer, and says why in a language.
pub fn assess_in(language: Language, request: &ScoreRequest, policy: &ScorePolicy) -> ConfidenceAssessment {
    let grounding = grounding::examine(request);
    // 好的，收到您的指令: full sentences, and nothing in them that one could rely on.
    let is_pseudo = chatter::of_model(&request.response).is_some();
    let value = |signal| match signal {
        Signal::ModelLogprobs => logprobs::evaluate(request.logprobs.as_deref()),
        Signal::TokenProbability => token_probability::evaluate(request.logprobs.as_deref()),
        // An empty answer cannot contradict itself; that it is none shows in its coherence.
        Signal::SemanticConsistency => {
            (!request.response.trim().is_empty()).then(|| consistency::evaluate(&request.response, &request.samples))
        }
        Signal::FactVerification => fact_verification::evaluate(request.fact_check),
        Signal::Coherence if is_pseudo => Some(coherence::evaluate("")),
        Signal::Coherence => Some(coherence::evaluate(&request.response)),
        Signal::KnowledgeGrounding => grounding::evaluate(&grounding),
    };
    let present = |signal| value(signal).filter(|v: &f64| v.is_finite()).map(|v| (signal, v.clamp(0.0, 1.0)));
    let signals = Signals(Signal::ALL.into_iter().filter_map(present).collect());
    let mut assessment = conclude(language, signals, policy);
    if is_pseudo && assessment.recommendation < Recommendation::LowConfidence {
        assessment.recommendation = Recommendation::LowConfidence;
        assessment.rationale.push_str(&localized!(
            language,
            " It only acknowledges or promises, so it is worth low confidence at most.",
            "回答只是应答或承诺，可信度最多为低。"
        ));
    }
    let support = |s: &grounding::Examined| Support { start: s.range.start, end: s.range.end, support: s.support };
    ConfidenceAssessment { id: request.id.clone(), sentences: grounding.iter().map(support).collect(), ..assessment }
}

/// What signals come to, and why.
pub(crate) fn conclude(language: Language, signals: Signals, policy: &ScorePolicy) -> ConfidenceAssessment {
    let weighed = weigh(&signals, policy);
    let overall_confidence = policy.calibrated(weighed);
    ConfidenceAssessment {
        id: Value::Null,
        overall_confidence,
        recommendation: recommend(overall_confidence, policy),
        absent: Signal::ALL.into_iter().filter(|signal| signals.value(*signal).is_none()).collect(),
        sentences: Vec::new(),
        rationale: rationale::explain(language, &signals, policy, weighed, overall_confidence),
        signals,
    }
}

/// The weighted mean of the signals that had input. Where their weights are all zero, they count alike.
pub fn weigh(signals: &Signals, policy: &ScorePolicy) -> f64 {
    shares(signals, policy).iter().map(|(_, value, share)| value * share).sum::<f64>().clamp(0.0, 1.0)
}

/// What a confidence asks for.
pub fn recommend(confidence: f64, policy: &ScorePolicy) -> Recommendation {
    // In binary floating point a sum of 0.8 may come out slightly above 0.8; such a sum does not exceed the bound.
    let above = |bound: f64| confidence > bound + 1e-9;
    match () {
        () if above(policy.approve) => Recommendation::HighConfidence,
        () if above(policy.caution) => Recommendation::MediumConfidence,
        () if above(policy.review) => Recommendation::LowConfidence,
        () => Recommendation::ManualReview,
    }
}

/// Each present signal with its value and its share of the weight.
fn shares(signals: &Signals, policy: &ScorePolicy) -> Vec<(Signal, f64, f64)> {
    let present: Vec<(Signal, f64)> = signals.0.iter().copied().filter(|(_, value)| value.is_finite()).collect();
    let total: f64 = present.iter().map(|(signal, _)| policy.weight(*signal)).sum();
    let even = 1.0 / present.len().max(1) as f64;
    let share = |signal| if total > 0.0 { policy.weight(signal) / total } else { even };
    present.into_iter().map(|(signal, value)| (signal, value, share(signal))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(response: &str) -> ScoreRequest {
        ScoreRequest { response: response.into(), ..Default::default() }
    }

    // SCORE-1, T16
    #[test]
    fn the_seeds_example_gets_the_seeds_values() {
        let mut ask = request("I found an article about AI...");
        ask.logprobs = Some(vec![-0.5, -0.3, -0.7, -0.4]);
        let got = assess(&ask, &ScorePolicy::default());
        assert!((got.signals.value(Signal::ModelLogprobs).unwrap() - 0.905).abs() < 1e-9);
        assert_eq!(got.signals.value(Signal::TokenProbability), Some(0.8));
        assert_eq!(got.signals.value(Signal::Coherence), Some(0.6));
        // (0.25 * 0.905 + 0.2 * 0.8 + 0.2 * 1 + 0.1 * 0.6) / 0.75
        assert!((got.overall_confidence - 0.861_666_666).abs() < 1e-6, "{}", got.overall_confidence);
        assert_eq!(got.recommendation, Recommendation::HighConfidence);
    }

    // SCORE-2
    #[test]
    fn absent_signals_are_named_and_have_no_say() {
        let mut ask = request("");
        ask.logprobs = Some(Vec::new());
        ask.fact_check = Some((0.0, 0.0));
        let got = assess(&ask, &ScorePolicy::default());
        assert_eq!(
            got.absent,
            [
                Signal::ModelLogprobs,
                Signal::TokenProbability,
                Signal::SemanticConsistency,
                Signal::FactVerification,
                Signal::KnowledgeGrounding
            ]
        );
        // Only coherence has anything to say about an empty answer.
        assert!((got.overall_confidence - 0.3).abs() < 1e-9);
    }

    // SCORE-2
    #[test]
    fn numbers_that_are_none_never_get_through() {
        let mut ask = request("A full sentence stands here.");
        ask.logprobs = Some(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
        ask.fact_check = Some((f64::INFINITY, f64::NAN));
        let got = assess(&ask, &ScorePolicy::default());
        assert!((0.0..=1.0).contains(&got.overall_confidence));
        assert!(got.signals.0.iter().all(|(_, v)| (0.0..=1.0).contains(v)), "{:?}", got.signals);
        let none = ScorePolicy { weights: [0.0; 6], ..ScorePolicy::default() };
        assert!((0.0..=1.0).contains(&assess(&ask, &none).overall_confidence));
    }

    // SCORE-1
    #[test]
    fn thresholds_are_passed_only_from_above() {
        let policy = ScorePolicy::default();
        let got = [0.81, 0.8, 0.6, 0.41, 0.4].map(|c| recommend(c, &policy));
        use Recommendation::{HighConfidence, LowConfidence, ManualReview, MediumConfidence};
        assert_eq!(got, [HighConfidence, MediumConfidence, LowConfidence, LowConfidence, ManualReview]);
    }

    // SCORE-4
    #[test]
    fn a_fitted_curve_bends_the_overall_confidence() {
        let policy = ScorePolicy { curve: vec![(0.0, 0.0), (1.0, 0.5)], ..ScorePolicy::default() };
        let plain = assess(&request("Short."), &ScorePolicy::default()).overall_confidence;
        let bent = assess(&request("Short."), &policy).overall_confidence;
        assert!((bent - plain / 2.0).abs() < 1e-9);
    }

    // SCORE-6
    #[test]
    fn the_rationale_names_strong_weak_and_absent_signals_with_their_part() {
        let mut ask = request("Short.");
        ask.logprobs = Some(vec![-0.1, -0.1]);
        let got = assess(&ask, &ScorePolicy::default()).rationale;
        for part in ["strong", "model_logprobs 0.98", "weak", "coherence 0.30", "absent", "fact_verification", "−0.0"]
        {
            assert!(got.contains(part), "{part} is missing: {got}");
        }
    }
}
