//! What people decided on results and answers of a session: told in its log where no turn waited for it, and kept to when
//! the conversation is told to the model again.
//!
//! The queue knows best. What it decided and could not tell (the process died, another node writes the log) is looked up
//! when the next turn begins.

use super::journal::DECIDED;
use super::people::{REVIEWER, decided_draft, reviewed, withheld_answer, withheld_result};
use super::settled::text_of;
use crate::ids::new_id;
use crate::review::{About, Review, ReviewState, Reviewed, Reviews};
use crate::sessions::{Relay, SessionClaims, SessionError, message_draft};
use crate::store::Entry;
use crate::stream::Draft;
use countersign::contract::{ContentType, EventType, Language};
use countersign::policy::Policy;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// What stands in the place of results and answers, by their reviews. One that was accepted stands as it is.
#[derive(Debug, Default)]
pub(super) struct Rulings(HashMap<String, Option<String>>);

/// What a person decided on something that the log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ruling<'a> {
    /// Nothing so far.
    Open,
    /// It stands as it is.
    AsItIs,
    /// This stands in its place.
    InItsPlace(&'a str),
}

impl Rulings {
    /// What was decided on the results and answers of a log.
    pub(super) async fn read(history: &[Entry], reviews: &Reviews) -> Self {
        let (mut found, mut asked) = (HashMap::new(), BTreeSet::new());
        // Few events name a review, and reading all of them twice would be felt.
        for entry in history.iter().filter(|entry| entry.body.contains("\"review_id\"")) {
            let Ok(event) = serde_json::from_str::<Value>(&entry.body) else { continue };
            let word = |name: &str| event.pointer(&format!("/payload/{name}")).and_then(Value::as_str);
            let Some(review) = word("review_id").map(str::to_owned) else { continue };
            match entry.kind {
                EventType::Warning if word("code") == Some(DECIDED) => {
                    found.insert(review, word("told").map(str::to_owned));
                }
                EventType::ToolResult | EventType::Message => {
                    asked.insert(review);
                }
                _ => {}
            }
        }
        for id in asked {
            if !found.contains_key(&id)
                && let Ok(review) = reviews.get(&id).await
                && is_decided(&review)
            {
                found.insert(id, told(&review, language_of(&review)));
            }
        }
        Self(found)
    }

    /// What was decided on what a payload tells.
    pub(super) fn on(&self, review: &str) -> Ruling<'_> {
        match self.0.get(review) {
            None => Ruling::Open,
            Some(None) => Ruling::AsItIs,
            Some(Some(text)) => Ruling::InItsPlace(text),
        }
    }
}

/// The events of a decision that no turn waits for: what was decided, and the reviewer's text in the place of an answer.
pub(super) async fn decision_drafts(
    claims: &SessionClaims,
    policy: &Policy,
    review: &Review,
) -> Result<Vec<Draft>, SessionError> {
    let (Some(session), true) = (&review.session_id, is_decided(review)) else { return Ok(Vec::new()) };
    let language = language_of(review);
    let message_id = review.context.get("message_id").cloned().unwrap_or_default();
    let mut about = match review.about() {
        About::Call => return Ok(Vec::new()),
        About::Result => json!({"call_id": review.call.get("id"), "tool": review.tool}),
        About::Answer => json!({"message_id": message_id}),
    };
    if let (Some(told), Some(fields)) = (told(review, language), about.as_object_mut()) {
        fields.insert("told".to_owned(), json!(told));
    }
    let replaced = match review.reviewed() {
        Some(Reviewed::Replaced(content)) => Some(content),
        _ => None,
    };
    if let (About::Result, Some(content), Some(fields)) = (review.about(), &replaced, about.as_object_mut()) {
        fields.insert("content".to_owned(), content.clone());
    }
    let mut drafts = vec![decided_draft(review, language, about)];
    if let (About::Answer, Some(content)) = (review.about(), replaced) {
        let id = new_id("msg")?;
        let (from, to) = (REVIEWER.to_owned(), "user".to_owned());
        let relay = Relay { from, to, content: text_of(&content), derived_from: Vec::new() };
        let marked = claims.mark(session, &id, &relay, policy).await?;
        let mut draft = message_draft(&marked, &relay.from, &relay.to, &[]);
        draft.content = ContentType::Markdown;
        draft.fields.insert("role".to_owned(), json!("assistant"));
        draft.fields.insert("replaces".to_owned(), message_id);
        draft.fields.insert("reviewed".to_owned(), reviewed(review));
        drafts.push(draft);
    }
    Ok(drafts)
}

/// What stands in the place of what a person decided on; none where it stands as it is.
fn told(review: &Review, language: Language) -> Option<String> {
    match (review.reviewed()?, review.about()) {
        (Reviewed::Accepted, _) => None,
        (Reviewed::Replaced(content), _) => Some(text_of(&content)),
        (Reviewed::Withheld, About::Answer) => Some(withheld_answer(review, language)),
        (Reviewed::Withheld, _) => Some(withheld_result(review, language)),
    }
}

/// Whether a person has decided. That nobody did in time changes nothing of what the log says.
fn is_decided(review: &Review) -> bool {
    !matches!(review.state, ReviewState::Pending | ReviewState::Expired)
}

/// The language of what was asked.
fn language_of(review: &Review) -> Language {
    let asked = review.context.get("question").or_else(|| review.context.pointer("/messages/0/content"));
    Language::of(asked.and_then(Value::as_str).unwrap_or_default())
}
