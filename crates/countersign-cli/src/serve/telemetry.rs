//! Logs and traces: what the server says about itself, without secrets, and never at the cost of a request.
//!
//! Log lines go through a bounded queue to a thread that takes secrets out and writes them, so a reader of standard
//! error that stalls holds up nobody; lines that find the queue full are counted and left out. Traces go to a collector
//! in batches from a thread of their own; a collector that is unavailable costs the spans, nothing else.

/// The queue and the thread of the log.
mod log;
/// Spans to a collector.
mod traces;

pub(super) use traces::request_span;

use crate::config::{Config, LogFormat};
use crate::failure::Failure;
use countersign_runtime::redact::Redactor;
use log::LogQueue;
use std::io::IsTerminal;
use traces::Traces;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// What runs for logs and traces; its end writes what still waits.
pub(super) struct Telemetry {
    queue: LogQueue,
    traces: Option<Traces>,
}

impl Telemetry {
    /// Starts both. Must be called inside a tokio runtime, and once.
    pub(super) fn start(config: &Config, redactor: Redactor) -> Result<Self, Failure> {
        let settings = &config.telemetry;
        // The library for MCP tells every greeting of every server; who wants to read that asks for it.
        let quiet = if settings.log_level.contains("rmcp") { "" } else { ",rmcp=warn" };
        let filter = EnvFilter::try_new(format!("{}{quiet}", settings.log_level)).map_err(|error| {
            let help = "write error, warn, info, debug, trace, or a filter such as info,countersign=debug";
            Failure::with_help(format!("telemetry.log_level: {error}"), help)
        })?;
        let queue = LogQueue::start(redactor);
        let guess = if std::io::stderr().is_terminal() { LogFormat::Human } else { LogFormat::Json };
        let lines = match settings.log_format.unwrap_or(guess) {
            LogFormat::Human => fmt::layer().with_ansi(false).with_writer(queue.clone()).boxed(),
            LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(queue.clone()).boxed(),
        };
        let traces = settings.otlp_endpoint.as_deref().map(Traces::start).transpose()?;
        let spans = traces.as_ref().map(Traces::layer);
        let registry = tracing_subscriber::registry().with(spans).with(lines.with_filter(filter));
        registry.try_init().map_err(|error| Failure::Internal(format!("cannot start the log: {error}")))?;
        Ok(Self { queue, traces })
    }

    /// Whether requests are traced.
    pub(super) fn traces(&self) -> bool {
        self.traces.is_some()
    }

    /// Sends and writes what still waits, at most for a moment.
    pub(super) async fn finish(&self) {
        if let Some(traces) = &self.traces {
            traces.finish().await;
        }
        self.queue.flush();
    }
}
