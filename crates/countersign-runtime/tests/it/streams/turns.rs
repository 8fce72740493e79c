//! Whole turns with a model that says what the test wants.

use super::bench::{Got, options, read_from};
use async_trait::async_trait;
use bytes::Bytes;
use countersign::contract::{EventType, Status, StreamEvent};
use countersign::policy::Policy;
use countersign_runtime::models::{AnswerStream, Ask, Model, ModelError};
use countersign_runtime::review::{Decision, Resolution, ReviewState, Reviewer, Reviews};
use countersign_runtime::sessions::{NewSession, Session, SessionClaims, SessionError, Sessions, Upload};
use countersign_runtime::stop::StopSwitch;
use countersign_runtime::store::memory::{MemoryFlags, MemoryLog, MemoryRecords};
use countersign_runtime::store::{EventLog, Records, Scope};
use countersign_runtime::stream::{Hub, HubOptions, Mode, Start};
use countersign_runtime::turn::{
    Delivered, Ending, Rules, RulesSource, ToolOutcome, TurnOptions, TurnParts, TurnServices, TurnWatcher, Turns,
    UserMessage,
};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// What the model does next.
enum Said {
    /// Gives these chunks, and ends.
    Chunks(Vec<Value>),
    /// Gives these chunks, and then fails.
    Broken(Vec<Value>, ModelError),
    /// Does not answer.
    Refusal(ModelError),
    /// Says a word and then nothing.
    Silence,
    /// Falls over.
    Panic,
}

#[derive(Default)]
struct Played {
    script: Mutex<VecDeque<Said>>,
    asked: Mutex<Vec<Ask>>,
}

#[async_trait]
impl Model for Played {
    async fn ask(&self, ask: Ask) -> Result<AnswerStream, ModelError> {
        self.asked.lock().unwrap().push(ask);
        let next = self.script.lock().unwrap().pop_front().unwrap_or_else(|| Said::Chunks(words("and so on")));
        let chunk = |chunk: Value| Ok(Bytes::from(format!("data: {chunk}\n\n")));
        Ok(match next {
            Said::Chunks(chunks) => Box::pin(stream::iter(chunks.into_iter().map(chunk))),
            Said::Broken(chunks, error) => {
                Box::pin(stream::iter(chunks.into_iter().map(chunk).chain([Err(error)]).collect::<Vec<_>>()))
            }
            Said::Refusal(error) => return Err(error),
            Said::Silence => Box::pin(stream::iter([chunk(delta("begun"))]).chain(stream::pending())),
            Said::Panic => panic!("the model's own fault"),
        })
    }
}

fn delta(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn words(text: &str) -> Vec<Value> {
    vec![delta(text), finish("stop")]
}

/// Calls of tools: `(id, name, arguments)`.
fn calls(all: &[(&str, &str, Value)]) -> Said {
    let call = |(index, (id, name, arguments)): (usize, &(&str, &str, Value))| {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "id": id, "function": function}]}}]})
    };
    Said::Chunks(all.iter().enumerate().map(call).chain([finish("tool_calls")]).collect())
}

/// Counts how turns end.
#[derive(Default)]
struct Counter(Mutex<Vec<String>>);

impl TurnWatcher for Counter {
    fn turn_ended(&self, _: &str, ending: &Ending) {
        self.0.lock().unwrap().push(ending.name().to_owned());
    }

    fn call_judged(&self, _: Status) {}
}

struct House {
    hub: Arc<Hub>,
    log: Arc<MemoryLog>,
    sessions: Sessions,
    turns: Arc<Turns>,
    model: Arc<Played>,
    stop: Arc<StopSwitch>,
    reviews: Reviews,
    ended: Arc<Counter>,
}

impl House {
    fn new(script: Vec<Said>) -> Self {
        let log = Arc::new(MemoryLog::default());
        let hub = Hub::new(Arc::clone(&log) as Arc<dyn EventLog>, None, HubOptions { alone: true, ..options("here") });
        let records: Arc<dyn Records> = Arc::new(MemoryRecords::default());
        let sessions = Sessions::new(Arc::clone(&records), Arc::clone(&hub));
        let model = Arc::new(Played { script: Mutex::new(script.into()), asked: Mutex::default() });
        let reviews = Reviews::new(records, None, Duration::from_secs(60));
        let stop = StopSwitch::new(Arc::new(MemoryFlags::default()), Vec::new(), None);
        let rules = Arc::new(Rules { policy: Arc::new(Policy::from_toml("").unwrap()), asker: None });
        let rules: RulesSource = Arc::new(move || Arc::clone(&rules));
        let ended = Arc::new(Counter::default());
        let turns = Turns::new(TurnParts {
            sessions: sessions.clone(),
            claims: Arc::new(SessionClaims::new(sessions.clone())),
            model: Arc::clone(&model) as Arc<dyn Model>,
            rules,
            reviews: reviews.clone(),
            stop: Arc::clone(&stop),
            watcher: Arc::clone(&ended) as Arc<dyn TurnWatcher>,
            options: TurnOptions { tool_patience: Duration::from_secs(30), ..TurnOptions::default() },
            services: TurnServices::default(),
        });
        Self { hub, log, sessions, turns, model, stop, reviews, ended }
    }

    async fn session(&self) -> Session {
        let tool = |name: &str, field: &str| {
            let parameters = json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
            json!({"type": "function", "function": {"name": name, "parameters": parameters}})
        };
        let new = NewSession {
            agent: "concierge".to_owned(),
            user: Some("ann".to_owned()),
            caller: String::new(),
            model: None,
            tools: vec![tool("get_weather", "city"), tool("delete_record", "record")],
            context: json!({}),
        };
        self.sessions.create(new).await.unwrap()
    }

    async fn begin(&self, session: &Session, content: &str) -> Result<u64, SessionError> {
        let message = UserMessage { content: content.to_owned(), ..UserMessage::default() };
        self.turns.begin(session.clone(), message).await
    }

    /// Reads a session to the end of its running turn.
    async fn read(&self, session: &Session) -> Got {
        read_from(&self.hub, &session.session_id, Start::From { mode: Mode::Hybrid, after: None }).await
    }

    /// One turn in a new session.
    async fn turn(&self, content: &str) -> Got {
        let session = self.session().await;
        self.begin(&session, content).await.unwrap();
        self.read(&session).await
    }

    /// Waits until the log of a session holds so many events of a kind; gives them.
    async fn shown(&self, session: &Session, kind: EventType, count: usize) -> Vec<StreamEvent> {
        loop {
            let all = read_from(&self.hub, &session.session_id, Start::From { mode: Mode::Replay, after: None }).await;
            let found: Vec<_> = all.events.into_iter().filter(|event| event.event_type == kind).collect();
            if found.len() >= count {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn field<'e>(event: &'e StreamEvent, name: &str) -> &'e str {
    event.payload.fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn kinds(got: &Got) -> Vec<&'static str> {
    got.events.iter().map(|event| event.event_type.name()).collect()
}

// STREAM-2: whatever the model does, exactly one terminal event, and an error before a failure.
#[tokio::test(start_paused = true)]
async fn every_turn_has_one_end() {
    let status = |status| ModelError::Status { status, message: "no".to_owned(), retry_after_ms: None };
    let cut = || ModelError::Cut("the line".to_owned());
    for (said, end, code, retryable) in [
        (Said::Chunks(words("Hello.")), EventType::Completed, "", false),
        (Said::Chunks(vec![delta("no marker")]), EventType::Failed, "upstream_cut", true),
        (Said::Chunks(Vec::new()), EventType::Failed, "upstream_cut", true),
        (Said::Broken(vec![delta("half")], cut()), EventType::Failed, "upstream_cut", true),
        (Said::Refusal(status(400)), EventType::Failed, "upstream_error", false),
        (Said::Refusal(status(503)), EventType::Failed, "upstream_error", true),
        (Said::Refusal(ModelError::Silent(40)), EventType::Failed, "upstream_timeout", true),
        (Said::Refusal(ModelError::Unreachable("gone".to_owned())), EventType::Failed, "upstream_unreachable", true),
        (Said::Panic, EventType::Failed, "internal_error", true),
    ] {
        let house = House::new(vec![said]);
        let got = house.turn("Hello").await;
        let last = got.events.last().unwrap();
        assert_eq!((last.event_type, got.done), (end, true), "{code}");
        assert_eq!(got.events.iter().filter(|event| event.event_type.is_terminal()).count(), 1);
        if !code.is_empty() {
            let error = got.events.iter().rev().nth(1).unwrap();
            assert_eq!((error.event_type, field(error, "code")), (EventType::Error, code));
            assert_eq!(error.payload.fields.get("retryable"), Some(&json!(retryable)), "{code}");
        }
        assert_eq!(*house.ended.0.lock().unwrap(), [end.name()], "and whoever counts is told once");
    }
}

// STREAM-1: the deltas of a message carry its id, each answer of a turn its own.
#[tokio::test(start_paused = true)]
async fn a_delta_names_its_message() {
    let script = [vec![delta("I will look.")], vec![delta("It is sunny.")]].map(|mut chunks| {
        chunks.push(finish("stop"));
        chunks
    });
    let [mut first, second] = script;
    let Said::Chunks(call) = calls(&[("c1", "get_weather", json!({"city": "Paris"}))]) else { return };
    first.pop();
    first.extend(call);
    let house = House::new(vec![Said::Chunks(first), Said::Chunks(second)]);
    let session = house.session().await;
    house.begin(&session, "The weather in Paris?").await.unwrap();
    house.shown(&session, EventType::ToolCall, 1).await;
    let sunny = ToolOutcome { content: json!("sunny"), is_error: false };
    assert_eq!(house.turns.deliver(&session.session_id, "c1", sunny), Delivered::Taken);
    let got = house.read(&session).await;
    let of =
        |kind| got.events.iter().filter(move |event| event.event_type == kind).map(|event| field(event, "message_id"));
    let said: Vec<_> = of(EventType::Message).skip(1).collect();
    assert_eq!(of(EventType::TextDelta).collect::<Vec<_>>(), said);
    assert!(said.len() == 2 && said.first() != said.last());
}

// STREAM-4: a flag ends a turn at once, with what was said before; while it is up the model is not asked.
#[tokio::test(start_paused = true)]
async fn a_flag_ends_a_turn_and_keeps_the_next_from_the_model() {
    let house = House::new(vec![Said::Silence]);
    let session = house.session().await;
    house.begin(&session, "Hello").await.unwrap();
    house.shown(&session, EventType::TextDelta, 1).await;
    let scope = [Scope::Session(session.session_id.clone())];
    house.stop.raise(&scope).await;
    assert_eq!(kinds(&house.read(&session).await), ["message", "text_delta", "stopped"]);
    house.begin(&session, "Again").await.unwrap();
    let got = house.read(&session).await;
    assert_eq!(kinds(&got).split_off(3), ["message", "stopped"]);
    assert_eq!(house.model.asked.lock().unwrap().len(), 1);
    house.stop.clear(&scope).await;
    house.begin(&session, "Once more").await.unwrap();
    assert_eq!(kinds(&house.read(&session).await).last(), Some(&"completed"));
}

// STREAM-4: clearing what was never raised leaves no trace.
#[tokio::test]
async fn clearing_what_was_never_raised_leaves_nothing_behind() {
    let flags = Arc::new(MemoryFlags::default());
    let stop = StopSwitch::new(Arc::clone(&flags) as _, Vec::new(), None);
    stop.clear(&[Scope::Session("a".to_owned()), Scope::All]).await;
    let kept = countersign_runtime::store::Flags::merge(flags.as_ref(), &[]).await.unwrap();
    assert_eq!(kept, []);
    stop.raise(&[Scope::All]).await;
    stop.clear(&[Scope::All, Scope::Session("b".to_owned())]).await;
    assert!(!stop.is_stopped("b") && stop.state().flags.is_empty());
}

// STREAM-2: the end gives running turns their time, then ends them as stopped; nobody may begin one after it.
#[tokio::test(start_paused = true)]
async fn the_end_stops_what_runs() {
    let house = House::new(vec![Said::Silence]);
    let session = house.session().await;
    house.begin(&session, "Hello").await.unwrap();
    let began = Instant::now();
    house.turns.shut_down(Duration::from_secs(10)).await;
    assert!((10..12).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    let got = house.read(&session).await;
    let last = got.events.last().unwrap();
    assert_eq!((last.event_type, field(last, "reason")), (EventType::Stopped, "shutdown"));
    assert!(matches!(house.begin(&session, "late").await, Err(SessionError::Ending)));
}

// STREAM-2: a turn that is about to begin when the end comes is waited for, and ended like the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_begins_beside_the_end_is_not_left_open() {
    let house = Arc::new(House::new(vec![Said::Silence]));
    let session = house.session().await;
    // Looking up what it refers to takes the turn a while.
    let (name, media) = ("long.txt".to_owned(), "text/plain".to_owned());
    let file = Upload { name, media, bytes: "A long story. ".repeat(100_000).into() };
    let file = house.sessions.save_file(&session, file).await.unwrap().file_id;
    let beside = tokio::spawn({
        let (house, session) = (Arc::clone(&house), session.clone());
        let message = UserMessage { content: "Read".to_owned(), files: vec![file; 200], ..UserMessage::default() };
        async move { house.turns.begin(session, message).await }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!beside.is_finished(), "the test needs a turn that is about to begin");
    house.turns.shut_down(Duration::from_millis(50)).await;
    assert_eq!(house.turns.running(), 0);
    assert_eq!(beside.await.unwrap(), Ok(0));
    assert!(!house.log.head(&session.session_id).await.unwrap().open);
    assert_eq!(kinds(&house.read(&session).await).last(), Some(&"stopped"));
}

// CALL-11: calls with the same id are told apart, and each result finds its own.
#[tokio::test(start_paused = true)]
async fn calls_with_one_id_are_told_apart() {
    let city = |city: &str| json!({ "city": city });
    let twins = calls(&[("same", "get_weather", city("Paris")), ("same", "get_weather", city("Lyon"))]);
    let house = House::new(vec![twins]);
    let session = house.session().await;
    house.begin(&session, "The weather in Paris and in Lyon?").await.unwrap();
    for call in house.shown(&session, EventType::ToolCall, 2).await {
        let told = call.payload.fields.get("arguments").and_then(|arguments| arguments.get("city")).cloned();
        let outcome = ToolOutcome { content: told.unwrap(), is_error: false };
        assert_eq!(house.turns.deliver(&session.session_id, field(&call, "call_id"), outcome), Delivered::Taken);
    }
    house.read(&session).await;
    let asked = house.model.asked.lock().unwrap();
    let told: Vec<_> =
        asked.last().unwrap().messages.iter().rev().take(2).map(|message| message["content"].clone()).collect();
    assert_eq!(told, ["Lyon", "Paris"]);
}

// STREAM-2: a client that never brings a result does not hold the turn forever.
#[tokio::test(start_paused = true)]
async fn a_result_that_does_not_come_is_an_error_for_the_model() {
    let house = House::new(vec![calls(&[("c1", "get_weather", json!({"city": "Paris"}))])]);
    let began = Instant::now();
    let session = house.session().await;
    house.begin(&session, "The weather in Paris?").await.unwrap();
    let ended = async {
        while house.turns.running() > 0 {
            tokio::time::sleep(Duration::from_secs(1)).await
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ended).await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(30));
    let got = house.read(&session).await;
    let result = got.events.iter().find(|event| event.event_type == EventType::ToolResult).unwrap();
    assert_eq!(result.payload.fields.get("is_error"), Some(&json!(true)));
    assert_eq!(kinds(&got).last(), Some(&"completed"));
}

// REVIEW-1, REVIEW-2: a call that cannot be undone waits for a person, and runs only after a yes.
#[tokio::test(start_paused = true)]
async fn a_call_that_cannot_be_undone_waits_for_a_person() {
    for (decision, ran) in [(Decision::Approve, true), (Decision::Reject, false)] {
        let house = House::new(vec![calls(&[("c1", "delete_record", json!({"record": "rec_1"}))])]);
        let session = house.session().await;
        house.begin(&session, "Delete rec_1").await.unwrap();
        let asked = house.shown(&session, EventType::ReviewRequired, 1).await;
        let id = field(asked.first().unwrap(), "review_id").to_owned();
        let result = || ToolOutcome { content: json!("gone"), is_error: false };
        assert_eq!(house.turns.deliver(&session.session_id, "c1", result()), Delivered::Unknown);
        let resolution = Resolution { decision, reason: None, arguments: None, content: None };
        house.reviews.decide(&id, resolution, &Reviewer::default()).await.unwrap();
        if ran {
            house.shown(&session, EventType::ToolCall, 1).await;
            assert_eq!(house.turns.deliver(&session.session_id, "c1", result()), Delivered::Taken);
        }
        let got = house.read(&session).await;
        let seen = got.events.iter().any(|event| event.event_type == EventType::ToolResult);
        assert_eq!((seen, kinds(&got).last()), (ran, Some(&"completed")));
        assert_eq!(house.reviews.get(&id).await.unwrap().used, ran);
    }
}

// REVIEW-2, STREAM-4: a turn that waits for a person is stopped like any other; the item waits for a retry.
#[tokio::test(start_paused = true)]
async fn what_waits_for_a_person_outlives_its_turn() {
    let call = || calls(&[("c1", "delete_record", json!({"record": "rec_1"}))]);
    let house = House::new(vec![call(), call()]);
    let session = house.session().await;
    house.begin(&session, "Delete rec_1").await.unwrap();
    let asked = house.shown(&session, EventType::ReviewRequired, 1).await;
    house.stop.raise(&[Scope::All]).await;
    assert_eq!(kinds(&house.read(&session).await).last(), Some(&"stopped"));
    let id = field(asked.first().unwrap(), "review_id");
    assert_eq!(house.reviews.get(id).await.unwrap().state, ReviewState::Pending);
    house.stop.clear(&[Scope::All]).await;
    house.begin(&session, "Delete rec_1, please").await.unwrap();
    let again = house.shown(&session, EventType::ReviewRequired, 2).await;
    assert_eq!(field(again.last().unwrap(), "review_id"), id, "a retry attaches to the same item");
}

// STREAM-2: a turn that was taken over by another node writes nothing more, least of all a second end.
#[tokio::test(start_paused = true)]
async fn a_turn_that_was_taken_over_adds_nothing() {
    let house = House::new(vec![Said::Silence]);
    let session = house.session().await;
    house.begin(&session, "Hello").await.unwrap();
    house.shown(&session, EventType::TextDelta, 1).await;
    let other =
        Hub::new(Arc::clone(&house.log) as Arc<dyn EventLog>, None, HubOptions { alone: true, ..options("other") });
    assert_eq!(other.sweep_at_start().await.unwrap(), 1);
    house.stop.raise(&[Scope::All]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let got = read_from(&other, &session.session_id, Start::From { mode: Mode::Hybrid, after: None }).await;
    assert_eq!(kinds(&got), ["message", "text_delta", "lost"]);
    assert_eq!(house.turns.running(), 0, "and its task is over");
}

// PARSE-6, PARSE-5: an answer that says nothing, and one that was cut at its length, are warned of.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_is_warned_of() {
    for (chunks, code) in
        [(words("好的，收到您的指令"), "pseudo_answer"), (vec![delta("The first"), finish("length")], "answer_cut")]
    {
        let got = House::new(vec![Said::Chunks(chunks)]).turn("Explain it, please").await;
        let warning = got.events.iter().find(|event| event.event_type == EventType::Warning).unwrap();
        assert_eq!(field(warning, "code"), code);
        assert_eq!(kinds(&got).last(), Some(&"completed"));
    }
}
