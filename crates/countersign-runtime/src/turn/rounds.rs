//! The rounds of a turn: the model is asked, its calls are settled, it is asked again, until it answers.

use super::calls::{Court, Refused, Settled};
use super::ending::{Ending, TurnWatcher};
use super::listen::{Heard, listen};
use super::outbox::Outbox;
use super::results::Waiting;
use super::rules::{self, Rules};
use super::tags::Keeper;
use crate::ids::new_id;
use crate::models::{Ask, Model};
use crate::review::Reviews;
use crate::sessions::{FactDesk, Relay, Session, SessionError, Sessions, message_draft};
use crate::stream::PlantedBug;
use countersign::contract::{ContentType, EventType, Language};
use countersign::parse::chatter;
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

/// What a turn works with.
pub struct Round<'a> {
    pub(super) session: &'a Session,
    pub(super) sessions: &'a Sessions,
    pub(super) desk: &'a FactDesk,
    pub(super) model: &'a dyn Model,
    pub(super) rules: &'a Arc<Rules>,
    pub(super) outbox: &'a Outbox,
    pub(super) reviews: &'a Reviews,
    pub(super) waiting: &'a Waiting,
    pub(super) watcher: &'a dyn TurnWatcher,
    pub(super) patience: Duration,
    pub(super) planted: Option<PlantedBug>,
}

impl Round<'_> {
    /// Asks and settles until the model answers without a call.
    pub async fn converse(&self, mut messages: Vec<Value>, language: Language) -> Result<Ending, Ending> {
        let guard = Arc::new(rules::guard(self.rules, &self.session.tools));
        let court = Court {
            session: self.session,
            rules: self.rules,
            guard: &guard,
            outbox: self.outbox,
            reviews: self.reviews,
            waiting: self.waiting,
            records: self.sessions.records(),
            watcher: self.watcher,
            patience: self.patience,
        };
        let mut mistakes = Mistakes::default();
        for _ in 0..MAX_ROUNDS {
            let span = tracing::info_span!(
                "chat",
                otel.kind = "client",
                gen_ai.operation.name = "chat",
                gen_ai.conversation.id = %self.session.session_id,
                gen_ai.request.model = self.session.model.as_deref().unwrap_or("default"),
            );
            let heard = self.hear(&messages, language).instrument(span).await?;
            self.say(&heard).await?;
            if heard.calls.is_empty() {
                return Ok(Ending::Completed);
            }
            let asked = Arc::new(messages.clone());
            let settled = try_join_all(heard.calls.iter().map(|call| court.settle(call.clone(), &asked))).await?;
            extend(&mut messages, &heard, &settled);
            if let Some(refused) = mistakes.add(&settled) {
                return self.give_up(&refused, language).await;
            }
        }
        let message = format!("the model made calls in {MAX_ROUNDS} rounds without an answer");
        Err(Ending::Failed { code: "too_many_rounds", message, retryable: true })
    }

    async fn hear(&self, messages: &[Value], language: Language) -> Result<Heard, Ending> {
        let ask =
            Ask { model: self.session.model.clone(), messages: messages.to_vec(), tools: self.session.tools.clone() };
        let answer = self.model.ask(ask).await?;
        let message_id = new_id("msg").map_err(|error| unnamed(&error))?;
        self.outbox.begin(&message_id);
        let session = &self.session.session_id;
        let mut keeper = Keeper { sessions: self.sessions, session, outbox: self.outbox, language };
        let mut heard = listen(answer, self.outbox, &mut keeper, self.planted).await?;
        heard.message_id = message_id;
        let troubles = heard.troubles.iter().map(|trouble| self.warning("output_mended", trouble));
        self.outbox.write(troubles.collect()).await?;
        Ok(heard)
    }

    /// The whole answer, with its claims.
    async fn say(&self, heard: &Heard) -> Result<(), Ending> {
        if heard.text.trim().is_empty() && !heard.calls.is_empty() {
            return Ok(());
        }
        let relay = Relay {
            from: self.outbox.agent().to_owned(),
            to: "user".to_owned(),
            content: heard.text.clone(),
            derived_from: Vec::new(),
        };
        let marked = self.desk.mark(&self.session.session_id, &heard.message_id, &relay, &self.rules.policy).await;
        let marked = marked.map_err(|error| match error {
            SessionError::Store(error) => error.into(),
            other => Ending::Failed { code: "internal_error", message: other.to_string(), retryable: true },
        })?;
        let mut draft = message_draft(&marked, &relay.from, &relay.to, &[]);
        draft.content = ContentType::Markdown;
        draft.fields.insert("role".to_owned(), json!("assistant"));
        if heard.raw != heard.text {
            draft.fields.insert("raw".to_owned(), json!(heard.raw));
        }
        let mut events = vec![draft];
        if heard.calls.is_empty() && chatter::of_model(&heard.text).is_some() {
            events.push(self.warning("pseudo_answer", "the model acknowledged the request and did not answer it"));
        }
        if matches!(heard.finish.as_deref(), Some("length" | "max_tokens")) {
            events.push(self.warning("answer_cut", "the answer was cut at the model's length limit"));
        }
        self.outbox.write(events).await
    }

    /// A call that the model cannot get right: the reader is told, and the turn is over.
    async fn give_up(&self, refused: &Refused, language: Language) -> Result<Ending, Ending> {
        let text = match language {
            Language::Chinese => format!("工具调用被拒绝：{}", refused.why),
            _ => format!("The tool call was refused: {}", refused.why),
        };
        let fields = json!({
            "message_id": new_id("msg").map_err(|error| unnamed(&error))?,
            "from": "countersign", "to": "user", "role": "assistant",
            "content": text, "needs_verify": false, "claims": [],
        });
        let draft = crate::stream::Draft::new(EventType::Message, "countersign", ContentType::Text, fields);
        self.outbox.write(vec![draft]).await?;
        Ok(Ending::Completed)
    }

    fn warning(&self, code: &str, message: &str) -> crate::stream::Draft {
        let fields = json!({"code": code, "message": message});
        crate::stream::Draft::new(EventType::Warning, "countersign", ContentType::Json, fields)
    }
}

/// What the model has got wrong in this turn.
#[derive(Default)]
struct Mistakes {
    seen: HashSet<String>,
    count: usize,
}

impl Mistakes {
    /// Takes what was refused; gives the refusal that ends the turn: the same mistake twice, or too many.
    fn add(&mut self, settled: &[Settled]) -> Option<Refused> {
        for refused in settled.iter().filter_map(|settled| settled.refused.as_ref()) {
            self.count += 1;
            if !self.seen.insert(refused.digest.clone()) || self.count > MAX_MISTAKES {
                return Some(refused.clone());
            }
        }
        None
    }
}

/// The answer and what its calls came to, for the next round.
fn extend(messages: &mut Vec<Value>, heard: &Heard, settled: &[Settled]) {
    let call = |settled: &Settled| {
        let name = settled.call.get("name").cloned().unwrap_or_default();
        let arguments = settled.call.get("arguments").map(Value::to_string).unwrap_or_default();
        json!({"id": settled.call_id, "type": "function", "function": {"name": name, "arguments": arguments}})
    };
    let content = if heard.raw.is_empty() { Value::Null } else { json!(heard.raw) };
    let calls: Vec<_> = settled.iter().map(call).collect();
    messages.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
    for settled in settled {
        messages.push(json!({"role": "tool", "tool_call_id": settled.call_id, "content": settled.told}));
    }
}

fn unnamed(error: &getrandom::Error) -> Ending {
    Ending::Failed { code: "internal_error", message: error.to_string(), retryable: true }
}

/// How often the model is asked in one turn.
const MAX_ROUNDS: usize = 12;
/// How many calls of a turn may be refused before it ends.
const MAX_MISTAKES: usize = 3;
