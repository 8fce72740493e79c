//! Turns of all sessions: begun, counted, ended.

use super::ending::{Ending, TurnWatcher};
use super::outbox::Outbox;
use super::prompt;
use super::results::{Delivered, ToolOutcome, Waiting};
use super::rounds::Round;
use super::rules::RulesSource;
use crate::agents::{AgentSpec, Agents, Protocol};
use crate::factcheck::FactCheck;
use crate::ids::new_id;
use crate::models::Model;
use crate::review::Reviews;
use crate::sessions::{FactDesk, Reference, References, Session, SessionError, Sessions};
use crate::stop::StopSwitch;
use crate::stream::{Draft, PlantedBug, Scribe};
use crate::tools::{Search, ToolSource};
use countersign::contract::{ContentType, EventType, Language};
use futures_util::FutureExt;
use serde_json::json;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
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
}

/// Who looks claims up, with the sources of the moment.
pub type FactSource = Arc<dyn Fn() -> Arc<FactCheck> + Send + Sync>;

/// Whom turns ask beside the model.
#[derive(Clone)]
pub struct Helpers {
    /// Who answers in sessions.
    pub agents: Arc<Agents>,
    /// Where the tools come from that we run.
    pub sources: Vec<Arc<dyn ToolSource>>,
    /// Who searches the web.
    pub search: Option<Arc<dyn Search>>,
    /// Who looks claims up; nobody where it is absent.
    pub facts: Option<FactSource>,
    /// With which key results are sealed.
    pub seal_key: Arc<[u8]>,
}

impl Default for Helpers {
    /// The built-in agents, without tools of ours. Results are sealed with a key that nobody knows.
    fn default() -> Self {
        let mut key = [0; 32];
        // Without randomness the seals are worth nothing, and nothing else is harmed.
        let _ = getrandom::fill(&mut key);
        let agents = Arc::new(Agents::default());
        Self { agents, sources: Vec::new(), search: None, facts: None, seal_key: Arc::new(key) }
    }
}

/// All turns of this node.
pub struct Turns {
    sessions: Sessions,
    desk: Arc<FactDesk>,
    model: Arc<dyn Model>,
    rules: RulesSource,
    reviews: Reviews,
    stop: Arc<StopSwitch>,
    watcher: Arc<dyn TurnWatcher>,
    options: TurnOptions,
    helpers: Helpers,
    waiting: Waiting,
    running: TaskTracker,
    shutdown: CancellationToken,
    planted: Option<PlantedBug>,
}

/// What turns are made from.
pub struct TurnParts {
    /// The sessions.
    pub sessions: Sessions,
    /// The fact layer.
    pub desk: Arc<FactDesk>,
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
    pub helpers: Helpers,
}

impl Turns {
    /// Turns over their parts.
    pub fn new(parts: TurnParts) -> Arc<Self> {
        Self::with_bug(parts, None)
    }

    /// Turns with a bug, for tests that must be able to fail.
    #[doc(hidden)]
    pub fn with_bug(parts: TurnParts, planted: Option<PlantedBug>) -> Arc<Self> {
        let TurnParts { sessions, desk, model, rules, reviews, stop, watcher, options, helpers } = parts;
        Arc::new(Self {
            sessions,
            desk,
            model,
            rules,
            reviews,
            stop,
            watcher,
            options,
            helpers,
            waiting: Waiting::default(),
            running: TaskTracker::new(),
            shutdown: CancellationToken::new(),
            planted,
        })
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
        let scribe = self.sessions.hub().scribe(&session.session_id);
        let (after, scribe) = scribe.open_turn(first).await?;
        let turns = Arc::clone(&self);
        let span = tracing::info_span!(
            "invoke_agent",
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = session.agent.as_str(),
            gen_ai.conversation.id = %session.session_id,
        );
        let run = async move { turns.run(session, references, content, after, scribe).await };
        self.running.spawn(run.instrument(span));
        Ok(after)
    }

    async fn run(&self, session: Session, references: References, content: String, after: u64, scribe: Scribe) {
        let outbox = Outbox::new(scribe.clone(), &session.agent);
        let work = AssertUnwindSafe(self.work(&session, &references, &content, after, &outbox)).catch_unwind();
        let ending = tokio::select! {
            biased;
            () = self.stop.stopped(&session.session_id) => Ending::Stopped { reason: "stop" },
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
        self.waiting.forget(&session.session_id);
        if ending != Ending::Fenced
            && let Err(error) = scribe.close_turn(outbox.take(ending.drafts())).await
        {
            tracing::error!(session = %session.session_id, %error, "a turn could not be ended by its writer");
        }
        self.watcher.turn_ended(&session.session_id, &ending);
    }

    async fn work(
        &self,
        session: &Session,
        references: &References,
        content: &str,
        after: u64,
        outbox: &Outbox,
    ) -> Result<Ending, Ending> {
        let rules = (self.rules)();
        let history = self.history(&session.session_id, after).await?;
        let messages = prompt::messages(&self.agent(session), &history, &references.given, content);
        let round = Round {
            session,
            sessions: &self.sessions,
            desk: &self.desk,
            model: self.model.as_ref(),
            rules: &rules,
            outbox,
            reviews: &self.reviews,
            waiting: &self.waiting,
            watcher: self.watcher.as_ref(),
            patience: self.options.tool_patience,
            planted: self.planted,
        };
        round.converse(messages, Language::of(content)).await
    }

    /// Who answers. One that was taken out of the configuration since is answered for by the plainest one.
    fn agent(&self, session: &Session) -> Arc<AgentSpec> {
        let known = self.helpers.agents.get(&session.agent).cloned();
        known.unwrap_or_else(|| Arc::new(AgentSpec::new(&session.agent, Protocol::React)))
    }

    /// The newest part of what was said before this turn.
    async fn history(&self, session: &str, after: u64) -> Result<Vec<crate::store::Entry>, Ending> {
        let from = after.saturating_sub(MAX_HISTORY);
        let bound = usize::try_from(after - from).unwrap_or_default();
        Ok(self.sessions.hub().history(session, from, bound).await?)
    }

    /// Who answers in sessions.
    pub fn agents(&self) -> &Agents {
        &self.helpers.agents
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
        if self.planted == Some(PlantedBug::AbortedTasks) {
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

fn references_draft(references: &References) -> Draft {
    let fields = json!({"valid": references.valid, "invalid": references.invalid});
    Draft::new(EventType::References, "countersign", ContentType::Json, fields)
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
    Ok(Draft::new(EventType::Message, "user", ContentType::Text, fields))
}

/// So many of the newest events are read for the model.
const MAX_HISTORY: u64 = 4000;
/// How long turns may take to write their ends at shutdown.
const LAST_WORDS: Duration = Duration::from_secs(5);
