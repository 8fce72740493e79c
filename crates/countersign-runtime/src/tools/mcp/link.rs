//! A connection to a server: over the pipes of a program, or over HTTP; in the era of the protocol that the server speaks.

use super::super::http::http_client;
use super::child::{Leash, start};
use super::handler::Handler;
use super::lines::LONGEST;
use super::options::{McpOptions, McpTransport};
use super::probe::Probed;
use super::sign_in::authorize;
use super::tokens::TokenFile;
use super::web::{Refusals, Web};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, Peer, QuitReason, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::auth::{AuthClient, AuthorizationManager};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How a server wants to be greeted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// With `initialize`.
    Initialize,
    /// With `server/discover`, and with every request by itself.
    Discover,
}

/// A connection. It ends when it is dropped, and a program with it.
pub(super) struct Link {
    /// For requests.
    pub(super) peer: Peer<RoleClient>,
    /// Said when it is of no use any more.
    pub(super) gone: CancellationToken,
    /// Woken when the tools have changed.
    pub(super) changed: Arc<Notify>,
    running: Option<RunningService<RoleClient, Handler>>,
    leash: Option<Leash>,
}

/// Connects a server. Where its era is not known, it is found out.
pub(super) async fn connect(options: &McpOptions, era: Option<Era>) -> Result<Link, String> {
    match open(options, era).await {
        // A program may not survive a question that it does not know. It is started again, and greeted the old way.
        Err(Failure::Ended(_)) if era.is_none() => open(options, Some(Era::Initialize)).await,
        opened => opened,
    }
    .map_err(|failure| match failure {
        Failure::Ended(why) | Failure::Refused(why) => why,
    })
}

/// Why there is no connection.
enum Failure {
    /// The program was started and is gone.
    Ended(String),
    /// Anything else.
    Refused(String),
}

async fn open(options: &McpOptions, era: Option<Era>) -> Result<Link, Failure> {
    let (gone, changed) = (CancellationToken::new(), Arc::new(Notify::new()));
    let handler = Handler { changed: Arc::clone(&changed), questions: options.questions };
    let told = |error: ClientInitializeError| options.transport.without_address(&error.to_string());
    let (running, leash) = match &options.transport {
        McpTransport::Child { command, args, env, cwd } => {
            let program = start(&options.name, (command, args), env, cwd.as_deref(), gone.clone());
            let program = program.map_err(Failure::Refused)?;
            let mut leash = program.leash;
            let transport = AsyncRwTransport::new_client(program.output, program.input).with_max_line_length(LONGEST);
            let running = tokio::select! {
                biased;
                why = leash.ended() => Err(Failure::Ended(why)),
                running = handler.serve_with_lifecycle(Probed::new(transport), mode(era)) => {
                    running.map_err(|error| if gone.is_cancelled() { Failure::Ended(told(error)) } else { Failure::Refused(told(error)) })
                }
            };
            (running?, Some(leash))
        }
        McpTransport::Http { url, headers } => {
            let mut patience = ExponentialBackoff::default();
            patience.max_times = Some(STREAM_TRIES);
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                .custom_headers(build_headers(headers).map_err(Failure::Refused)?)
                .max_sse_event_size(LONGEST)
                .max_concurrent_requests(options.parallel.max(1));
            config.retry_config = Arc::new(patience);
            let (web, manager) = reach(options, url).await.map_err(Failure::Refused)?;
            let refusals = web.refusals.clone();
            let running = match manager {
                Some(manager) => {
                    let client = AuthClient::new(web, manager);
                    let transport = Probed::new(StreamableHttpClientTransport::with_client(client, config));
                    handler.serve_with_lifecycle(transport, mode(era)).await
                }
                None => {
                    let transport = Probed::new(StreamableHttpClientTransport::with_client(web, config));
                    handler.serve_with_lifecycle(transport, mode(era)).await
                }
            };
            let told = |error| refusals.last().map_or_else(|| told(error), |why| sign_in_words(&options.name, why));
            (running.map_err(|error| Failure::Refused(told(error)))?, None)
        }
    };
    Ok(Link { peer: running.peer().clone(), gone, changed, running: Some(running), leash })
}

/// The client for a server over HTTP, and who adds tokens to what it sends.
async fn reach(options: &McpOptions, url: &str) -> Result<(Web, Option<AuthorizationManager>), String> {
    let client = http_client().map_err(|error| error.to_string())?;
    let Some(sign_in) = &options.sign_in else {
        return Ok((Web { client, refusals: Refusals::default() }, None));
    };
    let file = TokenFile::of(sign_in, &options.name, url);
    let manager = authorize(sign_in, &file, url).await?;
    Ok((Web { client, refusals: Refusals::noting(file) }, manager))
}

/// What to do about a server that refuses whoever asks.
pub(super) fn sign_in_words(name: &str, why: &str) -> String {
    format!("{why}; run `countersign mcp login {name}`")
}

impl Link {
    /// The era of the server.
    pub(super) fn era(&self) -> Era {
        let old = self.peer.peer_info().is_none_or(|info| info.protocol_version.has_initialize());
        if old { Era::Initialize } else { Era::Discover }
    }

    /// Waits until it is of no use any more, and says why.
    pub(super) async fn over(&mut self) -> String {
        let running = self.running.as_mut();
        let closed = async {
            match running {
                Some(running) => finished(running).await,
                None => QuitReason::Closed,
            }
        };
        let ended = async {
            match &mut self.leash {
                Some(leash) => leash.ended().await,
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            why = ended => why,
            () = self.gone.cancelled() => "the connection broke off".to_owned(),
            reason = closed => format!("the connection was closed ({reason:?})"),
        };
        self.gone.cancel();
        why
    }
}

/// Waits for the end of a connection without taking it.
async fn finished(running: &RunningService<RoleClient, Handler>) -> QuitReason {
    while !running.peer().is_transport_closed() {
        tokio::time::sleep(LOOK).await;
    }
    QuitReason::Closed
}

fn mode(era: Option<Era>) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::LATEST];
    match era {
        Some(Era::Initialize) => ClientLifecycleMode::Initialize,
        Some(Era::Discover) => ClientLifecycleMode::Discover { preferred_versions },
        None => {
            let legacy_version = Some(ProtocolVersion::LATEST_WITH_INITIALIZE);
            ClientLifecycleMode::Auto { preferred_versions, legacy_version }
        }
    }
}

fn build_headers(headers: &BTreeMap<String, String>) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let one = |(name, value): (&String, &String)| {
        let key = HeaderName::try_from(name).map_err(|_| format!("{name:?} is no name of a header"))?;
        let mut value =
            HeaderValue::try_from(value).map_err(|_| format!("the value of the header {name:?} cannot be sent"))?;
        value.set_sensitive(true);
        Ok((key, value))
    };
    headers.iter().map(one).collect()
}

/// How often a connection over HTTP is looked at.
const LOOK: std::time::Duration = std::time::Duration::from_millis(250);
/// How often a stream that broke off is taken up again before its call is given up.
const STREAM_TRIES: usize = 2;
