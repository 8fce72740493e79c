//! Calls that need a person: put in the queue, waited for while somebody is there, and found again by a retry.

use super::asked::Asked;
use super::examined::Examined;
use super::held::HeldCall;
use super::judging::{Judged, Judging, Ruling};
use crate::review::{Binding, Conversation, NewReview, Origin, Review, ReviewState, Reviews, arguments_digest};
use crate::turn::Rules;
use countersign::contract::{Role, ToolCall, Verdict};
use countersign::wire::messages::read_messages;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Asks people.
#[derive(Clone)]
pub struct People {
    /// The queue.
    pub reviews: Reviews,
    /// Whether anybody is there who may decide on a caller's calls.
    pub present: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// How long a client is kept waiting.
    pub hold: Duration,
}

/// What people said.
#[derive(Debug)]
pub enum Answered {
    /// Yes, to this call.
    Yes {
        /// The item, and who said it.
        review: Ruling,
        /// The call to make.
        call: ToolCall,
    },
    /// No.
    No {
        /// The item, and who said it.
        review: Ruling,
        /// Why.
        why: String,
    },
    /// Nothing yet.
    Later {
        /// The item.
        review: String,
    },
    /// Nobody could be asked.
    Nobody,
}

/// What becomes of a result that was withheld.
#[derive(Debug)]
pub enum ResultAnswer {
    /// A person has approved it.
    Fine,
    /// It is withheld; this stands in its place.
    Withheld(String),
}

impl People {
    /// Puts a result that looks wrong before people; one that was decided before stays as it was decided.
    pub async fn ask_about_result(
        &self,
        caller: &str,
        rules: &Rules,
        found: &Examined,
        conversation: Conversation,
    ) -> ResultAnswer {
        let new = result_proposal(caller, rules, found, conversation);
        let known = match self.reviews.latest(&new.binding, &new.conversation).await {
            Ok(Some(review)) => Ok(review),
            Ok(None) => self.reviews.open(new).await,
            Err(error) => Err(error),
        };
        let review = match known {
            Ok(review) => review,
            Err(error) => {
                tracing::warn!(%error, "a result could not be put before a person");
                return ResultAnswer::Withheld(withheld("nobody could be asked about it"));
            }
        };
        let wait = review.state == ReviewState::Pending && found.newest && (self.present)(caller);
        let review = if wait {
            let waited = tokio::time::timeout(self.hold, self.reviews.wait(&review.review_id)).await;
            waited.ok().and_then(Result::ok).unwrap_or(review)
        } else {
            review
        };
        match review.state {
            state if state.is_yes() => ResultAnswer::Fine,
            ReviewState::Pending => ResultAnswer::Withheld(withheld("a person has not approved it yet")),
            _ => ResultAnswer::Withheld(withheld("a person has not approved it")),
        }
    }

    /// Puts a call, and what was said beside it, before people, and waits if somebody is there.
    pub async fn ask(&self, judging: &Judging, judged: &Judged, said: &str) -> Answered {
        let review = match self.reviews.open(proposal(judging, judged, said)).await {
            Ok(review) => review,
            Err(error) => {
                tracing::warn!(%error, "a call could not be put before a person");
                return Answered::Nobody;
            }
        };
        let decided = if review.state == ReviewState::Pending && (self.present)(&judging.caller) {
            let waited = tokio::time::timeout(self.hold, self.reviews.wait(&review.review_id)).await;
            waited.ok().and_then(Result::ok).unwrap_or(review)
        } else {
            review
        };
        self.answer(decided, &judged.call).await
    }

    async fn answer(&self, review: Review, made: &HeldCall) -> Answered {
        let id = review.review_id.clone();
        let ruling = Ruling::of(&review);
        match review.state {
            ReviewState::Pending => Answered::Later { review: id },
            state if state.is_yes() => match self.reviews.take(&id).await {
                Ok(call) => Answered::Yes { review: ruling, call: cleared(&call, made) },
                Err(error) => Answered::No { review: ruling, why: format!("The approval cannot be used: {error}.") },
            },
            ReviewState::Expired => Answered::No { review: ruling, why: "Nobody approved it in time.".to_owned() },
            _ => {
                let reason = review.decided.and_then(|decided| decided.reason);
                let why = reason.map_or_else(
                    || "A reviewer rejected it.".to_owned(),
                    |reason| format!("A reviewer rejected it: {reason}"),
                );
                Answered::No { review: ruling, why }
            }
        }
    }
}

fn proposal(judging: &Judging, judged: &Judged, said: &str) -> NewReview {
    let call = proposed(&judged.call, &judged.verdict);
    let tool = call.get("name").and_then(Value::as_str).unwrap_or(&judged.call.name).to_owned();
    let patch: Vec<_> = judged.verdict.findings.iter().filter_map(|found| found.correction.as_ref()).collect();
    let messages = judging.asked.messages();
    let recent: Vec<_> = messages.iter().skip(messages.len().saturating_sub(RECENT)).cloned().collect();
    let tools = judging.asked.tools().and_then(|tools| serde_json::from_str::<Value>(&tools).ok());
    NewReview {
        binding: Binding {
            caller: judging.caller.clone(),
            tool_digest: judging.tool_digest(&tool),
            tool,
            arguments_digest: arguments_digest(call.get("arguments").unwrap_or(&Value::Null)),
            policy_version: judging.rules.policy.version.clone(),
        },
        conversation: conversation(&judging.asked),
        session_id: None,
        patch: json!(patch),
        findings: json!(judged.verdict.findings),
        signals: json!({"score": judged.verdict.score, "status": judged.verdict.status}),
        context: json!({"messages": recent, "explanation": judged.verdict.explanation, "verdict_id": judged.verdict_id}),
        request: json!({"tools": tools, "messages": messages, "context": judging.context.as_ref()}),
        origin: Origin {
            made: Some(judged.made()),
            said: said.to_owned(),
            verdict_id: Some(judged.verdict_id.clone()),
        },
        call,
    }
}

fn result_proposal(caller: &str, rules: &Rules, found: &Examined, conversation: Conversation) -> NewReview {
    let content = &found.result.content;
    NewReview {
        binding: Binding {
            caller: caller.to_owned(),
            tool: found.call.name.clone(),
            tool_digest: String::new(),
            arguments_digest: arguments_digest(&json!({"result": content, "call_id": found.result.call_id})),
            policy_version: rules.policy.version.clone(),
        },
        conversation,
        session_id: None,
        call: json!({"id": found.call.id, "name": found.call.name, "arguments": found.call.arguments}),
        patch: json!([]),
        findings: json!(found.report.findings),
        signals: json!({"confidence": found.report.confidence, "checks_passed": found.report.checks_passed}),
        context: json!({"kind": "result", "result": content, "concerns": found.report.concerns}),
        request: json!({}),
        origin: Origin::default(),
    }
}

/// The conversation of a request: by the name that the provider keeps it under, else by what was said in it. The operator's
/// instructions are left out, because they often carry the time, and how a message is written is, because clients move marks
/// for caches about.
pub fn conversation(asked: &Asked) -> Conversation {
    let kept: Kept = serde_json::from_slice(&asked.body).unwrap_or_default();
    let name = kept.conversation.as_ref().and_then(|named| named.as_str().or_else(|| named.get("id")?.as_str()));
    if let Some(name) = name {
        return Conversation::named(name);
    }
    let said = read_messages(&Value::Array(asked.messages())).into_iter();
    let steps = said.filter(|message| message.role != Role::System).map(|message| {
        let calls: Vec<_> = message.calls.iter().map(|call| json!([call.name, call.arguments])).collect();
        let results: Vec<_> = message.results.iter().map(|result| json!(result.content)).collect();
        json!([format!("{:?}", message.role), message.text, calls, results])
    });
    Conversation::of_steps(kept.previous_response_id.as_deref().unwrap_or_default(), steps)
}

/// What a request says of a conversation that the provider keeps.
#[derive(Default, Deserialize)]
struct Kept {
    #[serde(default)]
    previous_response_id: Option<String>,
    #[serde(default)]
    conversation: Option<Value>,
}

fn withheld(why: &str) -> String {
    format!("Error: the result of this call looked wrong and is withheld: {why}.")
}

/// The call as a person sees it: with the repairs that the engine has made.
fn proposed(made: &HeldCall, verdict: &Verdict) -> Value {
    let call = verdict.call.clone().unwrap_or_else(|| made.to_judge());
    let arguments = match serde_json::to_value(&call.arguments).unwrap_or_default() {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    let mut call = json!({"id": made.id, "name": call.name, "arguments": arguments});
    let applied = verdict.findings.iter().filter_map(|found| found.correction.as_ref()).filter(|fix| fix.applied);
    for operation in applied.filter(|_| verdict.call.is_none()).flat_map(|fix| &fix.patch) {
        operation.apply(&mut call);
    }
    call
}

fn cleared(call: &Value, made: &HeldCall) -> ToolCall {
    let name = call.get("name").and_then(Value::as_str).unwrap_or(&made.name).to_owned();
    let arguments = call.get("arguments").cloned().unwrap_or_default();
    ToolCall { id: made.id.clone(), name, arguments: arguments.into() }
}

/// So many of the newest messages are shown to a reviewer.
const RECENT: usize = 6;
