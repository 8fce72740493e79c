//! A server, kept: connected when it is needed, asked for its tools, and reconnected when it is gone.

use super::super::tool::Tool;
use super::calling::{Shared, Standing};
use super::link::{Era, Link, connect};
use super::listing::{list, offered};
use super::state::McpState;
use rmcp::model::SubscriptionFilter;
use rmcp::service::Subscription;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// What is known of a server; it stays when the server goes.
#[derive(Default)]
pub(super) struct Board {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    tools: Vec<Arc<Tool>>,
    state: McpState,
}

impl Board {
    /// The tools that it offered last.
    pub(super) fn tools(&self) -> Vec<Arc<Tool>> {
        self.known().tools.clone()
    }

    /// How it is doing.
    pub(super) fn state(&self) -> McpState {
        self.known().state.clone()
    }

    /// Whether it was never connected, and never failed to be.
    pub(super) fn untried(&self) -> bool {
        let known = self.known();
        !known.state.connected && known.state.last_error.is_none()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offer(&self, tools: Vec<Arc<Tool>>) {
        let mut known = self.known();
        known.state.tools = tools.len();
        known.tools = tools;
    }

    fn up(&self, link: &Link) {
        let info = link.peer.peer_info();
        let mut known = self.known();
        known.state.connected = true;
        known.state.last_error = None;
        known.state.protocol = info.as_ref().map(|info| info.protocol_version.to_string());
        let named = info.as_ref().and_then(|info| info.server_info.as_ref());
        known.state.server = named.map(|server| format!("{} {}", server.name, server.version));
    }

    fn down(&self, why: &str) {
        let mut known = self.known();
        known.state.connected = false;
        known.state.last_error = Some(why.to_owned());
    }
}

/// Keeps a server. It never ends by itself; when it is dropped, the connection ends, and a program with it.
pub(super) async fn keep(shared: Arc<Shared>, board: Arc<Board>) {
    let (mut pause, mut era) = (FIRST_PAUSE, None);
    loop {
        let began = Instant::now();
        let why = match timeout(START, open_server(&shared, &board, era)).await {
            Ok(Ok(mut link)) => {
                era = Some(link.era());
                board.up(&link);
                shared.stand(Standing::Up { peer: link.peer.clone(), gone: link.gone.clone() });
                let why = stay(&shared, &board, &mut link).await;
                if began.elapsed() > STEADY {
                    pause = FIRST_PAUSE;
                }
                why
            }
            Ok(Err(why)) => {
                era = None;
                why
            }
            Err(_) => {
                era = None;
                format!("it could not be connected in {} s", START.as_secs())
            }
        };
        tracing::warn!(server = shared.options.name, "an MCP server is unavailable: {why}");
        board.down(&why);
        shared.stand(Standing::Down(why));
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        shared.stand(Standing::Connecting);
    }
}

/// Connects a server and asks for its tools.
async fn open_server(shared: &Arc<Shared>, board: &Board, era: Option<Era>) -> Result<Link, String> {
    let link = connect(&shared.options, era).await?;
    board.offer(offered(shared, list(&link.peer, &shared.options.name).await?));
    Ok(link)
}

/// Stays with a server until it is gone, and says why.
async fn stay(shared: &Arc<Shared>, board: &Board, link: &mut Link) -> String {
    let (peer, changed) = (link.peer.clone(), Arc::clone(&link.changed));
    let mut news = subscribe(link).await;
    let following = async {
        loop {
            tokio::select! {
                () = changed.notified() => {}
                () = wait_for_news(&mut news) => {}
            }
            // Servers say it several times in a row.
            sleep(DEBOUNCE).await;
            match timeout(START, list(&peer, &shared.options.name)).await {
                Ok(Ok(listed)) => board.offer(offered(shared, listed)),
                Ok(Err(why)) => tracing::warn!(server = shared.options.name, "{why}"),
                Err(_) => tracing::warn!(server = shared.options.name, "its tools were not listed in time"),
            }
        }
    };
    tokio::select! {
        why = link.over() => why,
        () = following => String::new(),
    }
}

/// In the newer era, news come to those who have asked for them.
async fn subscribe(link: &Link) -> Option<Subscription> {
    let tools = link.peer.peer_info().and_then(|info| info.capabilities.tools.clone());
    let tells = tools.and_then(|tools| tools.list_changed) == Some(true);
    if link.era() != Era::Discover || !tells {
        return None;
    }
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    timeout(SUBSCRIBE, link.peer.listen(filter)).await.ok()?.ok()
}

/// Waits for news of the tools; forever where there is no subscription.
async fn wait_for_news(news: &mut Option<Subscription>) {
    if let Some(subscription) = news
        && let Ok(Some(_)) = subscription.next().await
    {
        return;
    }
    *news = None;
    std::future::pending().await
}

/// How long the first start and every other one may take. Real servers take 2 to 9 seconds on a busy machine.
pub(super) const START: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A connection that lasted so long is no failure of the start.
const STEADY: Duration = Duration::from_secs(10);
const DEBOUNCE: Duration = Duration::from_millis(300);
const SUBSCRIBE: Duration = Duration::from_secs(5);
