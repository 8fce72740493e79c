//! Tools of MCP servers: programs that are started here, and services that speak streamable HTTP.
//!
//! One connection for all calls, made when it is first needed and rebuilt when it is gone. While a server is unavailable, what
//! it offered last is still offered, and its calls are answered with the reason. A server is a stranger: it gets little of
//! our environment, it may not ask our model or our user, it gets tokens that were made for it alone, what it writes has an end, and what it says of its own tools is
//! never enough for them to count as harmless.

/// What the operator says of a server.
mod options;
/// The tokens of a server.
mod tokens;
/// Signing in to a server.
mod sign_in;
/// How it is doing.
mod state;
/// What a program writes, line by line.
mod lines;
/// A server that is a program.
mod child;
/// What a server may ask of us.
mod handler;
/// Which era a server is of.
mod probe;
/// A server that is a service.
mod web;
/// A connection.
mod link;
/// An answer, as a result.
mod content;
/// A tool, called.
mod calling;
/// The tools of a server.
mod listing;
/// A server, kept.
mod keeping;

pub use options::{Grant, McpOptions, McpTransport, Questions, SignIn};
pub use sign_in::{SigningIn, sign_out};
pub use state::McpState;

use super::tool::Tool;
use super::toolbox::ToolSource;
use async_trait::async_trait;
use calling::{Shared, Standing};
use keeping::{Board, START, keep};
use std::sync::{Arc, OnceLock};
use tokio::task::JoinHandle;

/// An MCP server whose tools are offered. When it is dropped, its connection ends, and a program with it.
pub struct McpServer {
    shared: Arc<Shared>,
    board: Arc<Board>,
    keeper: OnceLock<JoinHandle<()>>,
}

impl McpServer {
    /// A server. It is connected when it is first asked for anything.
    pub fn new(options: McpOptions) -> Arc<Self> {
        let (shared, board) = (Arc::new(Shared::new(options)), Arc::default());
        Arc::new(Self { shared, board, keeper: OnceLock::new() })
    }

    /// What the operator calls it.
    pub fn name(&self) -> &str {
        &self.shared.options.name
    }

    /// How it is doing. Where it was never connected, this waits for the first try, up to 20 seconds.
    pub async fn state(&self) -> McpState {
        self.tried().await;
        self.board.state()
    }

    /// Waits until it was tried once to connect it.
    async fn tried(&self) {
        self.keeper.get_or_init(|| tokio::spawn(keep(Arc::clone(&self.shared), Arc::clone(&self.board))));
        if self.board.untried() {
            self.shared.standing(START).await;
        }
    }
}

#[async_trait]
impl ToolSource for McpServer {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        self.tried().await;
        self.board.tools()
    }
}

impl Drop for McpServer {
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.get() {
            keeper.abort();
        }
        self.shared.stand(Standing::Down("it was shut down".to_owned()));
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    lines::build_tables();
}
