//! A tool of a server, called: once, and with an honest word where there is no answer.

use super::super::order::Order;
use super::super::tool::{Ran, Runner, ToolContext, ToolTrouble};
use super::content::{CALL_ID, ran};
use super::handler::replies;
use super::link::sign_in_words;
use super::options::McpOptions;
use super::web::{MORE_RIGHTS, SIGN_IN};
use async_trait::async_trait;
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, CallToolResponse, MetaObject, RequestMetaObject};
use rmcp::service::{Peer, RoleClient};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::{Map, Value};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// What the calls of one server share.
pub(super) struct Shared {
    pub(super) options: McpOptions,
    slots: Semaphore,
    standing: watch::Sender<Standing>,
    /// How many calls in a row were given up without an answer.
    unanswered: AtomicUsize,
}

/// Whether a server can be called.
#[derive(Clone)]
pub(super) enum Standing {
    /// It is being connected.
    Connecting,
    /// It can.
    Up {
        /// Through this.
        peer: Peer<RoleClient>,
        /// Until this is said.
        gone: CancellationToken,
    },
    /// It cannot, for this reason.
    Down(String),
}

impl Shared {
    pub(super) fn new(options: McpOptions) -> Self {
        let slots = Semaphore::new(options.parallel.clamp(1, Semaphore::MAX_PERMITS));
        let (standing, _) = watch::channel(Standing::Connecting);
        Self { options, slots, standing, unanswered: AtomicUsize::new(0) }
    }

    /// Changes how the server stands.
    pub(super) fn stand(&self, standing: Standing) {
        self.unanswered.store(0, Ordering::Relaxed);
        self.standing.send_replace(standing);
    }

    /// How the server stands once it is not being connected any more, or after this time.
    pub(super) async fn standing(&self, patience: Duration) -> Standing {
        let mut watching = self.standing.subscribe();
        let settled = watching.wait_for(|standing| !matches!(standing, Standing::Connecting));
        match tokio::time::timeout(patience, settled).await {
            Ok(Ok(standing)) => standing.clone(),
            _ => Standing::Connecting,
        }
    }

    /// What a call goes through.
    async fn reach(&self, patience: Duration) -> Result<(Peer<RoleClient>, CancellationToken), ToolTrouble> {
        let name = &self.options.name;
        match self.standing(patience).await {
            Standing::Up { peer, gone } if !gone.is_cancelled() && !peer.is_transport_closed() => Ok((peer, gone)),
            Standing::Up { .. } => Err(ToolTrouble::NotRun(format!("the MCP server {name:?} has just gone away"))),
            Standing::Connecting => Err(ToolTrouble::NotRun(format!("the MCP server {name:?} is not connected yet"))),
            Standing::Down(why) => Err(ToolTrouble::NotRun(format!("the MCP server {name:?} is unavailable: {why}"))),
        }
    }
}

/// Calls one tool of a server.
pub(super) struct Calling {
    pub(super) shared: Arc<Shared>,
    /// As the server calls it.
    pub(super) tool: String,
}

#[async_trait]
impl Runner for Calling {
    async fn run(&self, order: &Order, _place: &ToolContext) -> Result<Ran, ToolTrouble> {
        // Half of the time for the waits, so that what was not sent is known not to have been.
        let patience = self.shared.options.limits.timeout / 2;
        let Ok(Ok(_slot)) = tokio::time::timeout(patience, self.shared.slots.acquire()).await else {
            let why = "too many calls of this server are under way; try again later";
            return Err(ToolTrouble::NotRun(why.to_owned()));
        };
        let (peer, gone) = self.shared.reach(patience.min(LONGEST_PATIENCE)).await?;
        let waiting = Waiting { shared: &self.shared, gone: &gone, answered: false };
        let answer = self.ask(&peer, &gone, order).await;
        waiting.answered();
        match answer {
            Ok(CallToolResponse::Complete(result)) => Ok(ran(result)),
            Ok(CallToolResponse::InputRequired(_)) => {
                Err(ToolTrouble::Failed("the tool asks for more input, which it cannot be given".to_owned()))
            }
            Ok(_) => {
                Err(ToolTrouble::Unknown("the server took it as a task of its own, and did not wait for it".to_owned()))
            }
            Err(error) => {
                if matches!(error, ServiceError::TransportClosed) || unreachable(&error) {
                    gone.cancel();
                }
                Err(self.trouble(&error))
            }
        }
    }
}

impl Calling {
    /// Asks a server, and answers its questions where the operator lets us.
    async fn ask(
        &self,
        peer: &Peer<RoleClient>,
        gone: &CancellationToken,
        order: &Order,
    ) -> Result<CallToolResponse, ServiceError> {
        let (mut request, mut rounds) = (self.request(order), 0);
        loop {
            // Dropped before its answer, this tells the server that nobody waits for it any more.
            let calling = peer.call_tool_once(request.clone());
            let answer = tokio::select! {
                biased;
                answer = calling => answer?,
                () = soon_after(gone) => return Err(ServiceError::TransportClosed),
            };
            rounds += 1;
            let CallToolResponse::InputRequired(asked) = answer else { return Ok(answer) };
            let said = replies(&asked, self.shared.options.questions).filter(|_| rounds < MOST_ROUNDS);
            let Some(said) = said else { return Ok(CallToolResponse::InputRequired(asked)) };
            request.input_responses = (!said.is_empty()).then_some(said);
            request.request_state = asked.request_state;
        }
    }

    fn request(&self, order: &Order) -> CallToolRequestParams {
        let told = [(CALL_ID, order.call_id()), (KEY, order.key())];
        let meta: Map<String, Value> = told.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let mut request = CallToolRequestParams::new(self.tool.clone()).with_arguments(order.arguments().clone());
        request.meta = Some(RequestMetaObject(MetaObject(meta)));
        request
    }

    /// What a failed call means for the one who asked.
    fn trouble(&self, error: &ServiceError) -> ToolTrouble {
        match error {
            ServiceError::McpError(refusal) if refusal.message.contains(REINITIALIZED) => {
                ToolTrouble::Unknown(refusal.message.to_string())
            }
            ServiceError::McpError(refusal) => ToolTrouble::Failed(format!("{} ({})", refusal.message, refusal.code.0)),
            ServiceError::TransportClosed => {
                ToolTrouble::Unknown("the server closed the connection before it answered".to_owned())
            }
            ServiceError::TransportSend(sending) => {
                if let Some(why) = sign_in_wanted(error, &self.shared.options.name) {
                    return ToolTrouble::NotRun(why);
                }
                let words = causes(&*sending.error).map(ToString::to_string).collect::<Vec<_>>().join(": ");
                let words = self.shared.options.transport.without_address(&words);
                if unsent(&*sending.error) { ToolTrouble::NotRun(words) } else { ToolTrouble::Unknown(words) }
            }
            other => ToolTrouble::Unknown(other.to_string()),
        }
    }
}

/// A call that waits for its answer. A server that leaves several in a row without one hangs: its connection is given up.
struct Waiting<'a> {
    shared: &'a Shared,
    gone: &'a CancellationToken,
    answered: bool,
}

impl Waiting<'_> {
    fn answered(mut self) {
        self.answered = true;
        self.shared.unanswered.store(0, Ordering::Relaxed);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.answered && self.shared.unanswered.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_UNANSWERED {
            tracing::warn!(server = self.shared.options.name, "an MCP server answers nothing; it is reconnected");
            self.gone.cancel();
        }
    }
}

/// A little after the end of a connection: what was read before it may still be on its way.
async fn soon_after(gone: &CancellationToken) {
    gone.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
}

/// Whether nobody was there to take it.
fn unreachable(error: &ServiceError) -> bool {
    let ServiceError::TransportSend(error) = error else { return false };
    causes(&*error.error).any(|cause| request_failure(cause).is_some_and(reqwest::Error::is_connect))
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn Error + 'static)| (*error).source())
}

/// The failed request in an error, which does not show it as its source.
fn request_failure<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e reqwest::Error> {
    match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => Some(error),
        _ => cause.downcast_ref(),
    }
}

/// What to do where a server refused somebody who may sign in, or sign in again.
pub(super) fn sign_in_wanted(error: &ServiceError, name: &str) -> Option<String> {
    let ServiceError::TransportSend(sending) = error else { return None };
    let why = |cause: &(dyn Error + 'static)| match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>()? {
        StreamableHttpError::AuthRequired(_) => Some(SIGN_IN),
        StreamableHttpError::InsufficientScope(_) => Some(MORE_RIGHTS),
        _ => None,
    };
    causes(&*sending.error).find_map(why).map(|why| sign_in_words(name, why))
}

/// Whether a request surely did not get to the server.
fn unsent(sending: &(dyn Error + 'static)) -> bool {
    causes(sending).any(|cause| {
        if let Some(error) = request_failure(cause) {
            return error.is_connect() || error.is_builder();
        }
        if let Some(error) = cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return match error {
                StreamableHttpError::HttpStatus(answer) => matches!(answer.status, 401 | 403 | 404 | 429 | 503),
                StreamableHttpError::AuthRequired(_)
                | StreamableHttpError::InsufficientScope(_)
                | StreamableHttpError::ReservedHeaderConflict(_)
                | StreamableHttpError::SessionExpired => true,
                _ => false,
            };
        }
        // A pipe that breaks has not taken the whole line, and a part of a line is no request.
        let broken = |error: &std::io::Error| {
            matches!(error.kind(), std::io::ErrorKind::BrokenPipe | std::io::ErrorKind::NotConnected)
        };
        cause.downcast_ref::<std::io::Error>().is_some_and(broken)
    })
}

/// Where a server finds the key by which it can do a thing once.
const KEY: &str = "countersign/idempotency-key";
/// What the transport says of a request whose session was lost under it.
const REINITIALIZED: &str = "re-initialized before the response";
/// How long a call waits for a server that is being connected.
const LONGEST_PATIENCE: Duration = Duration::from_secs(20);
/// How often the questions of one call are answered.
const MOST_ROUNDS: usize = 8;
const LAST_WORDS: Duration = Duration::from_millis(100);
/// So many calls in a row without an answer, and the server is taken to hang.
const MOST_UNANSWERED: usize = 8;
