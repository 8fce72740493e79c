//! The server: the engine and the sessions over HTTP, with keys, limits, health and an orderly end.
//!
//! `router` puts the routes together; `middleware` is what each request goes through; `error` is the only place where
//! errors become HTTP. Nothing here judges: routes hand bodies to the engine and to the runtime.

/// Errors become HTTP, here only.
pub(crate) mod error;
/// A name for each request.
mod request_id;
/// Until when a certificate holds.
pub(crate) mod certificate;
/// TLS on the listener.
pub(crate) mod tls;
/// The end of the server.
pub(crate) mod shutdown;
/// Tools of services whose document is elsewhere.
mod fetched;
/// The tools of agents.
pub(crate) mod tool_setup;
/// Keys that are kept in the data directory.
mod seal;
/// How each layer is.
pub(crate) mod health;
/// The stores, opened.
pub(crate) mod stores;
/// The engine, following its policy.
pub(crate) mod policy_reload;
/// The versions of the policy.
mod policy_versions;
/// API keys.
pub(crate) mod keys;
/// What browsers keep for us.
mod sealed;
/// Signing in by an identity provider.
mod oidc;
/// How often somebody may ask.
mod limits;
/// Logs and traces.
mod telemetry;
/// Everything that sessions work with.
pub(crate) mod session_services;
/// The models behind the drop-in routes.
mod upstreams;
/// Reviewers that watch the queue.
mod watchers;
/// The drop-in gateway, opened.
mod gateway_setup;
/// The guards in front of MCP servers, opened.
mod mcp_setup;
/// What happened in sessions, counted once.
mod tallies;
/// What the audit's records say, read once.
mod record_facts;
/// What every route can reach.
pub(crate) mod state;
/// Links that decide, and who is told of what waits.
mod review_links;
/// Bodies, queries and paths, read into types.
pub(crate) mod body;
/// What a path means.
mod paths;
/// Whose web page a request may come from.
mod origin;
/// The console's cookie.
mod cookie;
/// Who asks, and may they.
mod auth;
/// What every request goes through.
pub(crate) mod middleware;
/// The engine's routes.
mod engine_routes;
/// The hooks of coding agents.
mod hook_routes;
/// The routes about the server itself.
mod service_routes;
/// The console.
mod console;
/// The routes of hosted sessions.
pub(crate) mod native;
/// The drop-in routes.
mod proxy_routes;
/// MCP servers behind one address.
mod mcp_routes;
/// The description of all routes.
mod openapi;
/// Tables, built before they are needed.
mod tables;
/// The routes, put together.
mod router;
/// Deadlines for the heads of requests.
mod head_deadline;
/// Who else listens here.
pub(crate) mod neighbour;
/// What the server says of itself.
mod banner;
/// Connections.
mod listener;
/// What is looked after beside the requests.
mod watch;

use crate::config::{ApiKey, Config, DataDir};
use crate::failure::{Failure, tell};
use countersign_runtime::alerts::{AlertOptions, Alerts, Target};
use countersign_runtime::http;
use countersign_runtime::metrics::Metrics;
use countersign_runtime::redact::Redactor;
use countersign_runtime::review_alerts::LinkKey;
use countersign_runtime::store::{Kind, Query};
use futures_util::FutureExt;
use gateway_setup::GatewaySetup;
use health::{Health, Queues};
use keys::{FileKeys, KeyRing, KeySource, RecordKeys, Remembered, configured_keys};
use limits::Limits;
use listener::Listener;
use oidc::Oidc;
use policy_reload::PolicyReload;
use record_facts::RecordFacts;
use request_id::RequestIds;
use sealed::Sealer;
use serde_json::Value;
use session_services::SessionServices;
use shutdown::{Shutdown, Signals, wait_for_signal};
use state::{App, Heavy};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stores::Stores;
use tables::Tables;
use tallies::Tallies;
use telemetry::Telemetry;
use tls::Tls;
use tokio::net::TcpListener;

/// Runs the server until it is told to end.
pub(crate) fn run(config: Config) -> Result<u8, Failure> {
    listener::raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .max_blocking_threads(MAX_BLOCKING)
        .build()
        .map_err(|error| Failure::Internal(format!("cannot start the threads: {error}")))?;
    let code = runtime.block_on(serve(config));
    // What still runs on a thread of its own is not waited for: it has no reader any more.
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

async fn serve(config: Config) -> Result<u8, Failure> {
    // The one crypto library of the process; a second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let telemetry = Telemetry::start(&config, redactor(&config))?;
    if !http::has_certificates() {
        tracing::warn!("{}; {}", http::NO_CERTIFICATES, http::ADD_CERTIFICATES);
    }
    let ended = serve_until_told(config, &telemetry).await;
    telemetry.finish().await;
    ended
}

async fn serve_until_told(config: Config, telemetry: &Telemetry) -> Result<u8, Failure> {
    let running = Running::open(config, telemetry.traces(), Tables::start()).await?;
    // Whoever has read that we listen may end us.
    let signals = Signals::new().map_err(|error| Failure::Internal(format!("cannot wait for signals: {error}")))?;
    let app = &running.app;
    banner::lines(app, running.address).iter().for_each(|line| tell(line));
    wait_for_signal(&app.shutdown, signals).await;
    let grace = app.config.sessions.shutdown_grace;
    tracing::info!(?grace, "ending: no new connections, running turns get their grace time");
    running.end(grace).await;
    Ok(0)
}

/// A server that answers, in this process.
pub(crate) struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    app: Arc<App>,
    listener: Arc<Listener>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Running {
    /// Starts a server that says nothing about itself, for the commands that need one.
    pub(crate) async fn start(config: Config) -> Result<Self, Failure> {
        // The one crypto library of the process; a second call changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self::open(config, false, None).await
    }

    async fn open(config: Config, traced: bool, tables: Option<Tables>) -> Result<Self, Failure> {
        // The address is ours before anything is opened; connections wait in its queue until we are ready.
        let socket = bind(&config).await?;
        let address = socket.local_addr().map_err(|error| Failure::Internal(error.to_string()))?;
        let app = build(config, address, traced).await?;
        refuse_open_door(&app)?;
        let listener = Arc::new(Listener::new(router::router(Arc::clone(&app)), Arc::clone(&app)));
        tokio::spawn(watch::follow_policy(Arc::clone(&app)));
        tokio::spawn(watch::follow_keys(Arc::clone(&app)));
        tokio::spawn(watch::follow_certificate(Arc::clone(&app)));
        watch::look_after_health(&app);
        review_links::tell_reviewers(&app, &redactor(&app.config));
        if let Some(tables) = tables {
            tables.wait().await;
        }
        app.ready.store(true, Ordering::Release);
        tokio::spawn(native::read_audit(Arc::clone(&app)));
        let accepting = tokio::spawn({
            let listener = Arc::clone(&listener);
            async move { listener.run(socket).await }
        });
        Ok(Self { address, app, listener, accepting })
    }

    /// The notes in the audit beside the verdicts, the oldest first.
    pub(crate) async fn audit(&self) -> Result<Vec<Value>, Failure> {
        self.app.gateway_setup.gateway.ledger.flush().await;
        let found = self.app.stores.records.list(Kind::Audit, Query::default()).await;
        let found = found.map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(found.into_iter().map(|record| record.body).collect())
    }

    /// Ends it: what runs gets its grace time, and what was decided is written.
    pub(crate) async fn end(self, grace: Duration) {
        self.app.shutdown.run(grace).await;
        self.listener.drain(LAST_WORDS).await;
        self.accepting.abort();
        self.app.stores.close().await;
    }
}

/// Opens everything that the routes need.
async fn build(config: Config, address: SocketAddr, traced: bool) -> Result<Arc<App>, Failure> {
    let tls = config.tls.as_ref().map(Tls::open).transpose()?;
    let metrics = Arc::new(Metrics::default());
    let alerts = Alerts::start(config.alerts.clone(), AlertOptions::default(), redactor(&config));
    let stores = Stores::open(&config).await?;
    let kept = policy_versions::newest(stores.records.as_ref()).await;
    let kept = kept.map_err(|error| Failure::unusable(error.to_string()))?;
    let policy = Arc::new(PolicyReload::open_with(&config, kept)?);
    let keys = open_keys(&config, &stores).await?;
    let sealer = open_sealer(&config)?;
    let oidc = open_oidc(&config, address)?;
    if oidc.is_some() {
        keys.lock();
    }
    let limits = Limits::new(config.access.rate_limit, stores.limiter.clone(), alerts.clone(), Arc::clone(&metrics));
    let services =
        SessionServices::open(&config, address, &stores, Arc::clone(&policy), Arc::clone(&metrics), alerts.clone())
            .await?;
    let reviews = services.reviews.clone();
    let gateway_setup = GatewaySetup::open(&config, &stores, Arc::clone(&policy), reviews, Arc::clone(&metrics))?;
    let mcp_guards = mcp_setup::open(&config, &policy, &gateway_setup.gateway)?;
    let app = Arc::new(App {
        link_key: open_link_key(&config)?,
        config,
        mcp_guards,
        gateway_setup,
        stores,
        policy,
        services,
        keys,
        limits,
        metrics,
        health: Health::new(alerts.clone()),
        queues: Queues::default(),
        traced,
        alerts,
        shutdown: Shutdown::default(),
        ready: AtomicBool::new(false),
        request_ids: RequestIds::new(),
        heavy: Heavy::new(MAX_HEAVY),
        tallies: Tallies::default(),
        record_facts: RecordFacts::default(),
        tls,
        sealer,
        oidc,
    });
    prepare_end(&app);
    Ok(app)
}

/// What is done at the end: running turns get their grace time, and what was decided is written.
fn prepare_end(app: &Arc<App>) {
    let turns = Arc::clone(&app.services.turns);
    let (hub, claims) = (Arc::clone(&app.services.hub), Arc::clone(&app.services.claims));
    let turns_end = move |grace| {
        async move {
            turns.shut_down(grace).await;
            claims.shut_down(grace.min(LAST_CHECKS)).await;
            // Who follows a session sees the end of its turn before the end of the stream.
            hub.close();
        }
        .boxed()
    };
    app.shutdown.at_the_end(turns_end);
    // The app holds what is done at its end, so it must not be held in turn.
    let last = Arc::downgrade(app);
    let last = move |grace| {
        let app = last.upgrade();
        async move {
            if let Some(app) = app {
                app.gateway_setup.shut_down(grace).await;
            }
        }
        .boxed()
    };
    app.shutdown.at_the_end(last);
}

/// What links to reviews are signed with, where messages hold some.
fn open_link_key(config: &Config) -> Result<Option<LinkKey>, Failure> {
    if config.public_url.is_none() || config.reviewers.is_empty() {
        return Ok(None);
    }
    let key = match &config.link_secret {
        Some(secret) => LinkKey::new(secret.expose().as_bytes()),
        None => LinkKey::new(&seal::link_key(&config.data_dir)?),
    };
    Ok(key)
}

/// Hides the secrets of the configuration, whatever shape they have.
fn redactor(config: &Config) -> Redactor {
    let upstream = &config.upstream;
    let own = [&config.access.session_key, &config.postgres_url, &config.redis_url, &config.smtp, &config.link_secret];
    let client = config.oidc.as_ref().and_then(|oidc| oidc.client_secret.as_ref());
    let secrets =
        [&upstream.openai_api_key, &upstream.anthropic_api_key].into_iter().chain(own).flatten().chain(client);
    let secrets = secrets.chain(config.access.api_keys.iter().map(|key| &key.secret));
    let targets = config.alerts.iter().chain(config.reviewers.iter().map(|reviewer| &reviewer.channel.target));
    let urls = targets.filter_map(Target::secret).map(str::to_owned);
    let tools = config.tool_secrets().cloned();
    Redactor::new(secrets.map(|secret| secret.expose().to_owned()).chain(urls).chain(tools))
}

async fn open_keys(config: &Config, stores: &Stores) -> Result<KeyRing, Failure> {
    let remembered = match &config.data_dir {
        DataDir::Folder(folder) => Remembered::in_folder(folder),
        DataDir::Memory => Remembered::nowhere(),
    };
    let source: Option<Arc<dyn KeySource>> = match (&config.postgres_url, &config.data_dir) {
        (Some(_), _) => Some(Arc::new(RecordKeys::new(Arc::clone(&stores.records)))),
        (None, DataDir::Folder(folder)) => Some(Arc::new(FileKeys::in_folder(folder))),
        (None, DataDir::Memory) => None,
    };
    let ring = KeyRing::open(configured_keys(config), source, KEYS_KEPT, remembered).await;
    ring.map_err(Failure::unusable)
}

/// What seals the cookies of people: a key that nodes share, or one of this node.
fn open_sealer(config: &Config) -> Result<Sealer, Failure> {
    if let Some(key) = &config.access.session_key {
        return Sealer::new(key.expose().as_bytes());
    }
    if config.postgres_url.is_some() {
        tracing::warn!(
            "access.session_key is not set: who signs in to the console here is not signed in on other nodes"
        );
    }
    Sealer::new(&seal::seal_key(&config.data_dir)?)
}

/// The sign-in by an identity provider, which sends browsers back to the address that they know us under.
fn open_oidc(config: &Config, address: SocketAddr) -> Result<Option<Oidc>, Failure> {
    let Some(settings) = config.oidc.clone() else { return Ok(None) };
    let own = settings
        .address
        .clone()
        .or_else(|| config.advertise.clone())
        .unwrap_or_else(|| format!("{}://{address}", config.scheme()));
    Oidc::new(settings, &own).map(Some).map_err(Failure::Internal)
}

/// Nobody opens a server to a network without keys, or with one that can be guessed, by mistake.
fn refuse_open_door(app: &App) -> Result<(), Failure> {
    let ip = app.config.listen.ip();
    if ip.is_loopback() {
        return Ok(());
    }
    if let Some(why) = app.config.access.api_keys.iter().find_map(ApiKey::weakness) {
        return Err(Failure::with_help(
            format!("refusing to listen on {ip} with a weak API key: a key of access.api_keys {why}"),
            "make one with `countersign keys create`, or listen on 127.0.0.1",
        ));
    }
    if app.keys.is_locked() {
        return Ok(());
    }
    Err(Failure::with_help(
        format!("refusing to listen on {ip} without API keys: everybody who can reach it could use it"),
        "make a key with `countersign keys create`, set COUNTERSIGN_API_KEYS, or listen on 127.0.0.1",
    ))
}

async fn bind(config: &Config) -> Result<TcpListener, Failure> {
    let address = config.listen;
    let error = match TcpListener::bind(address).await {
        Ok(socket) => return Ok(socket),
        Err(error) => error,
    };
    let help = match error.kind() {
        ErrorKind::AddrInUse if neighbour::is_countersign(address).await => {
            let message = format!("a countersign server is already running on {}://{address}", config.scheme());
            return Err(Failure::with_help(message, ALREADY_RUNNING));
        }
        ErrorKind::AddrInUse => "another program uses this port; choose a free one with --listen 127.0.0.1:PORT",
        ErrorKind::PermissionDenied => "ports below 1024 need rights; choose another with --listen",
        _ => "choose another address with --listen",
    };
    Err(Failure::with_help(format!("cannot listen on {address}: {error}"), help))
}

const ALREADY_RUNNING: &str = "use that one, or end it (Ctrl-C where it runs); a second one needs a port and a data folder of its own: \
`countersign serve --listen 127.0.0.1:7421 --data-dir DIR`, or `make run ARGS='…'` with the same flags";
/// As much as the command line gives each of its threads.
const STACK: usize = 8 * 1024 * 1024;
const MAX_BLOCKING: usize = 128;
/// How much heavy work is done at once.
const MAX_HEAVY: usize = 64;
/// How long keys are believed while their source is unavailable.
const KEYS_KEPT: Duration = Duration::from_secs(300);
/// How long looks at claims may go on after all turns have ended.
const LAST_CHECKS: Duration = Duration::from_secs(1);
/// How long connections may take to send what they have after all turns have ended.
const LAST_WORDS: Duration = Duration::from_secs(3);
