//! Turns of all sessions: begun, counted, ended.

use super::conversation_state::Talk;
use super::ending::{Ending, TurnWatcher};
use super::evidence::EvidenceCache;
use super::journal::{Journal, open_turn};
use super::outbox::{Outbox, warning, warning_with};
use super::prompt;
use super::results::{Delivered, ToolOutcome, Waiting};
use super::rules::{Guards, RulesSource};
use super::rulings::{Rulings, decision_drafts};
use super::services::TurnServices;
use super::turn_context::{AgentRun, TurnContext};
use crate::agents::{AgentSpec, Agents, Protocol};
use crate::ids::new_id;
use crate::models::Model;
use crate::review::{Review, Reviews};
use crate::sessions::{Given, Reference, References, Session, SessionClaims, SessionError, Sessions};
use crate::stop::StopSwitch;
use crate::store::{Entry, StoreError};
use crate::stream::{BugSwitch, Draft, PlantedBug, Rescuer, RunWriter, now_millis};
use crate::wall_clock;
use countersign::contract::{ContentType, EventType, Language};
use countersign::localized;
use countersign::parse::chatter;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// What a user says.
#[derive(Debug, Clone, Default)]
pub struct UserMessage {
    /// The words.
    pub content: String,
    /// What they refer to.
    pub references: Vec<Reference>,
    /// Files, by their ids.
    pub files: Vec<String>,
}

/// How turns work.
#[derive(Debug, Clone, Copy)]
pub struct TurnOptions {
    /// How long a client may take to run a tool.
    pub tool_patience: Duration,
    /// How long evidence is used again.
    pub evidence_age: Duration,
}

impl Default for TurnOptions {
    fn default() -> Self {
        Self { tool_patience: Duration::from_secs(15 * 60), evidence_age: Duration::from_secs(10 * 60) }
    }
}

/// All turns of this node.
pub struct Turns {
    sessions: Sessions,
    claims: Arc<SessionClaims>,
    model: Arc<dyn Model>,
    rules: RulesSource,
    reviews: Reviews,
    stop: Arc<StopSwitch>,
    watcher: Arc<dyn TurnWatcher>,
    options: TurnOptions,
    services: TurnServices,
    evidence: EvidenceCache,
    guards: Guards,
    waiting: Waiting,
    running: TaskTracker,
    shutdown: CancellationToken,
    planted: BugSwitch,
}

/// What turns are made from.
pub struct TurnParts {
    /// The sessions.
    pub sessions: Sessions,
    /// The fact layer.
    pub claims: Arc<SessionClaims>,
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// By which rules.
    pub rules: RulesSource,
    /// The review queue.
    pub reviews: Reviews,
    /// The brake.
    pub stop: Arc<StopSwitch>,
    /// Who wants to know.
    pub watcher: Arc<dyn TurnWatcher>,
    /// How they work.
    pub options: TurnOptions,
    /// Whom they ask.
    pub services: TurnServices,
}

impl Turns {
    /// Turns over their parts.
    pub fn new(parts: TurnParts) -> Arc<Self> {
        Self::open(parts, BugSwitch::default())
    }

    /// Turns with a bug, for tests that must be able to fail.
    #[cfg(feature = "planted-bugs")]
    pub fn with_bug(parts: TurnParts, bug: Option<PlantedBug>) -> Arc<Self> {
        Self::open(parts, BugSwitch::plant(bug))
    }

    fn open(parts: TurnParts, planted: BugSwitch) -> Arc<Self> {
        let TurnParts { sessions, claims, model, rules, reviews, stop, watcher, options, services } = parts;
        let turns = Arc::new(Self {
            sessions,
            claims,
            model,
            rules,
            reviews,
            stop,
            watcher,
            options,
            services,
            evidence: EvidenceCache::new(options.evidence_age),
            guards: Guards::default(),
            waiting: Waiting::default(),
            running: TaskTracker::new(),
            shutdown: CancellationToken::new(),
            planted,
        });
        let rescuer: Arc<dyn Rescuer> = Arc::clone(&turns) as _;
        turns.sessions.hub().set_rescuer(&rescuer);
        turns
    }

    /// Begins a turn; gives the number after which its events follow. The turn goes on whoever reads it.
    ///
    /// The work is a task of its own: a client that goes away in the middle must not leave a turn that is open and that
    /// nobody carries on.
    pub async fn begin(self: &Arc<Self>, session: Session, message: UserMessage) -> Result<u64, SessionError> {
        // Held before the question, so that the end waits for whoever was told that it has not begun.
        let held = self.running.token();
        if self.running.is_closed() {
            return Err(SessionError::Ending);
        }
        let turns = Arc::clone(self);
        let begun = tokio::spawn(async move {
            let begun = turns.begin_here(session, message).await;
            drop(held);
            begun
        });
        begun.await.unwrap_or(Err(SessionError::Ending))
    }

    async fn begin_here(self: Arc<Self>, session: Session, message: UserMessage) -> Result<u64, SessionError> {
        let UserMessage { content, references, files } = message;
        let asked = !references.is_empty() || !files.is_empty();
        let references = self.sessions.resolve(&session, references, files).await?;
        let mut first = Vec::new();
        if asked {
            first.push(references_draft(&references));
        }
        first.push(user_draft(&session, &content)?);
        first.extend(references.given.iter().filter_map(|given| unread_draft(given, Language::of(&content))));
        let writer = self.sessions.hub().writer(&session.session_id);
        let (after, writer) = writer.open_turn(first).await?;
        let turns = Arc::clone(&self);
        let span = tracing::info_span!(
            "invoke_agent",
            otel.name = format!("invoke_agent {}", session.agent),
            gen_ai.provider.name = "countersign",
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = session.agent.as_str(),
            gen_ai.conversation.id = %session.session_id,
        );
        let begun = Begun { session, references, content, after, journal: Journal::default() };
        let run = async move { turns.run(begun, writer).await };
        self.running.spawn(run.instrument(span));
        Ok(after)
    }

    async fn run(&self, begun: Begun, writer: RunWriter) {
        let session = &begun.session.session_id;
        let outbox = Outbox::new(writer.clone(), &begun.session.agent);
        let work = AssertUnwindSafe(self.work(&begun, &outbox)).catch_unwind();
        let ending = tokio::select! {
            biased;
            () = self.stop.stopped(session) => Ending::Stopped { reason: "stop" },
            () = self.shutdown.cancelled() => Ending::Stopped { reason: "shutdown" },
            done = work => match done {
                Ok(Ok(ending) | Err(ending)) => ending,
                Err(_) => Ending::Failed {
                    code: "internal_error",
                    message: "the turn broke off by a fault of ours; please report it".to_owned(),
                    retryable: true,
                },
            },
        };
        self.waiting.forget(session);
        if ending != Ending::Fenced
            && let Err(error) = writer.close_turn(outbox.take(ending.drafts())).await
        {
            tracing::error!(session, %error, "a turn could not be ended by its writer");
        }
        self.watcher.turn_ended(session, &ending);
    }

    async fn work(&self, begun: &Begun, outbox: &Outbox) -> Result<Ending, Ending> {
        let Begun { session, references, content, after, journal } = begun;
        let rules = (self.rules)();
        let (history, asked_at) = self.history(&session.session_id, *after).await?;
        let language = prompt::language(content, &history);
        let spec = self.agent(session);
        let rulings = Rulings::read(&history, &self.reviews).await;
        let messages = prompt::messages(&spec, &history, &rulings, &references.given, content, language);
        let context = TurnContext {
            session,
            sessions: &self.sessions,
            claims: &self.claims,
            model: self.model.as_ref(),
            rules: &rules,
            reviews: &self.reviews,
            waiting: &self.waiting,
            watcher: self.watcher.as_ref(),
            services: &self.services,
            evidence: &self.evidence,
            guards: &self.guards,
            patience: self.options.tool_patience,
            question: content,
            call_context: call_context(session, asked_at),
            language,
            journal,
            turn: *after,
            call_ids: Mutex::default(),
            files: references.given.iter().filter_map(Given::kind).collect(),
            is_blind: AtomicBool::new(false),
            is_unchecked: AtomicBool::new(false),
            check: Mutex::default(),
            planted: self.planted,
        };
        let agent_run = AgentRun::new(&context, Arc::clone(&spec), outbox.clone(), String::new()).await;
        let talk = Talk { messages, question: content.clone(), sources: prompt::sources(&references.given) };
        let answered = match spec.protocol {
            Protocol::Concierge | Protocol::React => agent_run.converse(talk).await,
            Protocol::Rewoo => agent_run.plan_and_solve(talk).await,
        };
        context.wait_for_claims().await;
        answered.map(|_| Ending::Completed)
    }

    /// Who answers. One that was taken out of the configuration since is answered for by the plainest one.
    fn agent(&self, session: &Session) -> Arc<AgentSpec> {
        let known = self.services.agents.get(&session.agent).cloned();
        known.unwrap_or_else(|| Arc::new(AgentSpec::new(&session.agent, Protocol::React)))
    }

    /// The newest part of what was said before this turn, and when it began: a turn that is taken up again finds the same
    /// time in the log.
    async fn history(&self, session: &str, after: u64) -> Result<(Vec<Entry>, i64), Ending> {
        let from = after.saturating_sub(MAX_HISTORY);
        let bound = usize::try_from(after - from).unwrap_or_default();
        let mut history = self.sessions.hub().history(session, from, bound + 1).await?;
        let begins = history.iter().position(|entry| entry.id.seq > after).unwrap_or(history.len());
        let turn = history.split_off(begins);
        Ok((history, turn.first().map_or_else(now_millis, |first| first.at)))
    }

    /// Who answers in sessions.
    pub fn agents(&self) -> &Agents {
        &self.services.agents
    }

    /// Takes up a turn that waits for a person and whose process has died; gives whether there is such a one.
    async fn take_up(self: &Arc<Self>, run: &Arc<str>, writer: RunWriter) -> Result<(), SessionError> {
        let session = self.sessions.get(run).await?;
        let found = self.left_open(run).await?.ok_or_else(|| SessionError::missing("open turn", run))?;
        let LeftOpen { after, content, references, journal } = found;
        let files = Vec::new();
        let references = self.sessions.resolve(&session, references, files).await?;
        writer.write(vec![warning("resumed", "the server was restarted; the turn goes on where it was")]).await?;
        let begun = Begun { session, references, content, after, journal };
        let turns = Arc::clone(self);
        self.running.spawn(async move { turns.run(begun, writer).await });
        Ok(())
    }

    /// The open turn of a log, as far as it is written.
    async fn left_open(&self, run: &str) -> Result<Option<LeftOpen>, SessionError> {
        let head = self.sessions.hub().head(run).await?.seq;
        let from = head.saturating_sub(MAX_HISTORY);
        let entries = self.sessions.hub().history(run, from, usize::MAX).await?;
        let Some((first, turn)) = open_turn(&entries) else { return Ok(None) };
        let event: Value = serde_json::from_str(&first.body).unwrap_or_default();
        let content = event.pointer("/payload/content").and_then(Value::as_str).unwrap_or_default().to_owned();
        let before = entries.iter().rev().find(|entry| entry.id.seq + 1 == first.id.seq);
        let referred = before.filter(|entry| entry.kind == EventType::References);
        let listed = referred.and_then(|entry| serde_json::from_str::<Value>(&entry.body).ok());
        let valid = listed.as_ref().and_then(|event| event.pointer("/payload/valid")).cloned().unwrap_or_default();
        let references: Vec<Reference> = serde_json::from_value(valid).unwrap_or_default();
        let after = first.id.seq - 1 - u64::from(referred.is_some());
        Ok(Some(LeftOpen { after, content, references, journal: Journal::read(turn) }))
    }

    /// Tells a session what a person decided on a result or an answer that no turn waits for.
    pub async fn tell_decision(&self, review: &Review) -> Result<(), SessionError> {
        let Some(session) = review.session_id.as_deref().filter(|_| !review.waits) else { return Ok(()) };
        self.sessions.get(session).await?;
        let drafts = decision_drafts(&self.claims, &(self.rules)().policy, review).await?;
        if !drafts.is_empty() {
            self.sessions.hub().writer(session).write(drafts).await?;
        }
        Ok(())
    }

    /// Brings a result of a tool that a client ran.
    pub fn deliver(&self, session: &str, call_id: &str, outcome: ToolOutcome) -> Delivered {
        self.waiting.deliver(session, call_id, outcome)
    }

    /// How many turns are running.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// Gives running turns a grace time, then ends them as stopped, and waits until their ends are written.
    pub async fn shut_down(&self, grace: Duration) {
        self.running.close();
        if self.planted.is(PlantedBug::AbortedTasks) {
            return;
        }
        if tokio::time::timeout(grace, self.running.wait()).await.is_ok() {
            return;
        }
        self.shutdown.cancel();
        if tokio::time::timeout(LAST_WORDS, self.running.wait()).await.is_err() {
            tracing::error!(turns = self.running.len(), "some turns could not be ended in time");
        }
    }
}

#[async_trait::async_trait]
impl Rescuer for Turns {
    async fn can_go_on(&self, run: &Arc<str>) -> Result<bool, StoreError> {
        match self.left_open(run).await {
            Ok(found) => Ok(found.is_some_and(|found| found.journal.is_waiting())),
            Err(SessionError::Store(error)) => Err(error),
            Err(_) => Ok(false),
        }
    }

    async fn go_on(self: Arc<Self>, run: Arc<str>, epoch: u32) {
        let writer = self.sessions.hub().writer_of_turn(&run, epoch);
        if let Err(error) = self.take_up(&run, writer.clone()).await {
            tracing::error!(session = %run, %error, "a turn that waited for a person could not be taken up");
            let ending = Ending::Failed { code: "not_resumed", message: error.to_string(), retryable: true };
            if let Err(error) = writer.close_turn(ending.drafts()).await {
                tracing::error!(session = %run, %error, "a turn could not be ended");
            }
        }
    }
}

/// What the calls of a turn are judged with. The session's own context stays as it is: other things are kept under it.
fn call_context(session: &Session, asked_at: i64) -> Value {
    let mut context = session.context.as_object().cloned().unwrap_or_default();
    wall_clock::fill_in(&mut context, asked_at);
    Value::Object(context)
}

/// A turn that runs.
struct Begun {
    session: Session,
    references: References,
    content: String,
    /// After which event it begins.
    after: u64,
    journal: Journal,
}

/// A turn that another process has left open.
struct LeftOpen {
    after: u64,
    content: String,
    references: Vec<Reference>,
    journal: Journal,
}

fn references_draft(references: &References) -> Draft {
    let fields = json!({"valid": references.valid, "invalid": references.invalid});
    Draft::new(EventType::References, "countersign", ContentType::Json, fields)
}

/// The reader is told of a file that could not be read, by its name and the reason.
fn unread_draft(given: &Given, language: Language) -> Option<Draft> {
    let Given::Opaque { name, kind, why, .. } = given else { return None };
    let told = localized!(language, "the file “{name}” could not be read: {why}", "无法读取文件“{name}”：{why}");
    Some(warning_with("file_unread", &told, json!({"file": name, "kind": kind.name(), "reason": why})))
}

fn user_draft(session: &Session, content: &str) -> Result<Draft, SessionError> {
    let fields = json!({
        "message_id": new_id("msg")?,
        "role": "user",
        "from": session.user.as_deref().unwrap_or("user"),
        "to": session.agent,
        "content": content,
        "needs_verify": false,
        "claims": [],
    });
    let mut draft = Draft::new(EventType::Message, "user", ContentType::Text, fields);
    if chatter::of_user(content).is_some() {
        draft.fields.insert("filtered".to_owned(), json!("confirmation"));
    }
    Ok(draft)
}

/// So many of the newest events are read for the model.
const MAX_HISTORY: u64 = 4000;
/// How long turns may take to write their ends at shutdown.
const LAST_WORDS: Duration = Duration::from_secs(5);
