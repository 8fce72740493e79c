//! One answer's calls before the engine: the same guard, the same conversation, the same verdict as everywhere else.

use super::asked::Asked;
use super::correction::takes_words;
use super::held::{CallForm, HeldCall, Origin};
use super::ledger::{Entry, Ledger};
use crate::ask::{examine_answer, judge_in};
use crate::examination::{AnswerExamination, ExaminedIn};
use crate::ids::new_ordered_id;
use crate::kept_request::KeptRequest;
use crate::metrics::Metrics;
use crate::review::{Review, ReviewState};
use crate::store::Kind;
use crate::stream::now_millis;
use crate::turn::Rules;
use crate::wall_clock;
use countersign::check_call::Guard;
use countersign::contract::{Context, Severity, Status, Verdict};
use countersign::conversation::Conversation;
use countersign::inspect::AnswerReport;
use countersign::resolve::{self, Extent, Finish, Judged, KnownOfAnswer};
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
    /// The same with the time of this answer, where the client told none: what calls are judged with.
    pub call_context: Map<String, Value>,
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

/// A call of an answer, judged.
pub type GatewayCall = Judged<Own>;

/// What the gateway knows of a call beside the engine.
#[derive(Debug, Clone)]
pub struct Own {
    /// The call as it came.
    pub held: HeldCall,
    /// Its name in the audit.
    pub verdict_id: String,
    /// What a person said of it.
    pub ruling: Option<Ruling>,
}

impl Own {
    /// The call as the model made it, for people and the audit.
    pub fn made(&self) -> Value {
        let call = self.held.to_judge();
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
        let mut call_context = context.as_ref().clone();
        wall_clock::fill_in(&mut call_context, now_millis());
        Self {
            guard,
            rules: guards.rules(),
            asked,
            context,
            call_context,
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

    /// What was said before the answer.
    pub async fn conversation(&self) -> Arc<Conversation> {
        Arc::clone(self.conversation.get_or_init(|| self.read_conversation()).await)
    }

    /// Judges the calls of an answer. Nothing is written down yet.
    pub async fn judge_all(&self, calls: &[HeldCall], finish: Finish) -> Vec<GatewayCall> {
        let mut judged = Vec::with_capacity(calls.len());
        for call in calls {
            judged.push(self.judge(call.clone(), finish).await);
        }
        judged
    }

    /// Judges a call. Nothing is written down yet.
    pub async fn judge(&self, held: HeldCall, finish: Finish) -> GatewayCall {
        let conversation = self.conversation().await;
        let call = held.to_judge();
        let request = CheckRequest {
            id: Value::Null,
            tools: None,
            messages: Vec::new(),
            call: call.clone(),
            context: Context(self.context_of(&held)),
            level: None,
            language: None,
        };
        let (guard, rules) = (Arc::clone(&self.guard), Arc::clone(&self.rules));
        let began = Instant::now();
        // Looking things up may take its time.
        let size = if self.rules.asker.is_some() { LARGE } else { held.written.len() };
        let judge = move || judge_in(&guard, &request, &conversation, rules.asker.as_deref());
        let verdict = self.run(size, judge).await;
        self.metrics.judging.observe(began.elapsed());
        self.metrics.verdicts.of([verdict.status.name()]).add_one();
        let (extent, answerable) = (extent(&held, finish), takes_words(held.form));
        let verdict_id = new_ordered_id("ver", now_millis()).unwrap_or_default();
        Judged { own: Own { held, verdict_id, ruling: None }, call, extent, answerable, verdict }
    }

    /// What is known beside the conversation. Arguments are released as they are written, so that a number which a reader
    /// would round keeps its digits; that is said where it matters.
    fn context_of(&self, call: &HeldCall) -> Map<String, Value> {
        let mut context = self.call_context.clone();
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
        self.run(0, move || Arc::new(Conversation::of(read_messages(&Value::Array(asked.messages()))))).await
    }

    /// Does some work: here where it is little, else on a thread of its own, because other requests must not wait for it.
    async fn run<R: Send + 'static>(&self, bytes: usize, work: impl FnOnce() -> R + Send + 'static) -> R {
        if self.asked.body.len() + bytes < LARGE {
            return work();
        }
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Examines the words of an answer; none where there is nothing to hold them against.
    pub async fn examine(&self, text: &str) -> Option<AnswerReport> {
        let conversation = self.conversation().await;
        let (guard, context) = (Arc::clone(&self.guard), Context(self.context.as_ref().clone()));
        let (rules, text) = (Arc::clone(&self.rules), text.to_owned());
        // Asking a second reader may take its time.
        let size = if self.rules.asker.is_some() { LARGE } else { text.len() };
        let examine = move || {
            let (known, asker) = (KnownOfAnswer::default(), rules.asker.as_deref());
            let ground = resolve::has_ground(&guard, &conversation, &context, &text);
            ground.then(|| examine_answer(&guard, &conversation, &context, (&known, &text), asker)).flatten()
        };
        self.run(size, examine).await
    }

    /// Records what the words of an answer are worth. Gives the verdict's name and status.
    pub async fn record_answer(&self, text: &str, report: &AnswerReport) -> (String, &'static str) {
        let examination = AnswerExamination {
            examined_in: ExaminedIn::Answer(self.answer()),
            response: text,
            report,
            policy_version: &self.rules.policy.version,
            key: Some(self.caller.as_str()).filter(|caller| *caller != ANYONE),
        };
        let record = examination.record();
        let named = (record.id.clone(), report.status.name());
        self.metrics.answers.of([named.1]).add_one();
        if report.findings.iter().any(|finding| finding.severity > Severity::Info) {
            self.metrics.doubtful_answers.add_one();
        }
        self.ledger.record_later(move || record).await;
        named
    }

    /// Writes a verdict down behind the answer, with what became of the call.
    pub async fn record(&self, judged: &GatewayCall, attempt: usize, fate: &Fate) {
        self.ledger.record(self.entry(judged, attempt, fate)).await;
    }

    /// A verdict for the audit, with what became of the call.
    pub fn entry(&self, judged: &GatewayCall, attempt: usize, fate: &Fate) -> Entry {
        let request = self.request();
        let body = json!({
            "verdict_id": judged.own.verdict_id,
            "answer_id": self.answer(),
            "request_id": request.id,
            "source": "gateway",
            "route": self.asked.wire.name(),
            "model": self.asked.model,
            "caller": self.caller,
            "mode": self.mode,
            "call_id": judged.own.held.id,
            "tool": judged.own.held.name,
            "call": judged.own.made(),
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
            id: judged.own.verdict_id.clone(),
            answer: self.answer().to_owned(),
            status: fate.status(&judged.verdict),
            body,
            request: Some(request),
        }
    }

    /// The answer's name in the audit.
    pub fn answer(&self) -> &str {
        self.answer.get_or_init(|| new_ordered_id("ans", now_millis()).unwrap_or_default())
    }

    /// What the calls of this answer are judged on: written once, whatever becomes of them.
    fn request(&self) -> Arc<KeptRequest> {
        let kept = self.request.get_or_init(|| {
            let (tools, messages) = (self.asked.tools(), self.asked.messages_text());
            let mut context = self.call_context.clone();
            if self.as_written.load(Ordering::Relaxed) {
                context.extend(as_written());
            }
            let context = Value::Object(context).to_string();
            let parts = [("tools", tools.as_deref()), ("messages", Some(&messages)), ("context", Some(&context))];
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
            // Whatever the checks say of it, nobody has approved it yet.
            Self::Waiting(_) => Status::RequiresReview.name(),
            Self::Cut | Self::Refused if !verdict.status.is_refused() => Status::ValidationFailed.name(),
            _ => verdict.status.name(),
        }
    }
}

/// How much of a call there is.
fn extent(call: &HeldCall, finish: Finish) -> Extent {
    let by_limit = finish == Finish::Limit || call.origin == Origin::Text;
    match call {
        HeldCall { form: CallForm::Unknown, .. } => Extent::Unreadable,
        HeldCall { overlong: true, .. } => Extent::Cut,
        HeldCall { complete: false, .. } if by_limit => Extent::Cut,
        HeldCall { unclosed: true, .. } => Extent::Unclosed,
        _ => Extent::Whole,
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
/// The caller where there are no keys.
pub const ANYONE: &str = "anyone";
