//! `countersign mcp login` and `logout`: tokens for a server whose tools agents use.
//!
//! The browser comes back to a loopback address that is open for this one sign-in, on a port that was free.

use crate::args::McpLoginArgs;
use crate::commands::print;
use crate::config::{self, Config};
use crate::failure::Failure;
use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Html;
use axum::routing::get;
use countersign::policy::pattern::nearest;
use countersign_runtime::tools::{Grant, McpOptions, SigningIn, sign_out};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// Signs in to a server.
pub(super) fn login(args: &McpLoginArgs) -> Result<u8, Failure> {
    let config = config::load(&args.config)?;
    let options = find(&config, &args.server)?;
    if options.sign_in.as_ref().is_some_and(|sign_in| sign_in.grant == Grant::ClientCredentials) {
        let name = &options.name;
        return print(&format!("`{name}` needs no person: it signs in with its client's secret.\n")).map(|()| 0);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(format!("cannot start the threads: {error}")))?;
    runtime.block_on(sign_in(options, &args.scope))
}

/// Forgets the tokens of a server.
pub(super) fn logout(args: &McpLoginArgs) -> Result<u8, Failure> {
    let config = config::load(&args.config)?;
    let options = find(&config, &args.server)?;
    let name = &options.name;
    match sign_out(options).map_err(|error| failed(name, &error))? {
        true => print(&format!("The tokens of `{name}` are gone.\n")).map(|()| 0),
        false => print(&format!("Nobody was signed in to `{name}`.\n")).map(|()| 0),
    }
}

async fn sign_in(options: &McpOptions, scopes: &[String]) -> Result<u8, Failure> {
    // The one crypto library of the process; a second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let name = &options.name;
    let closed = |error: std::io::Error| Failure::Internal(format!("no port can be opened on loopback: {error}"));
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(closed)?;
    let here = format!("http://{}", listener.local_addr().map_err(closed)?);
    let signing = SigningIn::begin(options, &format!("{here}{CALLBACK}"), scopes).await;
    let signing = signing.map_err(|error| failed(name, &error))?;
    let minutes = PATIENCE.as_secs() / 60;
    print(&format!(
        "Open this address to sign in to `{name}`; it is waited for {minutes} minutes:\n\n{}\n\n",
        signing.address()
    ))?;
    let Ok(Some(came_back)) = tokio::time::timeout(PATIENCE, wait_for_browser(listener)).await else {
        return Err(Failure::with_help(format!("nobody signed in to `{name}` in {minutes} minutes"), "try again"));
    };
    signing.finish(&format!("{here}{came_back}")).await.map_err(|error| failed(name, &error))?;
    print(&format!("Signed in to `{name}`.\n")).map(|()| 0)
}

/// The path and query that a browser comes back with.
async fn wait_for_browser(listener: TcpListener) -> Option<String> {
    let (sender, mut receiver) = mpsc::channel(1);
    let routes = Router::new().route(CALLBACK, get(come_back)).with_state(sender);
    let serving = tokio::spawn(async move { axum::serve(listener, routes).await });
    let came_back = receiver.recv().await;
    // The page is on its way; a browser that keeps its connection is not waited for.
    tokio::time::sleep(LAST_PAGE).await;
    serving.abort();
    came_back
}

async fn come_back(State(sender): State<mpsc::Sender<String>>, uri: Uri) -> Html<&'static str> {
    let asked = uri.query().unwrap_or_default();
    // A request without an answer is not the browser that is waited for.
    if asked.contains("code=") || asked.contains("error=") {
        let _ = sender.try_send(uri.to_string());
    }
    Html("<!doctype html><title>Countersign</title><p>Go back to the terminal: this page can be closed.</p>")
}

fn find<'c>(config: &'c Config, name: &str) -> Result<&'c McpOptions, Failure> {
    if let Some(options) = config.mcp.iter().find(|options| options.name == name) {
        return Ok(options);
    }
    let known: Vec<&str> = config.mcp.iter().map(|options| options.name.as_str()).collect();
    let help = match (nearest(name, &known), known.is_empty()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, true) => format!("write it into countersign.toml: [mcp.{name}] with its url"),
        (None, false) => format!("there are: {}", known.join(", ")),
    };
    Err(Failure::with_help(format!("there is no MCP server `{name}`"), help))
}

fn failed(name: &str, error: &str) -> Failure {
    Failure::with_help(format!("mcp.{name}: {error}"), "`countersign doctor` looks at every tool source")
}

const CALLBACK: &str = "/callback";
const LAST_PAGE: Duration = Duration::from_millis(200);
/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(300);
