//! An answer that was assessed before, weighed again after its claims were checked.
//!
//! What an answer was made from may be gone by then; what the checks said of it is in its report. Only what a fact check
//! can change is changed: the fact signal, what follows from it, and the findings on claims.

use super::answer::{CallConfidence, FactCounts, confidences, unverified_claims};
use crate::contract::codes;
use crate::contract::codes::answer::UNVERIFIED;
use crate::contract::codes::score::DISPUTED;
use crate::contract::{Claim, ClaimStatus, Finding, Language, Mode, Severity, Signal, Signals, Status};
use crate::decide::step::{Limits, status};
use crate::policy::ScorePolicy;
use crate::score;
use serde_json::{Value, json};

/// Weighs a stored report (an `assessment`) again with its claims as they stand now. None where it is no such report.
pub fn reassess(report: &Value, claims: &[Claim], policy: &ScorePolicy, language: Language) -> Option<Value> {
    let known = report.pointer("/confidence/signals")?.as_object()?;
    let facts = FactCounts::of(claims);
    let value = |signal: Signal| match (signal, facts) {
        (Signal::FactVerification, facts) => score::fact_verification::evaluate(facts.map(FactCounts::pair)),
        _ => known.get(signal.name())?.as_f64(),
    };
    let signals = Signal::ALL.into_iter().filter_map(|signal| Some((signal, value(signal)?)));
    let confidence = score::conclude(language, Signals(signals.collect()), policy);
    let unverified = still_unverified(report, claims);
    let dispute = score::find_dispute(facts.map(FactCounts::pair), language);
    let dispute = dispute.map(|finding| Finding { mode: Mode::Advise, ..finding });
    let fresh: Vec<Finding> = dispute.into_iter().chain(unverified_claims(&unverified, language)).collect();
    let kept: Vec<&Value> =
        report.get("findings")?.as_array()?.iter().filter(|finding| !is_on_claims(finding)).collect();
    let all: Vec<Finding> = kept.iter().filter_map(|finding| read_finding(finding)).chain(fresh.clone()).collect();
    let calls = read_calls(report);
    let confidences = confidences(calls, confidence.overall_confidence);
    let limits = Limits {
        call: Status::Approved,
        suspicious: calls.is_some_and(|calls| calls.suspicious),
        answer: &all,
        recommendation: Some(confidence.recommendation),
    };
    let mut told = report.clone();
    let fields = told.as_object_mut()?;
    fields.insert("status".to_owned(), json!(status(confidences, limits, policy)));
    fields.insert("score".to_owned(), json!(confidences.mean()));
    let findings = kept.into_iter().cloned().chain(fresh.iter().map(|finding| json!(finding)));
    fields.insert("findings".to_owned(), findings.collect());
    let ids: Vec<&str> = unverified.iter().filter_map(|claim| claim.id.as_deref()).collect();
    match ids.is_empty() {
        true => drop(fields.shift_remove("unverified")),
        false => drop(fields.insert("unverified".to_owned(), json!(ids))),
    }
    let weighed = fields.get_mut("confidence")?.as_object_mut()?;
    weighed.insert("overall_confidence".to_owned(), json!(confidence.overall_confidence));
    weighed.insert("recommendation".to_owned(), json!(confidence.recommendation));
    weighed.insert("signals".to_owned(), json!(confidence.signals));
    weighed.insert("absent".to_owned(), json!(confidence.absent));
    weighed.insert("rationale".to_owned(), json!(confidence.rationale));
    Some(told)
}

/// The claims that were unverified and still are, and those that were disputed since.
fn still_unverified<'c>(report: &Value, claims: &'c [Claim]) -> Vec<&'c Claim> {
    let listed = report.get("unverified").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let was_open = |claim: &Claim| claim.id.as_deref().is_some_and(|id| listed.iter().any(|known| known == id));
    let is_open = |claim: &&Claim| match claim.status {
        ClaimStatus::Verified => false,
        ClaimStatus::Disputed => true,
        ClaimStatus::Pending | ClaimStatus::Unverifiable => was_open(claim),
    };
    claims.iter().filter(is_open).collect()
}

fn is_on_claims(finding: &Value) -> bool {
    let code = finding.get("code").and_then(Value::as_str);
    code == Some(UNVERIFIED.id) || code == Some(DISPUTED.id)
}

/// As much of a stored finding as a decision looks at.
fn read_finding(finding: &Value) -> Option<Finding> {
    let code = codes::find(finding.get("code")?.as_str()?)?;
    let severity = match finding.get("severity")?.as_str()? {
        "info" => Severity::Info,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    };
    Some(Finding::new(code, "", "").graded(severity))
}

fn read_calls(report: &Value) -> Option<CallConfidence> {
    let calls = report.get("calls")?;
    let number = |name: &str| calls.get(name).and_then(Value::as_f64);
    let suspicious = calls.get("suspicious").and_then(Value::as_bool).unwrap_or_default();
    Some(CallConfidence { validation: number("validation")?, verification: number("verification")?, suspicious })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_call::Guard;
    use crate::claims::find::find;
    use crate::claims::mark::mark;
    use crate::contract::Context;
    use crate::inspect::{AnswerRequest, answer};
    use crate::policy::Policy;

    const SAID: &str = "The market grew 25%, and exports rose 31%.";

    fn assessed(claims: &[Claim], logprobs: Option<&[f64]>) -> Value {
        let request = AnswerRequest {
            response: SAID,
            question: "How did it go?",
            calls: &[],
            confidences: (1.0, 1.0),
            suspicious: false,
            sources: &[],
            said: &[],
            logprobs,
            claims,
            fact_check: FactCounts::of(claims),
            answers: None,
            context: &Context::default(),
            language: Language::English,
        };
        json!(answer(&Guard::new(None, Policy::standard()), &request))
    }

    // SCORE-3, CLAIM-3: a stored answer weighed again says what a new one would say, whatever became of its claims.
    #[test]
    fn a_stored_answer_is_weighed_as_a_new_one_would_be() {
        use ClaimStatus::{Disputed, Pending, Unverifiable, Verified};
        let mut claims = mark("m1", SAID, find(SAID)).claims;
        assert_eq!(claims.len(), 2);
        for logprobs in [None, Some(&[-0.2, -0.4][..])] {
            claims.iter_mut().for_each(|claim| claim.status = Pending);
            let stored = assessed(&claims, logprobs);
            assert_eq!(stored["status"], "caution");
            for (first, second, status) in [
                (Verified, Verified, "approved"),
                (Verified, Pending, "caution"),
                (Disputed, Disputed, "caution"),
                (Disputed, Verified, "caution"),
                (Unverifiable, Unverifiable, "caution"),
                (Pending, Pending, "caution"),
            ] {
                claims[0].status = first;
                claims[1].status = second;
                let again = reassess(&stored, &claims, &Policy::standard().score, Language::English).unwrap();
                let fresh = assessed(&claims, logprobs);
                assert_eq!(again["confidence"], fresh["confidence"]);
                assert_eq!((&again["status"], &again["score"]), (&fresh["status"], &fresh["score"]));
                assert_eq!(again["unverified"], fresh["unverified"]);
                assert_eq!(again["findings"].as_array().map(Vec::len), fresh["findings"].as_array().map(Vec::len));
                if first != Disputed {
                    assert_eq!(again["status"], status, "{first:?} {second:?}: {again}");
                }
            }
        }
        assert_eq!(reassess(&json!({}), &claims, &Policy::standard().score, Language::English), None);
    }
}
