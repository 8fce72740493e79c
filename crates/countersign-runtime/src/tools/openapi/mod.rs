//! Tools of HTTP services: one for each operation of an OpenAPI document.
//!
//! Path, query, header and body become one object of arguments. Where a request goes is the operator's and the document's
//! word: no argument changes the host or the path, redirects are not followed, and nothing of the document is fetched.

/// What the operator says of a service.
mod options;
/// Schemas, made whole.
mod resolving;
/// What an operation takes.
mod operation;
/// Arguments in an address.
mod address;
/// An operation, called.
mod calling;

pub use options::OpenApiOptions;

use super::naming::Names;
use super::setup::SetupError;
use super::tool::{Reach, Tool};
use super::toolbox::{ToolSource, matches};
use async_trait::async_trait;
use calling::{Calling, Service};
use operation::{Operation, operations};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// An HTTP service whose operations are offered as tools.
pub struct OpenApiTools {
    tools: Vec<Arc<Tool>>,
}

impl OpenApiTools {
    /// The tools of a service. The client should be that of `http_client`, which follows no redirects. Operations that
    /// cannot be called (a form, a needed cookie) are left out and logged; that nothing is left is an error.
    pub fn new(options: OpenApiOptions, client: reqwest::Client) -> Result<Arc<Self>, SetupError> {
        let wrong = |what: String| SetupError(format!("openapi.{}: {what}", options.name));
        if !options.document.get("paths").is_some_and(Value::is_object) {
            return Err(wrong("it is no OpenAPI document: it has no `paths`".to_owned()));
        }
        let (base, headers) = (base(&options).map_err(wrong)?, headers(&options).map_err(wrong)?);
        let kept: Vec<String> = options.headers.keys().cloned().collect();
        let (known, left_out) = operations(&options.document, &kept);
        for why in left_out {
            tracing::warn!(source = options.name, "an operation is left out: {why}");
        }
        let fits = |patterns: &[String], id: &str| patterns.iter().any(|pattern| matches(pattern, id));
        let wanted = |operation: &Operation| options.operations.is_empty() || fits(&options.operations, &operation.id);
        let wanted: Vec<Operation> = known.into_iter().filter(wanted).take(MOST_TOOLS).collect();
        if wanted.is_empty() {
            return Err(wrong(format!("no operation of the document fits {:?}", options.operations)));
        }
        let slots = Semaphore::new(options.parallel.clamp(1, Semaphore::MAX_PERMITS));
        let service = Arc::new(Service { base, headers, client, limits: options.limits, slots });
        let source: Arc<str> = Arc::from(format!("openapi:{}", options.name));
        let mut names = Names::default();
        let offered = wanted.into_iter().map(|operation| {
            let looks = operation.method == Method::GET || operation.method == Method::HEAD;
            let reach = if looks || fits(&options.reads, &operation.id) { Reach::Reads } else { Reach::Acts };
            let name = names.give(&options.prefix, &operation.id);
            let spec = spec(&name, &operation, reach);
            let runner = Arc::new(Calling { service: Arc::clone(&service), operation, reach });
            Arc::new(Tool { name, spec, source: Arc::clone(&source), reach, limits: options.limits, runner })
        });
        Ok(Arc::new(Self { tools: offered.collect() }))
    }
}

#[async_trait]
impl ToolSource for OpenApiTools {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        self.tools.clone()
    }
}

/// Where the service is: the operator's word, else the document's.
fn base(options: &OpenApiOptions) -> Result<Url, String> {
    let document = &options.document;
    let word = |place: &str| document.pointer(place).and_then(Value::as_str);
    let old = || {
        let scheme = word("/schemes/0").unwrap_or("https");
        word("/host").map(|host| format!("{scheme}://{host}{}", word("/basePath").unwrap_or_default()))
    };
    let given = options.base.clone().or_else(|| word("/servers/0/url").map(str::to_owned)).or_else(old);
    let given = given.ok_or("the document names no server: set `base`")?;
    let url =
        Url::parse(&given).map_err(|error| format!("{given:?} is no address of a service ({error}): set `base`"))?;
    if !matches!(url.scheme(), "http" | "https") || url.path().contains("%7B") || given.contains('{') {
        return Err(format!("{given:?} is no address that a request can go to: set `base`"));
    }
    Ok(url)
}

fn headers(options: &OpenApiOptions) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &options.headers {
        let key = HeaderName::try_from(name).map_err(|_| format!("{name:?} is no name of a header"))?;
        let mut value =
            HeaderValue::try_from(value).map_err(|_| format!("the value of the header {name:?} cannot be sent"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

fn spec(name: &str, operation: &Operation, reach: Reach) -> Value {
    let function = json!({"name": name, "description": operation.about, "parameters": operation.input});
    let mut spec = json!({"type": "function", "function": function});
    if let Value::Object(fields) = &mut spec {
        if let Some(output) = &operation.output {
            fields.insert("outputSchema".to_owned(), output.clone());
        }
        let annotations = json!({
            "readOnlyHint": reach == Reach::Reads,
            "destructiveHint": operation.method == Method::DELETE,
            "idempotentHint": operation.method == Method::PUT || operation.method == Method::DELETE,
        });
        fields.insert("annotations".to_owned(), annotations);
    }
    spec
}

/// So many operations of one document are offered.
const MOST_TOOLS: usize = 500;
