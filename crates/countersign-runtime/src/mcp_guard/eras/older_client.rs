//! A client that greets its server before a server of 2026-07-28, which knows no sessions.
//!
//! The greeting is answered here. Each request gets what the newer era wants to know of a client; where the server ends it
//! with questions, the client is asked them one by one, and the request is made again with what it said.

use super::super::answer::{INTERNAL_ERROR, error, request};
use super::super::message::{Message, key};
use super::super::relay::Outgoing;
use super::translate::{LOG_LEVEL, OLDER, SERVER_INFO, answer, describe_client, put};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};

/// A client of the older era before a server of the newer one.
pub(super) struct OlderClient {
    /// What each request says of the client.
    meta: Map<String, Value>,
    /// What the server said of itself.
    discovered: Value,
    /// Requests that the server has, by the ids that it knows them by.
    open: HashMap<String, OpenRequest>,
    /// Requests whose questions are with the client, by the ids of the requests.
    waiting: HashMap<String, Waiting>,
    /// Questions to the client, by our ids: the request, and what the server calls the question.
    asking: HashMap<String, (String, String)>,
    /// Our subscription.
    listening: Option<String>,
    subscribed: BTreeSet<String>,
    own: u64,
}

struct OpenRequest {
    /// As the client made it.
    made: Message,
    /// How often the server has answered it with questions.
    rounds: usize,
}

struct Waiting {
    request: OpenRequest,
    state: Option<Value>,
    left: usize,
    said: Map<String, Value>,
}

impl OlderClient {
    pub(super) fn new(greeting: &Message, discovered: Value) -> Self {
        let meta = describe_client(greeting).remove("_meta").and_then(|meta| meta.as_object().cloned());
        Self {
            meta: meta.unwrap_or_default(),
            discovered,
            open: HashMap::new(),
            waiting: HashMap::new(),
            asking: HashMap::new(),
            listening: None,
            subscribed: BTreeSet::new(),
            own: 0,
        }
    }

    /// The answer to a greeting.
    pub(super) fn greeted(&self, greeting: &Message) -> Outgoing {
        let wanted = greeting.param("protocolVersion").and_then(Value::as_str);
        let version = wanted.filter(|wanted| *wanted < OLDER).unwrap_or(OLDER);
        let named =
            self.discovered.get("_meta").and_then(|meta| meta.get(SERVER_INFO)).or(self.discovered.get("serverInfo"));
        let info = named.cloned().unwrap_or_else(|| json!({"name": "server", "version": "0"}));
        let mut result = json!({"protocolVersion": version, "serverInfo": info,
            "capabilities": self.discovered.get("capabilities").cloned().unwrap_or_else(|| json!({}))});
        if let Some(instructions) = self.discovered.get("instructions") {
            put(&mut result, &["instructions"], instructions.clone());
        }
        Outgoing::ToClient(answer(greeting.id().unwrap_or(&Value::Null), &result))
    }

    /// Takes a line of the client.
    pub(super) fn take_client(&mut self, line: &str) -> Vec<Outgoing> {
        let Ok(message) = Message::read(line.as_bytes()) else { return Vec::new() };
        let done = |id: &Value| vec![Outgoing::ToClient(answer(id, &json!({})))];
        match (message.method(), message.id()) {
            (Some("initialize"), Some(_)) => vec![self.greeted(&message)],
            (Some("ping"), Some(id)) => done(id),
            (Some("logging/setLevel"), Some(id)) => {
                self.meta.insert(LOG_LEVEL.to_owned(), message.param("level").cloned().unwrap_or_default());
                done(id)
            }
            (Some(method @ ("resources/subscribe" | "resources/unsubscribe")), Some(id)) => {
                let uri = message.param("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
                match method {
                    "resources/subscribe" if self.subscribed.len() < MOST_SUBSCRIBED => self.subscribed.insert(uri),
                    _ => self.subscribed.remove(&uri),
                };
                [done(id), self.listen()].concat()
            }
            (Some(_), Some(id)) => {
                let id = key(id);
                self.send(id, OpenRequest { made: message, rounds: 0 }, None, None)
            }
            (Some("notifications/initialized"), None) => self.listen(),
            (Some("notifications/roots/list_changed"), None) => Vec::new(),
            (Some("notifications/cancelled"), None) => self.cancel(&message),
            (Some(_), None) => vec![Outgoing::ToServer(message.text)],
            (None, Some(id)) => self.said(&key(id), &message),
            (None, None) => Vec::new(),
        }
    }

    /// Takes a message of the server.
    pub(super) fn take_server(&mut self, message: &Message) -> Vec<Outgoing> {
        if message.method() == Some("notifications/subscriptions/acknowledged") {
            return Vec::new();
        }
        let answered = message.id().filter(|_| message.is_answer()).map(key);
        let Some((id, request)) = answered.as_ref().and_then(|id| self.open.remove_entry(id)) else {
            // Answers to requests of our own are for nobody.
            let is_own = answered.is_some_and(|id| id.starts_with(OWN));
            return if is_own { Vec::new() } else { vec![Outgoing::ToClient(message.text.clone())] };
        };
        let result = message.value.get("result");
        match result.filter(|result| result.get("resultType").and_then(Value::as_str) == Some("input_required")) {
            Some(result) => self.ask(request, result),
            None if request.made.id().map(key).as_deref() == Some(id.as_str()) => {
                vec![Outgoing::ToClient(message.text.clone())]
            }
            None => {
                let mut value = message.value.clone();
                put(&mut value, &["id"], request.made.id().cloned().unwrap_or_default());
                vec![Outgoing::ToClient(message.changed(&value))]
            }
        }
    }

    /// Sends a request with what the newer era wants to know.
    fn send(
        &mut self,
        id: String,
        request: OpenRequest,
        said: Option<Map<String, Value>>,
        state: Option<Value>,
    ) -> Vec<Outgoing> {
        let mut value = request.made.value.clone();
        if request.made.id().map(key).as_deref() != Some(id.as_str()) {
            put(&mut value, &["id"], id.clone().into());
        }
        if let Some(message) = value.as_object_mut() {
            let params = message.entry("params").or_insert_with(|| json!({}));
            if let Some(params) = params.as_object_mut() {
                let meta = params.entry("_meta").or_insert_with(|| json!({}));
                if let Some(meta) = meta.as_object_mut() {
                    meta.extend(self.meta.clone());
                }
                params.extend(said.map(|said| ("inputResponses".to_owned(), Value::Object(said))));
                params.extend(state.map(|state| ("requestState".to_owned(), state)));
            }
        }
        let line = request.made.changed(&value);
        self.open.insert(id, request);
        vec![Outgoing::ToServer(line)]
    }

    /// The server has questions: the client is asked each of them.
    fn ask(&mut self, mut open: OpenRequest, result: &Value) -> Vec<Outgoing> {
        open.rounds += 1;
        let state = result.get("requestState").cloned();
        let questions = result.get("inputRequests").and_then(Value::as_object).cloned().unwrap_or_default();
        if open.rounds > MOST_ROUNDS || questions.len() > MOST_QUESTIONS {
            let why = "the server asks on and on";
            return vec![Outgoing::ToClient(error(open.made.id(), INTERNAL_ERROR, why))];
        }
        if questions.is_empty() {
            let id = self.own_id();
            return self.send(id, open, None, state);
        }
        let id = open.made.id().map(key).unwrap_or_default();
        let mut out = Vec::new();
        for (name, question) in &questions {
            let own = self.own_id();
            let method = question.get("method").and_then(Value::as_str).unwrap_or_default();
            let params = question.get("params").and_then(Value::as_object).cloned().unwrap_or_default();
            out.push(Outgoing::ToClient(request(&own, method, params)));
            self.asking.insert(own, (id.clone(), name.clone()));
        }
        self.waiting.insert(id, Waiting { request: open, state, left: questions.len(), said: Map::new() });
        out
    }

    /// What the client says to a question.
    fn said(&mut self, own: &str, message: &Message) -> Vec<Outgoing> {
        let Some((id, name)) = self.asking.remove(own) else { return Vec::new() };
        let Some(mut waiting) = self.waiting.remove(&id) else { return Vec::new() };
        let Some(result) = message.value.get("result") else {
            self.asking.retain(|_, (request, _)| *request != id);
            let why = message.value.pointer("/error/message").and_then(Value::as_str).unwrap_or("it gave no reason");
            let why = format!("the client did not answer the server's question: {why}");
            return vec![Outgoing::ToClient(error(waiting.request.made.id(), INTERNAL_ERROR, &why))];
        };
        waiting.said.insert(name, result.clone());
        waiting.left -= 1;
        if waiting.left > 0 {
            self.waiting.insert(id, waiting);
            return Vec::new();
        }
        let id = self.own_id();
        self.send(id, waiting.request, Some(waiting.said), waiting.state)
    }

    fn cancel(&mut self, message: &Message) -> Vec<Outgoing> {
        let cancelled = message.param("requestId").map(key).unwrap_or_default();
        if self.waiting.remove(&cancelled).is_some() {
            // The server has answered, and waits for nothing.
            self.asking.retain(|_, (request, _)| *request != cancelled);
            return Vec::new();
        }
        let same = |(_, request): &(&String, &OpenRequest)| request.made.id().map(key).as_deref() == Some(&cancelled);
        let Some(id) = self.open.iter().find(same).map(|(id, _)| id.clone()).filter(|id| *id != cancelled) else {
            return vec![Outgoing::ToServer(message.text.clone())];
        };
        let mut value = message.value.clone();
        put(&mut value, &["params", "requestId"], id.into());
        vec![Outgoing::ToServer(message.changed(&value))]
    }

    /// Asks the server to tell what a server of the older era tells unasked, and what the client subscribed to.
    fn listen(&mut self) -> Vec<Outgoing> {
        let mut wanted = Map::new();
        for (place, name) in LISTS {
            if self.discovered.pointer(place).and_then(Value::as_bool) == Some(true) {
                wanted.insert((*name).to_owned(), true.into());
            }
        }
        if !self.subscribed.is_empty() {
            wanted.insert("resourceSubscriptions".to_owned(), json!(self.subscribed));
        }
        let mut out = Vec::new();
        if let Some(before) = self.listening.take() {
            let over = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": before}});
            out.push(Outgoing::ToServer(over.to_string()));
        }
        if !wanted.is_empty() {
            let id = self.own_id();
            let meta = Value::Object(self.meta.clone());
            let params = [("notifications".to_owned(), Value::Object(wanted)), ("_meta".to_owned(), meta)];
            out.push(Outgoing::ToServer(request(&id, "subscriptions/listen", Map::from_iter(params))));
            self.listening = Some(id);
        }
        out
    }

    fn own_id(&mut self) -> String {
        self.own += 1;
        format!("{OWN}{}", self.own)
    }
}

/// What a server may tell of, and what it is asked for by.
const LISTS: &[(&str, &str)] = &[
    ("/capabilities/tools/listChanged", "toolsListChanged"),
    ("/capabilities/prompts/listChanged", "promptsListChanged"),
    ("/capabilities/resources/listChanged", "resourcesListChanged"),
];
/// How our ids begin.
const OWN: &str = "countersign-era-";
/// So often a server may answer one request with questions, and with so many.
const MOST_ROUNDS: usize = 16;
const MOST_QUESTIONS: usize = 16;
const MOST_SUBSCRIBED: usize = 10_000;
