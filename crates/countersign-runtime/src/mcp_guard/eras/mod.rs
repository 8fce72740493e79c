//! A client of one era before a server of the other.
//!
//! Until 2025-11-25 a session begins with `initialize`, and servers ask their clients whenever they like. From 2026-07-28 on
//! there is no session: each request says its version and what the client can do, and a server that needs something ends
//! its answer with a question. Which era the client is of is told by what it says first; which era the server is of, by
//! how it answers. Where both are of one era, nothing is read or changed here. Otherwise the bridge speaks to each side in
//! its own way. It stands between the relay and the server, so that what is judged is what the client said.

/// Parts of messages that only one era has.
mod translate;
/// A client without sessions before a server that has them.
mod newer_client;
/// A client with a session before a server that has none.
mod older_client;

use super::answer::request;
use super::message::{Message, key};
use super::relay::Outgoing;
use super::settings::Discovery;
use newer_client::NewerClient;
use older_client::OlderClient;
use serde_json::json;
use translate::{describe_client, greet, keep_meta, knows_newer};

/// Between the eras of a client and a server.
pub(super) struct EraBridge {
    state: State,
    discovery: Discovery,
    /// Whether the server has refused `server/discover` already.
    is_older: bool,
}

/// How much is known of the two sides.
enum State {
    /// Nobody has said anything that tells.
    Unknown,
    /// The client's `initialize` is with the server.
    Greeting {
        asked: Box<Message>,
        held: Vec<String>,
    },
    /// It was refused with this line; our `server/discover` is with the server.
    Refused {
        greeting: Box<Message>,
        refusal: String,
        held: Vec<String>,
    },
    /// The client's own `server/discover` is with the server.
    Discovering {
        asked: Box<Message>,
        held: Vec<String>,
    },
    /// The client began without asking; our `server/discover` is with the server.
    Probing {
        first: Box<Message>,
        held: Vec<String>,
    },
    /// Our `initialize` is with the server.
    Initializing {
        held: Vec<String>,
    },
    /// Both are of one era.
    Same,
    NewerClient(Box<NewerClient>),
    OlderClient(Box<OlderClient>),
}

impl EraBridge {
    pub(super) fn new(discovery: Discovery) -> Self {
        Self { state: State::Unknown, discovery, is_older: false }
    }

    /// Whether everything passes as it is.
    pub(super) fn is_same(&self) -> bool {
        matches!(self.state, State::Same)
    }

    /// Whether the client's own first words are with the server, which takes as long as it takes to start.
    pub(super) fn is_greeting(&self) -> bool {
        matches!(self.state, State::Greeting { .. } | State::Discovering { .. })
    }

    /// Whether lines wait until the server has said which era it is of.
    pub(super) fn is_probing(&self) -> bool {
        matches!(self.state, State::Refused { .. } | State::Probing { .. } | State::Initializing { .. })
    }

    /// Takes a line on its way to the server. What goes to the client here goes there by way of the relay.
    pub(super) fn take_client(&mut self, line: String) -> Vec<Outgoing> {
        match &mut self.state {
            State::Same => vec![Outgoing::ToServer(line)],
            State::NewerClient(bridge) => bridge.take_client(&line),
            State::OlderClient(bridge) => bridge.take_client(&line),
            // What is sent before the greeting is over would be of the wrong era, and its refusal would look like an answer.
            State::Greeting { held, .. }
            | State::Refused { held, .. }
            | State::Probing { held, .. }
            | State::Initializing { held }
            | State::Discovering { held, .. } => {
                match held.len() < MOST_HELD {
                    true => held.push(line),
                    false => tracing::warn!("the MCP server does not answer; a message is dropped"),
                }
                Vec::new()
            }
            State::Unknown => self.begin(line),
        }
    }

    /// Takes a line of the server.
    pub(super) fn take_server(&mut self, line: &[u8]) -> Vec<Outgoing> {
        let text = || String::from_utf8_lossy(line).into_owned();
        if let State::Same | State::Unknown = self.state {
            return vec![Outgoing::ToClient(text())];
        }
        // What is no message is for the relay to drop.
        let Ok(message) = Message::read(line) else { return vec![Outgoing::ToClient(text())] };
        match &mut self.state {
            State::NewerClient(bridge) => return bridge.take_server(&message),
            State::OlderClient(bridge) => return bridge.take_server(&message),
            _ => {}
        }
        match message.is_answer() && message.id().map(key) == self.awaited() {
            true => self.settle(message),
            false => vec![Outgoing::ToClient(message.text)],
        }
    }

    /// The server does not say which era it is of.
    pub(super) fn give_up(&mut self) -> Vec<Outgoing> {
        match std::mem::replace(&mut self.state, State::Unknown) {
            State::Refused { refusal, held, .. } => self.release(vec![Outgoing::ToClient(refusal)], held),
            // Servers of the older era need not answer before they are greeted.
            State::Probing { first, held } => self.initialize(&first, held),
            State::Initializing { held } => {
                self.state = State::Same;
                self.release(Vec::new(), held)
            }
            other => {
                self.state = other;
                Vec::new()
            }
        }
    }

    /// The first words of a client.
    fn begin(&mut self, line: String) -> Vec<Outgoing> {
        let Ok(message) = Message::read(line.as_bytes()) else { return vec![Outgoing::ToServer(line)] };
        match (message.method(), message.id().is_some(), message.version().is_some()) {
            (Some("initialize"), true, _) => {
                self.state = State::Greeting { asked: Box::new(message), held: Vec::new() };
            }
            (Some("server/discover"), true, true) if !self.is_older => {
                self.state = State::Discovering { asked: Box::new(message), held: Vec::new() };
            }
            (Some(_), true, true) if self.is_older => {
                return self.initialize(&message, vec![line]);
            }
            (Some(_), true, true) => {
                let probe = request(OWN, "server/discover", keep_meta(&message));
                self.state = State::Probing { first: Box::new(message), held: vec![line] };
                return vec![Outgoing::ToServer(probe)];
            }
            _ => {}
        }
        vec![Outgoing::ToServer(line)]
    }

    /// The id whose answer tells.
    fn awaited(&self) -> Option<String> {
        match &self.state {
            State::Greeting { asked, .. } | State::Discovering { asked, .. } => asked.id().map(key),
            State::Refused { .. } | State::Probing { .. } => Some(OWN.to_owned()),
            State::Initializing { .. } => Some(OWN_GREETING.to_owned()),
            _ => None,
        }
    }

    /// The answer that tells has come.
    fn settle(&mut self, answer: Message) -> Vec<Outgoing> {
        let said = answer.value.get("result").cloned();
        let passed = Outgoing::ToClient(answer.text);
        match (std::mem::replace(&mut self.state, State::Same), said) {
            (State::Greeting { held, .. }, Some(_)) => self.release(vec![passed], held),
            (State::Greeting { asked: greeting, held }, None) => {
                let probe = request(OWN, "server/discover", describe_client(&greeting));
                let Outgoing::ToClient(refusal) = passed else { return Vec::new() };
                self.state = State::Refused { greeting, refusal, held };
                vec![Outgoing::ToServer(probe)]
            }
            (State::Refused { greeting, held, .. }, Some(discovered)) if knows_newer(&discovered) => {
                let bridge = OlderClient::new(&greeting, discovered);
                let greeted = bridge.greeted(&greeting);
                self.state = State::OlderClient(Box::new(bridge));
                self.release(vec![greeted], held)
            }
            (State::Refused { refusal, held, .. }, _) => {
                self.state = State::Unknown;
                self.release(vec![Outgoing::ToClient(refusal)], held)
            }
            (State::Discovering { held, .. }, Some(_)) => self.release(vec![passed], held),
            (State::Discovering { asked, mut held }, None) => {
                (self.is_older, self.state) = (true, State::Unknown);
                if self.discovery == Discovery::Answer {
                    held.insert(0, asked.text.clone());
                    return self.initialize(&asked, held);
                }
                self.release(vec![passed], held)
            }
            (State::Probing { held, .. }, Some(_)) => self.release(Vec::new(), held),
            (State::Probing { first, held }, None) => self.initialize(&first, held),
            (State::Initializing { held }, Some(greeting)) => {
                self.state = State::NewerClient(Box::new(NewerClient::new(greeting)));
                let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
                self.release(vec![Outgoing::ToServer(done)], held)
            }
            // What cannot be bridged is answered by the server itself.
            (State::Initializing { held }, None) => self.release(Vec::new(), held),
            (state, _) => {
                self.state = state;
                vec![passed]
            }
        }
    }

    /// Greets a server of the older era in the name of a client of the newer one.
    fn initialize(&mut self, first: &Message, held: Vec<String>) -> Vec<Outgoing> {
        self.state = State::Initializing { held };
        vec![Outgoing::ToServer(request(OWN_GREETING, "initialize", greet(first)))]
    }

    /// Sends what waited on its way.
    fn release(&mut self, mut out: Vec<Outgoing>, held: Vec<String>) -> Vec<Outgoing> {
        out.extend(held.into_iter().flat_map(|line| self.take_client(line)).collect::<Vec<_>>());
        out
    }
}

/// Our own request that asks which era a server is of.
const OWN: &str = "countersign-era";
/// Our own greeting.
const OWN_GREETING: &str = "countersign-era-greeting";
/// So many lines wait until a server has said which era it is of.
const MOST_HELD: usize = 1_000;
