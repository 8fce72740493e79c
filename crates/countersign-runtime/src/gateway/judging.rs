//! One answer's calls before the engine: the same guard, the same conversation, the same verdict as everywhere else.

use super::asked::Asked;
use super::held::HeldCall;
use super::ledger::{Entry, Ledger};
use crate::ask::judge_in;
use crate::ids::new_ordered_id;
use crate::kept_request::KeptRequest;
use crate::metrics::Metrics;
use crate::review::{Review, ReviewState, tool_digest};
use crate::store::Kind;
use crate::stream::now_millis;
use crate::turn::{CallKey, Rules};
use countersign::check_call::Guard;
use countersign::contract::{Context, Status, Verdict};
use countersign::conversation::Conversation;
use countersign::wire::messages::read_messages;
use countersign::wire::requests::CheckRequest;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Where guards and rules come from.
pub trait GuardSource: Send + Sync {
    /// The guard for tools as a client declared them; for those of the configuration where it declared none.
    fn guard(&self, tools: Option<&str>) -> Arc<Guard>;

    /// The rules of the moment.
    fn rules(&self) -> Arc<Rules>;
}

/// Judges the calls of one answer.
pub struct Judging {
    /// The guard of the declared tools.
    pub guard: Arc<Guard>,
    /// The rules, which do not change within an answer.
    pub rules: Arc<Rules>,
    /// What the client asked.
    pub asked: Arc<Asked>,
    /// What else is known of the caller.
    pub context: Arc<Map<String, Value>>,
    /// Who called, for the audit.
    pub caller: String,
    /// How the gateway treats this answer, for the audit.
    pub mode: &'static str,
    /// The audit.
    pub ledger: Ledger,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    conversation: tokio::sync::OnceCell<Arc<Conversation>>,
    /// The answer's name in the audit; most answers need none.
    answer: OnceLock<String>,
    /// The request as the audit keeps it.
    request: OnceLock<Arc<KeptRequest>>,
    /// Whether a number of a call was too long for a reader to keep.
    as_written: AtomicBool,
}

/// A call with its verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The call, as the model made it.
    pub call: HeldCall,
    /// Its name in the audit.
    pub verdict_id: String,
    /// What the engine says.
    pub verdict: Verdict,
}

impl Judged {
    /// What the call is compared by.
    pub(super) fn key(&self) -> CallKey {
        CallKey::of(&self.call.to_judge(), self.verdict.call.as_ref())
    }

    /// The call as the model made it, for people and the audit.
    pub fn made(&self) -> Value {
        let call = self.call.to_judge();
        json!({"id": call.id, "name": call.name, "arguments": call.arguments})
    }
}

/// What an answer is judged with.
pub struct JudgingParts {
    /// Where guards and rules come from.
    pub guards: Arc<dyn GuardSource>,
    /// What the client asked.
    pub asked: Arc<Asked>,
    /// What else is known of the caller.
    pub context: Arc<Map<String, Value>>,
    /// Who called.
    pub caller: String,
    /// How the gateway treats this answer.
    pub mode: &'static str,
    /// The answer's name in the audit, where it has one already.
    pub answer: Option<String>,
    /// The audit.
    pub ledger: Ledger,
    /// What is counted.
    pub metrics: Arc<Metrics>,
}

impl Judging {
    /// Judges with the rules of this moment.
    pub fn new(parts: JudgingParts) -> Self {
        let JudgingParts { guards, asked, context, caller, mode, answer, ledger, metrics } = parts;
        let guard = guards.guard(asked.tools().as_deref());
        Self {
            guard,
            rules: guards.rules(),
            asked,
            context,
            caller,
            mode,
            ledger,
            metrics,
            conversation: tokio::sync::OnceCell::new(),
            answer: answer.map(OnceLock::from).unwrap_or_default(),
            request: OnceLock::new(),
            as_written: AtomicBool::new(false),
        }
    }

    /// The digest of a tool as the client declared it.
    pub fn tool_digest(&self, name: &str) -> String {
        let registry = self.guard.registry();
        tool_digest(registry.and_then(|registry| registry.spec(registry.find(name)?)))
    }

    /// Judges a call. Nothing is written down yet.
    pub async fn judge(&self, call: HeldCall) -> Judged {
        let conversation = Arc::clone(self.conversation.get_or_init(|| self.read_conversation()).await);
        let request = CheckRequest {
            id: Value::Null,
            tools: None,
            messages: Vec::new(),
            call: call.to_judge(),
            context: Context(self.context_of(&call)),
            level: None,
            language: None,
        };
        let (guard, rules) = (Arc::clone(&self.guard), Arc::clone(&self.rules));
        let began = Instant::now();
        let small = self.asked.body.len() + call.written.len() < LARGE;
        let judge = move || judge_in(&guard, &request, &conversation, rules.asker.as_deref());
        let verdict = if small && self.rules.asker.is_none() {
            judge()
        } else {
            // Looking things up may take its time, and other requests must not wait for it.
            match tokio::task::spawn_blocking(judge).await {
                Ok(verdict) => verdict,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        };
        self.metrics.judging.observe(began.elapsed());
        self.metrics.verdicts.of([verdict.status.name()]).add_one();
        Judged { call, verdict_id: new_ordered_id("ver", now_millis()).unwrap_or_default(), verdict }
    }

    /// What is known beside the conversation. Arguments are released as they are written, so that a number which a reader
    /// would round keeps its digits; that is said where it matters.
    fn context_of(&self, call: &HeldCall) -> Map<String, Value> {
        let mut context = self.context.as_ref().clone();
        let digits = |run: &[u8]| run.len() >= ROUNDED && run.iter().all(u8::is_ascii_digit);
        let long = call.written.as_bytes().split(|byte| !byte.is_ascii_digit()).any(digits);
        if long && serde_json::from_str::<Map<String, Value>>(&call.written).is_ok() {
            self.as_written.store(true, Ordering::Relaxed);
            context.extend(as_written());
        }
        context
    }

    async fn read_conversation(&self) -> Arc<Conversation> {
        let asked = Arc::clone(&self.asked);
        let read = move || Arc::new(Conversation::of(read_messages(&Value::Array(asked.messages()))));
        if self.asked.body.len() < LARGE {
            return read();
        }
        match tokio::task::spawn_blocking(read).await {
            Ok(conversation) => conversation,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Writes a verdict down behind the answer, with what became of the call.
    pub async fn record(&self, judged: &Judged, attempt: usize, fate: &Fate) {
        self.ledger.record(self.entry(judged, attempt, fate)).await;
    }

    /// A verdict for the audit, with what became of the call.
    pub fn entry(&self, judged: &Judged, attempt: usize, fate: &Fate) -> Entry {
        let request = self.request();
        let body = json!({
            "verdict_id": judged.verdict_id,
            "answer_id": self.answer(),
            "request_id": request.id,
            "source": "gateway",
            "route": self.asked.wire.name(),
            "model": self.asked.model,
            "caller": self.caller,
            "mode": self.mode,
            "call_id": judged.call.id,
            "tool": judged.call.name,
            "call": judged.made(),
            "status": fate.status(&judged.verdict),
            "released": fate.is_released(),
            "outcome": fate.name(),
            "review_id": fate.review(),
            "reviewer": fate.ruling().and_then(|ruling| ruling.reviewer.as_deref()),
            "edited": fate.ruling().is_some_and(|ruling| ruling.edited),
            "attempt": attempt,
            "verdict": judged.verdict,
            "policy_version": self.rules.policy.version,
        });
        Entry {
            kind: Kind::Verdict,
            id: judged.verdict_id.clone(),
            answer: self.answer().to_owned(),
            status: fate.status(&judged.verdict),
            body,
            request: Some(request),
        }
    }

    fn answer(&self) -> &str {
        self.answer.get_or_init(|| new_ordered_id("ans", now_millis()).unwrap_or_default())
    }

    /// What the calls of this answer are judged on: written once, whatever becomes of them.
    fn request(&self) -> Arc<KeptRequest> {
        let kept = self.request.get_or_init(|| {
            let (tools, messages) = (self.asked.tools(), self.asked.messages_text());
            let mut context = self.context.as_ref().clone();
            if self.as_written.load(Ordering::Relaxed) {
                context.extend(as_written());
            }
            let context = (!context.is_empty()).then(|| Value::Object(context).to_string());
            let parts = [("tools", tools.as_deref()), ("messages", Some(&messages)), ("context", context.as_deref())];
            let parts: Vec<_> = parts.into_iter().filter_map(|(name, part)| Some((name, part?))).collect();
            Arc::new(KeptRequest::new(self.answer(), self.answer(), now_millis(), &parts))
        });
        Arc::clone(kept)
    }
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It went to the client.
    Released,
    /// A person approved it, and it went to the client.
    Approved(Ruling),
    /// The model was asked again.
    Corrected,
    /// A correction repeated a call that is kept: the model was told, and it did not go to the client again.
    Repeated,
    /// It was refused.
    Refused,
    /// It was cut.
    Cut,
    /// It waits for a person.
    Waiting(String),
    /// A person said no.
    Denied(Ruling),
    /// It would have gone to the client, and could not be recorded first.
    Unrecorded,
}

/// An item that was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The item.
    pub review: String,
    /// Who decided; none where nobody did in time.
    pub reviewer: Option<String>,
    /// Whether the arguments are the reviewer's.
    pub edited: bool,
}

impl Ruling {
    /// What an item says.
    pub fn of(review: &Review) -> Self {
        let reviewer = review.decided.as_ref().and_then(|decided| decided.reviewer.clone());
        Self { review: review.review_id.clone(), reviewer, edited: review.state == ReviewState::Edited }
    }
}

impl Fate {
    fn name(&self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Approved(_) => "approved_by_person",
            Self::Corrected => "sent_back",
            Self::Repeated => "repeated",
            Self::Refused => "refused",
            Self::Cut => "cut",
            Self::Waiting(_) => "waiting_for_person",
            Self::Denied(_) => "denied_by_person",
            Self::Unrecorded => "not_recorded",
        }
    }

    /// Whether the client got it.
    pub fn is_released(&self) -> bool {
        matches!(self, Self::Released | Self::Approved(_))
    }

    fn review(&self) -> Option<&str> {
        match self {
            Self::Approved(ruling) | Self::Denied(ruling) => Some(&ruling.review),
            Self::Waiting(id) => Some(id),
            _ => None,
        }
    }

    fn ruling(&self) -> Option<&Ruling> {
        match self {
            Self::Approved(ruling) | Self::Denied(ruling) => Some(ruling),
            _ => None,
        }
    }

    /// The status to name: that of the verdict, unless what happened goes beyond it.
    pub fn status(&self, verdict: &Verdict) -> &'static str {
        match self {
            Self::Approved(_) => Status::Approved.name(),
            Self::Denied(_) => Status::Rejected.name(),
            Self::Cut | Self::Refused if !verdict.status.is_refused() => Status::ValidationFailed.name(),
            _ => verdict.status.name(),
        }
    }
}

/// Tells the engine that the call will run with its numbers as they are written.
fn as_written() -> [(String, Value); 1] {
    [("numbers".to_owned(), "as_written".into())]
}

/// Numbers of so many digits may be beyond 64 bits.
const ROUNDED: usize = 19;
/// From here on work leaves the threads that serve requests.
const LARGE: usize = 256 * 1024;
