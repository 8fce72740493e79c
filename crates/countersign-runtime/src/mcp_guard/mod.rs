//! A guard in front of an MCP server: calls are judged before the server sees them, results before the client does.
//!
//! Everything else is carried as the bytes it came in, whatever it is: unknown methods and fields, progress,
//! cancellation, sampling, roots, elicitation, resources, prompts, tasks. `Relay` is the state machine between one
//! client and one server; it does no I/O, so that pipes and HTTP drive the same. Nothing here judges: a call gets the
//! verdict that `countersign check` gives it.

/// Definitions of tools, as they were approved.
mod pins;
/// What the operator says.
mod settings;
/// One JSON-RPC message.
mod message;
/// Messages of our own.
mod answer;
/// The tools of a server, learnt from its lists.
mod catalogue;
/// A text without what a terminal or a model reads and a person does not see.
mod clean;
/// A call, judged.
mod calls;
/// Verdicts for the audit.
mod audit;
/// A call that needs a person.
mod person;
/// A result, examined.
mod results;
/// START HERE: between one client and one server.
mod relay;
/// A client of one era before a server of the other.
mod eras;
/// A relay with a bridge behind it.
mod passage;
/// Bytes, cut into lines.
mod lines;
/// What a request says of itself in the headers of HTTP.
mod headers;
/// A server that is a program.
mod child;
/// A server that is a service.
mod upstream;
/// A service in the place of a program.
mod service;
/// A client and a server over HTTP.
mod web;
/// A client on our standard input and output.
mod stdio;

use serde_json::Value;

/// A JSON text that says `before`, changed to say `after`; every byte that need not change stays.
pub fn edit_json(text: &str, before: &Value, after: &Value) -> String {
    crate::gateway::json::rewrite(text, before, after)
}

pub use audit::log_line;
pub use passage::{Passage, Waiting};
pub use person::PersonCase;
pub use pins::{PinDifference, PinFile, PinnedTool, Pins};
pub use relay::{Outgoing, Queue, Relay, SessionBooks};
pub use settings::{Discovery, McpGuardSettings, ResultSecrets, Verdicts};
pub use stdio::{StdioEnd, StdioError, guard_program, guard_service};
pub use upstream::McpUpstream;
pub use web::{GuardedBody, GuardedResponse, HttpGuard};
