//! After a tool ran: does the result belong to its call, has it the right form, can it be true, does it answer the
//! call, and does it sound like a result at all?
//!
//! `verify` runs `CHECKS` in order and reports how many passed. A result marked as an error is honest: only its
//! pairing is looked at. `said_and_done` and `answer` look at what the model made of its results. Nothing here
//! changes a result, asks the outside world or reads a clock.

pub(crate) mod pattern;
pub(crate) mod fields;
pub(crate) mod moment;
pub(crate) mod effect;
pub(crate) mod subject;
pub(crate) mod voice;
pub(crate) mod records;
pub(crate) mod telling;
pub mod seal;
pub(crate) mod pairing;
pub(crate) mod format;
pub(crate) mod logic;
pub mod consistency;
pub(crate) mod anomaly;
pub(crate) mod answer;
pub(crate) mod trace;
pub(crate) mod shortfall;
pub(crate) mod outcome;
pub(crate) mod ending;
pub(crate) mod unfilled;
pub(crate) mod slots;
pub(crate) mod swapped;
pub(crate) mod flagged;
pub(crate) mod misread;
pub(crate) mod answered;
pub(crate) mod action;
pub(crate) mod capability;
pub(crate) mod uncalled;
pub(crate) mod said_and_done;

use crate::contract::codes::answer::NOT_DONE;
use crate::contract::{Context, Finding, Language, Mode, Severity, VerificationReport};
use crate::localized;
use crate::policy::Policy;
use crate::wire::requests::VerifyRequest;
use std::borrow::Cow;
use subject::{Prepared, Subject};

pub use answer::answer_findings;
pub use answered::{doubt_stands, held_against_outcomes, tells_failure};
pub use format::CompiledOutput;
pub use pairing::pair;
pub use said_and_done::{Done, Trace, said_and_done};

/// One check of a result.
#[derive(Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// The name under which a policy sets its mode; several checks may share one.
    pub setting: &'static str,
    run: fn(&Subject) -> Vec<Finding>,
}

/// The checks of a result, in order.
pub static CHECKS: &[Check] = &[
    Check { name: "pairing", setting: "pairing", run: pairing::check },
    Check { name: "format", setting: "format", run: format::check },
    Check { name: "logic", setting: "logic", run: logic::check },
    Check { name: "consistency", setting: "consistency", run: consistency::check },
    Check { name: "self-contradiction", setting: "anomaly", run: anomaly::contradiction::check },
    Check { name: "overconfidence", setting: "anomaly", run: anomaly::overconfidence::check },
    Check { name: "unverifiable phrasing", setting: "anomaly", run: anomaly::unverifiable::check },
    Check { name: "impossible numbers", setting: "anomaly", run: anomaly::impossible::check },
    Check { name: "pseudo-answer", setting: "anomaly", run: anomaly::pseudo_answer::check },
    Check { name: "error dressed as success", setting: "anomaly", run: anomaly::dressed_error::check },
    Check { name: "truncation", setting: "anomaly", run: anomaly::truncation::check },
    Check { name: "injection", setting: "anomaly", run: anomaly::injection::check },
    Check { name: "placeholder", setting: "anomaly", run: anomaly::placeholder::check },
    Check { name: "hearsay", setting: "anomaly", run: anomaly::hearsay::check },
];

/// Verifies a result. Where nothing is known about the tool, the seed's own rules on results hold too.
pub fn verify(request: &VerifyRequest, policy: &Policy) -> VerificationReport {
    verify_with_seed(request, policy, Mode::Enforce)
}

/// Verifies a result; says what the seed's rules on results may do where nothing is known about the tool.
pub fn verify_with_seed(request: &VerifyRequest, policy: &Policy, seed: Mode) -> VerificationReport {
    let prepared = Prepared::of(request);
    let subject = prepared.subject(request, policy);
    let mut findings = Vec::new();
    let (mut passed, mut doubted) = (0, 0);
    for check in CHECKS {
        let skipped = request.result.is_error && check.setting != "pairing";
        let mut found = if skipped {
            Vec::new()
        } else {
            apply_mode((check.run)(&subject), mode_of(policy, request, check.setting))
        };
        if check.setting == "format" && !skipped && request.tool.is_none() && found.is_empty() {
            found =
                apply_mode(check_seeded(&prepared, request), narrower(seed, mode_of(policy, request, check.setting)));
        }
        passed += usize::from(!found.iter().any(|finding| finding.severity > Severity::Info));
        doubted += usize::from(found.iter().any(|f| f.mode == Mode::Enforce && f.severity > Severity::Info));
        findings.append(&mut found);
    }
    findings.truncate(policy.limits.findings);
    report(request, (passed, doubted), findings, subject.language)
}

/// What an answer claims against its results and without any. One false sentence is one finding: what a result says of it comes
/// before that no call did it.
pub fn claimed_without_ground(response: &str, trace: Trace, context: &Context, language: Language) -> Vec<Finding> {
    let mut found = held_against_outcomes(response, trace.calls, language);
    let quoted = |finding: &Finding| {
        let (_, rest) = finding.evidence.split_once('“')?;
        rest.split_once('”').map(|(said, _)| said.trim_end_matches([',', '，', '.', '。']).to_owned())
    };
    let held: Vec<String> = found.iter().filter(|finding| finding.code.is(&NOT_DONE)).filter_map(quoted).collect();
    let alone = trace.calls.len() == 1 && found.iter().any(|finding| finding.code.is(&NOT_DONE));
    let known = |finding: &Finding| {
        let within = |said: String| held.iter().any(|clause| said.contains(clause.as_str()) || clause.contains(&said));
        finding.code.is(&NOT_DONE) && (alone || quoted(finding).is_some_and(within))
    };
    found.extend(said_and_done(response, trace, context, language).into_iter().filter(|finding| !known(finding)));
    found
}

/// What the seed's rules say about the result of a tool that nothing is known about.
fn check_seeded(prepared: &Prepared, request: &VerifyRequest) -> Vec<Finding> {
    let seed = Policy::seed();
    format::check(&prepared.subject(request, &seed))
}

/// The mode of a check for the tool that was called.
fn mode_of(policy: &Policy, request: &VerifyRequest, check: &str) -> Mode {
    let own = policy.tool(&request.call.name).find_map(|tool| tool.checks.get(check));
    own.or_else(|| policy.checks.get(check)).copied().unwrap_or(Mode::Enforce)
}

fn narrower(a: Mode, b: Mode) -> Mode {
    let rank = |mode: Mode| match mode {
        Mode::Enforce => 0,
        Mode::Advise => 1,
        Mode::Shadow => 2,
        Mode::Off => 3,
    };
    if rank(a) >= rank(b) { a } else { b }
}

/// Findings as their mode lets them stand: advice is never an error, shadows are not shown.
fn apply_mode(findings: Vec<Finding>, mode: Mode) -> Vec<Finding> {
    let shown = findings.into_iter().filter(|_| matches!(mode, Mode::Enforce | Mode::Advise));
    shown
        .map(|mut finding| {
            finding.mode = mode;
            if mode == Mode::Advise {
                finding.severity = finding.severity.min(Severity::Warning);
            }
            finding
        })
        .collect()
}

/// Puts the findings together. At HIGH one doubt is enough to be suspicious, at MEDIUM two, at LOW none; an error is at
/// every level. What only advises raises no doubt.
fn report(
    request: &VerifyRequest,
    (passed, doubted): (usize, usize),
    findings: Vec<Finding>,
    language: Language,
) -> VerificationReport {
    let total = CHECKS.len();
    #[expect(clippy::cast_precision_loss, reason = "a handful of checks")]
    let confidence = passed as f64 / total as f64;
    let level = request.level.unwrap_or_default();
    let stands = findings.iter().any(|finding| finding.severity == Severity::Error);
    let is_suspicious = stands || doubted >= level.doubts() || confidence < level.threshold();
    let told = findings.iter().filter(|finding| finding.severity > Severity::Info);
    VerificationReport {
        id: request.id.clone(),
        is_suspicious,
        confidence,
        checks_passed: passed,
        total_checks: total,
        concerns: told.map(|finding| concern(finding, language)).collect(),
        recommendations: recommendations(is_suspicious, &findings, language),
        findings,
    }
}

/// One sentence for one finding.
fn concern(finding: &Finding, language: Language) -> String {
    let (title, evidence): (Cow<str>, &str) = (finding.code.title.into(), &finding.evidence);
    match language {
        Language::English => format!("{title}: {evidence}."),
        Language::Chinese => format!("{evidence}。"),
    }
}

/// What to do: the seed's three, and the mend of the gravest finding.
fn recommendations(is_suspicious: bool, findings: &[Finding], language: Language) -> Vec<String> {
    let mut found = Vec::new();
    if is_suspicious {
        found.push(localized!(
            language,
            "Consider re-executing with different parameters",
            "考虑换用不同的参数重新执行"
        ));
        found.push(localized!(
            language,
            "Request user confirmation before relying on output",
            "在依赖该输出之前请用户确认"
        ));
    }
    let formal = ["result.format", "result.missing-field", "result.shape", "result.empty", "result.rule"];
    if findings.iter().any(|finding| formal.contains(&finding.code.id)) {
        found.push(localized!(language, "Validate output structure with tool schema", "用工具的模式校验输出结构"));
    }
    if let (Language::English, Some(gravest)) = (language, findings.iter().max_by_key(|finding| finding.severity)) {
        found.push(gravest.code.mend.to_owned());
    }
    found
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    pattern::build_tables();
    logic::build_tables();
    consistency::build_tables();
    anomaly::build_tables();
    action::build_tables();
    said_and_done::build_tables();
    telling::build_tables();
    ending::build_tables();
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::contract::VerificationLevel;
    use crate::wire::requests::read_verify;
    use serde_json::{Value, json};
    use std::time::{Duration, Instant};

    /// A request about one call of a tool that nothing else is known about.
    pub(crate) fn request(name: &str, arguments: Value, content: Value) -> VerifyRequest {
        let body = json!({"id": 1, "call": {"id": "c", "name": name, "arguments": arguments},
            "result": {"call_id": "c", "content": content}});
        read_verify(&body).unwrap()
    }

    fn suspicious(name: &str, arguments: Value, content: Value) -> bool {
        verify(&request(name, arguments, content), &Policy::standard()).is_suspicious
    }

    // RESULT-6, T20
    #[test]
    fn the_seed_cases_of_results() {
        assert!(suspicious("stats", json!({}), json!({"count": -3})));
        assert!(suspicious("search", json!({"query": "what is AI?"}), json!("here is some plain text")));
        assert!(!suspicious("lookup", json!({}), json!({"name": "x", "note": null})));
        let clean = json!({"results": [{"title": "AI Overview", "score": 0.95}]});
        assert!(!suspicious("search", json!({"query": "what is AI?", "limit": 10}), clean));
    }

    // RESULT-1, RESULT-6, T21
    #[test]
    fn another_id_is_a_pairing_finding_at_every_level() {
        let mut request = request("get_order", json!({}), json!({"a": 1}));
        request.result.call_id = Some("other".into());
        let report = verify(&request, &Policy::standard());
        assert_eq!((report.findings[0].code.id, report.checks_passed), ("result.orphan", CHECKS.len() - 1));
        assert!(report.is_suspicious && report.confidence > 0.9);
        request.result.is_error = true;
        assert!(verify(&request, &Policy::standard()).is_suspicious);
    }

    // RESULT-6, CALL-9
    #[test]
    fn advice_warns_and_off_is_silent() {
        let request = request("stats", json!({}), json!({"count": -3}));
        let advised = Policy::from_toml("[checks]\nanomaly = \"advise\"\n").unwrap();
        let report = verify_with_seed(&request, &advised, Mode::Off);
        assert!(!report.is_suspicious && report.checks_passed == CHECKS.len() - 1, "{report:?}");
        let off = Policy::from_toml("[tools.stats.checks]\nanomaly = \"off\"\n").unwrap();
        assert!(verify_with_seed(&request, &off, Mode::Off).findings.is_empty());
    }

    // RESULT-6: one doubt, two doubts and an error at each level.
    #[test]
    fn the_levels_change_outcomes() {
        let levels = [VerificationLevel::High, VerificationLevel::Medium, VerificationLevel::Low];
        let judged = |content: Value, unpaired: bool| {
            levels.map(|level| {
                let mut request = request("lookup", json!({}), content.clone());
                request.level = Some(level);
                request.result.call_id = request.result.call_id.filter(|_| !unpaired);
                verify(&request, &Policy::standard()).is_suspicious
            })
        };
        assert_eq!(judged(json!({"name": "x"}), false), [false, false, false], "nothing");
        assert_eq!(judged(json!("The shop is always open."), false), [true, false, false], "one doubt");
        assert_eq!(judged(json!("The shop is always open."), true), [true, true, false], "two doubts");
        assert_eq!(judged(json!({"count": -3}), false), [true, true, true], "an error");
    }

    // RESULT-6: advice never makes a result suspicious, whatever the level.
    #[test]
    fn advice_raises_no_doubt() {
        let mut request = request("stats", json!({}), json!({"count": -3}));
        request.level = Some(VerificationLevel::High);
        let advised = Policy::from_toml("[checks]\nanomaly = \"advise\"\nformat = \"advise\"\n").unwrap();
        let report = verify(&request, &advised);
        assert!(!report.is_suspicious && !report.findings.is_empty(), "{report:?}");
    }

    // RESULT-2: the cost of a result grows with its size, not faster.
    #[test]
    fn the_cost_of_a_result_grows_with_its_size() {
        let marks = |size: usize| json!("«“'\"no not [insert <!-- 已".repeat(size));
        let item = |n: usize| json!({"items": [{"price": n}], "total": n, "start_at": "2026-01-01"});
        let items = move |size: usize| json!({ "results": (0..size).map(item).collect::<Vec<_>>() });
        let member = |n: usize| (format!("a{n}_count"), json!([n]));
        let wide = move |size: usize| Value::Object((0..size).map(member).collect());
        let shapes: [(&str, &dyn Fn(usize) -> Value); 3] = [("marks", &marks), ("items", &items), ("wide", &wide)];
        for (name, content) in shapes {
            let time = |size: usize| {
                let request = request("lookup_search", json!({"query": "one two three"}), content(size));
                let begun = Instant::now();
                verify(&request, &Policy::standard());
                begun.elapsed()
            };
            // Four times the result may take ten times as long, not sixteen. A machine that was busy is asked again.
            let attempts = (0..4).map(|_| (time(1000), time(4000)));
            let slow = attempts.take_while(|(small, large)| *large >= (*small).max(Duration::from_millis(20)) * 10);
            let slow: Vec<_> = slow.collect();
            assert!(slow.len() < 4, "{name}, 1000 and 4000: {slow:?}");
        }
    }

    // RESULT-2: whatever comes back, nothing crashes.
    #[test]
    fn hostile_contents_never_panic() {
        let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
        for content in [
            json!(null),
            json!(""),
            json!(7),
            json!(true),
            json!([]),
            json!({}),
            deep,
            json!("\u{0}\"\"''"),
            json!({"": ""}),
            json!([null, {"items": null}]),
        ] {
            verify(&request("any", json!({"id": null}), content), &Policy::standard());
        }
    }
}
