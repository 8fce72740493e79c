//! One item as a person decides on it: the tool it is for, the claims around it, and how far the words beside it go.
//!
//! All of it is made when somebody looks: the item keeps what was said, and the signals are weighed by the policy of
//! now. Nothing here changes an item, and a part that cannot be made is absent, never an error.

use super::review_evidence::{followed, sources};
use crate::serve::error::ApiError;
use crate::serve::policy_reload::Engines;
use crate::serve::state::App;
use countersign::claims::marked;
use countersign::contract::{Claim, ClaimStatus, Language, MarkedMessage, Signal, Signals, ToolSpec};
use countersign::policy::Policy;
use countersign::score;
use countersign::wire::requests::ScoreRequest;
use countersign::wire::tools::read_tools;
use countersign_runtime::review::{About, Review};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The item with everything that a person may want to know.
///
/// The reasons are in the language of the conversation. In another one they are made by judging the call again: where the
/// same is found, it is told in the words that were asked for.
pub(super) async fn detail(app: &Arc<App>, review: Review, language: Option<Language>) -> Result<Value, ApiError> {
    let marked = match &review.session_id {
        // A session that was removed has no claims any more; the item stays.
        Some(session) => app.services.claims.messages(session).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let engines = app.policy.current();
    app.heavy
        .run(move || {
            let mut shown = render(&review, &marked, &engines);
            if let Some(told) = language.and_then(|language| tell_in(&review, &engines, language)) {
                put(&mut shown, told);
            }
            shown
        })
        .await
}

fn render(review: &Review, marked: &[MarkedMessage], engines: &Engines) -> Value {
    let mut shown = review.shown();
    let tool = tool(review, engines);
    let schema = tool.as_ref().and_then(|tool| tool.input.as_ref());
    let more = json!({
        "said": review.said,
        "tool_schema": schema.and_then(|schema| serde_json::from_str::<Value>(schema.0.get()).ok()),
        "tool_description": tool.map(|tool| tool.description),
        "context_claims": context_claims(review, marked, engines.policy()),
        "assessment": assessment(review, marked, engines.policy()),
        "at_expiry": at_expiry(review),
        "sources": sources(review),
        "followed": followed(review),
    });
    put(&mut shown, more);
    shown
}

fn put(shown: &mut Value, more: Value) {
    if let (Some(fields), Value::Object(more)) = (shown.as_object_mut(), more) {
        fields.extend(more);
    }
}

/// The findings and the explanation of a call in a language; none where the call is not judged as it was.
fn tell_in(review: &Review, engines: &Engines, language: Language) -> Option<Value> {
    if review.about() != About::Call {
        return None;
    }
    let made = review.made.as_ref().unwrap_or(&review.call);
    let mut line = json!({"call": made, "language": language});
    for part in ["tools", "messages", "context"] {
        let given = review.request.get(part).filter(|given| !given.is_null())?;
        line.as_object_mut()?.insert(part.to_owned(), given.clone());
    }
    let verdict = engines.engine.check(&line.to_string()).ok()?;
    let now = serde_json::to_value(&verdict.findings).ok()?;
    let part = |finding: &Value, name: &str| finding.get(name).cloned().unwrap_or_default();
    let marks = |findings: &Value| -> Vec<(Value, Value)> {
        let each = findings.as_array().into_iter().flatten();
        each.map(|finding| (part(finding, "code"), part(finding, "pointer"))).collect()
    };
    if marks(&now) != marks(&review.findings) {
        return None;
    }
    let mut context = review.context.clone();
    context.as_object_mut()?.insert("explanation".to_owned(), json!(verdict.explanation));
    Some(json!({"findings": now, "context": context}))
}

/// What happens where nobody decides.
fn at_expiry(review: &Review) -> &'static str {
    match review.about() {
        _ if !review.waits => "nothing",
        About::Call => "denied",
        About::Result | About::Answer => "withheld",
    }
}

/// The tool of an item: of the request, or of the configuration.
fn tool(review: &Review, engines: &Engines) -> Option<ToolSpec> {
    let listed = review.request.get("tools").filter(|tools| tools.is_array()).map(Value::to_string);
    let own = listed.and_then(|tools| read_tools(&tools).ok()).unwrap_or_default();
    own.into_iter().find(|tool| tool.name == review.tool).or_else(|| {
        let guard = engines.engine.guard(None);
        let registry = guard.registry()?;
        registry.spec(registry.find(&review.tool)?).map(|spec| spec.to_spec())
    })
}

/// The claims of what was said before, message by message. What the operator tells the model claims nothing.
fn context_claims(review: &Review, marked: &[MarkedMessage], policy: &Policy) -> Vec<Value> {
    let messages = review.context.get("messages").and_then(Value::as_array);
    let said = messages.into_iter().flatten().enumerate().filter(|(_, message)| !OPERATOR.contains(&role(message)));
    let texts = said.filter_map(|(at, message)| Some((at, text(message)?)));
    let found = texts.map(|(at, text)| (at, claims(text, marked, policy)));
    found
        .filter(|(_, claims)| !claims.is_empty())
        .map(|(at, claims)| json!({"message": at, "claims": claims}))
        .collect()
}

/// The claims of a text, in the states that the session knows of them where it passes on a message of the session.
fn claims(text: &str, marked: &[MarkedMessage], policy: &Policy) -> Vec<Claim> {
    let mut found = marked::claims(text, &policy.claims);
    let passed_on: Vec<_> = marked.iter().rev().filter(|message| text.contains(&message.content)).collect();
    for claim in &mut found {
        let mut known = passed_on.iter().flat_map(|message| &message.claims);
        if let Some(known) = known.find(|known| known.kind == claim.kind && known.text == claim.text) {
            let Claim { id, status, verify_note, source, .. } = known.clone();
            *claim = Claim { id, status, verify_note, source, ..claim.clone() };
        }
    }
    found
}

/// How far the words beside the call can be trusted. Where there are none, nothing but looked-up facts has a say.
fn assessment(review: &Review, marked: &[MarkedMessage], policy: &Policy) -> Value {
    if review.about() == About::Answer {
        return assessed(review, policy);
    }
    let request = ScoreRequest {
        response: review.said.clone(),
        question: last(review, &["user"]),
        context: messages_by(review, &["user", "tool"]).map(str::to_owned).collect(),
        fact_check: Some(count_checked(marked)).filter(|(verified, disputed)| verified + disputed > 0.0),
        ..ScoreRequest::default()
    };
    let mut signals = score::assess(&request, &policy.score).signals;
    if review.said.trim().is_empty() {
        signals.0.retain(|(signal, _)| *signal == Signal::FactVerification);
    }
    let overall = (!signals.0.is_empty()).then(|| policy.score.calibrated(score::weigh(&signals, &policy.score)));
    let each = |value: &dyn Fn(Signal) -> Value| -> Map<String, Value> {
        Signal::ALL.into_iter().map(|signal| (signal.name().to_owned(), value(signal))).collect()
    };
    json!({
        "overall": overall,
        "signals": each(&|signal| json!(signals.value(signal))),
        "weights": each(&|signal| json!(policy.score.weight(signal))),
        "absent": absent(&signals),
    })
}

/// How an answer was assessed when it was given.
fn assessed(review: &Review, policy: &Policy) -> Value {
    let confidence = review.signals.get("confidence");
    let part = |name: &str| confidence.and_then(|confidence| confidence.get(name)).cloned().unwrap_or_default();
    let weights: Map<String, Value> =
        Signal::ALL.into_iter().map(|signal| (signal.name().to_owned(), json!(policy.score.weight(signal)))).collect();
    let signals: Map<String, Value> = Signal::ALL
        .into_iter()
        .map(|signal| (signal.name().to_owned(), part("signals").get(signal.name()).cloned().unwrap_or_default()))
        .collect();
    json!({
        "overall": part("overall_confidence"),
        "signals": signals,
        "weights": weights,
        "absent": part("absent"),
    })
}

fn absent(signals: &Signals) -> Vec<Signal> {
    Signal::ALL.into_iter().filter(|signal| signals.value(*signal).is_none()).collect()
}

/// How many claims of a session were verified, and how many disputed.
fn count_checked(marked: &[MarkedMessage]) -> (f64, f64) {
    let count = |status| marked.iter().flat_map(|m| &m.claims).filter(|claim| claim.status == status).count() as f64;
    (count(ClaimStatus::Verified), count(ClaimStatus::Disputed))
}

fn messages_by<'r>(review: &'r Review, roles: &'r [&str]) -> impl DoubleEndedIterator<Item = &'r str> {
    let messages = review.context.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    messages.iter().filter(move |message| roles.contains(&role(message))).filter_map(text)
}

fn last(review: &Review, roles: &[&str]) -> Option<String> {
    messages_by(review, roles).next_back().map(str::to_owned)
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn text(message: &Value) -> Option<&str> {
    message.get("content").and_then(Value::as_str)
}

/// Those who speak for the operator.
const OPERATOR: [&str; 2] = ["system", "developer"];
