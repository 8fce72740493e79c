//! Calls and results that need a person: put in the queue, waited for while somebody is there, and found again by a retry.

use super::asked::Asked;
use super::judging::{GatewayCall, Judging, Ruling};
use crate::review::{Conversation, NewReview, ProposedCall, Review, ReviewState, Reviewed, Reviews};
use countersign::contract::{Message, Role};
use countersign::decide::Proposal;
use countersign::resolve::PersonSaid;
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

/// What becomes of a result that was withheld.
#[derive(Debug)]
pub enum ResultAnswer {
    /// A person has approved it.
    Approved,
    /// A person has put this in its place.
    Replaced(Value),
    /// It is withheld; this stands in its place.
    Withheld(String),
}

impl People {
    /// Puts a result that looks wrong before people; one that was decided before stays as it was decided. A new one is
    /// waited for.
    pub async fn ask_about_result(&self, caller: &str, new: NewReview, is_new: bool) -> ResultAnswer {
        let review = match self.reviews.latest(&new).await {
            Ok(Some(review)) => Ok(review),
            Ok(None) => self.reviews.open(new).await,
            Err(error) => Err(error),
        };
        match review {
            Ok(review) if is_new => withhold(&self.wait(caller, review).await),
            Ok(review) => withhold(&review),
            Err(error) => {
                tracing::warn!(%error, "a result could not be put before a person");
                ResultAnswer::Withheld(withheld("nobody could be asked about it"))
            }
        }
    }

    /// Puts a call, and what was said beside it, before people, and waits if somebody is there.
    pub async fn ask(
        &self,
        judging: &Judging,
        judged: &GatewayCall,
        proposal: &Proposal,
        said: &str,
    ) -> (PersonSaid, Option<Ruling>) {
        self.ask_about_call(&judging.caller, new_review(judging, judged, proposal, said)).await
    }

    /// Puts a call before people, and waits if somebody is there.
    pub async fn ask_about_call(&self, caller: &str, new: NewReview) -> (PersonSaid, Option<Ruling>) {
        let review = match self.reviews.open(new).await {
            Ok(review) => self.wait(caller, review).await,
            Err(error) => {
                tracing::warn!(%error, "a call could not be put before a person");
                return (PersonSaid::Nobody, None);
            }
        };
        let said = match review.state {
            ReviewState::Pending => PersonSaid::Pending(review.review_id.clone()),
            state if state.is_yes() => match self.reviews.take(&review.review_id).await {
                Ok(approval) => PersonSaid::Approved(approval),
                Err(error) => PersonSaid::Rejected(format!("The approval cannot be used: {error}.")),
            },
            ReviewState::Expired => PersonSaid::Rejected("Nobody approved it in time.".to_owned()),
            _ => {
                let reason = review.decided.as_ref().and_then(|decided| decided.reason.as_ref());
                PersonSaid::Rejected(reason.map_or_else(
                    || "A reviewer rejected it.".to_owned(),
                    |reason| format!("A reviewer rejected it: {reason}"),
                ))
            }
        };
        (said, Some(Ruling::of(&review)))
    }

    /// Waits for a decision while somebody is there who could make it.
    async fn wait(&self, caller: &str, review: Review) -> Review {
        if review.state != ReviewState::Pending || !(self.present)(caller) {
            return review;
        }
        let waited = tokio::time::timeout(self.hold, self.reviews.wait(&review.review_id)).await;
        waited.ok().and_then(Result::ok).unwrap_or(review)
    }
}

fn withhold(review: &Review) -> ResultAnswer {
    match review.reviewed() {
        None => ResultAnswer::Withheld(withheld("a person has not approved it yet")),
        Some(Reviewed::Accepted) => ResultAnswer::Approved,
        Some(Reviewed::Replaced(content)) => ResultAnswer::Replaced(content),
        Some(Reviewed::Withheld) => ResultAnswer::Withheld(withheld("a person has not approved it")),
    }
}

fn new_review(judging: &Judging, judged: &GatewayCall, proposal: &Proposal, said: &str) -> NewReview {
    let tools = judging.asked.tools().and_then(|tools| serde_json::from_str::<Value>(&tools).ok());
    let proposed = ProposedCall {
        proposal,
        made: judged.own.made(),
        verdict: &judged.verdict,
        verdict_id: &judged.own.verdict_id,
        explanation: &judged.verdict.explanation,
        said,
        tools: json!(tools),
        messages: &judging.asked.messages(),
        context: json!(judging.call_context),
        conversation: conversation(&judging.asked),
        session: None,
    };
    proposed.review(judged.own.held.id.as_deref())
}

/// The conversation of a request: by the name that the provider keeps it under, else by what was said in it. The operator's
/// instructions are left out, because they often carry the time, and how a message is written is, because clients move marks
/// for caches about.
pub fn conversation(asked: &Asked) -> Conversation {
    read_conversation(asked).0
}

/// The same, with what was said in it: a message for each of its names, where the provider does not keep it.
pub fn read_conversation(asked: &Asked) -> (Conversation, Vec<Message>) {
    let said: Vec<_> = read_messages(&Value::Array(asked.messages()));
    let said: Vec<_> = said.into_iter().filter(|message| message.role != Role::System).collect();
    let kept: Kept = serde_json::from_slice(&asked.body).unwrap_or_default();
    let name = kept.conversation.as_ref().and_then(|named| named.as_str().or_else(|| named.get("id")?.as_str()));
    if let Some(name) = name {
        return (Conversation::named(name), said);
    }
    let steps = said.iter().map(|message| {
        let calls: Vec<_> = message.calls.iter().map(|call| json!([call.name, call.arguments])).collect();
        let results: Vec<_> = message.results.iter().map(|result| json!(result.content)).collect();
        json!([format!("{:?}", message.role), message.text, calls, results])
    });
    (Conversation::of_steps(kept.previous_response_id.as_deref().unwrap_or_default(), steps), said)
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
