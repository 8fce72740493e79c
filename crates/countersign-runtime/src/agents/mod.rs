//! Agents are configuration: what they are told, which tools they have, by which protocol they work, and what they may
//! spend.
//!
//! Three are built in under the names of their protocols, and a fourth, the orchestrator, to whom a concierge delegates.
//! Whoever runs the service can change each of them and add others. Nothing here talks to a model.

/// What agents are told.
mod prompts;
/// What an agent is.
mod agent;

pub use agent::{AgentSpec, Agents, Budget, Protocol};
pub use prompts::{Prompts, concierge, planner, solver};
