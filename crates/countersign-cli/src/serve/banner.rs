//! What the server says of itself when it has started: where it is, who answers, by which rules, and where data go.

use super::state::App;
use crate::config::{Config, DataDir};
use std::net::SocketAddr;

/// The lines of the banner, the address first: scripts wait for it.
pub(super) fn lines(app: &App, listening: SocketAddr) -> Vec<String> {
    let config = &app.config;
    let mut lines = vec![format!("countersign: listening on {}://{listening}", config.scheme())];
    let mut add = |name: &str, text: String| lines.push(format!("  {name:<8} {text}"));
    add("console", format!("{}/", console_address(config, listening)));
    add("model", model(config));
    add("policy", policy(app));
    add("data", data(config));
    add("keys", keys(app));
    if let Some(oidc) = &config.oidc {
        add("sign-in", format!("{} for people, keys for programs", oidc.issuer));
    }
    if let Some(file) = &config.file {
        add("config", file.display().to_string());
    }
    lines
}

/// Where a browser finds the console: an address that stands for all is none that it could open.
fn console_address(config: &Config, listening: SocketAddr) -> String {
    match &config.advertise {
        Some(address) => address.clone(),
        None if listening.ip().is_unspecified() => format!("{}://127.0.0.1:{}", config.scheme(), listening.port()),
        None => format!("{}://{listening}", config.scheme()),
    }
}

fn model(config: &Config) -> String {
    let upstream = &config.upstream;
    let usual = [&upstream.openai, &upstream.anthropic].into_iter().flatten();
    let addresses: Vec<&str> =
        usual.chain(upstream.named.iter().map(|named| &named.url)).map(|url| host(url)).collect();
    if addresses.is_empty() {
        return "built-in demo model; use --upstream-openai URL or --upstream-anthropic URL for your own".to_owned();
    }
    let hosted = match (&upstream.openai, &upstream.model) {
        (None, _) => "; hosted agents use the built-in demo model, because no --upstream-openai is set".to_owned(),
        (Some(_), Some(model)) => format!("; hosted agents use {model}"),
        (Some(_), None) => String::new(),
    };
    addresses.join(", ") + &hosted
}

/// An address without what may be before its host: a name and a password.
fn host(url: &str) -> &str {
    url.split_once('@').map_or(url, |(_, rest)| rest)
}

fn policy(app: &App) -> String {
    let engines = app.policy.current();
    let policy = engines.policy();
    let level = policy.level.name();
    match &app.config.policy {
        Some(file) => format!("{}, level {level}, version {}", file.display(), policy.version),
        None => format!("built-in, level {level}; `countersign policy show` explains it"),
    }
}

fn data(config: &Config) -> String {
    let own = match &config.data_dir {
        DataDir::Folder(folder) => folder.display().to_string(),
        DataDir::Memory => "in memory: everything is gone when the server ends".to_owned(),
    };
    let shared = [("PostgreSQL", &config.postgres_url), ("Redis", &config.redis_url)];
    let shared = shared.into_iter().filter(|(_, url)| url.is_some());
    shared.fold(own, |text, (name, _)| format!("{text}, {name}"))
}

fn keys(app: &App) -> String {
    if app.keys.is_locked() {
        return "required (`countersign keys list`)".to_owned();
    }
    "none: everybody on this machine may use it; `countersign keys create` makes one".to_owned()
}
