//! What the operator wants: levels, modes, rules, weights and thresholds.
//!
//! A policy is TOML. `raw` is what a person may write, with unknown keys refused; `Policy` is what the checks
//! read: every pattern compiled, every rule parsed, every number within its bounds. Loading does no I/O.

pub mod pattern;
pub mod rules;
pub mod scoring;
pub mod results;
pub mod answers;
pub mod claims;
pub mod facts;
pub mod judge;
pub mod trust;
pub mod raw;

use crate::contract::{Language, Level, Mode};
use pattern::Pattern;
use rules::Rule;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

pub use answers::{AnswersPolicy, AskAgain, DoubtfulAnswers, SuspiciousResults};
pub use claims::{ClaimPattern, ClaimsPolicy};
pub use facts::FactsPolicy;
pub use judge::JudgePolicy;
pub use raw::Bounds;
pub use results::ResultsPolicy;
pub use scoring::ScorePolicy;
pub use trust::{Trust, TrustPolicy};

/// A compiled policy.
#[derive(Debug, Clone)]
pub struct Policy {
    /// A digest of the text it was compiled from; approvals are bound to it.
    pub version: String,
    /// The level where a request names none.
    pub level: Level,
    /// The language where neither request nor conversation tells.
    pub language: Option<Language>,
    /// The mode of each check, by its name.
    pub checks: BTreeMap<String, Mode>,
    /// What is special about some tools; later entries win.
    pub tools: Vec<ToolPolicy>,
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// Values that count as known, whoever uses them.
    pub known: Vec<String>,
    /// Paths, hosts and values that the danger checks let pass.
    pub allow: Allow,
    /// How often the same call may come.
    pub repeat: Repeat,
    /// What is asked from the outside world.
    pub facts: FactsPolicy,
    /// A second reader, where there is one.
    pub judge: Option<JudgePolicy>,
    /// What results are held to.
    pub results: ResultsPolicy,
    /// Whose words count.
    pub trust: TrustPolicy,
    /// Weights, thresholds and calibration.
    pub score: ScorePolicy,
    /// What counts as a claim beyond what ships.
    pub claims: ClaimsPolicy,
    /// When the model is asked again, and what happens to a doubtful answer.
    pub answers: AnswersPolicy,
    /// What happens to a tool result that looks wrong.
    pub suspicious_results: SuspiciousResults,
    /// Bounds on what is looked at.
    pub limits: Limits,
}

/// What is special about the tools whose names match.
#[derive(Debug, Clone)]
pub struct ToolPolicy {
    /// Which tools.
    pub names: Pattern,
    /// Their level.
    pub level: Option<Level>,
    /// Modes of checks on them.
    pub checks: BTreeMap<String, Mode>,
    /// What they do to the world, instead of what their name, description and schema tell.
    pub effects: Option<Vec<Effect>>,
    /// Whether what they do can be undone.
    pub irreversible: Option<bool>,
    /// Other names that models use for them.
    pub aliases: Vec<String>,
    /// Permissions that the caller must hold.
    pub permissions: Vec<String>,
    /// Tools that must have succeeded before.
    pub requires: Vec<Pattern>,
    /// How long their calls and results wait for a person, instead of what the server says.
    pub review_expires: Option<Duration>,
    /// What is special about their arguments, by name or pointer.
    pub arguments: BTreeMap<String, ArgumentPolicy>,
}

/// What is special about an argument.
#[derive(Debug, Clone, Default)]
pub struct ArgumentPolicy {
    /// Its level.
    pub level: Option<Level>,
    /// The mode of every check on it.
    pub mode: Option<Mode>,
    /// Bounds of its number.
    pub bounds: Bounds,
    /// A format it must have (a JSON Schema format name).
    pub format: Option<String>,
    /// A root that its path must stay in.
    pub root: Option<String>,
    /// Values that count as known.
    pub known: Vec<String>,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Only looks.
    Read,
    /// Changes something.
    Write,
    /// Removes something for good.
    Delete,
    /// Moves money.
    Pay,
    /// Tells somebody something.
    Send,
    /// Runs code or commands.
    Execute,
}

impl Effect {
    /// Its name, as policies write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Pay => "pay",
            Self::Send => "send",
            Self::Execute => "execute",
        }
    }
}

/// What the danger checks let pass.
#[derive(Debug, Clone, Default)]
pub struct Allow {
    /// Paths, as patterns.
    pub paths: Vec<Pattern>,
    /// Hosts and addresses, as patterns.
    pub hosts: Vec<Pattern>,
}

/// When a repeated call is worth saying, and when it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// The count from which it is a warning.
    pub warn: usize,
    /// The count from which a loop without progress is refused.
    pub cut: usize,
}

/// Bounds on what is looked at, so that hostile input costs no more than its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nesting of arguments and schemas.
    pub depth: usize,
    /// Bytes of a schema.
    pub schema_bytes: usize,
    /// Findings of one call.
    pub findings: usize,
}

/// A policy that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PolicyError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Where in the text, in bytes.
    pub span: Option<Range<usize>>,
}

impl Policy {
    /// Reads a policy. It is on the default policy unless it says `preset = "none"`.
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        raw::compile(text)
    }

    /// The text of the policy that ships, whole: it stands on nothing.
    pub fn standard_text() -> String {
        format!("preset = \"none\"\n{}", include_str!("default.toml"))
    }

    /// The policy that ships: it denies a viewer what deletes, pays, sends or writes.
    pub fn standard() -> Arc<Self> {
        Arc::clone(&STANDARD)
    }

    /// The preset with the seed documents' own tool rules, for callers that know nothing about their tools.
    pub fn seed() -> Arc<Self> {
        Arc::clone(&SEED)
    }

    /// How long a call or result of a tool waits for a person, where the policy says so.
    pub fn review_expires(&self, tool: &str) -> Option<Duration> {
        self.tool(tool).find_map(|entry| entry.review_expires)
    }

    /// The entries for a tool, the last first: the first one that says something wins.
    pub fn tool<'a, 'n: 'a>(&'a self, name: &'n str) -> impl Iterator<Item = &'a ToolPolicy> {
        self.tools.iter().rev().filter(move |tool| tool.names.matches(name))
    }
}

impl Default for Repeat {
    fn default() -> Self {
        Self { warn: 3, cut: 4 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 64, schema_bytes: 1 << 20, findings: 200 }
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&STANDARD);
    LazyLock::force(&SEED);
    rules::build_tables();
}

static STANDARD: LazyLock<Arc<Policy>> = LazyLock::new(|| Arc::new(raw::preset("default")));
static SEED: LazyLock<Arc<Policy>> = LazyLock::new(|| Arc::new(raw::preset("seed")));
