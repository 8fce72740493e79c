//! What the operator says of a guarded server.

use super::pins::PinFile;
use crate::turn::RulesSource;
use countersign::contract::{Language, Level};
use serde_json::{Map, Value};

/// How calls and results are judged.
#[derive(Clone)]
pub struct McpGuardSettings {
    /// The policy, and who answers its questions.
    pub rules: RulesSource,
    /// Who calls, as approvals are bound to it.
    pub caller: String,
    /// What is known of the caller.
    pub context: Map<String, Value>,
    /// How strict, where the policy does not say.
    pub level: Option<Level>,
    /// The language of refusals, where the policy does not say.
    pub language: Option<Language>,
    /// What becomes of secrets in results.
    pub secrets: ResultSecrets,
    /// The pins of the server's tools; nothing is compared where there are none.
    pub pins: Option<PinFile>,
    /// How many bytes of text a result may have.
    pub longest_result: usize,
    /// Who answers `server/discover` before a server of the older era.
    pub discovery: Discovery,
    /// What becomes of verdicts once they are made.
    pub verdicts: Verdicts,
}

/// What becomes of verdicts once they are made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Verdicts {
    /// Nobody asks for them.
    #[default]
    Forgotten,
    /// They are kept for the audit under the name of the server, until they are taken.
    Kept(String),
}

/// Who answers a client that asks for 2026-07-28 before a server that does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Discovery {
    /// The server: its refusal is passed on, so that a client of both eras goes on with `initialize`.
    #[default]
    Pass,
    /// The guard: for clients that have no other way to go on.
    Answer,
}

/// What becomes of secrets in results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultSecrets {
    /// They are cut to their first characters.
    #[default]
    Redact,
    /// They pass.
    Pass,
}

impl McpGuardSettings {
    /// The usual settings under some rules.
    pub fn new(rules: RulesSource) -> Self {
        Self {
            rules,
            caller: String::new(),
            context: Map::new(),
            level: None,
            language: None,
            secrets: ResultSecrets::default(),
            pins: None,
            longest_result: LONGEST_RESULT,
            discovery: Discovery::default(),
            verdicts: Verdicts::default(),
        }
    }
}

/// How much text a result may have where nobody says.
const LONGEST_RESULT: usize = 1024 * 1024;
