//! One reader for each format.

mod claude_code;
mod codex;
mod gemini_cli;
mod requests;
mod otlp;
mod countersign;
mod langfuse;
mod langsmith;
mod openai_agents;
mod inspect;
mod tau2;

use super::form::{Format, Trace};
use super::record::Record;

/// Reads the records of one file, in order, into conversations.
pub trait Reader: Send {
    /// Takes a record, and gives out the conversations that are complete. What cannot be read is said.
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String>;

    /// Gives out what is left at the end of the file.
    fn finish(&mut self) -> Vec<Trace>;
}

/// The reader of a format.
pub fn reader(format: Format) -> Box<dyn Reader> {
    match format {
        Format::ClaudeCode => Box::new(claude_code::Transcript::default()),
        Format::Codex => Box::new(codex::Rollout::default()),
        Format::GeminiCli => Box::new(gemini_cli::Chat::default()),
        Format::Requests => Box::new(requests::Requests::default()),
        Format::Otlp => Box::new(otlp::Otlp::default()),
        Format::Countersign => Box::new(countersign::Own::default()),
        Format::Langfuse => Box::new(langfuse::Langfuse::default()),
        Format::Langsmith => Box::new(langsmith::Langsmith::default()),
        Format::OpenaiAgents => Box::new(openai_agents::OpenaiAgents::default()),
        Format::Inspect => Box::new(inspect::Inspect),
        Format::Tau2 => Box::new(tau2::Tau2),
    }
}
