//! Tables that requests need, built while the server opens its stores: the first request is as fast as the second.
//!
//! A command of one process builds only what it uses; this is for a server, whose start is paid once. In a build without
//! optimisation the tables take a second, so there they are built when the variable `COUNTERSIGN_TABLES` is set.

use super::{console, keys, openapi};
use crate::engine::Engine;
use crate::engine::claims::claims_line;
use countersign::policy::Policy;
use countersign_runtime::tables;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// Tables in the making.
pub(super) struct Tables(JoinHandle<()>);

impl Tables {
    /// Begins to build them, on a thread of their own; nothing where they can wait for the first request.
    pub(super) fn start() -> Option<Self> {
        let wanted = !cfg!(debug_assertions) || std::env::var_os("COUNTERSIGN_TABLES").is_some();
        wanted.then(|| Self(spawn_blocking(build)))
    }

    /// Waits until they are built. One that cannot be built is built, and its fault told, where it is needed.
    pub(super) async fn wait(self) {
        let rehearsed = match self.0.await {
            Ok(()) => rehearse_everywhere().await,
            failed => failed,
        };
        if let Err(error) = rehearsed {
            tracing::warn!(%error, "the tables could not be built at the start; the first requests build them");
        }
    }
}

fn build() {
    let begun = Instant::now();
    tables::build();
    keys::build_tables();
    openapi::build_tables();
    console::build_tables();
    tracing::debug!(took = ?begun.elapsed(), "the tables are built");
}

/// Rehearses on every thread that serves requests: a pattern has room to work in for each of them, made when it first uses
/// the pattern.
async fn rehearse_everywhere() -> Result<(), JoinError> {
    let threads = Handle::current().metrics().num_workers();
    let begun = Arc::new(AtomicUsize::new(0));
    let rehearsal = || {
        let begun = Arc::clone(&begun);
        tokio::spawn(async move {
            begun.fetch_add(1, Ordering::Relaxed);
            let until = Instant::now() + GATHERING;
            // Each waits for the others, so that no thread takes two; a moment, because one may be busy.
            while begun.load(Ordering::Relaxed) < threads && Instant::now() < until {
                std::thread::yield_now();
            }
            rehearse();
        })
    };
    let rehearsals: Vec<_> = (0..threads).map(|_| rehearsal()).collect();
    for rehearsal in rehearsals {
        rehearsal.await?;
    }
    Ok(())
}

/// Judges a step and a result that nobody asked about: patterns make room for their work when they are first used.
fn rehearse() {
    let policy = Policy::standard();
    // What comes of it is for nobody.
    let engine = Engine::of_policy(policy.clone());
    let _ = (engine.step(STEP), engine.verify(RESULT));
    let _ = claims_line(r#"{"text": "Sales grew by 25% to $3.5 billion in 2024, according to the report."}"#, &policy);
}

const GATHERING: Duration = Duration::from_millis(20);
/// A result in words.
const RESULT: &str = r#"{"call": {"name": "get_weather", "arguments": {"city": "Oslo"}},
    "result": {"content": "12 degrees and dry"}}"#;
/// A call with something to repair, its result, and an answer.
const STEP: &str = r#"{"tools": [{"name": "get_weather", "description": "Get the weather of a city.", "parameters": {
    "type": "object", "required": ["city"], "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}],
    "messages": [{"role": "user", "content": "What is the weather in Oslo for the next 3 days?"}],
    "tool_name": "getWeather", "tool_input": {"city": "Oslo", "days": "3"},
    "tool_output": {"city": "Oslo", "temperature": 12, "text": "12 degrees and dry"},
    "model_response": "In Oslo it is 12 degrees and dry."}"#;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-7: what is rehearsed is a step that can be judged.
    #[test]
    fn the_rehearsal_is_a_step() {
        let engine = Engine::of_policy(Policy::standard());
        assert!(engine.step(STEP).is_ok() && engine.verify(RESULT).is_ok());
    }
}
