//! One answer's calls before the engine: the same guard, the same conversation, the same verdict as everywhere else.

use super::asked::Asked;
use super::held::HeldCall;
use super::ledger::{Entry, Ledger};
use crate::ask::judge_in;
use crate::ids::new_ordered_id;
use crate::metrics::Metrics;
use crate::store::Kind;
use crate::stream::now_millis;
use crate::turn::Rules;
use bytes::Bytes;
use countersign::check_call::Guard;
use countersign::contract::{Context, Status, Verdict};
use countersign::conversation::Conversation;
use countersign::wire::messages::read_messages;
use countersign::wire::requests::CheckRequest;
use memchr::memchr2;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Where guards and rules come from.
pub trait Bench: Send + Sync {
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
    /// The call as the model made it, for people and the audit.
    pub fn made(&self) -> Value {
        let call = self.call.to_judge();
        json!({"id": call.id, "name": call.name, "arguments": call.arguments})
    }
}

/// What an answer is judged with.
pub struct JudgingParts {
    /// Where guards and rules come from.
    pub bench: Arc<dyn Bench>,
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
        let JudgingParts { bench, asked, context, caller, mode, answer, ledger, metrics } = parts;
        let guard = bench.guard(asked.tools().as_deref());
        Self {
            guard,
            rules: bench.rules(),
            asked,
            context,
            caller,
            mode,
            ledger,
            metrics,
            conversation: tokio::sync::OnceCell::new(),
            answer: answer.map(OnceLock::from).unwrap_or_default(),
        }
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
            context.insert("numbers".to_owned(), "as_written".into());
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

    /// Writes a verdict down, with what became of the call.
    pub async fn record(&self, judged: &Judged, attempt: usize, fate: &Fate) {
        let body = json!({
            "verdict_id": judged.verdict_id,
            "answer_id": self.answer(),
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
            "attempt": attempt,
            "verdict": judged.verdict,
            "policy_version": self.rules.policy.version,
        });
        let entry = Entry {
            kind: Kind::Verdict,
            id: judged.verdict_id.clone(),
            answer: self.answer().to_owned(),
            status: fate.status(&judged.verdict),
            body,
            line: Some(self.line(judged)),
        };
        self.ledger.record(entry).await;
    }

    fn answer(&self) -> &str {
        self.answer.get_or_init(|| new_ordered_id("ans", now_millis()).unwrap_or_default())
    }

    /// The line that `countersign check` judges to the same verdict.
    fn line(&self, judged: &Judged) -> Bytes {
        let call = judged.made();
        let mut line = String::with_capacity(self.asked.body.len() + judged.call.written.len() + ROOM);
        line.push_str(&format!("{{\"id\":\"{}\"", judged.verdict_id));
        let mut field = |name: &str, value: &str| {
            for part in [",\"", name, "\":", value] {
                line.push_str(part);
            }
        };
        if let Some(tools) = self.asked.tools() {
            field("tools", &tools);
        }
        field("messages", &self.asked.messages_text());
        field("call", &call.to_string());
        let context = self.context_of(&judged.call);
        if !context.is_empty() {
            field("context", &Value::Object(context).to_string());
        }
        line.push('}');
        // A line is one line: pretty-printed requests hold line breaks, but only between tokens.
        if memchr2(b'\n', b'\r', line.as_bytes()).is_some() {
            line = line.replace(['\n', '\r'], " ");
        }
        Bytes::from(line)
    }
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It went to the client.
    Released,
    /// A person approved it, and it went to the client.
    Approved(String),
    /// The model was asked again.
    Corrected,
    /// It was refused.
    Refused,
    /// It was cut.
    Cut,
    /// It waits for a person.
    Waiting(String),
    /// A person said no.
    Denied(String),
}

impl Fate {
    fn name(&self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Approved(_) => "approved_by_person",
            Self::Corrected => "sent_back",
            Self::Refused => "refused",
            Self::Cut => "cut",
            Self::Waiting(_) => "waiting_for_person",
            Self::Denied(_) => "denied_by_person",
        }
    }

    fn is_released(&self) -> bool {
        matches!(self, Self::Released | Self::Approved(_))
    }

    fn review(&self) -> Option<&str> {
        match self {
            Self::Approved(id) | Self::Waiting(id) | Self::Denied(id) => Some(id),
            _ => None,
        }
    }

    /// The status to name: that of the verdict, unless what happened goes beyond it.
    pub fn status(&self, verdict: &Verdict) -> &'static str {
        match self {
            Self::Approved(_) => Status::Approved.name(),
            Self::Denied(_) => Status::Rejected.name(),
            Self::Cut if !verdict.status.is_refused() => Status::ValidationFailed.name(),
            _ => verdict.status.name(),
        }
    }
}

/// What a line holds beside the request and the call's arguments, about.
const ROOM: usize = 512;
/// Numbers of so many digits may be beyond 64 bits.
const ROUNDED: usize = 19;
/// From here on work leaves the threads that serve requests.
const LARGE: usize = 256 * 1024;
