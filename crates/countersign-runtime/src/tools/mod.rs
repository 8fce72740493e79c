//! Tools that this process runs: its own, those of MCP servers, those of HTTP services, and web search.
//!
//! A tool is run with an `Order`, and an order is made from a cleared call alone: nothing here can run what was not
//! judged. Whatever a tool does (panics, hangs, floods, dies, lies), the one who asked gets an outcome in time. What a
//! tool gave back is not believed here; it is verified by the turn that asked for it.

/// A cleared call on its way to a tool.
mod order;
/// What a tool is.
mod tool;
/// What a web search gives.
mod search;
/// A tool, run: with a deadline, alone, and with an end to what it may say.
mod running;
/// The tools that an agent has.
mod toolbox;
/// Why tools cannot be set up.
mod setup;
/// Names for tools of others.
mod naming;
/// Services over HTTP.
mod http;
/// The tools that every hosted agent has.
mod builtin;
/// Web search by an HTTP endpoint.
mod searching;
/// Tools of HTTP services.
mod openapi;
/// Tools of MCP servers.
mod mcp;

pub use builtin::Builtin;
pub use http::http_client;
pub use mcp::{Grant, McpOptions, McpServer, McpState, McpTransport, Questions, SignIn, SigningIn, sign_out};
pub use openapi::{OpenApiOptions, OpenApiTools};
pub use order::{Called, Order, idempotency_key};
pub use running::{Knowledge, Outcome, Remark, UNKNOWN, run};
pub use search::{Found, Search};
pub use searching::{SearchKind, SearchMethod, SearchOptions, WebSearch, search_tool};
pub use setup::SetupError;
pub use tool::{Limits, Ran, Reach, Runner, Tool, ToolContext, ToolTrouble};
pub use toolbox::{ToolSource, Toolbox, matches};

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    mcp::build_tables();
}
