//! A whole agent step judged at once: the call, what came back, and what the model made of it.

use super::{run, second_reading};
use crate::check_call::facts::answer_endpoints;
use crate::check_call::watch::Nobody;
use crate::check_call::{Checked, Guard};
use crate::check_result::{Done, Trace};
use crate::contract::codes::call::{BAD_SCHEMA, NO_SCHEMA};
use crate::contract::codes::score::CONFLICT;
use crate::contract::{
    Answers, Arguments, ConfidenceAssessment, Context, Finding, HallucinationDetectionResult, Language, Layer, Level,
    Message, Mode, ReadingRecord, Role, Severity, Status, StepReport, ToolCall, ToolResult, ValidationResult,
    VerificationReport,
};
use crate::conversation::Conversation;
use crate::decide::step::{Confidences, Limits};
use crate::policy::Policy;
use crate::wire::requests::{CheckRequest, ScoreRequest, StepRequest, VerifyRequest, read_facts};
use crate::{check_result, decide, feedback, localized, score};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Judges a step. A call that failed its check ends it: what came back of such a call proves nothing.
pub fn step(guard: &Guard, request: &StepRequest, answers: &Answers) -> StepReport {
    let conversation = Conversation::of(request.check.messages.clone());
    let language = choose_language(request, &conversation, guard.policy());
    let check = CheckRequest { language: Some(language), ..request.check.clone() };
    let (mut checked, _) = run(guard, &check, &conversation, answers, &mut Nobody);
    if guard.registry().is_none() {
        checked.findings.extend(advise_by_seed(&check, &conversation, &checked.findings));
    }
    let call_status = decide::status(&checked);
    let validation = validation(&checked, call_status, request, language);
    if matches!(call_status, Status::ValidationFailed | Status::Rejected) {
        return report_failure(request, checked, validation, answers, (call_status, language));
    }
    let verification = verify(guard, request, &checked, language);
    let asked = score_request(request);
    let confidence = score::assess_in(language, &asked, &guard.policy().score);
    let call = checked.call.as_deref().unwrap_or(&request.check.call);
    let arguments = serde_json::to_value(&call.arguments).unwrap_or_default();
    let (content, is_error) = (&request.output, request.output_is_error);
    let done = Done { name: &call.name, arguments: &arguments, content, is_error, fresh: true };
    let mut answer = answer_findings(guard, request, &asked, &confidence, done, answers, language);
    let made_from = (asked.question.as_deref().unwrap_or_default(), asked.context.as_slice());
    let read = second_reading::read(guard.policy(), &request.response, made_from, Some(answers), language);
    answer.extend(read.findings);
    let confidences = Confidences {
        validation: validation.confidence,
        verification: verification.confidence,
        overall: confidence.overall_confidence,
    };
    let limits = Limits {
        call: limit_by_call(&checked, call_status),
        suspicious: check_result::doubt_stands(&verification, &request.response, &done),
        answer: &answer,
        recommendation: Some(confidence.recommendation).filter(|_| !request.response.trim().is_empty()),
    };
    let status = decide::step::status(confidences, limits, &guard.policy().score);
    let feedback = status.is_refused().then(|| match call_status.is_refused() {
        true => feedback::for_model(&request.check.call, status, &checked.findings, language),
        false => feedback::after_the_call(&request.check.call, status, &verification, &answer, language),
    });
    let mut findings = checked.findings;
    let mut unanswered = checked.questions;
    unanswered.extend(read.questions);
    findings.extend(verification.findings.iter().cloned());
    findings.extend(answer);
    StepReport {
        id: request.check.id.clone(),
        status,
        explanation: explanation(status, confidences, &findings, language),
        tool_name: request.check.call.name.clone(),
        score: confidences.mean(),
        feedback,
        findings,
        validation,
        verification: Some(verification),
        confidence: Some(confidence),
        readings: ReadingRecord::of(answers),
        unanswered,
    }
}

/// What the seed's own rules say about a call of a tool that nothing is known about: advice, and nothing twice.
fn advise_by_seed(check: &CheckRequest, conversation: &Conversation, known: &[Finding]) -> Vec<Finding> {
    let unasked = Answers::default();
    let (checked, _) = run(&SEED, check, conversation, &unasked, &mut Nobody);
    let factual =
        checked.findings.into_iter().filter(|finding| matches!(finding.code.layer, Layer::Fact | Layer::Capability));
    let new = factual.filter(|finding| !known.iter().any(|other| other.code.is(finding.code)));
    new.map(|finding| Finding { mode: Mode::Advise, severity: finding.severity.min(Severity::Warning), ..finding })
        .collect()
}

/// The best that the call allows its step: what is repaired is put right, what only warns asks for care as in `check`.
fn limit_by_call(checked: &Checked<'_>, status: Status) -> Status {
    let stands = |finding: &Finding| finding.severity > Severity::Info && !finding.is_applied();
    match status {
        Status::Caution if !checked.findings.iter().any(stands) => Status::Approved,
        status => status,
    }
}

/// The language that a step is answered in.
pub fn step_language(request: &StepRequest, policy: &Policy) -> Language {
    choose_language(request, &Conversation::of(request.check.messages.clone()), policy)
}

/// A step often comes without its conversation; the answer then tells which language is spoken.
fn choose_language(request: &StepRequest, conversation: &Conversation, policy: &Policy) -> Language {
    let StepRequest { check, response, .. } = request;
    let asked = check.language.or(check.context.language()).or(policy.language);
    let by_answer = || conversation.last_user().is_none().then(|| Language::of(response));
    asked.or_else(by_answer).unwrap_or_else(|| conversation.language(&check.context))
}

fn report_failure(
    request: &StepRequest,
    checked: Checked<'_>,
    validation: ValidationResult,
    answers: &Answers,
    (call, language): (Status, Language),
) -> StepReport {
    let reason = feedback::for_people(call, &checked.findings, language);
    StepReport {
        id: request.check.id.clone(),
        status: Status::ValidationFailed,
        explanation: localized!(
            language,
            "Severe failures in the call. {reason}",
            "Severe failures：存在严重问题，调用未通过检查。{reason}"
        ),
        tool_name: request.check.call.name.clone(),
        score: validation.confidence,
        feedback: Some(feedback::for_model(&request.check.call, call, &checked.findings, language)),
        findings: checked.findings,
        validation,
        verification: None,
        confidence: None,
        readings: ReadingRecord::of(answers),
        unanswered: checked.questions,
    }
}

/// The seed's view of the checked call.
fn validation(checked: &Checked<'_>, status: Status, request: &StepRequest, language: Language) -> ValidationResult {
    let noticed: Vec<&Finding> = checked.findings.iter().filter(|finding| finding.severity > Severity::Info).collect();
    let arguments = checked.call.as_deref().map(|call| &call.arguments).unwrap_or(&request.check.call.arguments);
    let mended = noticed.iter().filter(|finding| finding.is_applied());
    let note = |finding: &Finding| finding.correction.as_ref().map(|correction| correction.note.clone());
    let strict =
        |layer: Layer| checked.level == Level::Strict && noticed.iter().any(|finding| finding.code.layer == layer);
    let suggestion = match status.is_refused() {
        true if strict(Layer::Parameter) => {
            Some(localized!(language, "Schema validation failed.", "参数结构校验未通过。"))
        }
        true if strict(Layer::Meaning) => {
            Some(localized!(language, "Semantic validation failed.", "参数含义校验未通过。"))
        }
        true => noticed.iter().find_map(|finding| note(finding)),
        false => None,
    };
    ValidationResult {
        is_valid: !matches!(status, Status::ValidationFailed | Status::Rejected),
        confidence: decide::score(checked),
        validated_params: match arguments {
            Arguments::Object(object) => (**object).clone(),
            _ => Map::new(),
        },
        warnings: noticed.iter().map(|finding| finding.evidence.clone()).collect(),
        corrections: mended.map(|finding| (place(&finding.pointer), note(finding).unwrap_or_default())).collect(),
        suggestion,
        hallucinations: noticed
            .iter()
            .filter(|finding| is_hallucination(finding))
            .map(|finding| hallucination(finding))
            .collect(),
    }
}

/// A place as the seed names it: `limit` for `/arguments/limit`.
fn place(pointer: &str) -> String {
    pointer.strip_prefix("/arguments/").unwrap_or(pointer.trim_start_matches('/')).to_owned()
}

/// Whether the model made something up: not who may call, how often, or that nothing is known about the tool.
fn is_hallucination(finding: &Finding) -> bool {
    let unknown = finding.code.is(&NO_SCHEMA) || finding.code.is(&BAD_SCHEMA);
    !unknown && !matches!(finding.code.layer, Layer::Context | Layer::Repeat | Layer::History)
}

fn hallucination(finding: &Finding) -> HallucinationDetectionResult {
    HallucinationDetectionResult {
        is_hallucination: true,
        confidence: finding.confidence,
        hallucination_type: match finding.code.layer {
            Layer::ToolName => "tool_name",
            Layer::Fact | Layer::Capability => "fact",
            _ => "parameter",
        },
        evidence: finding.evidence.clone(),
        correction: finding.correction.as_ref().map(|correction| correction.note.clone()),
    }
}

/// The result of the step, verified. Where nothing is known about the tool, the seed's own rules advise.
fn verify(guard: &Guard, request: &StepRequest, checked: &Checked<'_>, language: Language) -> VerificationReport {
    let call = checked.call.as_deref().unwrap_or(&request.check.call).clone();
    let registry = guard.registry();
    let tool = registry.and_then(|registry| registry.spec(registry.find(&call.name)?)).map(|spec| spec.to_spec());
    let asked = VerifyRequest {
        id: request.check.id.clone(),
        tool,
        result: ToolResult {
            call_id: call.id.clone(),
            name: None,
            content: request.output.clone(),
            is_error: request.output_is_error,
            seal: None,
        },
        call,
        context: request.check.context.clone(),
        level: request.verification_level,
        language: Some(language),
    };
    check_result::verify_with_seed(&asked, guard.policy(), Mode::Advise)
}

/// The answer, with what it was made from: the tool's output and the words of the context. What was asked (the
/// user's words, the tool's name, the arguments) is known too, but asserts nothing.
fn score_request(request: &StepRequest) -> ScoreRequest {
    let context = &request.check.context;
    let outputs = [&request.output].into_iter().filter(|output| request.has_output && !output.is_null());
    let (question, sources) = answer_sources(&request.check.messages, [&request.check.call], outputs, context);
    ScoreRequest {
        id: request.check.id.clone(),
        response: request.response.clone(),
        question: Some(question),
        context: sources,
        logprobs: request.logprobs.clone(),
        samples: Vec::new(),
        fact_check: context.0.get("fact_check_results").or_else(|| context.0.get("fact_check")).and_then(read_facts),
    }
}

/// What an answer was asked, and what it can rest on: the outputs of tools and, beside them, the words of the context.
pub fn answer_sources<'a>(
    messages: &[Message],
    calls: impl IntoIterator<Item = &'a ToolCall>,
    outputs: impl IntoIterator<Item = &'a Value>,
    context: &Context,
) -> (String, Vec<String>) {
    let mut sources: Vec<String> = outputs.into_iter().map(text_of).collect();
    if !sources.is_empty() {
        let words = context.0.iter().filter(|(key, _)| !NO_SOURCES.contains(&key.as_str()));
        sources.extend(words.map(|(_, value)| text_of(value)));
    }
    let said = messages.iter().filter(|message| message.role == Role::User).map(|message| message.text.clone());
    let called = calls
        .into_iter()
        .flat_map(|call| [call.name.replace('_', " "), serde_json::to_string(&call.arguments).unwrap_or_default()]);
    // What earlier calls told is known, and the answer may name it; it asserts nothing, because this call may have changed it.
    let told = messages.iter().flat_map(|message| &message.results).map(|result| text_of(&result.content));
    let told = told.filter(|text| text.len() <= MAX_TOLD);
    (said.chain(called).chain(told).collect::<Vec<_>>().join("\n"), sources)
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Everything that speaks against the answer.
fn answer_findings(
    guard: &Guard,
    request: &StepRequest,
    asked: &ScoreRequest,
    confidence: &ConfidenceAssessment,
    done: Done<'_>,
    answers: &Answers,
    language: Language,
) -> Vec<Finding> {
    let mut found = score::answer_findings(asked, confidence, language);
    // Who says that it failed denies what was asked for, and not the result.
    if check_result::tells_failure(&request.response, &done) {
        found.retain(|finding| !finding.code.is(&CONFLICT));
    }
    found.extend(check_result::answer_findings(&request.response, language));
    found.extend(answer_endpoints(&request.response, guard.policy(), answers, language).0);
    let done = [done];
    let names = guard.registry().map(|registry| registry.specs().map(|spec| spec.name.as_str()).collect::<Vec<_>>());
    let trace = Trace { calls: &done, tools: names.as_deref() };
    if guard.policy().checks.get("said_and_done") != Some(&Mode::Off) {
        let context = &request.check.context;
        found.extend(check_result::claimed_without_ground(&request.response, trace, context, language));
    }
    found
}

/// The status in the seed's words, then what moved it.
fn explanation(status: Status, confidences: Confidences, findings: &[Finding], language: Language) -> String {
    let opening = match status {
        Status::Approved => localized!(language, "All checks passed", "All checks passed：全部检查通过"),
        Status::Caution => localized!(language, "Monitor output", "Monitor output：请留意输出"),
        Status::RequiresReview => localized!(language, "Concerns found", "Concerns found：发现疑点"),
        Status::Rejected | Status::ValidationFailed => {
            localized!(language, "Severe failures", "Severe failures：存在严重问题")
        }
    };
    let Confidences { validation, verification, overall } = confidences;
    let parts = localized!(
        language,
        "call {validation:.2}, result {verification:.2}, answer {overall:.2}",
        "调用 {validation:.2}，结果 {verification:.2}，回答 {overall:.2}"
    );
    let noticed = findings.iter().filter(|finding| finding.severity > Severity::Info && !finding.is_applied());
    match noticed.max_by_key(|finding| finding.severity) {
        Some(finding) if status != Status::Approved => {
            localized!(language, "{opening} ({parts}): {}", "{opening}（{parts}）：{}", finding.evidence)
        }
        _ => localized!(language, "{opening} ({parts}).", "{opening}（{parts}）。"),
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&SEED);
}

/// A guard that knows the seed's rules and no tools.
static SEED: LazyLock<Guard> = LazyLock::new(|| Guard::new(None, Policy::seed()));

/// A longer result is a document, and no record that an answer names.
const MAX_TOLD: usize = 20_000;
/// Keys of a context that are no source for an answer.
const NO_SOURCES: &[&str] =
    &["user_role", "fact_check_results", "fact_check", "language", "permissions", "now", "timezone", "previous_query"];
