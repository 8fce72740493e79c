//! Models that answer: an upstream behind an OpenAI-compatible address, or the demo that is built in.
//!
//! A model gives bytes as they come; what they mean is read by the engine's parser, the same for all. Every wait has a
//! deadline. Nothing here decides what a broken answer means for a turn.

/// Why a model did not answer.
mod error;
/// Calls that a model wrote into its text.
mod written;
/// Fields of a request that not every server knows.
mod optional_fields;
/// An OpenAI-compatible address.
mod upstream;
/// A small model with realistic faults, in every dialect, for a first run without an account.
mod demo;

pub use demo::{DemoAnswer, DemoBody, DemoModel, DemoRoute};
pub use error::{ModelError, told};
pub use optional_fields::Logprobs;
pub use upstream::{UpstreamModel, UpstreamOptions};
pub use written::{TextScan, WrittenCall};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::Stream;
use serde_json::Value;
use std::pin::Pin;

/// An answer as it comes. Dropping it closes the connection.
pub type AnswerStream = Pin<Box<dyn Stream<Item = Result<Bytes, ModelError>> + Send>>;

/// What a model is asked.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The model's name; the default where it is absent.
    pub model: Option<String>,
    /// The conversation, in the OpenAI shape.
    pub messages: Vec<Value>,
    /// The tools, in the OpenAI shape.
    pub tools: Vec<Value>,
}

/// A model.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks it. The answer is a stream of OpenAI chunks.
    async fn ask(&self, ask: Ask) -> Result<AnswerStream, ModelError>;

    /// Whether somebody relies on its log-probabilities, so that a reader is told where none come.
    fn must_give_logprobs(&self) -> bool {
        false
    }
}
