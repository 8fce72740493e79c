//! `countersign doctor`: what is wrong around the server, and how to mend it.
//!
//! It looks and touches nothing but a small file in the data directory, which it takes away again. Each check is one
//! function that says what it saw.

/// What one check saw.
mod check;
/// The tools of agents.
mod tools;

use super::{format, print};
use crate::args::{DoctorArgs, Format};
use crate::config::{self, ApiKey, Config, DataDir, TlsFiles};
use crate::engine::load_tools;
use crate::failure::Failure;
use crate::human::canvas::{Canvas, Paint};
use crate::serve::health::{Status, look_at_disk, reach};
use crate::serve::keys::{FileKeys, KeyRing, KeySource, Remembered, configured_keys};
use crate::serve::neighbour;
use crate::serve::policy_reload::PolicyReload;
use crate::serve::tls;
use check::{Check, Verdict};
use countersign_runtime::http;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// Looks at everything.
pub(crate) fn run(args: DoctorArgs) -> Result<u8, Failure> {
    let config = config::load(&args.config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(error.to_string()))?;
    // The one crypto library of the process; a second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let seen = runtime.block_on(look(&config));
    // Servers that were started here end with the threads.
    runtime.shutdown_timeout(DEADLINE);
    let well = seen.iter().all(|check| check.status != Verdict::Wrong);
    print(&render(&args, &seen)?)?;
    Ok(u8::from(!well))
}

async fn look(config: &Config) -> Vec<Check> {
    let mut seen = vec![Check::ok("config", "every setting can be used")];
    seen.push(data_dir(&config.data_dir));
    seen.push(port(config.listen).await);
    seen.extend(config.tls.as_ref().map(certificate));
    seen.push(policy(config));
    seen.extend(config.tools.as_deref().map(|path| match load_tools(path) {
        Ok(tools) => Check::ok("tools", format!("{} tools in {}", tools.len(), path.display())),
        Err(failure) => Check::wrong("tools", failure.sentence(), "correct the file, or leave out `tools`"),
    }));
    seen.extend(config.knowledge_base.as_deref().map(|path| {
        if path.is_dir() {
            return Check::ok("knowledge base", path.display().to_string());
        }
        let message = format!("{} is no folder", path.display());
        Check::wrong("knowledge base", message, "name the folder of your documents, or its index")
    }));
    seen.extend(certificates());
    seen.extend(upstreams(config).await);
    if let Some(url) = &config.redis_url {
        seen.push(redis(url.expose()).await);
    }
    if let Some(url) = &config.postgres_url {
        let mend = "start PostgreSQL, or correct stores.postgres_url";
        seen.push(check_reachable("postgres", with_port(url.expose(), 5432), mend).await);
    }
    let reviewers = config.reviewers.iter().map(|reviewer| ("reviewers", &reviewer.channel.target));
    for (what, target) in config.alerts.iter().map(|target| ("alerts", target)).chain(reviewers) {
        let mend = "correct the address under [alerts] or [reviewers], or allow the connection";
        seen.push(check_reachable(what, target.reached_at(), mend).await);
    }
    seen.extend(tools::look(config).await);
    if let Some(oidc) = &config.oidc {
        let mend = "correct oidc.issuer, or allow the connection";
        seen.push(check_reachable("sign-in", oidc.issuer.clone(), mend).await);
    }
    seen.push(keys(config).await);
    seen
}

fn data_dir(place: &DataDir) -> Check {
    let name = "data directory";
    let DataDir::Folder(folder) = place else {
        return Check::warning(name, "`:memory:`: everything ends with the process", "name a folder with --data-dir");
    };
    if let Err(error) = std::fs::create_dir_all(folder) {
        let message = format!("{} cannot be made: {error}", folder.display());
        return Check::wrong(name, message, "name a folder that you may write with --data-dir");
    }
    let look = look_at_disk(folder);
    let note = look.note().unwrap_or("can be written").to_owned();
    let message = format!("{}: {note}", folder.display());
    match look.status() {
        Status::Healthy => Check::ok(name, message),
        Status::Degraded => Check::warning(name, message, "free some space"),
        Status::Unhealthy => Check::wrong(name, message, "free some space, or name another folder with --data-dir"),
    }
}

/// A port that another server of ours holds is no fault.
async fn port(address: SocketAddr) -> Check {
    let name = "port";
    match TcpListener::bind(address).await {
        Ok(_) => Check::ok(name, format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            if neighbour::is_countersign(address).await {
                return Check::ok(name, format!("a countersign server runs on {address}"));
            }
            let message = format!("another program listens on {address}");
            Check::wrong(name, message, "end it, or choose another port with --listen 127.0.0.1:PORT")
        }
        Err(error) => {
            Check::wrong(name, format!("cannot listen on {address}: {error}"), "choose another address with --listen")
        }
    }
}

/// The certificate of the listener: that it can be used, and until when.
fn certificate(files: &TlsFiles) -> Check {
    let name = "certificate";
    let renew = "renew it; a running server takes the new files by itself";
    match tls::load(files) {
        Err(failure) => Check::wrong(name, failure.sentence(), "correct server.tls_certificate and server.tls_key"),
        Ok(loaded) => match (loaded.age(), loaded.until) {
            (Some(age), _) => Check::warning(name, age, renew),
            (None, Some(until)) => Check::ok(name, format!("{} holds until {until}", files.certificate.display())),
            (None, None) => Check::ok(name, format!("{} can be used", files.certificate.display())),
        },
    }
}

fn policy(config: &Config) -> Check {
    let files = Config { tools: None, ..config.clone() };
    match (PolicyReload::open(&files), &config.policy) {
        (Ok(policy), Some(path)) => {
            let version = policy.current().engine.policy().version.clone();
            Check::ok("policy", format!("{} can be used, version {version}", path.display()))
        }
        (Ok(_), None) => Check::ok("policy", "the built-in policy"),
        (Err(failure), _) => {
            Check::wrong("policy", failure.sentence(), "`countersign policy check FILE` shows the place")
        }
    }
}

/// Nothing to say where there are some.
fn certificates() -> Option<Check> {
    let missing = !http::has_certificates();
    missing.then(|| Check::warning("certificates", http::NO_CERTIFICATES, http::ADD_CERTIFICATES))
}

async fn upstreams(config: &Config) -> Vec<Check> {
    let upstream = &config.upstream;
    let named = [("upstream.openai", &upstream.openai), ("upstream.anthropic", &upstream.anthropic)];
    let mut seen = Vec::new();
    for (name, address) in named {
        if let Some(address) = address {
            let mend = "start the upstream, or correct its address; sessions fail until then, the engine works";
            seen.push(check_reachable(name, address.clone(), mend).await);
        }
    }
    if seen.is_empty() {
        seen.push(Check::ok("upstream", "none is configured: the built-in demo model answers"));
    }
    seen
}

async fn check_reachable(name: &'static str, address: String, mend: &str) -> Check {
    match reach(&address).await {
        Ok(host) => Check::ok(name, format!("{host} can be reached")),
        Err(reason) => Check::wrong(name, reason, mend),
    }
}

/// Redis answers a ping, even where it wants a password first.
async fn redis(url: &str) -> Check {
    let (name, mend) = ("redis", "start Redis, or correct stores.redis_url");
    let address = with_port(url, 6379);
    let host = match reach(&address).await {
        Ok(host) => host,
        Err(reason) => return Check::wrong(name, reason, mend),
    };
    if url.starts_with("rediss://") {
        return Check::ok(name, format!("{host} can be reached"));
    }
    match neighbour::ask(&host, b"PING\r\nQUIT\r\n").await {
        Ok(said) if said.starts_with("+PONG") || said.starts_with("-NOAUTH") => {
            Check::ok(name, format!("{host} answers"))
        }
        _ => Check::wrong(name, format!("{host} does not answer as Redis does"), mend),
    }
}

/// The address of a store with the port that it has by default; `localhost` where it names no host.
fn with_port(url: &str, port: u16) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let has_port = host.rsplit_once(':').is_some_and(|(name, _)| !name.starts_with('[') || name.ends_with(']'));
    match host {
        "" => format!("tcp://localhost:{port}"),
        host if has_port => format!("tcp://{host}"),
        host => format!("tcp://{host}:{port}"),
    }
}

async fn keys(config: &Config) -> Check {
    let name = "keys";
    if let Some(why) = config.access.api_keys.iter().find_map(ApiKey::weakness) {
        let message = format!("a key of access.api_keys is weak: it {why}");
        let help = "make one with `countersign keys create`";
        let public = !config.listen.ip().is_loopback();
        return if public { Check::wrong(name, message, help) } else { Check::warning(name, message, help) };
    }
    let source: Option<Arc<dyn KeySource>> = match (&config.postgres_url, &config.data_dir) {
        (None, DataDir::Folder(folder)) => Some(Arc::new(FileKeys::in_folder(folder))),
        _ => None,
    };
    // Looking at it changes nothing: what the server remembers is only read.
    let had_keys = matches!(&config.data_dir, DataDir::Folder(folder) if Remembered::in_folder(folder).is_set());
    match KeyRing::open(configured_keys(config), source, DEADLINE, Remembered::nowhere()).await {
        Err(reason) => Check::wrong(name, reason, "restore the file from a backup, or make new keys"),
        Ok(ring) if ring.is_locked() => Check::ok(name, "requests need a key"),
        Ok(_) if had_keys && config.postgres_url.is_none() => Check::warning(
            name,
            "the server had keys and finds none: it refuses everybody",
            "make one with `countersign keys create`, or remove `keys-were-set` from the data directory to open it",
        ),
        Ok(_) if config.listen.ip().is_loopback() => Check::ok(name, "none: the server is open, on loopback only"),
        Ok(_) if config.postgres_url.is_some() => {
            Check::warning(name, "keys in PostgreSQL are seen by the server only", "start it: it refuses without keys")
        }
        Ok(_) => Check::wrong(
            name,
            format!("{} is not loopback and there are no keys: the server will not start", config.listen),
            "make one with `countersign keys create`, set COUNTERSIGN_API_KEYS, or listen on 127.0.0.1",
        ),
    }
}

fn render(args: &DoctorArgs, seen: &[Check]) -> Result<String, Failure> {
    let failed = |error: serde_json::Error| Failure::Internal(error.to_string());
    match format(args.format) {
        Format::Human => {
            let mut canvas = Canvas::new(args.color, None);
            for check in seen {
                draw(&mut canvas, check);
            }
            Ok(canvas.finish())
        }
        Format::Json => serde_json::to_string_pretty(seen).map(|text| text + "\n").map_err(failed),
        Format::Jsonl => {
            seen.iter().map(|check| Ok(serde_json::to_string(check)? + "\n")).collect::<Result<_, _>>().map_err(failed)
        }
    }
}

fn draw(canvas: &mut Canvas, check: &Check) {
    let mark = match check.status {
        Verdict::Ok => canvas.paint(Paint::Green, "✔"),
        Verdict::Warning => canvas.paint(Paint::Yellow, "!"),
        Verdict::Wrong => canvas.paint(Paint::Red, "✘"),
    };
    let name = canvas.paint(Paint::Bold, &check.name);
    canvas.line(&format!("{mark} {name}: {}", check.message));
    if let Some(mend) = &check.mend {
        canvas.line(&format!("    mend: {mend}"));
    }
}

const DEADLINE: Duration = Duration::from_secs(2);
