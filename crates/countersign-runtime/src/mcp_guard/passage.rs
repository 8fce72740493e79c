//! A relay with a bridge behind it: what a client and a server say to each other, whichever eras they are of.

use super::eras::EraBridge;
use super::relay::{Outgoing, Relay};
use crate::gateway::ledger::Entry;
use std::collections::VecDeque;

/// Between one client and one server, perhaps of two eras.
pub struct Passage {
    relay: Relay,
    bridge: EraBridge,
}

/// What lines wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// For the answer to the client's own greeting, however long a server takes to start.
    Greeting,
    /// For the server to say which era it is of.
    Era,
    /// For the server to say what tools it has.
    Tools,
}

impl Passage {
    /// A relay, bridged where it must be.
    pub fn new(relay: Relay) -> Self {
        let bridge = EraBridge::new(relay.discovery());
        Self { relay, bridge }
    }

    /// Takes a line of the client.
    pub fn from_client(&mut self, line: &[u8]) -> Vec<Outgoing> {
        let out = self.relay.from_client(line);
        self.cross(out)
    }

    /// Takes a line of the server.
    pub fn from_server(&mut self, line: &[u8]) -> Vec<Outgoing> {
        if self.bridge.is_same() {
            return self.relay.from_server(line);
        }
        let made = self.bridge.take_server(line);
        self.arrive(made)
    }

    /// What lines wait for, if they do.
    pub fn waiting(&self) -> Option<Waiting> {
        match (self.bridge.is_greeting(), self.bridge.is_probing(), self.relay.is_listing()) {
            (true, _, _) => Some(Waiting::Greeting),
            (_, true, _) => Some(Waiting::Era),
            (_, _, true) => Some(Waiting::Tools),
            _ => None,
        }
    }

    /// The wait was too long.
    pub fn give_up(&mut self) -> Vec<Outgoing> {
        match self.waiting() {
            Some(Waiting::Era) => {
                let made = self.bridge.give_up();
                self.arrive(made)
            }
            Some(Waiting::Tools) => {
                let out = self.relay.give_up_listing();
                self.cross(out)
            }
            Some(Waiting::Greeting) | None => Vec::new(),
        }
    }

    /// The verdicts that were made since they were last taken, where they are kept.
    pub fn take_verdicts(&mut self) -> Vec<Entry> {
        self.relay.take_verdicts()
    }

    /// How many requests wait for an answer that is looked at.
    pub fn open_requests(&self) -> usize {
        self.relay.open_requests()
    }

    /// What the bridge makes of a line: the client's part goes through the relay.
    fn arrive(&mut self, made: Vec<Outgoing>) -> Vec<Outgoing> {
        let mut out = Vec::new();
        for line in made {
            match line {
                Outgoing::ToClient(line) => {
                    let passed = self.relay.from_server(line.as_bytes());
                    out.extend(self.cross(passed));
                }
                to_server @ Outgoing::ToServer(_) => out.push(to_server),
            }
        }
        out
    }

    /// What the relay sends to the server goes over the bridge.
    fn cross(&mut self, sent: Vec<Outgoing>) -> Vec<Outgoing> {
        if self.bridge.is_same() {
            return sent;
        }
        let (mut out, mut sent) = (Vec::new(), VecDeque::from(sent));
        while let Some(next) = sent.pop_front() {
            let Outgoing::ToServer(line) = next else {
                out.push(next);
                continue;
            };
            for made in self.bridge.take_client(line) {
                match made {
                    Outgoing::ToClient(line) => sent.extend(self.relay.from_server(line.as_bytes())),
                    to_server @ Outgoing::ToServer(_) => out.push(to_server),
                }
            }
        }
        out
    }
}
