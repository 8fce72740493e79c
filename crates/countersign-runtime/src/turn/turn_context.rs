//! What a turn works with, and an agent at work in it.

use super::ending::{Ending, TurnWatcher};
use super::evidence::EvidenceCache;
use super::journal::Journal;
use super::outbox::Outbox;
use super::results::Waiting;
use super::rules::{self, Rules};
use super::services::TurnServices;
use super::time_budget::TimeBudget;
use crate::agents::{AgentSpec, Protocol};
use crate::models::Model;
use crate::review::Reviews;
use crate::sessions::{CheckUnderWay, FileKind, Session, SessionClaims, Sessions};
use crate::stream::BugSwitch;
use crate::tools::{ToolContext, Toolbox};
use countersign::check_call::Guard;
use countersign::contract::Language;
use countersign::parse::KnownTools;
use countersign::parse::tags::concierge;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a turn works with.
pub(super) struct TurnContext<'a> {
    pub(super) session: &'a Session,
    pub(super) sessions: &'a Sessions,
    pub(super) claims: &'a Arc<SessionClaims>,
    pub(super) model: &'a dyn Model,
    pub(super) rules: &'a Arc<Rules>,
    pub(super) reviews: &'a Reviews,
    pub(super) waiting: &'a Waiting,
    pub(super) watcher: &'a dyn TurnWatcher,
    pub(super) services: &'a TurnServices,
    pub(super) evidence: &'a EvidenceCache,
    pub(super) guards: &'a rules::Guards,
    /// How long a client may take to run a tool.
    pub(super) patience: Duration,
    /// What the user asks in this turn.
    pub(super) question: &'a str,
    /// What calls are judged with: what is known of the session, and when the user spoke.
    pub(super) call_context: Value,
    /// The language of the conversation.
    pub(super) language: Language,
    /// What is in the log already.
    pub(super) journal: &'a Journal,
    /// After which event of the log the turn begins: what tells it from the others of its session.
    pub(super) turn: u64,
    /// Ids of calls that are taken in this turn.
    pub(super) call_ids: Mutex<HashSet<String>>,
    /// What kinds of files the user refers to.
    pub(super) files: Vec<FileKind>,
    /// The model has said that it takes no pictures.
    pub(super) is_blind: AtomicBool,
    /// Something was said whose claims nobody has looked up.
    pub(super) is_unchecked: AtomicBool,
    /// The newest look at claims that the turn has begun.
    pub(super) check: Mutex<Option<CheckUnderWay>>,
    pub(super) planted: BugSwitch,
}

impl TurnContext<'_> {
    /// For whom tools are run.
    pub(super) fn tool_context(&self) -> ToolContext {
        let session = self.session.session_id.as_str().into();
        ToolContext { session, user: self.session.user.clone(), language: self.language }
    }

    /// The turn's name. Models give the same ids for calls again and again: this tells turns apart.
    pub(super) fn turn_name(&self) -> String {
        format!("{}/{}", self.session.session_id, self.turn)
    }

    /// A name for a call that no other of this turn has: the model's own where it can be kept.
    pub(super) fn call_id(&self, wished: Option<&str>) -> Result<String, Ending> {
        let mut taken = self.call_ids.lock().unwrap_or_else(PoisonError::into_inner);
        let wished = wished.filter(|id| !id.is_empty() && id.len() <= MAX_ID && !taken.contains(*id));
        let id = match wished {
            Some(id) => id.to_owned(),
            None => crate::ids::new_id("call").map_err(|error| Ending::internal(&error))?,
        };
        taken.insert(id.clone());
        Ok(id)
    }
}

/// An agent at work in a turn.
pub(super) struct AgentRun<'a> {
    pub(super) context: &'a TurnContext<'a>,
    pub(super) spec: Arc<AgentSpec>,
    pub(super) outbox: Outbox,
    /// Where its steps stand in the turn: empty for the one that was asked.
    pub(super) path: String,
    pub(super) tools: Arc<Tools>,
    pub(super) time_budget: Arc<TimeBudget>,
}

/// The tools of an agent.
pub(super) struct Tools {
    /// Those that we run.
    pub(super) toolbox: Toolbox,
    /// All of them, in the OpenAI shape: the client's first.
    pub(super) specs: Vec<Value>,
    /// Who judges their calls.
    pub(super) guard: Arc<Guard>,
    /// Those that a model may call in its text; none where there are no tools.
    pub(super) written: Option<KnownTools>,
}

impl<'a> AgentRun<'a> {
    /// An agent that begins to work.
    pub(super) async fn new(context: &'a TurnContext<'a>, spec: Arc<AgentSpec>, outbox: Outbox, path: String) -> Self {
        let tools = Arc::new(Tools::gather(context, &spec).await);
        let time_budget = Arc::new(TimeBudget::new(spec.budget.time));
        Self { context, spec, outbox, path, tools, time_budget }
    }

    /// The same agent under another name: one of several roles that it plays.
    pub(super) fn role(&self, name: &str) -> Self {
        Self {
            context: self.context,
            spec: Arc::clone(&self.spec),
            outbox: self.outbox.of(name),
            path: self.path.clone(),
            tools: Arc::clone(&self.tools),
            time_budget: Arc::clone(&self.time_budget),
        }
    }

    /// The name of a step in the turn.
    pub(super) fn step(&self, what: impl std::fmt::Display) -> String {
        format!("{}{what}", self.path)
    }

    /// Which model it asks.
    pub(super) fn model(&self) -> Option<String> {
        self.context.session.model.clone().or_else(|| self.spec.model.clone())
    }
}

impl Tools {
    async fn gather(context: &TurnContext<'_>, spec: &AgentSpec) -> Self {
        let mut specs = context.session.tools.clone();
        let mut toolbox = Toolbox::gather(&context.services.sources, &spec.tools).await;
        // What the client declared is the client's, whatever we have under its name.
        for name in specs.iter().filter_map(name_of) {
            toolbox.remove(name);
        }
        // A concierge does these by its tags.
        if spec.protocol == Protocol::Concierge {
            concierge().tags().iter().for_each(|tag| toolbox.remove(&tag.name));
        }
        specs.extend(toolbox.iter().map(|tool| tool.spec.clone()));
        let guard = context.guards.guard(context.rules, &specs);
        let written = written(spec, &guard);
        Self { toolbox, specs, guard, written }
    }
}

/// The tools that a model may call in its text. What looks like a tag of its protocol is one.
fn written(agent: &AgentSpec, guard: &Guard) -> Option<KnownTools> {
    let registry = guard.registry()?;
    let protocol = concierge();
    let is_tag = |name: &str| agent.protocol == Protocol::Concierge && protocol.tag(name).is_some();
    if registry.specs().any(|spec| is_tag(&spec.name)) {
        let rest: Vec<_> = registry.specs().filter(|spec| !is_tag(&spec.name)).map(|spec| spec.to_spec()).collect();
        return (!rest.is_empty()).then(|| KnownTools::of(&rest));
    }
    registry.specs().next().is_some().then(|| registry.known().clone())
}

fn name_of(tool: &Value) -> Option<&str> {
    tool.pointer("/function/name").or_else(|| tool.get("name"))?.as_str()
}

/// The longest id of a call that is kept.
const MAX_ID: usize = 128;
