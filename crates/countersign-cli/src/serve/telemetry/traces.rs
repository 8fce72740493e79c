//! Spans to a collector: OTLP over HTTP, in protobuf.

use crate::failure::Failure;
use axum::http::{HeaderMap, Method};
use countersign_runtime::http;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter as Export};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// The sending of spans.
pub(super) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Starts sending to a collector.
    pub(super) fn start(endpoint: &str) -> Result<Self, Failure> {
        let unusable = |error: &dyn Display| Failure::unusable(format!("telemetry.otlp_endpoint: {error}"));
        let client = http::client().timeout(DEADLINE).build().map_err(|error| unusable(&error))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .with_timeout(DEADLINE)
            .build()
            .map_err(|error| unusable(&error))?;
        let exporter = OnRuntime { inner: Arc::new(exporter), runtime: Handle::current() };
        let resource = Resource::builder().with_service_name("countersign").build();
        let provider = SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
        Ok(Self { provider })
    }

    /// What turns our spans into theirs.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let tracer = self.provider.tracer("countersign");
        let ours = filter_fn(|data| data.is_span() && (data.target() == TARGET || data.target().starts_with(RUNTIME)));
        tracing_opentelemetry::layer().with_tracer(tracer).with_filter(ours)
    }

    /// Sends what still waits. It blocks, so it has a thread of its own; a collector that is unavailable is not waited for.
    pub(super) async fn finish(&self) {
        let provider = self.provider.clone();
        let flush = tokio::task::spawn_blocking(move || drop(provider.shutdown_with_timeout(DEADLINE)));
        let _ = tokio::time::timeout(DEADLINE, flush).await;
    }
}

/// The span of a request, a child of the caller's where it names one.
pub(crate) fn request_span(method: &Method, route: &str, request_id: &str, headers: &HeaderMap) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "request",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        http.request.method = %method,
        http.route = route,
        http.response.status_code = tracing::field::Empty,
        countersign.request_id = request_id,
    );
    // A caller that sends no trace, or nonsense, gets a trace of its own.
    let _ = span.set_parent(TraceContextPropagator::new().extract(&Carrier(headers)));
    span
}

struct Carrier<'a>(&'a HeaderMap);

impl Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(axum::http::HeaderName::as_str).collect()
    }
}

/// The batches are sent from a thread without a runtime; the HTTP client needs one.
#[derive(Debug)]
struct OnRuntime {
    inner: Arc<SpanExporter>,
    runtime: Handle,
}

impl Export for OnRuntime {
    fn export(&self, batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        let inner = Arc::clone(&self.inner);
        let sent = self.runtime.spawn(async move { inner.export(batch).await });
        async move { sent.await.unwrap_or_else(|error| Err(OTelSdkError::InternalFailure(error.to_string()))) }
    }
}

/// The target of the spans of requests.
pub(super) const TARGET: &str = "countersign::trace";
/// What the targets of turns, answers and tools begin with.
const RUNTIME: &str = "countersign_runtime::";
const DEADLINE: Duration = Duration::from_secs(3);
