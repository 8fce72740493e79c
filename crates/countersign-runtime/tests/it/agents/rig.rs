//! A node with agents: its stores, a model that is a function of what it is asked, and tools that count their runs.

use crate::streams::bench::{Got, options, read_from};
use async_trait::async_trait;
use bytes::Bytes;
use countersign::contract::{EventType, Status, StreamEvent};
use countersign::policy::Policy;
use countersign_runtime::agents::{AgentSpec, Agents, Budget, Protocol};
use countersign_runtime::models::{AnswerStream, Ask, Model, ModelError};
use countersign_runtime::review::{Decision, Resolution, ReviewState, Reviewer, Reviews};
use countersign_runtime::sessions::{NewSession, Session, SessionClaims, Sessions};
use countersign_runtime::stop::StopSwitch;
use countersign_runtime::store::memory::{MemoryFlags, MemoryLog, MemoryRecords};
use countersign_runtime::store::{EventLog, Flags, Records};
use countersign_runtime::stream::{Hub, HubOptions, Mode, Start};
use countersign_runtime::tools::{
    Found, Limits, Order, Ran, Reach, Runner, Search, Tool, ToolContext, ToolSource, ToolTrouble,
};
use countersign_runtime::turn::{
    Ending, FactSource, Rules, RulesSource, TurnOptions, TurnParts, TurnServices, TurnWatcher, Turns, UserMessage,
};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the model does with a question.
#[derive(Debug)]
pub(super) enum Said {
    /// Gives these chunks, and ends.
    Chunks(Vec<Value>),
    /// Does not answer.
    Refusal(ModelError),
    /// Says nothing for so long, and then these chunks.
    Late(Duration, Vec<Value>),
}

/// What it says to what it is asked.
pub(super) type Mind = Arc<dyn Fn(&Ask) -> Said + Send + Sync>;

pub(super) fn mind(think: impl Fn(&Ask) -> Said + Send + Sync + 'static) -> Mind {
    Arc::new(think)
}

/// One answer after the other, the last forever.
pub(super) fn in_order(answers: Vec<Said>) -> Mind {
    let left = Mutex::new(std::collections::VecDeque::from(answers));
    mind(move |_| left.lock().unwrap().pop_front().unwrap_or_else(|| words("That is all there is to say.")))
}

pub(super) fn words(text: &str) -> Said {
    Said::Chunks(vec![delta(text), finish("stop")])
}

/// Calls of tools: `(id, name, arguments)`.
pub(super) fn calls(all: &[(&str, &str, Value)]) -> Said {
    let call = |(index, (id, name, arguments)): (usize, &(&str, &str, Value))| {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "id": id, "function": function}]}}]})
    };
    Said::Chunks(all.iter().enumerate().map(call).chain([finish("tool_calls")]).collect())
}

pub(super) fn delta(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}}]})
}

pub(super) fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// A model that keeps what it was asked.
pub(super) struct Played {
    mind: Mind,
    asked: Mutex<Vec<Ask>>,
}

impl Played {
    pub(super) fn asked(&self) -> Vec<Ask> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Model for Played {
    async fn ask(&self, ask: Ask) -> Result<AnswerStream, ModelError> {
        let said = (self.mind)(&ask);
        self.asked.lock().unwrap().push(ask);
        let chunk = |chunk: Value| Ok(Bytes::from(format!("data: {chunk}\n\n")));
        Ok(match said {
            Said::Chunks(chunks) => Box::pin(stream::iter(chunks.into_iter().map(chunk))),
            Said::Refusal(error) => return Err(error),
            Said::Late(wait, chunks) => {
                let late = async move {
                    tokio::time::sleep(wait).await;
                    stream::iter(chunks.into_iter().map(chunk))
                };
                Box::pin(stream::once(late).flatten())
            }
        })
    }
}

/// The words of a message, whatever its form.
pub(super) fn text(message: &Value) -> &str {
    message.get("content").and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// All words that the model was told.
pub(super) fn told(ask: &Ask) -> String {
    ask.messages.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// What tools said since the user's last words.
pub(super) fn results(ask: &Ask) -> Vec<&str> {
    let newest = ask.messages.iter().rev().take_while(|message| role(message) != "user");
    let mut found: Vec<_> = newest.filter(|message| role(message) == "tool").map(text).collect();
    found.reverse();
    found
}

/// The last words of the user's side.
pub(super) fn question(ask: &Ask) -> &str {
    ask.messages.iter().rev().find(|message| role(message) == "user").map(text).unwrap_or_default()
}

type Doing = Pin<Box<dyn Future<Output = Result<Ran, ToolTrouble>> + Send>>;

/// A tool that does what a test wants, and counts.
pub(super) struct Doer {
    does: Box<dyn Fn(&Order) -> Doing + Send + Sync>,
    runs: Runs,
}

/// The runs of tools: which tool for which call. It outlives nodes, as the world does.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs(Arc<Mutex<Vec<(String, String)>>>);

impl Runs {
    pub(super) fn all(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap().clone()
    }

    /// How often a tool was run.
    pub(super) fn of(&self, tool: &str) -> usize {
        self.all().iter().filter(|(name, _)| name == tool).count()
    }
}

#[async_trait]
impl Runner for Doer {
    async fn run(&self, order: &Order, _: &ToolContext) -> Result<Ran, ToolTrouble> {
        self.runs.0.lock().unwrap().push((order.name().to_owned(), order.call_id().to_owned()));
        (self.does)(order).await
    }
}

pub(super) fn tool<F>(name: &str, reach: Reach, runs: &Runs, does: impl Fn(&Order) -> F + Send + Sync + 'static) -> Tool
where
    F: Future<Output = Result<Ran, ToolTrouble>> + Send + 'static,
{
    let parameters = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let spec = json!({"type": "function", "function": {
        "name": name, "description": "Works with a text.", "parameters": parameters}});
    let does = Box::new(move |order: &Order| Box::pin(does(order)) as Doing);
    let runner = Arc::new(Doer { does, runs: runs.clone() });
    Tool { name: name.to_owned(), spec, source: "test".into(), reach, limits: Limits::default(), runner }
}

/// A tool that says what it was given.
pub(super) fn echo(name: &str, reach: Reach, runs: &Runs) -> Tool {
    let said = name.to_owned();
    tool(name, reach, runs, move |order| {
        let text = order.arguments().get("text").and_then(Value::as_str).unwrap_or_default();
        let ran = Ran::of(format!("{said} saw {text}"));
        async move { Ok(ran) }
    })
}

pub(super) struct Shelf(pub Vec<Arc<Tool>>);

#[async_trait]
impl ToolSource for Shelf {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        self.0.clone()
    }
}

/// A search that finds one thing for a query, or does what the query says.
pub(super) struct Seeker(pub Runs);

#[async_trait]
impl Search for Seeker {
    async fn search(&self, query: &str, _: &ToolContext) -> Result<Vec<Found>, ToolTrouble> {
        self.0.0.lock().unwrap().push(("search".to_owned(), query.to_owned()));
        match query {
            _ if query.contains("fails") => return Err(ToolTrouble::Failed("the index is on fire".to_owned())),
            _ if query.contains("panics") => panic!("the search falls over"),
            _ if query.contains("hangs") => std::future::pending().await,
            _ => {}
        }
        let (title, link) = (format!("About {query}"), "http://127.0.0.1/page".to_owned());
        Ok(vec![Found { title, link, content: format!("What is known of {query}."), ..Found::default() }])
    }
}

/// Where a node keeps what must outlive it.
#[derive(Clone)]
pub(super) struct Stores {
    pub log: Arc<dyn EventLog>,
    pub records: Arc<dyn Records>,
    pub flags: Arc<dyn Flags>,
}

impl Default for Stores {
    fn default() -> Self {
        let (log, records) = (Arc::new(MemoryLog::default()), Arc::new(MemoryRecords::default()));
        Self { log, records, flags: Arc::new(MemoryFlags::default()) }
    }
}

/// What a node is made from.
#[derive(Clone)]
pub(super) struct Plan {
    pub mind: Mind,
    pub tools: Vec<Arc<Tool>>,
    pub search: Option<Arc<dyn Search>>,
    pub facts: Option<FactSource>,
    pub agents: Agents,
    pub options: TurnOptions,
    pub policy: Arc<Policy>,
    /// How long reviews wait.
    pub expiry: Duration,
}

impl Plan {
    pub(super) fn new(mind: Mind) -> Self {
        let (options, expiry) = (TurnOptions::default(), Duration::from_secs(600));
        let (agents, policy) = (Agents::default(), Policy::standard());
        Self { mind, tools: Vec::new(), search: None, facts: None, agents, options, policy, expiry }
    }

    /// Under another policy.
    pub(super) fn under(mut self, policy: &str) -> Self {
        self.policy = Arc::new(Policy::from_toml(policy).unwrap());
        self
    }

    pub(super) fn with(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools.into_iter().map(Arc::new));
        self
    }

    /// With an agent whose budget is another.
    pub(super) fn agent(mut self, name: &str, protocol: Protocol, budget: Budget) -> Self {
        let known = self.agents.get(name).map(|known| known.as_ref().clone());
        let spec = known.unwrap_or_else(|| AgentSpec::new(name, protocol));
        self.agents.add(AgentSpec { protocol, budget, ..spec });
        self
    }
}

struct Nobody;

impl TurnWatcher for Nobody {
    fn turn_ended(&self, _: &str, _: &Ending) {}

    fn call_judged(&self, _: Status) {}
}

/// A node.
pub(super) struct Node {
    pub hub: Arc<Hub>,
    pub sessions: Sessions,
    pub turns: Arc<Turns>,
    pub model: Arc<Played>,
    pub stop: Arc<StopSwitch>,
    pub reviews: Reviews,
}

impl Node {
    /// One in memory, alone.
    pub(super) fn new(plan: Plan) -> Self {
        Self::over(&Stores::default(), "here", plan)
    }

    pub(super) fn over(stores: &Stores, name: &str, plan: Plan) -> Self {
        let alone = HubOptions { alone: true, ..options(name) };
        let hub = Hub::new(Arc::clone(&stores.log), None, alone);
        let sessions = Sessions::new(Arc::clone(&stores.records), Arc::clone(&hub));
        let model = Arc::new(Played { mind: plan.mind, asked: Mutex::default() });
        let reviews = Reviews::new(Arc::clone(&stores.records), None, plan.expiry);
        let stop = StopSwitch::new(Arc::clone(&stores.flags), Vec::new(), None);
        let rules = Arc::new(Rules { policy: plan.policy, asker: None });
        let rules: RulesSource = Arc::new(move || Arc::clone(&rules));
        let turns = Turns::new(TurnParts {
            sessions: sessions.clone(),
            claims: Arc::new(SessionClaims::new(sessions.clone())),
            model: Arc::clone(&model) as Arc<dyn Model>,
            rules,
            reviews: reviews.clone(),
            stop: Arc::clone(&stop),
            watcher: Arc::new(Nobody),
            options: plan.options,
            services: TurnServices {
                agents: Arc::new(plan.agents),
                sources: vec![Arc::new(Shelf(plan.tools))],
                search: plan.search,
                facts: plan.facts,
                ..TurnServices::default()
            },
        });
        Self { hub, sessions, turns, model, stop, reviews }
    }

    pub(super) async fn session(&self, agent: &str) -> Session {
        let (user, agent) = (Some("ann".to_owned()), agent.to_owned());
        let new = NewSession { agent, user, caller: String::new(), model: None, tools: Vec::new(), context: json!({}) };
        self.sessions.create(new).await.unwrap()
    }

    pub(super) async fn begin(&self, session: &Session, content: &str) {
        let message = UserMessage { content: content.to_owned(), ..UserMessage::default() };
        self.turns.begin(session.clone(), message).await.unwrap();
    }

    /// Reads a session to the end of its running turn.
    pub(super) async fn read(&self, session: &Session) -> Got {
        read_from(&self.hub, &session.session_id, Start::From { mode: Mode::Hybrid, after: None }).await
    }

    /// What a session's log holds now.
    pub(super) async fn log(&self, session: &Session) -> Got {
        read_from(&self.hub, &session.session_id, Start::From { mode: Mode::Replay, after: None }).await
    }

    /// A turn of a session, to its end; all events of the session.
    pub(super) async fn say(&self, session: &Session, content: &str) -> Got {
        self.begin(session, content).await;
        self.read(session).await
    }

    /// One turn in a new session.
    pub(super) async fn turn(&self, agent: &str, content: &str) -> Got {
        let session = self.session(agent).await;
        self.say(&session, content).await
    }

    /// Waits until a session's log holds so many events of a kind; gives them.
    pub(super) async fn shown(&self, session: &Session, kind: EventType, count: usize) -> Vec<StreamEvent> {
        loop {
            let found = of(&self.log(session).await, kind).cloned().collect::<Vec<_>>();
            if found.len() >= count {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Says yes to everything that waits; gives how many did.
    pub(super) async fn approve_all(&self) -> usize {
        let waiting = self
            .reviews
            .list(Some(ReviewState::Pending), countersign_runtime::store::Order::OldestFirst, 100)
            .await
            .unwrap();
        for review in &waiting {
            let decision = Decision::Approve;
            let resolution = Resolution { decision, reason: None, arguments: None, content: None };
            self.reviews.decide(&review.review_id, resolution, &Reviewer::default()).await.unwrap();
        }
        waiting.len()
    }
}

/// The events of a kind.
pub(super) fn of(got: &Got, kind: EventType) -> impl Iterator<Item = &StreamEvent> {
    got.events.iter().filter(move |event| event.event_type == kind)
}

pub(super) fn field<'e>(event: &'e StreamEvent, name: &str) -> &'e str {
    event.payload.fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn value(event: &StreamEvent, name: &str) -> Value {
    event.payload.fields.get(name).cloned().unwrap_or_default()
}

/// The codes of all warnings.
pub(super) fn warned(got: &Got) -> Vec<&str> {
    of(got, EventType::Warning).map(|event| field(event, "code")).collect()
}

pub(super) fn kinds(got: &Got) -> Vec<&'static str> {
    got.events.iter().map(|event| event.event_type.name()).collect()
}

pub(super) fn last(got: &Got) -> &'static str {
    got.events.last().map(|event| event.event_type.name()).unwrap_or_default()
}

/// What holds for a whole log: dense, epochs that never go back, the stream over, and one terminal for each turn.
pub(super) fn check_log(got: &Got) {
    let seqs = got.seqs();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "dense: {:?}", kinds(got));
    let epochs: Vec<u32> = got.events.iter().filter_map(|event| event.id.map(|id| id.epoch)).collect();
    assert!(epochs.is_sorted(), "epochs: {epochs:?}");
    assert!(got.done, "no end: {:?}", kinds(got));
    let opens = |event: &StreamEvent| event.event_type == EventType::Message && event.agent_source == "user";
    let mut open = false;
    for event in &got.events {
        if opens(event) {
            assert!(!open, "a turn begins in a turn: {:?}", kinds(got));
            open = true;
        } else if event.event_type.is_terminal() {
            assert!(open, "a second end: {:?}", kinds(got));
            open = false;
        } else if event.event_type == EventType::References {
            assert!(!open, "references come first: {:?}", kinds(got));
        } else {
            assert!(open, "{:?} outside of a turn: {:?}", event.event_type, kinds(got));
        }
    }
}

/// What a model's server demands of a conversation: every call has one result, right after it, and no result is alone.
pub(super) fn well_formed(ask: &Ask) {
    let mut open: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for message in &ask.messages {
        match role(message) {
            "tool" => {
                let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
                assert!(open.iter().any(|known| known == id), "a result of nothing: {:#?}", ask.messages);
                open.retain(|known| known != id);
            }
            _ => {
                assert!(open.is_empty(), "{open:?} have no result: {:#?}", ask.messages);
                for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                    let id = call.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
                    assert!(seen.insert(id.clone()), "{id} twice: {:#?}", ask.messages);
                    open.push(id);
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?} have no result: {:#?}", ask.messages);
    assert_eq!(ask.messages.last().map(role), Some("user"), "{:#?}", ask.messages);
}
