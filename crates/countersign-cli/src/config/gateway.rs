//! The settings of the drop-in gateway and of upstreams that have names.

use super::checks::{Invalid, MOMENT, Valid, address, choice, retries, size, span};
use super::raw::{RawGateway, RawNamedUpstream};
use super::secret::Secret;
use countersign::contract::Mode;
use countersign::policy::{DoubtfulAnswers, SuspiciousResults};
use countersign_runtime::gateway::ledger::Duty;
use countersign_runtime::gateway::retention::AuditRetention;
use countersign_runtime::gateway::rewrite::UnknownItems;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// Whether HTTP/2 is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Http2 {
    /// Where the upstream offers it.
    Auto,
    /// Always, without asking.
    Only,
}

/// Which API an upstream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpstreamApi {
    /// OpenAI's.
    OpenAi,
    /// Anthropic's.
    Anthropic,
}

/// An upstream with a name.
#[derive(Debug, Clone)]
pub(crate) struct NamedUpstream {
    /// Its name.
    pub name: String,
    /// Which API it speaks.
    pub api: UpstreamApi,
    /// Its address, without a slash at its end.
    pub url: String,
    /// Its key.
    pub key: Option<Secret>,
    /// The models that go there.
    pub models: Vec<String>,
    /// How often a failed request is sent again.
    pub retries: u32,
    /// Who is asked when it fails.
    pub fallback: Option<String>,
}

/// The drop-in gateway.
#[derive(Debug, Clone)]
pub(crate) struct Gateway {
    /// What becomes of tool calls.
    pub mode: Mode,
    /// The same by route.
    pub routes: BTreeMap<String, Mode>,
    /// The same by key.
    pub keys: BTreeMap<String, Mode>,
    /// Tools whose calls are only watched.
    pub watched: HashSet<String>,
    /// How often the model is asked again.
    pub corrections: usize,
    /// How long that may take.
    pub correction_time: Duration,
    /// How many tokens an answer may have cost for it.
    pub correction_tokens: u64,
    /// What follows when it did not help.
    pub after: After,
    /// When a client waits for a person.
    pub hold: Hold,
    /// For how long.
    pub review_hold: Duration,
    /// Whether answers carry their claims.
    pub claims: ClaimsWanted,
    /// What happens to suspicious results, where the policy does not decide that.
    pub suspicious_results: Option<SuspiciousResults>,
    /// What happens to doubtful answers, where the policy does not decide that.
    pub doubtful_answers: Option<DoubtfulAnswers>,
    /// What becomes of answers in a compression that cannot be read.
    pub compressed: Compressed,
    /// What becomes of items that nobody here knows.
    pub unknown_items: UnknownItems,
    /// What becomes of tools that go to routes which are not guarded.
    pub other_routes: OtherRoutes,
    /// Whether a call may be released that could not be recorded.
    pub audit: Duty,
    /// How long the audit is kept, and how much of it.
    pub audit_kept: AuditRetention,
    /// Whether exchanges are kept for people to look at.
    pub conversations: Conversations,
    /// The seed of the demo model.
    pub demo_seed: u64,
}

/// Whether exchanges are kept for people to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversations {
    /// They are, as conversations.
    Keep,
    /// They are not.
    Off,
}

/// What follows corrections that did not help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// A text that says so.
    Refuse,
    /// A person.
    Review,
}

/// When a client waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// While one is connected.
    Connected,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Whether answers carry their claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimsWanted {
    /// Where the request asks for it.
    Asked,
    /// Always.
    Always,
}

/// What becomes of answers in a compression that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compressed {
    /// They are refused.
    Refuse,
    /// They pass, and nobody judges what is in them.
    Pass,
}

/// What becomes of tools that go to routes which are not guarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherRoutes {
    /// The request is refused.
    Refuse,
    /// It passes, and so do the calls that it is answered with.
    Pass,
}

impl Gateway {
    /// Checks what was written.
    pub(super) fn of(raw: RawGateway) -> Valid<Self> {
        let tools = modes("gateway.tools", raw.tools)?;
        let routes = modes("gateway.routes", raw.routes)?;
        if let Some(unknown) = routes.keys().find(|name| !ROUTES.contains(&name.as_str())) {
            return Err(choice("gateway.routes", unknown, "`chat`, `responses` or `messages`"));
        }
        let word =
            |path, word: Option<String>, choices: &'static [&'static str]| one_of(path, word.as_deref(), choices);
        Ok(Self {
            mode: mode("gateway.mode", raw.mode.as_deref().unwrap_or("enforce"))?,
            routes,
            keys: modes("gateway.keys", raw.keys)?,
            watched: tools.into_iter().filter(|(_, mode)| *mode != Mode::Enforce).map(|(name, _)| name).collect(),
            corrections: usize::try_from(retries(Some(raw.corrections.unwrap_or(2)))).unwrap_or(0),
            correction_time: span("gateway.correction_time", raw.correction_time.as_deref().unwrap_or("60s"), MOMENT)?,
            correction_tokens: raw.correction_tokens.unwrap_or(200_000),
            after: match word("gateway.after_corrections", raw.after_corrections, &["refuse", "review"])? {
                "review" => After::Review,
                _ => After::Refuse,
            },
            hold: match word("gateway.hold_for_review", raw.hold_for_review, &["connected", "always", "never"])? {
                "always" => Hold::Always,
                "never" => Hold::Never,
                _ => Hold::Connected,
            },
            review_hold: span("gateway.review_hold", raw.review_hold.as_deref().unwrap_or("55s"), Duration::ZERO)?,
            claims: match word("gateway.claims", raw.claims, &["asked", "always"])? {
                "always" => ClaimsWanted::Always,
                _ => ClaimsWanted::Asked,
            },
            suspicious_results: chosen("gateway.suspicious_results", raw.suspicious_results, SUSPICIOUS)?,
            doubtful_answers: chosen("gateway.doubtful_answers", raw.doubtful_answers, DOUBTFUL)?,
            compressed: match word("gateway.compressed_answers", raw.compressed_answers, &["refuse", "pass"])? {
                "pass" => Compressed::Pass,
                _ => Compressed::Refuse,
            },
            unknown_items: match word("gateway.unknown_items", raw.unknown_items, &["refuse", "pass"])? {
                "pass" => UnknownItems::Pass,
                _ => UnknownItems::Refuse,
            },
            other_routes: match word("gateway.other_routes", raw.other_routes, &["refuse", "pass"])? {
                "pass" => OtherRoutes::Pass,
                _ => OtherRoutes::Refuse,
            },
            audit: match word("gateway.audit", raw.audit, &["required", "best_effort"])? {
                "best_effort" => Duty::BestEffort,
                _ => Duty::Required,
            },
            audit_kept: AuditRetention {
                age: read_limit(raw.audit_age.as_deref().unwrap_or("90d"), |text| {
                    span("gateway.audit_age", text, MOMENT)
                })?,
                size: read_limit(raw.audit_size.as_deref().unwrap_or("2GiB"), |text| size("gateway.audit_size", text))?,
            },
            conversations: match word("gateway.conversations", raw.conversations, &["keep", "off"])? {
                "off" => Conversations::Off,
                _ => Conversations::Keep,
            },
            demo_seed: raw.demo_seed.unwrap_or(1),
        })
    }
}

/// Checks upstreams that have names.
pub(super) fn read_upstreams(raw: BTreeMap<String, RawNamedUpstream>) -> Valid<Vec<NamedUpstream>> {
    let names: Vec<String> = raw.keys().cloned().collect();
    raw.into_iter().map(|(name, raw)| one_named(name, raw, &names)).collect()
}

fn one_named(name: String, raw: RawNamedUpstream, names: &[String]) -> Valid<NamedUpstream> {
    let api = match raw.api.as_str() {
        "openai" => UpstreamApi::OpenAi,
        "anthropic" => UpstreamApi::Anthropic,
        other => return Err(choice("upstreams", other, "`openai` or `anthropic`")),
    };
    let known = |fallback: &&String| names.contains(fallback) || ["openai", "anthropic"].contains(&fallback.as_str());
    if let Some(unknown) = raw.fallback.as_ref().filter(|fallback| !known(fallback)) {
        let message = format!("`{name}` falls back to `{unknown}`, which is no upstream");
        return Err(Invalid {
            path: "upstreams".into(),
            message,
            help: Some(format!("there are: {}", names.join(", "))),
        });
    }
    let key = match &raw.api_key_env {
        None => None,
        Some(variable) => match std::env::var(variable) {
            Ok(key) if !key.trim().is_empty() => Some(Secret::new(key)),
            _ => {
                let message = format!("the variable {variable}, which holds the key of `{name}`, is not set");
                return Err(Invalid { path: "upstreams".into(), message, help: None });
            }
        },
    };
    let url = address("upstreams", Some(raw.url))?.unwrap_or_default();
    Ok(NamedUpstream { name, api, url, key, models: raw.models, retries: retries(raw.retries), fallback: raw.fallback })
}

fn modes(path: &'static str, raw: BTreeMap<String, String>) -> Valid<BTreeMap<String, Mode>> {
    raw.into_iter().map(|(name, word)| Ok((name, mode(path, &word)?))).collect()
}

fn mode(path: &'static str, word: &str) -> Valid<Mode> {
    Ok(match word {
        "enforce" => Mode::Enforce,
        "advise" => Mode::Advise,
        "shadow" => Mode::Shadow,
        "off" => Mode::Off,
        other => return Err(choice(path, other, "`enforce`, `advise`, `shadow` or `off`")),
    })
}

/// A limit, or none where it says so.
fn read_limit<T>(text: &str, read: impl FnOnce(&str) -> Valid<T>) -> Valid<Option<T>> {
    if text == UNLIMITED { Ok(None) } else { read(text).map(Some) }
}

/// What one of several words means; none where none is written.
fn chosen<T: Copy>(path: &'static str, word: Option<String>, choices: &[(&str, T)]) -> Valid<Option<T>> {
    let Some(word) = word else { return Ok(None) };
    let found = choices.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    let listed = || choices.iter().map(|(known, _)| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    found.map(Some).ok_or_else(|| choice(path, &word, &listed()))
}

/// One of several words; the first where none is written.
fn one_of(path: &'static str, word: Option<&str>, choices: &'static [&'static str]) -> Valid<&'static str> {
    let first = choices.first().copied().unwrap_or_default();
    let Some(word) = word else { return Ok(first) };
    choices.iter().find(|known| **known == word).copied().ok_or_else(|| {
        let listed: Vec<String> = choices.iter().map(|word| format!("`{word}`")).collect();
        choice(path, word, &listed.join(", "))
    })
}

/// No limit.
const UNLIMITED: &str = "unlimited";
const ROUTES: &[&str] = &["chat", "responses", "messages"];
const SUSPICIOUS: &[(&str, SuspiciousResults)] =
    &[("pass", SuspiciousResults::Pass), ("mark", SuspiciousResults::Mark), ("review", SuspiciousResults::Review)];
const DOUBTFUL: &[(&str, DoubtfulAnswers)] =
    &[("pass", DoubtfulAnswers::Pass), ("mark", DoubtfulAnswers::Mark), ("correct", DoubtfulAnswers::Correct)];
