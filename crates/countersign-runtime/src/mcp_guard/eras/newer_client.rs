//! A client of 2026-07-28 before a server that was greeted for it.
//!
//! Requests lose what only the newer era says, answers get what it wants. A question of the server ends the newest request
//! that may end so; the server goes on with it when the client brings the answer. What a server asks while no such request
//! is open is refused, because the newer era has no way to ask it.

use super::super::answer::{INTERNAL_ERROR, error};
use super::super::message::{Message, key};
use super::super::relay::Outgoing;
use super::translate::{LOG_LEVEL, NEWER, SERVER_INFO, SUBSCRIPTION, answer, may_ask, may_be_kept, put, without_meta};
use crate::ids::new_id;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A client of the newer era before a server of the older one.
pub(super) struct NewerClient {
    /// What the server said when it was greeted.
    greeting: Value,
    /// Requests that the server has, by the ids that it knows them by.
    open: HashMap<String, OpenRequest>,
    /// Requests that were ended with a question of the server, by the state that the client brings back.
    parked: HashMap<String, Parked>,
    /// The client's subscription, and the resources in it.
    listening: Option<(Value, Vec<Value>)>,
    level: Option<Value>,
    own: u64,
}

struct OpenRequest {
    /// The id that the client waits for.
    id: Value,
    method: String,
    number: u64,
}

struct Parked {
    server_key: String,
    request: OpenRequest,
    /// The id of the server's question.
    asked: Value,
    /// What the server said without waiting.
    answer: Option<Message>,
}

impl NewerClient {
    pub(super) fn new(greeting: Value) -> Self {
        Self { greeting, open: HashMap::new(), parked: HashMap::new(), listening: None, level: None, own: 0 }
    }

    /// Takes a line of the client.
    pub(super) fn take_client(&mut self, line: &str) -> Vec<Outgoing> {
        let Ok(message) = Message::read(line.as_bytes()) else { return Vec::new() };
        let Some(method) = message.method().map(str::to_owned) else { return Vec::new() };
        let Some(id) = message.id().cloned() else {
            return match method.as_str() {
                "notifications/cancelled" => self.cancel(&message),
                _ => vec![Outgoing::ToServer(without_meta(&message))],
            };
        };
        match method.as_str() {
            "server/discover" => return vec![Outgoing::ToClient(answer(&id, &self.discovered()))],
            "subscriptions/listen" => return self.listen(id, &message),
            _ => {}
        }
        if let Some(state) = message.param("requestState").and_then(Value::as_str).filter(|_| may_ask(&method)) {
            let parked = self.parked.remove(state);
            return self.resume(id, &message, parked);
        }
        let mut out = self.set_level(&message);
        self.own += 1;
        self.open.insert(key(&id), OpenRequest { id, method, number: self.own });
        out.push(Outgoing::ToServer(without_meta(&message)));
        out
    }

    /// Takes a message of the server.
    pub(super) fn take_server(&mut self, message: &Message) -> Vec<Outgoing> {
        match (message.method(), message.id()) {
            (Some("ping"), Some(id)) => vec![Outgoing::ToServer(answer(id, &json!({})))],
            (Some(method), Some(id)) => self.ask(method, id, message),
            (Some(_), None) => vec![Outgoing::ToClient(self.with_subscription(message))],
            (None, Some(id)) => self.answered(&key(id), message),
            (None, None) => vec![Outgoing::ToClient(message.text.clone())],
        }
    }

    fn answered(&mut self, id: &str, message: &Message) -> Vec<Outgoing> {
        if let Some(request) = self.open.remove(id) {
            return vec![Outgoing::ToClient(complete(&request, message))];
        }
        if let Some(parked) = self.parked.values_mut().find(|parked| parked.server_key == id) {
            parked.answer = Some(message.clone());
        }
        // Everything else answers requests of ours.
        Vec::new()
    }

    /// A question of the server ends the newest request that may end so.
    fn ask(&mut self, method: &str, asked: &Value, message: &Message) -> Vec<Outgoing> {
        let newest = self.open.iter().filter(|(_, request)| may_ask(&request.method));
        let newest = newest.max_by_key(|(_, request)| request.number).map(|(id, _)| id.clone());
        let state = new_id("era").ok().filter(|_| self.parked.len() < MOST_PARKED);
        let request = newest.and_then(|id| self.open.remove_entry(&id));
        let (Some((server_key, request)), Some(state)) = (request, state) else {
            let why = format!("the client is of {NEWER} and cannot be asked for {method} outside of a request");
            return vec![Outgoing::ToServer(error(Some(asked), INTERNAL_ERROR, &why))];
        };
        let question =
            json!({"method": method, "params": message.value.get("params").cloned().unwrap_or_else(|| json!({}))});
        let result = json!({"resultType": "input_required", "inputRequests": {ASKED: question}, "requestState": state});
        let line = answer(&request.id, &result);
        self.parked.insert(state, Parked { server_key, request, asked: asked.clone(), answer: None });
        vec![Outgoing::ToClient(line)]
    }

    /// A request comes back with what the client says to the question.
    fn resume(&mut self, id: Value, message: &Message, parked: Option<Parked>) -> Vec<Outgoing> {
        let said = message.param("inputResponses").and_then(|said| said.get(ASKED)).cloned();
        let (Some(parked), Some(said)) = (parked, said) else {
            let why = "its requestState is not known here, or its question is not answered; make the call anew";
            return vec![Outgoing::ToClient(error(Some(&id), INVALID_PARAMS, why))];
        };
        let mut out = vec![Outgoing::ToServer(answer(&parked.asked, &said))];
        let request = OpenRequest { id, ..parked.request };
        match parked.answer {
            Some(message) => out.push(Outgoing::ToClient(complete(&request, &message))),
            None => {
                self.open.insert(parked.server_key, request);
            }
        }
        out
    }

    /// What the server is told of a request that was taken back.
    fn cancel(&mut self, message: &Message) -> Vec<Outgoing> {
        let cancelled = message.param("requestId").map(key).unwrap_or_default();
        if self.listening.as_ref().is_some_and(|(id, _)| key(id) == cancelled) {
            let uris = self.listening.take().map(|(_, uris)| uris).unwrap_or_default();
            return uris.iter().map(|uri| self.request("resources/unsubscribe", json!({"uri": uri}))).collect();
        }
        let known = self.open.iter().find(|(_, request)| key(&request.id) == cancelled).map(|(id, _)| id.clone());
        let Some(server_key) = known.filter(|id| *id != cancelled) else {
            return vec![Outgoing::ToServer(without_meta(message))];
        };
        let mut value = message.value.clone();
        if let Some(id) = value.pointer_mut("/params/requestId") {
            *id = if id.is_number() {
                server_key.parse::<i64>().map_or(server_key.into(), Value::from)
            } else {
                server_key.into()
            };
        }
        vec![Outgoing::ToServer(message.changed(&value))]
    }

    /// Servers of the older era tell everybody; resources are subscribed to one by one.
    fn listen(&mut self, id: Value, message: &Message) -> Vec<Outgoing> {
        let wanted = message.param("notifications").cloned().unwrap_or_else(|| json!({}));
        let uris = wanted.get("resourceSubscriptions").and_then(Value::as_array).cloned().unwrap_or_default();
        let told = json!({"notifications": wanted, "_meta": {SUBSCRIPTION: id}});
        let told = json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": told});
        let mut out = vec![Outgoing::ToClient(told.to_string())];
        out.extend(uris.iter().map(|uri| self.request("resources/subscribe", json!({"uri": uri}))));
        self.listening = Some((id, uris));
        out
    }

    fn with_subscription(&self, message: &Message) -> String {
        let is_change =
            message.method().is_some_and(|method| method.ends_with("/list_changed") || method.ends_with("/updated"));
        let Some((id, _)) = self.listening.as_ref().filter(|_| is_change) else { return message.text.clone() };
        let mut value = message.value.clone();
        put(&mut value, &["params", "_meta", SUBSCRIPTION], id.clone());
        message.changed(&value)
    }

    /// How much a server logs is said once in the older era, and with each request in the newer one.
    fn set_level(&mut self, message: &Message) -> Vec<Outgoing> {
        let level = message.param("_meta").and_then(|meta| meta.get(LOG_LEVEL)).cloned();
        let logs = self.greeting.pointer("/capabilities/logging").is_some();
        if !logs || level.is_none() || level == self.level {
            return Vec::new();
        }
        let out = vec![self.request("logging/setLevel", json!({"level": level}))];
        self.level = level;
        out
    }

    fn request(&mut self, method: &str, params: Value) -> Outgoing {
        self.own += 1;
        let id = format!("countersign-era-{}", self.own);
        Outgoing::ToServer(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
    }

    /// What the server would say to `server/discover`.
    fn discovered(&self) -> Value {
        let said = |name: &str| self.greeting.get(name).cloned();
        let mut result = json!({"resultType": "complete", "supportedVersions": [NEWER],
            "capabilities": said("capabilities").unwrap_or_else(|| json!({})), "ttlMs": 0, "cacheScope": "private"});
        if let Some(capabilities) = result.get_mut("capabilities").and_then(Value::as_object_mut) {
            // Tasks of the older era are of another shape.
            capabilities.shift_remove("tasks");
        }
        if let Some(info) = said("serverInfo") {
            put(&mut result, &["_meta"], json!({SERVER_INFO: info}));
        }
        if let Some(instructions) = said("instructions") {
            put(&mut result, &["instructions"], instructions);
        }
        result
    }
}

/// An answer as the newer era wants it, under the id that the client waits for.
fn complete(request: &OpenRequest, message: &Message) -> String {
    let mut value = message.value.clone();
    put(&mut value, &["id"], request.id.clone());
    if let Some(result) = value.get_mut("result").and_then(Value::as_object_mut) {
        result.entry("resultType").or_insert_with(|| "complete".into());
        if may_be_kept(&request.method) {
            result.entry("ttlMs").or_insert_with(|| 0.into());
            result.entry("cacheScope").or_insert_with(|| "private".into());
        }
    }
    if let Some(code) = value.pointer_mut("/error/code").filter(|code| code.as_i64() == Some(NO_RESOURCE)) {
        *code = INVALID_PARAMS.into();
    }
    message.changed(&value)
}

/// What the one question of an answer is called.
const ASKED: &str = "asked";
const INVALID_PARAMS: i64 = -32_602;
/// What the older era says of a resource that does not exist.
const NO_RESOURCE: i64 = -32_002;
/// So many requests may wait for their clients.
const MOST_PARKED: usize = 1_000;
