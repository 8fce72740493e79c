//! What a hosted turn costs beside the network and the disk: from the user's words to the terminal event and `[DONE]`, with
//! a scripted model, tools that answer at once and a log in memory.
//!
//! `turn` times every case and prints the best of many rounds. `turn CASE COUNT` only runs one case that often, so that
//! `bench/run --agents` can count its instructions under callgrind and take the difference of two counts.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark ends at the first surprise"
)]

use async_trait::async_trait;
use bytes::Bytes;
use countersign::contract::Status;
use countersign::policy::Policy;
use countersign_runtime::models::{AnswerStream, Ask, Model, ModelError};
use countersign_runtime::review::Reviews;
use countersign_runtime::sessions::{NewSession, SessionClaims, Sessions};
use countersign_runtime::stop::StopSwitch;
use countersign_runtime::store::memory::{MemoryFlags, MemoryLog, MemoryRecords};
use countersign_runtime::store::{Owner, Records};
use countersign_runtime::stream::{Hub, HubOptions, Start};
use countersign_runtime::tools::{Limits, Order, Ran, Reach, Runner, Tool, ToolContext, ToolSource, ToolTrouble};
use countersign_runtime::turn::{
    Ending, Rules, RulesSource, TurnOptions, TurnParts, TurnServices, TurnWatcher, Turns, UserMessage,
};
use futures_util::stream;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let [name, count] = arguments.as_slice() {
        let case = CASES.iter().find(|case| case.0 == name).unwrap();
        runtime.block_on(run(case, count.parse().unwrap()));
        return;
    }
    for case in &CASES {
        let round = |_| {
            let began = Instant::now();
            runtime.block_on(run(case, ROUND));
            began.elapsed().as_secs_f64() / ROUND as f64
        };
        println!("{:32} {:>12.1} µs", case.0, (0..20).map(round).fold(f64::INFINITY, f64::min) * 1e6);
    }
}

/// So many turns, each in a session of its own. What was said before is forgotten with the house.
async fn run((_, agent, way, results): &(&str, &str, &str, usize), count: usize) {
    let house = House::new();
    for number in 0..count {
        let words = format!("Look up alpha{number}, beta{number} and gamma{number} ({way})");
        assert_eq!(house.turn(agent, words).await, *results, "{agent} {way}");
    }
}

struct House {
    hub: Arc<Hub>,
    sessions: Sessions,
    turns: Arc<Turns>,
}

impl House {
    fn new() -> Self {
        let options = HubOptions {
            owner: Owner { node: "here".to_owned(), address: String::new() },
            alone: true,
            lease: Duration::from_secs(10),
            heartbeat: Duration::from_secs(10),
            poll: Duration::from_secs(1),
            metrics: Arc::default(),
        };
        let hub = Hub::new(Arc::new(MemoryLog::default()), None, options);
        let records: Arc<dyn Records> = Arc::new(MemoryRecords::default());
        let sessions = Sessions::new(Arc::clone(&records), Arc::clone(&hub));
        let rules = Arc::new(Rules { policy: Arc::new(Policy::from_toml("").unwrap()), asker: None });
        let rules: RulesSource = Arc::new(move || Arc::clone(&rules));
        let turns = Turns::new(TurnParts {
            sessions: sessions.clone(),
            claims: Arc::new(SessionClaims::new(sessions.clone())),
            model: Arc::new(Scripted),
            rules,
            reviews: Reviews::new(records, None, Duration::from_secs(60)),
            stop: StopSwitch::new(Arc::new(MemoryFlags::default()), Vec::new(), None),
            watcher: Arc::new(Nobody),
            options: TurnOptions::default(),
            services: TurnServices { sources: vec![Arc::new(Shelf::new())], ..TurnServices::default() },
        });
        Self { hub, sessions, turns }
    }

    /// One turn, read to its end; gives how many results of tools it had.
    async fn turn(&self, agent: &str, content: String) -> usize {
        let agent = agent.to_owned();
        let (caller, tools, context) = (String::new(), Vec::new(), json!({}));
        let new = NewSession { agent, user: None, caller, model: None, tools, context };
        let session = self.sessions.create(new).await.unwrap();
        let id = session.session_id.clone();
        let message = UserMessage { content, ..UserMessage::default() };
        let after = self.turns.begin(session, message).await.unwrap();
        let mut reader = self.hub.reader(&id, Start::OwnTurn { after }).await.unwrap();
        let mut text = Vec::new();
        while let Some(frames) = reader.next().await {
            text.extend_from_slice(&frames.bytes);
        }
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("event: completed\n") && text.ends_with("data: [DONE]\n\n"), "{text}");
        text.matches("event: tool_result\n").count()
    }
}

/// A model that says what its script says.
struct Scripted;

#[async_trait]
impl Model for Scripted {
    async fn ask(&self, ask: Ask) -> Result<AnswerStream, ModelError> {
        let word =
            |message: &Value, name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (system, role) =
            (word(ask.messages.first().unwrap(), "content"), word(ask.messages.last().unwrap(), "role"));
        let asked = ask.messages.iter().rev().find(|message| word(message, "role") == "user").unwrap();
        let asked = word(asked, "content");
        let number: String =
            asked.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        let chunks = if system.contains("Make a plan") {
            let step = |(at, name): (usize, &str)| {
                format!("Plan: look up {name}{number}\n#E{at} = look[{{\"key\": \"{name}{number}\"}}]\n")
            };
            said(&(1..).zip(["alpha", "beta", "gamma"]).map(step).collect::<String>())
        } else if asked.ends_with("(call)") && role == "user" {
            called(&format!("alpha{number}"))
        } else {
            said("It is done, and nothing else was found there.")
        };
        Ok(Box::pin(stream::iter(chunks.into_iter().map(|chunk| Ok(Bytes::from(format!("data: {chunk}\n\n")))))))
    }
}

fn said(text: &str) -> Vec<Value> {
    let delta = |piece| json!({"choices": [{"index": 0, "delta": {"content": piece}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    text.split_inclusive(' ').map(delta).chain([end]).collect()
}

fn called(key: &str) -> Vec<Value> {
    let call = |function: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "call_1", "function": function}]}}]});
    let parts = ["{\"k", "ey\":", " \"", key, "\"}"];
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    let pieces = parts.iter().map(|part| call(json!({"arguments": part})));
    [call(json!({"name": "look", "arguments": ""}))].into_iter().chain(pieces).chain([end]).collect()
}

/// A tool that answers at once.
struct Shelf(Arc<Tool>);

struct Look;

impl Shelf {
    fn new() -> Self {
        let parameters = json!({"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]});
        let function = json!({"name": "look", "description": "Looks a key up.", "parameters": parameters});
        Self(Arc::new(Tool {
            name: "look".to_owned(),
            spec: json!({"type": "function", "function": function}),
            source: "bench".into(),
            reach: Reach::Reads,
            limits: Limits::default(),
            runner: Arc::new(Look),
        }))
    }
}

#[async_trait]
impl ToolSource for Shelf {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        vec![Arc::clone(&self.0)]
    }
}

#[async_trait]
impl Runner for Look {
    async fn run(&self, _: &Order, _: &ToolContext) -> Result<Ran, ToolTrouble> {
        Ok(Ran::of(json!({"value": "found"})))
    }
}

struct Nobody;

impl TurnWatcher for Nobody {
    fn turn_ended(&self, _: &str, _: &Ending) {}

    fn call_judged(&self, _: Status) {}
}

/// Name, agent, script, and how many results there must be.
const CASES: [(&str, &str, &str, usize); 3] =
    [("plain", "react", "plain", 0), ("one-tool", "react", "call", 1), ("plan-of-three", "rewoo", "plan", 3)];
/// So many turns are one round.
const ROUND: usize = 50;
