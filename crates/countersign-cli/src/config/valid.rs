//! The settings as valid types: whoever holds a `Config` need not check anything again.

use super::agents;
use super::alerts::{self, Reviewer};
use super::api_key::ApiKey;
use super::checks::{Invalid, MOMENT, Valid, address, choice, retries, size, span};
use super::gateway::{self, Gateway, Http2, NamedUpstream, UpstreamApi};
use super::oidc::OidcConfig;
use super::raw::{
    RawAccess, RawConfig, RawFactCheck, RawLimits, RawNamedUpstream, RawSessions, RawTelemetry, RawUpstream,
};
use super::search;
use super::secret::Secret;
use super::sources::{self, OpenApi};
use super::tls::TlsFiles;
use countersign::policy::JudgePolicy;
use countersign_runtime::agents::Agents;
use countersign_runtime::alerts::Target;
use countersign_runtime::models::Logprobs;
use countersign_runtime::tools::{McpOptions, McpTransport, SearchOptions};
use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

/// The configuration of the server.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The file that it was read from, where there is one.
    pub file: Option<PathBuf>,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Where everything is kept.
    pub data_dir: DataDir,
    /// The policy file; the built-in policy where there is none.
    pub policy: Option<PathBuf>,
    /// A file of tools for requests that have none.
    pub tools: Option<PathBuf>,
    /// A folder of documents, or its index.
    pub knowledge_base: Option<PathBuf>,
    /// Where other nodes reach this one.
    pub advertise: Option<String>,
    /// The certificate of the listener; plain HTTP where there is none.
    pub tls: Option<TlsFiles>,
    /// The models behind.
    pub upstream: UpstreamConfig,
    /// The drop-in gateway.
    pub gateway: Gateway,
    /// Who may ask, and how often.
    pub access: Access,
    /// Who vouches for people.
    pub oidc: Option<OidcConfig>,
    /// PostgreSQL, the shared record.
    pub postgres_url: Option<Secret>,
    /// Redis, the hot tail and the limits.
    pub redis_url: Option<Secret>,
    /// Where people reach this server, without a slash at its end.
    pub public_url: Option<String>,
    /// Who is told when something is wrong.
    pub alerts: Vec<Target>,
    /// Who is told of what waits for a decision.
    pub reviewers: Vec<Reviewer>,
    /// What links to reviews are signed with; else a key in the data directory.
    pub link_secret: Option<Secret>,
    /// Who takes e-mails, for whoever must hide the password.
    pub smtp: Option<Secret>,
    /// Logs and traces.
    pub telemetry: Telemetry,
    /// MCP servers.
    pub mcp: Vec<McpOptions>,
    /// Which of them are guarded for others, at `/mcp/NAME`.
    pub guarded_mcp: Vec<String>,
    /// HTTP services whose operations are tools.
    pub openapi: Vec<OpenApi>,
    /// Who searches the web.
    pub search: Option<SearchOptions>,
    /// How claims are looked up.
    pub factcheck: FactCheckConfig,
    /// Who answers in sessions.
    pub agents: Agents,
    /// Times and keeping of sessions.
    pub sessions: Sessions,
    /// What is too large or too many.
    pub limits: Limits,
}

/// Where everything is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DataDir {
    /// Nowhere: it ends with the process.
    Memory,
    /// A folder.
    Folder(PathBuf),
}

/// The models behind.
#[derive(Debug, Clone)]
pub(crate) struct UpstreamConfig {
    /// An OpenAI-compatible address with `/v1`, without a slash at its end.
    pub openai: Option<String>,
    /// Its key.
    pub openai_api_key: Option<Secret>,
    /// An Anthropic-compatible address without `/v1`, without a slash at its end.
    pub anthropic: Option<String>,
    /// Its key.
    pub anthropic_api_key: Option<Secret>,
    /// The model of sessions that name none.
    pub model: Option<String>,
    /// How long the headers of an answer may take.
    pub timeout: Duration,
    /// How long an answer may say nothing.
    pub silence: Duration,
    /// Whether HTTP/2 is spoken without asking.
    pub http2: Http2,
    /// Whether hosted turns ask for log-probabilities.
    pub logprobs: Logprobs,
    /// How often a failed request is sent again.
    pub retries: u32,
    /// More upstreams.
    pub named: Vec<NamedUpstream>,
}

/// Who may ask, and how often.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    /// The keys that are written there.
    pub api_keys: Vec<ApiKey>,
    /// What cookies are sealed with.
    pub session_key: Option<Secret>,
    /// Whether a key may decide on its own calls.
    pub own_reviews: OwnReviews,
    /// Requests per second and key.
    pub rate_limit: Option<NonZeroU32>,
    /// Origins whose pages may call, lower case.
    pub allowed_origins: Vec<String>,
    /// Names of this server beside the loopback ones, lower case.
    pub allowed_hosts: Vec<String>,
}

/// Whether a key may decide on its own calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnReviews {
    /// It may not: another key decides.
    Deny,
    /// It may.
    Allow,
}

/// Logs and traces.
#[derive(Debug, Clone)]
pub(crate) struct Telemetry {
    /// The collector's base address.
    pub otlp_endpoint: Option<String>,
    /// How log lines are written; `None` means: as standard error suggests.
    pub log_format: Option<LogFormat>,
    /// A level or a filter.
    pub log_level: String,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// Times and keeping of sessions.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    /// How long running turns may go on after SIGTERM.
    pub shutdown_grace: Duration,
    /// How long a node may be silent until its turns are given up.
    pub lease: Duration,
    /// How often a quiet stream carries a comment.
    pub heartbeat: Duration,
    /// How long a call waits for a person.
    pub review_expiry: Duration,
    /// How long a client may take to run a tool.
    pub tool_patience: Duration,
    /// How long what a reading tool said is taken for the same call of a plan.
    pub evidence_age: Duration,
    /// How long events are kept.
    pub retention_age: Option<Duration>,
    /// How many bytes of events a session keeps.
    pub retention_size: Option<u64>,
}

/// What is too large or too many.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// The largest upload, in bytes.
    pub file_size: u64,
    /// The largest JSON body, in bytes.
    pub body_size: usize,
    /// How many connections may be open.
    pub connections: usize,
}

impl Config {
    /// Checks everything that was written.
    pub(crate) fn of(raw: RawConfig) -> Valid<Self> {
        let smtp = raw.alerts.smtp.clone().map(Secret::new);
        let link_secret = alerts::link_secret(&raw)?;
        let upstream = UpstreamConfig::of(raw.upstream, raw.upstreams)?;
        let factcheck = FactCheckConfig {
            automatic: raw.factcheck.automatic.unwrap_or(true),
            judge: JudgeConfig::of(raw.factcheck, &upstream)?,
        };
        let data_dir = data_dir(raw.data_dir)?;
        let tokens = match &data_dir {
            DataDir::Folder(folder) => Some(folder.join("mcp-tokens")),
            DataDir::Memory => None,
        };
        let told = alerts::of(raw.alerts, raw.reviewers)?;
        Ok(Self {
            file: None,
            listen: listen(raw.listen.as_deref().unwrap_or(DEFAULT_LISTEN))?,
            data_dir,
            policy: raw.policy.map(PathBuf::from),
            tools: raw.tools.map(PathBuf::from),
            knowledge_base: raw.knowledge_base.map(PathBuf::from),
            advertise: address("advertise", raw.advertise)?,
            tls: TlsFiles::of(raw.server)?,
            upstream,
            factcheck,
            gateway: Gateway::of(raw.gateway)?,
            access: Access::of(raw.access)?,
            oidc: OidcConfig::of(raw.oidc)?,
            postgres_url: store_url("stores.postgres_url", raw.stores.postgres_url, &["postgres://", "postgresql://"])?,
            redis_url: store_url("stores.redis_url", raw.stores.redis_url, &["redis://", "rediss://"])?,
            public_url: address("public_url", raw.public_url)?,
            alerts: told.targets,
            reviewers: told.reviewers,
            link_secret,
            smtp,
            telemetry: Telemetry::of(raw.telemetry)?,
            guarded_mcp: sources::guarded_mcp(&raw.mcp)?,
            mcp: sources::mcp(raw.mcp, tokens.as_deref())?,
            openapi: sources::openapi(raw.openapi)?,
            search: search::of(raw.search)?,
            agents: agents::of(raw.agents)?,
            sessions: Sessions::of(&raw.sessions)?,
            limits: Limits::of(&raw.limits)?,
        })
    }
}

impl Config {
    /// What an address of this server begins with.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Words of tools that must not be shown: the values of headers and of variables.
    pub(crate) fn tool_secrets(&self) -> impl Iterator<Item = &String> {
        let mcp = self.mcp.iter().flat_map(|server| match &server.transport {
            McpTransport::Child { env: words, .. } | McpTransport::Http { headers: words, .. } => words.values(),
        });
        let signed_in = self.mcp.iter().filter_map(|server| server.sign_in.as_ref()?.client_secret.as_ref());
        let openapi = self.openapi.iter().flat_map(|service| service.options.headers.values());
        mcp.chain(signed_in).chain(openapi).chain(self.search.iter().flat_map(|search| search.headers.values()))
    }
}

impl UpstreamConfig {
    fn of(raw: RawUpstream, named: BTreeMap<String, RawNamedUpstream>) -> Valid<Self> {
        let http2 = match raw.http2.as_deref() {
            None | Some("auto") => Http2::Auto,
            Some("only") => Http2::Only,
            Some(other) => return Err(choice("upstream.http2", other, "`auto` or `only`")),
        };
        let logprobs = match raw.logprobs.as_deref() {
            None | Some("auto") => Logprobs::Auto,
            Some("on") => Logprobs::On,
            Some("off") => Logprobs::Off,
            Some(other) => return Err(choice("upstream.logprobs", other, "`auto`, `on` or `off`")),
        };
        Ok(Self {
            timeout: span("upstream.timeout", raw.timeout.as_deref().unwrap_or("10m"), MOMENT)?,
            silence: span("upstream.silence", raw.silence.as_deref().unwrap_or("2m"), MOMENT)?,
            http2,
            logprobs,
            retries: retries(raw.retries),
            named: gateway::read_upstreams(named)?,
            openai: address("upstream.openai", raw.openai)?,
            openai_api_key: raw.openai_api_key.map(Secret::new),
            anthropic: address("upstream.anthropic", raw.anthropic)?,
            anthropic_api_key: raw.anthropic_api_key.map(Secret::new),
            model: raw.model,
        })
    }
}

/// How claims are looked up.
#[derive(Debug, Clone)]
pub(crate) struct FactCheckConfig {
    /// Whether that goes by itself.
    pub automatic: bool,
    /// Who judges last.
    pub judge: Option<JudgeConfig>,
}

/// A model that judges claims, asked last.
#[derive(Debug, Clone)]
pub(crate) struct JudgeConfig {
    /// Its address, with `/v1`.
    pub url: String,
    /// Its key.
    pub key: Option<Secret>,
    /// The model.
    pub model: String,
    /// How long it may take.
    pub timeout: Duration,
}

impl JudgeConfig {
    /// The policy's second reader, for claims.
    pub(crate) fn of_policy(judge: &JudgePolicy) -> Self {
        let key = std::env::var(&judge.key_env).ok().filter(|key| !key.is_empty()).map(Secret::new);
        let timeout = Duration::from_millis(judge.deadline_ms);
        Self { url: judge.url.clone(), key, model: judge.model.clone(), timeout }
    }

    fn of(raw: RawFactCheck, upstream: &UpstreamConfig) -> Valid<Option<Self>> {
        let Some(name) = raw.judge else { return Ok(None) };
        let wrong = |path: &'static str, message: String, help: &str| Invalid {
            path: path.into(),
            message,
            help: Some(help.to_owned()),
        };
        let named = upstream.named.iter().find(|one| one.name == name && one.api == UpstreamApi::OpenAi);
        let (url, key) = match (named, name.as_str(), &upstream.openai) {
            (Some(named), _, _) => (named.url.clone(), named.key.clone()),
            (None, "openai", Some(url)) => (url.clone(), upstream.openai_api_key.clone()),
            _ => {
                let message = format!("there is no upstream `{name}` that speaks OpenAI's dialect");
                let help = "name one of `[upstreams]` with `api = \"openai\"`, or `openai` for `upstream.openai`";
                return Err(wrong("factcheck.judge", message, help));
            }
        };
        let Some(model) = raw.judge_model.or_else(|| upstream.model.clone()) else {
            let message = "the judge has no model".to_owned();
            return Err(wrong("factcheck.judge_model", message, "set it, or `upstream.model`"));
        };
        let timeout = span("factcheck.judge_timeout", raw.judge_timeout.as_deref().unwrap_or("20s"), MOMENT)?;
        Ok(Some(Self { url, key, model, timeout }))
    }
}

impl Access {
    fn of(raw: RawAccess) -> Valid<Self> {
        let lower = |words: Option<Vec<String>>| -> Vec<String> {
            words.unwrap_or_default().iter().map(|word| word.trim_end_matches('/').to_ascii_lowercase()).collect()
        };
        let own_reviews = match raw.own_reviews.as_deref() {
            None | Some("deny") => OwnReviews::Deny,
            Some("allow") => OwnReviews::Allow,
            Some(other) => return Err(choice("access.own_reviews", other, "`deny` or `allow`")),
        };
        let rate_limit = raw.rate_limit.map(|limit| {
            u32::try_from(limit).ok().and_then(NonZeroU32::new).ok_or_else(|| Invalid {
                path: "access.rate_limit".into(),
                message: format!("{limit} must be from 1 to {}", u32::MAX),
                help: Some("leave it out for no limit".to_owned()),
            })
        });
        Ok(Self {
            api_keys: raw.api_keys.unwrap_or_default().iter().map(|key| ApiKey::read(key)).collect::<Valid<_>>()?,
            session_key: raw.session_key.map(session_key).transpose()?,
            own_reviews,
            rate_limit: rate_limit.transpose()?,
            allowed_origins: lower(raw.allowed_origins),
            allowed_hosts: lower(raw.allowed_hosts),
        })
    }
}

impl Telemetry {
    fn of(raw: RawTelemetry) -> Valid<Self> {
        let path = "telemetry.log_format";
        let log_format = match raw.log_format.as_deref() {
            None => None,
            Some("human") => Some(LogFormat::Human),
            Some("json") => Some(LogFormat::Json),
            Some(other) => return Err(choice(path, other, "`human` or `json`")),
        };
        Ok(Self {
            otlp_endpoint: address("telemetry.otlp_endpoint", raw.otlp_endpoint)?,
            log_format,
            log_level: raw.log_level.unwrap_or_else(|| "info".to_owned()),
        })
    }
}

impl Sessions {
    fn of(raw: &RawSessions) -> Valid<Self> {
        let heartbeat = span("sessions.heartbeat", raw.heartbeat.as_deref().unwrap_or("10s"), MOMENT)?;
        if heartbeat > LONGEST_HEARTBEAT {
            let message = "a stream must carry a sign of life at least every 15s".to_owned();
            return Err(Invalid { path: "sessions.heartbeat".into(), message, help: None });
        }
        let age = raw.retention_age.as_deref().map(|text| span("sessions.retention_age", text, MOMENT));
        let size = raw.retention_size.as_deref().map(|text| size("sessions.retention_size", text));
        Ok(Self {
            shutdown_grace: span("sessions.shutdown_grace", raw.shutdown_grace.as_deref().unwrap_or("10s"), NO_TIME)?,
            lease: span("sessions.lease", raw.lease.as_deref().unwrap_or("5s"), MOMENT)?,
            heartbeat,
            review_expiry: span("sessions.review_expiry", raw.review_expiry.as_deref().unwrap_or("15m"), MOMENT)?,
            tool_patience: span("sessions.tool_patience", raw.tool_patience.as_deref().unwrap_or("15m"), MOMENT)?,
            evidence_age: span("sessions.evidence_age", raw.evidence_age.as_deref().unwrap_or("10m"), NO_TIME)?,
            retention_age: age.transpose()?,
            retention_size: size.transpose()?,
        })
    }
}

impl Limits {
    fn of(raw: &RawLimits) -> Valid<Self> {
        let body_size = size("limits.body_size", raw.body_size.as_deref().unwrap_or("20MiB"))?;
        let connections = raw.connections.unwrap_or(20_000).clamp(1, 1_000_000);
        Ok(Self {
            file_size: size("limits.file_size", raw.file_size.as_deref().unwrap_or("10MiB"))?,
            body_size: usize::try_from(body_size).unwrap_or(usize::MAX),
            connections: usize::try_from(connections).unwrap_or(usize::MAX),
        })
    }
}

fn listen(text: &str) -> Valid<SocketAddr> {
    let wrong = |message: String| Invalid {
        path: "listen".into(),
        message,
        help: Some("write it as HOST:PORT, such as 127.0.0.1:7420 or [::1]:7420".to_owned()),
    };
    let found = text.to_socket_addrs().map_err(|error| wrong(format!("`{text}` is no address: {error}")))?;
    found.into_iter().next().ok_or_else(|| wrong(format!("`{text}` is no address")))
}

fn data_dir(text: Option<String>) -> Valid<DataDir> {
    match text {
        Some(text) if text == ":memory:" => Ok(DataDir::Memory),
        Some(text) => Ok(DataDir::Folder(PathBuf::from(text))),
        None => home().map(DataDir::Folder).ok_or_else(|| Invalid {
            path: "data_dir".into(),
            message: "there is no home directory to keep data in".to_owned(),
            help: Some("set --data-dir DIR or COUNTERSIGN_DATA_DIR".to_owned()),
        }),
    }
}

/// Where data of a user lies on this platform.
fn home() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        variable("HOME")?.join("Library/Application Support")
    } else {
        variable("XDG_DATA_HOME").or_else(|| Some(variable("HOME")?.join(".local/share")))?
    };
    Some(base.join("countersign"))
}

fn store_url(path: &'static str, text: Option<String>, schemes: &[&str]) -> Valid<Option<Secret>> {
    let Some(text) = text else { return Ok(None) };
    if schemes.iter().any(|scheme| text.starts_with(scheme)) {
        return Ok(Some(Secret::new(text)));
    }
    Err(Invalid { path: path.into(), message: format!("it must begin with {}", schemes.join(" or ")), help: None })
}

fn session_key(text: String) -> Valid<Secret> {
    if text.len() >= SESSION_KEY {
        return Ok(Secret::new(text));
    }
    let (message, help) =
        (format!("it must have {SESSION_KEY} characters or more"), "`openssl rand -hex 32` makes one");
    Err(Invalid { path: "access.session_key".into(), message, help: Some(help.to_owned()) })
}

const DEFAULT_LISTEN: &str = "127.0.0.1:7420";
const SESSION_KEY: usize = 32;
const NO_TIME: Duration = Duration::ZERO;
const LONGEST_HEARTBEAT: Duration = Duration::from_secs(15);
