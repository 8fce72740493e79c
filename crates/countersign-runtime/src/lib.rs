//! What touches the world around the engine: files, databases, the network and the clock.
//!
//! The engine asks questions and takes answers; here they are answered. The rooms, in reading order.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a test that slices wrongly fails, as it should"))]

/// Where every HTTP client begins.
pub mod http;
/// TLS to servers that are no web servers.
pub mod tls;
/// Answers to the engine's questions about endpoints, permissions and records.
pub mod ask;
/// The user's own documents, in passages that can be searched.
pub mod kb;
/// Claims looked up in tool results, documents and the like.
pub mod factcheck;
/// New names for things.
pub mod ids;
/// Words that must not be shown, taken out of logs and alerts.
pub mod redact;
/// Counters for whoever watches.
pub mod metrics;
/// What an answer of a model cost.
mod usage;
/// Word to people that something is wrong.
pub mod alerts;
/// What time it is for whoever asks.
pub mod wall_clock;
/// What must outlive a process.
pub mod store;
/// Streams that always end and always resume.
pub mod stream;
/// The emergency brake.
pub mod stop;
/// Who answers in them: agents as configuration.
pub mod agents;
/// Hosted conversations and what belongs to them.
pub mod sessions;
/// Models that answer.
pub mod models;
/// A person decides.
pub mod review;
/// Word to people that something waits for them.
pub mod review_alerts;
/// Results that were examined, for the audit.
pub mod examination;
/// Requests that verdicts were made on, kept once.
pub mod kept_request;
/// Tools that this process runs.
pub mod tools;
/// START HERE: one turn, from the user's words to the terminal event.
pub mod turn;
/// The drop-in gateway: a client's own dialect, guarded.
pub mod gateway;
/// A guard in front of an MCP server.
pub mod mcp_guard;
/// Every table, built at once.
pub mod tables;

pub use ask::{AskError, Asker, FactChecker, examine_answer, judge, judge_in, judge_step, judge_watched};
