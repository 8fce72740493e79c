//! What may be written in a configuration file. Unknown keys are refused, with the nearest known one named.

use super::raw_agents::{RawAgent, RawMcp, RawOpenApi, RawSearch};
use countersign::policy::PolicyError;
use countersign::policy::pattern::nearest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawConfig {
    /// The address to listen on.
    pub listen: Option<String>,
    /// Where everything is kept; `:memory:` for nowhere.
    pub data_dir: Option<String>,
    /// The policy, a TOML file.
    pub policy: Option<String>,
    /// A file of tools.
    pub tools: Option<String>,
    /// A folder of documents, or its index.
    pub knowledge_base: Option<String>,
    /// Where other nodes reach this one.
    pub advertise: Option<String>,
    /// Where people reach this server, for links in messages.
    pub public_url: Option<String>,
    /// The listener.
    #[serde(default)]
    pub server: RawServer,
    /// The models behind.
    #[serde(default)]
    pub upstream: RawUpstream,
    /// More of them, by name.
    #[serde(default)]
    pub upstreams: BTreeMap<String, RawNamedUpstream>,
    /// The drop-in gateway.
    #[serde(default)]
    pub gateway: RawGateway,
    /// Who may ask, and how often.
    #[serde(default)]
    pub access: RawAccess,
    /// Who vouches for people.
    #[serde(default)]
    pub oidc: RawOidc,
    /// Shared stores.
    #[serde(default)]
    pub stores: RawStores,
    /// Who is told when something is wrong.
    #[serde(default)]
    pub alerts: RawAlerts,
    /// Who is told of what waits for a decision, by name.
    #[serde(default)]
    pub reviewers: BTreeMap<String, RawReviewer>,
    /// Logs and traces.
    #[serde(default)]
    pub telemetry: RawTelemetry,
    /// MCP servers, by name.
    #[serde(default)]
    pub mcp: BTreeMap<String, RawMcp>,
    /// HTTP services whose operations are tools, by name.
    #[serde(default)]
    pub openapi: BTreeMap<String, RawOpenApi>,
    /// Who searches the web.
    #[serde(default)]
    pub search: RawSearch,
    /// How claims are looked up.
    #[serde(default)]
    pub factcheck: RawFactCheck,
    /// Who answers in sessions, by name.
    #[serde(default)]
    pub agents: BTreeMap<String, RawAgent>,
    /// Times and keeping of sessions.
    #[serde(default)]
    pub sessions: RawSessions,
    /// What is too large or too many.
    #[serde(default)]
    pub limits: RawLimits,
}

/// `[server]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawServer {
    /// The certificate and those that it hangs on, a PEM file.
    pub tls_certificate: Option<String>,
    /// Its key, a PEM file.
    pub tls_key: Option<String>,
}

/// `[factcheck]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFactCheck {
    /// Whether claims are looked up by themselves: on relayed and delegated messages and after hosted answers.
    pub automatic: Option<bool>,
    /// The upstream whose model is asked last: a name under `[upstreams]`, or `openai`.
    pub judge: Option<String>,
    /// Its model.
    pub judge_model: Option<String>,
    /// How long it may take for one claim.
    pub judge_timeout: Option<String>,
}

/// `[upstream]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawUpstream {
    /// An OpenAI-compatible address, with `/v1`.
    pub openai: Option<String>,
    /// Its key.
    pub openai_api_key: Option<String>,
    /// An Anthropic-compatible address, without `/v1`.
    pub anthropic: Option<String>,
    /// Its key.
    pub anthropic_api_key: Option<String>,
    /// The model of sessions that name none.
    pub model: Option<String>,
    /// How long the headers of an answer may take.
    pub timeout: Option<String>,
    /// How long an answer may say nothing.
    pub silence: Option<String>,
    /// `auto` or `only`.
    pub http2: Option<String>,
    /// `auto`, `on` or `off`.
    pub logprobs: Option<String>,
    /// How often a failed request is sent again.
    pub retries: Option<u64>,
}

/// `[upstreams.NAME]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNamedUpstream {
    /// `openai` or `anthropic`.
    pub api: String,
    /// The address: with `/v1` for `openai`, without for `anthropic`.
    pub url: String,
    /// The variable that holds its key.
    pub api_key_env: Option<String>,
    /// The models that go here; `*` stands for anything.
    #[serde(default)]
    pub models: Vec<String>,
    /// How often a failed request is sent again.
    pub retries: Option<u64>,
    /// The upstream that is asked when this one fails.
    pub fallback: Option<String>,
}

/// `[gateway]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGateway {
    /// `enforce`, `advise`, `shadow` or `off`.
    pub mode: Option<String>,
    /// The same for one route: `chat`, `responses`, `messages`.
    #[serde(default)]
    pub routes: BTreeMap<String, String>,
    /// The same for one key, by its id.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    /// The same for one tool.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// How often the model is asked to correct a call.
    pub corrections: Option<u64>,
    /// How long corrections may take.
    pub correction_time: Option<String>,
    /// How many tokens an answer and its corrections may cost.
    pub correction_tokens: Option<u64>,
    /// `refuse` or `review`.
    pub after_corrections: Option<String>,
    /// `connected`, `always` or `never`.
    pub hold_for_review: Option<String>,
    /// How long a client is held.
    pub review_hold: Option<String>,
    /// `asked` or `always`.
    pub claims: Option<String>,
    /// `pass`, `mark` or `review`.
    pub suspicious_results: Option<String>,
    /// `pass`, `mark` or `correct`.
    pub doubtful_answers: Option<String>,
    /// `refuse` or `pass`.
    pub compressed_answers: Option<String>,
    /// `refuse` or `pass`.
    pub unknown_items: Option<String>,
    /// `refuse` or `pass`.
    pub other_routes: Option<String>,
    /// `required` or `best_effort`.
    pub audit: Option<String>,
    /// How long verdicts are kept.
    pub audit_age: Option<String>,
    /// How many bytes of verdicts are kept.
    pub audit_size: Option<String>,
    /// `keep` or `off`.
    pub conversations: Option<String>,
    /// The seed of the demo model.
    pub demo_seed: Option<u64>,
}

/// `[access]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAccess {
    /// Keys: a plain one, or `NAME:SCOPE+SCOPE=SECRET`.
    pub api_keys: Option<Vec<String>>,
    /// What the cookies of people are sealed with.
    pub session_key: Option<String>,
    /// `deny` or `allow`.
    pub own_reviews: Option<String>,
    /// Requests per second and key.
    pub rate_limit: Option<u64>,
    /// Origins whose pages may call.
    pub allowed_origins: Option<Vec<String>>,
    /// Names under which a server without keys may be addressed.
    pub allowed_hosts: Option<Vec<String>>,
}

/// `[oidc]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawOidc {
    /// The provider's address.
    pub issuer: Option<String>,
    /// Our name there.
    pub client_id: Option<String>,
    /// Our secret there.
    pub client_secret: Option<String>,
    /// Where browsers reach this server.
    pub address: Option<String>,
    /// What is asked for.
    pub scopes: Option<Vec<String>>,
    /// The claim that grants.
    pub claim: Option<String>,
    /// What its values grant.
    #[serde(default)]
    pub grants: BTreeMap<String, Vec<String>>,
    /// How long somebody stays signed in.
    pub session_age: Option<String>,
}

/// `[stores]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawStores {
    /// PostgreSQL.
    pub postgres_url: Option<String>,
    /// Redis.
    pub redis_url: Option<String>,
}

/// `[alerts]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAlerts {
    /// One place.
    pub webhook: Option<String>,
    /// Its form: `feishu`, `slack` or `webhook`.
    pub kind: Option<String>,
    /// More places.
    #[serde(default)]
    pub targets: Vec<RawTarget>,
    /// Who takes e-mails: `smtps://NAME:PASSWORD@HOST` or `smtp://…`.
    pub smtp: Option<String>,
    /// Who e-mails are from.
    pub mail_from: Option<String>,
    /// What links to reviews are signed with, where several nodes must know it.
    pub link_secret: Option<String>,
}

/// `[reviewers.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawReviewer {
    /// An address that takes messages.
    pub webhook: Option<String>,
    /// The variable that holds it.
    pub webhook_env: Option<String>,
    /// Its form: `feishu`, `slack` or `webhook`.
    pub kind: Option<String>,
    /// Addresses for e-mail.
    #[serde(default)]
    pub email: Vec<String>,
    /// Which tools; `*` stands for anything.
    #[serde(default)]
    pub tools: Vec<String>,
    /// How long is waited for more.
    pub batch: Option<String>,
    /// Told only when so little time is left.
    pub before_expiry: Option<String>,
    /// When not to disturb: `22:00-07:00`.
    pub quiet_hours: Option<String>,
    /// Where those hours hold.
    pub time_zone: Option<String>,
    /// Tools that disturb all the same.
    #[serde(default)]
    pub urgent: Vec<String>,
    /// `call` or `tool`.
    pub show: Option<String>,
    /// The key that links act with.
    pub key: Option<String>,
    /// Whether messages hold links that decide.
    pub links: Option<bool>,
}

/// `[[alerts.targets]]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTarget {
    /// `feishu`, `slack` or `webhook`; told from the address when absent.
    pub kind: Option<String>,
    /// Where to; `mailto:ann@example.com` for e-mail.
    pub url: String,
}

/// `[telemetry]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTelemetry {
    /// An OpenTelemetry collector.
    pub otlp_endpoint: Option<String>,
    /// `human` or `json`.
    pub log_format: Option<String>,
    /// A level or a filter.
    pub log_level: Option<String>,
}

/// `[sessions]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSessions {
    /// How long running turns may go on after SIGTERM.
    pub shutdown_grace: Option<String>,
    /// How long a node may be silent.
    pub lease: Option<String>,
    /// How often a quiet stream carries a comment.
    pub heartbeat: Option<String>,
    /// How long a call waits for a person.
    pub review_expiry: Option<String>,
    /// How long a client may take to run a tool.
    pub tool_patience: Option<String>,
    /// How long evidence is kept.
    pub evidence_age: Option<String>,
    /// How long events are kept.
    pub retention_age: Option<String>,
    /// How many bytes of events are kept.
    pub retention_size: Option<String>,
}

/// `[limits]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLimits {
    /// The largest upload.
    pub file_size: Option<String>,
    /// The largest JSON body.
    pub body_size: Option<String>,
    /// How many connections may be open.
    pub connections: Option<u64>,
}

/// Reads a file. The error points at its place, and a misspelt key names the one that was meant.
pub(crate) fn parse(text: &str) -> Result<RawConfig, PolicyError> {
    toml::from_str(text).map_err(|error| explain(&error, text))
}

fn explain(error: &toml::de::Error, text: &str) -> PolicyError {
    let message = error.message().to_owned();
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
    let help = unknown.and_then(|(key, rest)| {
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        if POLICY_KEYS.contains(&key) {
            return Some(format!("`{key}` belongs into {POLICY_FILE}"));
        }
        nearest(key, &known).map(|near| format!("did you mean `{near}`?"))
    });
    let inside = message.starts_with("invalid type: map") && text.contains("[policy");
    let help = help.or_else(|| inside.then(|| format!("a policy belongs in {POLICY_FILE}")));
    PolicyError { message, help, span: error.span() }
}

/// Keys of a policy that people look for here.
const POLICY_KEYS: &[&str] =
    &["preset", "level", "checks", "rules", "known", "allow", "repeat", "facts", "results", "score", "claims"];
const POLICY_FILE: &str = "a policy file of its own, which this file names: policy = \"policy.toml\"";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_refused_with_its_place_and_a_suggestion() {
        let text = "listen = \"127.0.0.1:1\"\n[acces]\nrate_limit = 3\n";
        let error = parse(text).unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `access`?"));
        assert_eq!(text.get(error.span.unwrap()), Some("acces"));
        let error = parse("[access]\nrate_limt = 3\n").unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `rate_limit`?"));
    }
}
