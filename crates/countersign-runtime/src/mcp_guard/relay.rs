//! START HERE: between one client and one server, message by message.
//!
//! Lines come in from either side, lines go out to either side. A `tools/call` waits until the server's tools are known,
//! is judged, and goes on, mended where that is certain, or is answered. Its result is examined on the way back. All else
//! is passed on as it came. The relay does no I/O and keeps no clock: whoever drives it says when a wait was too long.

use super::answer::{INVALID_REQUEST, PARSE_ERROR, error, refuse, request};
use super::audit::{CallFate, entry};
use super::calls::{CallOnItsWay, JudgedCall, judge, read_call, write_call};
use super::catalogue::{AskedBy, Catalogue, Gathered, read_listed};
use super::message::{Message, PROTOCOL, Unreadable, key};
use super::person::{APPROVE, PersonCase, can_ask, has_elicitation, input_required, says_yes};
use super::results::examine;
use super::settings::{Discovery, McpGuardSettings};
use crate::gateway::ledger::Entry;
use crate::ids::new_id;
use crate::turn::Rules;
use countersign::check_call::Guard;
use countersign::contract::ToolCall;
use countersign::decide::Scope;
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A line on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// To the client.
    ToClient(String),
    /// To the server.
    ToServer(String),
}

/// What the exchanges of one session share: what is known of the tools, and which answers are looked at.
#[derive(Clone, Default)]
pub struct SessionBooks {
    catalogue: Arc<Mutex<Catalogue>>,
    pending: Arc<Mutex<HashMap<String, Pending>>>,
    /// Calls that the client of the newer era was asked about, by the state that it brings back.
    asked: Arc<Mutex<HashMap<String, PersonCase>>>,
}

impl SessionBooks {
    /// The same tools, and requests of one's own: for clients that have no session, and may use the same ids.
    pub fn without_requests(&self) -> Self {
        Self { pending: Arc::default(), ..self.clone() }
    }

    /// The same requests, and nothing known of the tools yet.
    pub(super) fn in_new_session(&self) -> Self {
        Self { catalogue: Arc::default(), ..self.clone() }
    }

    fn catalogue(&self) -> MutexGuard<'_, Catalogue> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<String, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<String, PersonCase>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Between one client and one server.
pub struct Relay {
    settings: McpGuardSettings,
    books: SessionBooks,
    /// Calls that wait until the tools are known.
    held: Vec<Message>,
    /// Calls that were taken back, and may never be answered.
    cancelled: VecDeque<String>,
    /// The pages of our own list that have come.
    own_pages: Option<Gathered>,
    /// How many requests of our own there were.
    own: u64,
    /// Whether the client of the older era has said that it can ask its user.
    client_asks: bool,
    /// Calls that it was asked about, by our request.
    asking: HashMap<String, PersonCase>,
    /// Whether whoever drives this can put calls before people.
    queue: Queue,
    /// Calls that wait for that.
    cases: Vec<PersonCase>,
    /// Verdicts that nobody has taken yet.
    verdicts: Vec<Entry>,
}

/// Whether whoever drives a relay can put calls before people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Queue {
    /// Nobody is there.
    #[default]
    Absent,
    /// Calls are taken by [`Relay::take_cases`].
    Present,
}

/// What an answer of the server belongs to.
enum Pending {
    /// The client's list of tools, from this cursor on.
    List(Option<String>),
    /// Our own.
    OwnList(Option<String>),
    /// A call.
    Call(Box<CallOnItsWay>),
}

impl Relay {
    /// A relay under some settings.
    pub fn new(settings: McpGuardSettings) -> Self {
        Self::in_session(settings, SessionBooks::default())
    }

    /// A relay for one exchange of a session.
    pub fn in_session(settings: McpGuardSettings, books: SessionBooks) -> Self {
        Self {
            settings,
            books,
            held: Vec::new(),
            cancelled: VecDeque::new(),
            own_pages: None,
            own: 0,
            client_asks: false,
            asking: HashMap::new(),
            queue: Queue::default(),
            cases: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    /// The same, where calls can be put before people.
    pub fn with_queue(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// Takes a line of the client.
    pub fn from_client(&mut self, line: &[u8]) -> Vec<Outgoing> {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(Unreadable::Empty) => return Vec::new(),
            Err(Unreadable::Garbage) => return vec![to_client(error(None, PARSE_ERROR, "this is not JSON"))],
            Err(Unreadable::Batch) => {
                let why = "MCP has no batches since 2025-06-18; send one message a line";
                return vec![to_client(error(None, INVALID_REQUEST, why))];
            }
        };
        match (message.method(), message.id().map(key)) {
            (Some("tools/call"), Some(_)) => self.call(message),
            // A call without an id has no answer to refuse it with, and no server may run it.
            (Some("tools/call"), None) => Vec::new(),
            (Some("tools/list"), Some(id)) => {
                let cursor = message.param("cursor").and_then(Value::as_str).map(str::to_owned);
                self.books.pending().insert(id, Pending::List(cursor));
                vec![to_server(message.text)]
            }
            (Some("notifications/cancelled"), None) => self.cancel(message),
            (Some("initialize"), Some(_)) => {
                self.client_asks = message.param("capabilities").is_some_and(has_elicitation);
                vec![to_server(message.text)]
            }
            (None, Some(id)) if let Some(case) = self.asking.remove(&id) => {
                let said = message.value.get("result").is_some_and(says_yes);
                let request = case.request.clone();
                vec![self.decided(&case, &request, said)]
            }
            _ => vec![to_server(message.text)],
        }
    }

    /// Takes a line of the server. A line that is no message is dropped, because two readers could see two things in it.
    pub fn from_server(&mut self, line: &[u8]) -> Vec<Outgoing> {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(Unreadable::Empty) => return Vec::new(),
            Err(_) => {
                tracing::warn!(bytes = line.len(), "the MCP server wrote a line that is no message; it is dropped");
                return Vec::new();
            }
        };
        if message.method() == Some("notifications/tools/list_changed") {
            self.books.catalogue().outdate();
        }
        let answered = message.id().filter(|_| message.is_answer()).map(key);
        let pending = answered.and_then(|id| self.books.pending().remove(&id));
        match pending {
            None => vec![to_client(message.text)],
            Some(Pending::List(cursor)) => {
                self.books.catalogue().learn(AskedBy::Client, cursor.as_deref(), &message.text, &message.value);
                let mut out = vec![to_client(self.without_held(&message))];
                if self.books.catalogue().is_fresh() {
                    out.extend(self.release());
                }
                out
            }
            Some(Pending::OwnList(cursor)) => self.own_list(cursor.as_deref(), &message),
            Some(Pending::Call(on_its_way)) => vec![to_client(examine(&self.settings, &on_its_way, &message))],
        }
    }

    /// Whether calls wait for the server to say what tools it has.
    pub fn is_listing(&self) -> bool {
        !self.held.is_empty()
    }

    /// Who answers `server/discover` before a server of the older era.
    pub(super) fn discovery(&self) -> Discovery {
        self.settings.discovery
    }

    /// How many requests wait for an answer that is looked at.
    pub fn open_requests(&self) -> usize {
        self.books.pending().len()
    }

    /// The server has not said in time what tools it has: calls are judged by what is known.
    pub fn give_up_listing(&mut self) -> Vec<Outgoing> {
        self.books.pending().retain(|_, pending| !matches!(pending, Pending::OwnList(_)));
        self.books.catalogue().settle();
        self.release()
    }

    /// The schema of a tool's arguments, as the server listed it.
    pub(super) fn input_schema(&self, name: &str) -> Option<Value> {
        let rules = (self.settings.rules)();
        let guard = self.books.catalogue().guard(&rules);
        let registry = guard.registry()?;
        serde_json::from_str(registry.spec(registry.find(name)?)?.input.as_ref()?.0.get()).ok()
    }

    fn call(&mut self, message: Message) -> Vec<Outgoing> {
        if self.books.catalogue().is_fresh() {
            return self.check(&message);
        }
        self.held.push(message);
        if self.held.len() > 1 {
            return Vec::new();
        }
        self.ask_for_tools(None)
    }

    /// Asks the server for its tools, in the name of the call that waits.
    fn ask_for_tools(&mut self, cursor: Option<String>) -> Vec<Outgoing> {
        let Some(waiting) = self.held.first() else { return Vec::new() };
        let mut params = Map::new();
        let meta = waiting.param("_meta").and_then(Value::as_object).into_iter().flatten();
        // What a request of the newer era must say of itself; a progress token and the like belong to the call.
        let told: Map<String, Value> = meta
            .filter(|(name, _)| name.starts_with(PROTOCOL))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !told.is_empty() {
            params.insert("_meta".to_owned(), Value::Object(told));
        }
        if let Some(cursor) = &cursor {
            params.insert("cursor".to_owned(), Value::String(cursor.clone()));
        }
        let id = self.own_id();
        let line = request(&id, "tools/list", params);
        self.books.pending().insert(id, Pending::OwnList(cursor));
        vec![to_server(line)]
    }

    fn own_list(&mut self, cursor: Option<&str>, answer: &Message) -> Vec<Outgoing> {
        self.compare(answer);
        let by = AskedBy::Us(&mut self.own_pages);
        let next = self.books.catalogue().learn(by, cursor, &answer.text, &answer.value);
        match next {
            Some(next) => self.ask_for_tools(Some(next)),
            None => {
                // A server that gives no list is asked again when it says that it has another.
                self.books.catalogue().settle();
                self.release()
            }
        }
    }

    /// Judges the calls that waited.
    fn release(&mut self) -> Vec<Outgoing> {
        let held = std::mem::take(&mut self.held);
        held.iter().flat_map(|message| self.check(message)).collect()
    }

    fn check(&mut self, message: &Message) -> Vec<Outgoing> {
        if let Some(state) = message.param("requestState").and_then(Value::as_str).filter(|s| s.starts_with(TICKET)) {
            let case = self.books.asked().remove(state);
            return self.returned(message, case);
        }
        let rules = (self.settings.rules)();
        let guard = self.books.catalogue().guard(&rules);
        let judged = judge(&self.settings, &rules, &guard, message);
        if let Some(held) = self.find_held(judged.released().map_or(judged.made.name.as_str(), |call| &call.name)) {
            self.note(&judged, CallFate::Held, &rules);
            return vec![to_client(refuse(message, &held))];
        }
        let fate = match judged.released() {
            Some(_) => CallFate::Released,
            None if judged.needs_person() => CallFate::Waiting,
            None => CallFate::Refused,
        };
        self.note(&judged, fate, &rules);
        match judged.released() {
            Some(call) => vec![self.pass_on(message, &judged.made, call, guard, judged.context.clone())],
            None if judged.needs_person() => self.ask_person(&judged, message, &guard),
            None => vec![to_client(judged.refusal(message))],
        }
    }

    /// Sends a call to the server, and remembers it for its result.
    fn pass_on(
        &self,
        message: &Message,
        made: &ToolCall,
        call: &ToolCall,
        guard: Arc<Guard>,
        context: Map<String, Value>,
    ) -> Outgoing {
        let line = write_call(message, made, call);
        let on_its_way = CallOnItsWay { call: call.clone(), guard, context };
        if let Some(id) = message.id() {
            self.books.pending().insert(key(id), Pending::Call(Box::new(on_its_way)));
        }
        to_server(line)
    }

    /// A call that needs a person: in the client where it can ask and may be asked, else in the queue, else refused.
    fn ask_person(&mut self, judged: &JudgedCall, message: &Message, guard: &Arc<Guard>) -> Vec<Outgoing> {
        let scope = Scope::new(&self.settings.caller, "mcp");
        let Some(case) = PersonCase::of(judged, message, guard, &scope) else {
            return vec![to_client(judged.refusal(message))];
        };
        let in_client = case.may_be_asked_in_client();
        if in_client
            && can_ask(message)
            && let Ok(state) = new_id(TICKET)
        {
            let line = input_required(message, &case, &state);
            let mut asked = self.books.asked();
            if asked.len() >= MOST_ASKED {
                // Whoever comes back with one of these is asked again.
                asked.clear();
            }
            asked.insert(state, case);
            return vec![to_client(line)];
        }
        if in_client && self.client_asks && self.asking.len() < MOST_ASKED {
            let id = self.own_id();
            let params = case.question().as_object().cloned().unwrap_or_default();
            self.asking.insert(id.clone(), case);
            return vec![to_client(request(&id, "elicitation/create", params))];
        }
        if self.queue == Queue::Present {
            self.cases.push(case);
            return Vec::new();
        }
        let (name, words) = (case.name(), judged.verdict.feedback.as_deref().unwrap_or_default());
        let hint = format!(
            "{words}\nIt is known as {name}; nobody can be asked here. Call it again, unchanged, once that has been settled."
        );
        vec![to_client(refuse(message, &hint))]
    }

    fn note(&mut self, judged: &JudgedCall, fate: CallFate, rules: &Rules) {
        self.verdicts.extend(entry(&self.settings, judged, fate, &rules.policy.version));
    }

    /// The verdicts that were made since they were last taken, where they are kept.
    pub fn take_verdicts(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.verdicts)
    }

    /// The calls that are to be put before people.
    pub fn take_cases(&mut self) -> Vec<PersonCase> {
        std::mem::take(&mut self.cases)
    }

    /// What becomes of a call that a person approved, perhaps with arguments of their own.
    pub fn approve(&self, case: &PersonCase, call: &ToolCall) -> Outgoing {
        self.pass_on(&case.request, &case.made, call, Arc::clone(&case.guard), case.context.clone())
    }

    /// What becomes of a call that no person approved.
    pub fn refuse(&self, case: &PersonCase, why: &str) -> Outgoing {
        to_client(refuse(&case.request, why))
    }

    /// A call that comes back with what the user said.
    fn returned(&mut self, message: &Message, case: Option<PersonCase>) -> Vec<Outgoing> {
        let said = message.param("inputResponses").and_then(|answers| answers.get(APPROVE)).is_some_and(says_yes);
        let mut value = message.value.clone();
        if let Some(params) = value.get_mut("params").and_then(Value::as_object_mut) {
            // What the server had asked before is its own again.
            for field in ["requestState", "inputResponses"] {
                match case.as_ref().and_then(|case| case.request.param(field)) {
                    Some(theirs) => params.insert(field.to_owned(), theirs.clone()),
                    None => params.shift_remove(field),
                };
            }
        }
        let request = Message { text: message.changed(&value), value };
        match case {
            // An approval is for the very call that was shown.
            Some(case)
                if read_call(&request).name == case.made.name
                    && read_call(&request).arguments == case.made.arguments =>
            {
                vec![self.decided(&case, &request, said)]
            }
            _ => self.check(&request),
        }
    }

    fn decided(&self, case: &PersonCase, request: &Message, said_yes: bool) -> Outgoing {
        match said_yes {
            true => {
                let (guard, context) = (Arc::clone(&case.guard), case.context.clone());
                self.pass_on(request, &case.made, case.proposal.call(), guard, context)
            }
            false => {
                let name = &case.made.name;
                to_client(refuse(
                    request,
                    &format!(
                        "The call to `{name}` was not run: the user did not approve it. Do not try it again; ask the user what to do instead."
                    ),
                ))
            }
        }
    }

    /// Compares the tools of an answer with their pins; gives the names of those that are held.
    fn compare(&self, answer: &Message) -> Vec<String> {
        let listed = answer.value.pointer("/result/tools").and_then(Value::as_array);
        match (&self.settings.pins, listed) {
            (Some(pins), Some(listed)) => {
                self.books.catalogue().compare(pins, &read_listed(&answer.text, listed.len()))
            }
            _ => Vec::new(),
        }
    }

    /// A list without the tools that are held: what they say of themselves now, no model shall read.
    fn without_held(&self, answer: &Message) -> String {
        let held = self.compare(answer);
        if held.is_empty() {
            return answer.text.clone();
        }
        let mut value = answer.value.clone();
        if let Some(tools) = value.pointer_mut("/result/tools").and_then(Value::as_array_mut) {
            let is_held = |tool: &Value| {
                tool.get("name").and_then(Value::as_str).is_some_and(|name| held.iter().any(|held| held == name))
            };
            tools.retain(|tool| !is_held(tool));
        }
        answer.changed(&value)
    }

    /// What the model is told of a tool that is held.
    fn find_held(&self, name: &str) -> Option<String> {
        let held = self.books.catalogue().find_held(self.settings.pins.as_ref()?, name)?;
        Some(format!(
            "The call to `{name}` was not run: {}. A person has to look at it with `countersign mcp pins diff` and approve it with `countersign mcp pins approve`. Tell the user; do not try to get around it.",
            held.why
        ))
    }

    /// A call that has not gone on yet is taken back here; the server knows nothing of it.
    fn cancel(&mut self, message: Message) -> Vec<Outgoing> {
        let cancelled = message.param("requestId").map(key);
        let before = self.held.len();
        self.held.retain(|held| held.id().map(key) != cancelled);
        if self.held.len() < before {
            return Vec::new();
        }
        self.cancelled.extend(cancelled.filter(|id| self.books.pending().contains_key(id)));
        if self.cancelled.len() > MOST_CANCELLED
            && let Some(oldest) = self.cancelled.pop_front()
        {
            self.books.pending().remove(&oldest);
        }
        vec![to_server(message.text)]
    }

    fn own_id(&mut self) -> String {
        self.own += 1;
        let waiting = self.held.first().and_then(Message::id).map(key).unwrap_or_default();
        format!("countersign-{waiting}-{}", self.own)
    }
}

fn to_client(line: String) -> Outgoing {
    Outgoing::ToClient(line)
}

fn to_server(line: String) -> Outgoing {
    Outgoing::ToServer(line)
}

/// How the state begins that a client brings back.
const TICKET: &str = "countersign";
/// So many calls may wait for the client's user.
const MOST_ASKED: usize = 1_000;
/// So many calls that were taken back may still be answered.
const MOST_CANCELLED: usize = 256;
