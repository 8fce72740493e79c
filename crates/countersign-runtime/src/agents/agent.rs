//! What an agent is, and which there are.

use super::prompts::Prompts;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How an agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Answers, keeps notes and materials, searches, delegates: by tags in its text.
    Concierge,
    /// Calls tools in a loop until it can answer.
    React,
    /// Plans, has the plan worked off in parallel, and solves.
    Rewoo,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Concierge, Self::React, Self::Rewoo];

    /// The word in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Concierge => "concierge",
            Self::React => "react",
            Self::Rewoo => "rewoo",
        }
    }
}

/// What an agent may spend in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How often the model is asked.
    pub rounds: usize,
    /// How many tools run at once.
    pub parallel: usize,
    /// How long it may take, waits for people and for clients' tools left out.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { rounds: 12, parallel: 8, time: Duration::from_secs(600) }
    }
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSpec {
    /// Its name.
    pub name: String,
    /// How it works.
    pub protocol: Protocol,
    /// Who it is.
    pub prompts: Prompts,
    /// Patterns of the names of the tools that it may use, beside those of the session.
    pub tools: Vec<String>,
    /// Which model it asks; the session's or the configured one where it is absent.
    pub model: Option<String>,
    /// What it may spend.
    pub budget: Budget,
    /// To whom it delegates.
    pub delegate: Option<String>,
}

impl AgentSpec {
    /// An agent as it is without further words.
    pub fn new(name: &str, protocol: Protocol) -> Self {
        Self {
            name: name.to_owned(),
            protocol,
            prompts: Prompts::assistant(),
            tools: vec!["*".to_owned()],
            model: None,
            budget: Budget::default(),
            delegate: (protocol == Protocol::Concierge).then(|| ORCHESTRATOR.to_owned()),
        }
    }
}

/// The agents that there are.
#[derive(Debug, Clone)]
pub struct Agents {
    known: BTreeMap<String, Arc<AgentSpec>>,
}

impl Default for Agents {
    /// The built-in ones.
    fn default() -> Self {
        let mut agents = Self { known: BTreeMap::new() };
        for protocol in Protocol::ALL {
            agents.add(AgentSpec::new(protocol.name(), protocol));
        }
        let orchestrator = AgentSpec::new(ORCHESTRATOR, Protocol::React);
        agents.add(AgentSpec { prompts: Prompts::orchestrator(), ..orchestrator });
        agents
    }
}

impl Agents {
    /// Adds an agent, or puts it in the place of the one with its name.
    pub fn add(&mut self, agent: AgentSpec) {
        self.known.insert(agent.name.clone(), Arc::new(agent));
    }

    /// One of them.
    pub fn get(&self, name: &str) -> Option<&Arc<AgentSpec>> {
        self.known.get(name)
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }
}

/// To whom a concierge delegates.
const ORCHESTRATOR: &str = "orchestrator";
