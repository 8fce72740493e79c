//! A policy as a person writes it, and the way from there to a compiled one.

use super::answers::{AnswersPolicy, DoubtfulAnswers, RawAnswer, SuspiciousResults};
use super::claims::{ClaimsPolicy, RawClaims};
use super::facts::{FactsPolicy, RawFacts};
use super::judge::RawJudge;
use super::pattern::{Pattern, nearest};
use super::results::{RawResults, ResultsPolicy};
use super::rules::{RawRule, Rule};
use super::scoring::{RawScore, ScorePolicy};
use super::trust::{RawTrust, TrustPolicy};
use super::{Allow, ArgumentPolicy, Effect, Limits, Policy, PolicyError, Repeat, ToolPolicy};
use crate::contract::{Language, Level, Mode, checks};
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::Duration;

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawPolicy {
    /// What to be on: `default`, `seed` or `none`.
    pub preset: Option<String>,
    /// `strict`, `moderate` or `lenient`, or 3, 2, 1.
    #[serde(deserialize_with = "level_name")]
    pub level: Option<String>,
    /// `en` or `zh`, where neither request nor conversation tells.
    pub language: Option<String>,
    /// The mode of each check: `schema = "enforce"`.
    pub checks: BTreeMap<String, Mode>,
    /// What is special about some tools, by name pattern.
    pub tools: BTreeMap<String, RawTool>,
    /// Rules on calls, in order.
    pub rules: Vec<RawRule>,
    /// Values that count as known, whoever uses them.
    pub known: Vec<String>,
    /// What the danger checks let pass.
    pub allow: RawAllow,
    /// When a repeated call is worth saying.
    pub repeat: RawRepeat,
    /// Where the outside world is asked.
    pub facts: RawFacts,
    /// A second reader: a model that is asked whether a call does what was asked, and an answer what its sources say.
    pub judge: RawJudge,
    /// What results are held to.
    pub results: RawResults,
    /// Whose words count.
    pub trust: RawTrust,
    /// Weights, thresholds and calibration.
    pub score: RawScore,
    /// What counts as a claim.
    pub claims: RawClaims,
    /// What happens to an answer that a check doubts: `pass`, `mark` or `correct`.
    pub doubtful_answers: Option<DoubtfulAnswers>,
    /// What happens to a tool result that looks wrong: `pass`, `mark` or `review`.
    pub suspicious_results: Option<SuspiciousResults>,
    /// When the model is asked again although it made no wrong call.
    pub answer: RawAnswer,
}

/// One `[tools."pattern"]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawTool {
    /// Its level.
    #[serde(deserialize_with = "level_name")]
    pub level: Option<String>,
    /// Modes of checks on it.
    pub checks: BTreeMap<String, Mode>,
    /// What it does: `read`, `write`, `delete`, `pay`, `send`, `execute`.
    pub effects: Option<Vec<Effect>>,
    /// Whether what it does cannot be undone.
    pub irreversible: Option<bool>,
    /// Other names that models use for it.
    pub aliases: Vec<String>,
    /// Permissions that the caller must hold.
    pub permissions: Vec<String>,
    /// Tools that must have succeeded in the conversation before this one may be called.
    pub requires: Vec<String>,
    /// How long its calls and results wait for a person, as in `30s`, `10m`, `2h` or `1d`; then they are denied.
    pub review_expires: Option<String>,
    /// What is special about its arguments.
    pub arguments: BTreeMap<String, RawArgument>,
}

/// One `[tools."pattern".arguments.name]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawArgument {
    /// Its level.
    #[serde(deserialize_with = "level_name")]
    pub level: Option<String>,
    /// The mode of every check on it.
    pub mode: Option<Mode>,
    /// The least that its number may be.
    pub minimum: Option<f64>,
    /// The most that its number may be.
    pub maximum: Option<f64>,
    /// A JSON Schema format that it must have.
    pub format: Option<String>,
    /// A folder that its path must stay in.
    pub root: Option<String>,
    /// Values that count as known.
    pub known: Vec<String>,
}

/// The `[allow]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawAllow {
    /// Paths that may be used although they look sensitive.
    pub paths: Vec<String>,
    /// Hosts that may be reached although they are private.
    pub hosts: Vec<String>,
}

/// The `[repeat]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawRepeat {
    /// The count from which a repeated call is a warning.
    pub warn: Option<usize>,
    /// The count from which a loop is refused.
    pub cut: Option<usize>,
}

/// A level by its name or its number.
fn level_name<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Name(String),
        Number(i64),
    }
    Ok(Some(match Written::deserialize(input)? {
        Written::Name(name) => name,
        Written::Number(number) => number.to_string(),
    }))
}

/// Inclusive bounds of a number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    /// The least it may be.
    pub minimum: Option<f64>,
    /// The most it may be.
    pub maximum: Option<f64>,
}

/// Compiles a policy text on top of its preset.
pub(super) fn compile(text: &str) -> Result<Policy, PolicyError> {
    let raw: RawPolicy = toml::from_str(text).map_err(|error| explain(&error))?;
    let name = raw.preset.clone().unwrap_or_else(|| "default".to_owned());
    let base = match name.as_str() {
        "none" => Policy::empty(),
        "default" | "seed" => preset(&name),
        other => {
            return Err(wrong(text, other, format!("unknown preset `{other}`"), "use `default`, `seed` or `none`"));
        }
    };
    overlay(base, raw, text)
}

/// A preset that ships. A preset that does not compile is empty, and a test keeps that from happening.
pub(super) fn preset(name: &str) -> Policy {
    let seed = || overlay_text(preset("default"), include_str!("seed.toml"));
    match name {
        "seed" => seed().unwrap_or_else(|_| Policy::empty()),
        _ => overlay_text(Policy::empty(), include_str!("default.toml")).unwrap_or_else(|_| Policy::empty()),
    }
}

fn overlay_text(base: Policy, text: &str) -> Result<Policy, PolicyError> {
    overlay(base, toml::from_str(text).map_err(|error| explain(&error))?, text)
}

fn overlay(mut policy: Policy, raw: RawPolicy, text: &str) -> Result<Policy, PolicyError> {
    policy.version = digest(&policy.version, text);
    if let Some(level) = &raw.level {
        policy.level = read_level(level, text)?;
    }
    if let Some(language) = &raw.language {
        let read = Language::from_name(language);
        let unknown = || wrong(text, language, format!("unknown language `{language}`"), "use `en` or `zh`");
        policy.language = Some(read.ok_or_else(unknown)?);
    }
    policy.checks.extend(read_checks(raw.checks, text)?);
    for (name, tool) in raw.tools {
        policy.tools.push(read_tool(name, tool, text)?);
    }
    for rule in raw.rules {
        let when = rule.when.clone().unwrap_or_default();
        policy.rules.push(Rule::compile(rule).map_err(|(word, message, help)| PolicyError {
            span: find_in(text, &when, &word),
            message,
            help,
        })?);
    }
    policy.known.extend(raw.known);
    policy.allow.paths.extend(raw.allow.paths.into_iter().map(Pattern::new));
    policy.allow.hosts.extend(raw.allow.hosts.into_iter().map(Pattern::new));
    policy.repeat = Repeat {
        warn: raw.repeat.warn.unwrap_or(policy.repeat.warn),
        cut: raw.repeat.cut.unwrap_or(policy.repeat.cut),
    };
    let place =
        |error: super::rules::Fault| PolicyError { span: find(text, &error.0), message: error.1, help: error.2 };
    policy.facts.overlay(raw.facts).map_err(place)?;
    policy.judge = raw.judge.read().map_err(place)?.or(policy.judge);
    let expressions: Vec<String> = raw.results.rules.iter().map(|rule| rule.when.clone()).collect();
    policy.results.overlay(raw.results).map_err(|(word, message, help)| {
        let when = expressions.iter().find(|when| when.contains(&word));
        PolicyError { span: find_in(text, when.map_or("", String::as_str), &word), message, help }
    })?;
    policy.trust.overlay(raw.trust).map_err(place)?;
    policy.score.overlay(raw.score).map_err(place)?;
    policy.claims.overlay(raw.claims).map_err(place)?;
    policy.answers.overlay(raw.answer, raw.doubtful_answers);
    policy.suspicious_results = raw.suspicious_results.unwrap_or(policy.suspicious_results);
    Ok(policy)
}

fn read_tool(name: String, raw: RawTool, text: &str) -> Result<ToolPolicy, PolicyError> {
    let level = raw.level.as_deref().map(|level| read_level(level, text)).transpose()?;
    let mut arguments = BTreeMap::new();
    for (argument, raw) in raw.arguments {
        let level = raw.level.as_deref().map(|level| read_level(level, text)).transpose()?;
        let bounds = Bounds { minimum: raw.minimum, maximum: raw.maximum };
        let policy =
            ArgumentPolicy { level, mode: raw.mode, bounds, format: raw.format, root: raw.root, known: raw.known };
        arguments.insert(argument, policy);
    }
    Ok(ToolPolicy {
        names: Pattern::new(name),
        level,
        checks: read_checks(raw.checks, text)?,
        effects: raw.effects,
        irreversible: raw.irreversible,
        aliases: raw.aliases,
        permissions: raw.permissions,
        requires: raw.requires.into_iter().map(Pattern::new).collect(),
        review_expires: raw.review_expires.as_deref().map(|span| read_wait(span, text)).transpose()?,
        arguments,
    })
}

/// How long something waits for a person: a whole number and its unit, from a second to thirty days.
fn read_wait(span: &str, text: &str) -> Result<Duration, PolicyError> {
    let digits = span.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(span.len());
    let (number, unit) = span.split_at_checked(digits).unwrap_or_default();
    let seconds = match unit.trim() {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => 0,
    };
    let waits = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds));
    let waits = waits.filter(|seconds| (1..=MOST_WAIT_SECONDS).contains(seconds)).map(Duration::from_secs);
    let message = || format!("`{span}` is no time to wait for a person");
    waits.ok_or_else(|| wrong(text, span, message(), "write it as 30s, 10m, 2h or 1d; from a second to 30 days"))
}

const MOST_WAIT_SECONDS: u64 = 30 * 86_400;

fn read_checks(raw: BTreeMap<String, Mode>, text: &str) -> Result<BTreeMap<String, Mode>, PolicyError> {
    let known: Vec<&str> = checks::names().collect();
    match raw.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(raw),
        Some(name) => {
            let help = match nearest(name, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the checks are {}", known.join(", ")),
            };
            Err(wrong(text, name, format!("unknown check `{name}`"), &help))
        }
    }
}

fn read_level(name: &str, text: &str) -> Result<Level, PolicyError> {
    Level::from_name(name)
        .ok_or_else(|| wrong(text, name, format!("unknown level `{name}`"), "use `strict`, `moderate` or `lenient`"))
}

/// A TOML error with a suggestion where a key was not known.
fn explain(error: &toml::de::Error) -> PolicyError {
    let message = error.message().to_owned();
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
    let help = unknown.and_then(|(key, rest)| {
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        nearest(key, &known).map(|near| format!("did you mean `{near}`?"))
    });
    PolicyError { message, help, span: error.span() }
}

fn wrong(text: &str, word: &str, message: String, help: &str) -> PolicyError {
    PolicyError { message, help: Some(help.to_owned()), span: find(text, word) }
}

fn find(text: &str, word: &str) -> Option<std::ops::Range<usize>> {
    if word.is_empty() {
        return None;
    }
    text.find(word).map(|at| at..at + word.len())
}

/// Where a word is in an expression of the text. The same letters may stand elsewhere, also inside another word.
fn find_in(text: &str, expression: &str, word: &str) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    for line in expression.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some(start) = text.get(from..).and_then(|rest| rest.find(line)).map(|at| from + at) else { break };
        from = start + line.len();
        let free = |at: usize| {
            let borders = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let (before, after) = (line.get(..at), line.get(at + word.len()..));
            let letters = word.chars().all(|c| c.is_alphanumeric() || c == '_');
            !letters
                || (borders(before.and_then(|s| s.chars().next_back()))
                    && borders(after.and_then(|s| s.chars().next())))
        };
        if let Some((at, _)) = line.match_indices(word).find(|(at, _)| !word.is_empty() && free(*at)) {
            return Some(start + at..start + at + word.len());
        }
    }
    find(text, word)
}

fn digest(base: &str, text: &str) -> String {
    let hash = Sha256::new().chain_update(base.as_bytes()).chain_update(text.as_bytes()).finalize();
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl Policy {
    /// A policy that says nothing.
    fn empty() -> Self {
        Self {
            version: String::new(),
            level: Level::default(),
            language: None,
            checks: BTreeMap::new(),
            tools: Vec::new(),
            rules: Vec::new(),
            known: Vec::new(),
            allow: Allow::default(),
            repeat: Repeat::default(),
            facts: FactsPolicy::default(),
            judge: None,
            results: ResultsPolicy::default(),
            trust: TrustPolicy::default(),
            score: ScorePolicy::default(),
            claims: ClaimsPolicy::default(),
            answers: AnswersPolicy::default(),
            suspicious_results: SuspiciousResults::default(),
            limits: Limits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_compile() {
        assert!(!overlay_text(Policy::empty(), include_str!("default.toml")).unwrap().rules.is_empty());
        assert!(overlay_text(preset("default"), include_str!("seed.toml")).is_ok());
    }

    // REVIEW-1: how long a person has is the policy's to say, tool by tool; the later entry wins.
    #[test]
    fn a_tool_has_its_own_time_for_people() {
        let text = "[tools.\"*\"]\nreview_expires = \"2h\"\n[tools.\"pay_*\"]\nreview_expires = \"90s\"\n";
        let policy = Policy::from_toml(text).unwrap();
        assert_eq!(policy.review_expires("pay_rent"), Some(Duration::from_secs(90)));
        assert_eq!(policy.review_expires("look_up"), Some(Duration::from_secs(7_200)));
        assert_eq!(Policy::standard().review_expires("pay_rent"), None);
        for wrong in ["", "10", "0s", "31d", "-1m", "1.5h", "99999999999999999999d", "10 parsecs"] {
            let text = format!("[tools.a]\nreview_expires = \"{wrong}\"\n");
            let error = Policy::from_toml(&text).unwrap_err();
            assert!(error.help.unwrap().contains("10m"), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_a_suggestion_and_a_place() {
        let text = "level = \"strict\"\n[cheks]\nschema = \"enforce\"\n";
        let error = Policy::from_toml(text).unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `checks`?"), "{error:?}");
        assert_eq!(&text[error.span.unwrap()], "cheks");
        let error = Policy::from_toml("[checks]\nshcema = \"enforce\"\n").unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `schema`?"));
        assert!(Policy::from_toml("level = \"soft\"").unwrap_err().message.contains("soft"));
    }
}
