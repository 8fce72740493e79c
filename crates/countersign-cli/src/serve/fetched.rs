//! Tools of an HTTP service whose document is elsewhere: fetched at the start, and again and again while it is unavailable.
//!
//! A document that cannot be fetched keeps nobody from starting: its tools are missing until it comes, and `/health` says
//! so.

use crate::config::{LONGEST_DOCUMENT, OpenApi, read_document};
use arc_swap::ArcSwapOption;
use async_trait::async_trait;
use countersign_runtime::tools::{OpenApiOptions, OpenApiTools, Tool, ToolSource};
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The tools of a service whose document is elsewhere.
pub(crate) struct Fetched {
    options: OpenApiOptions,
    address: String,
    client: reqwest::Client,
    found: ArcSwapOption<OpenApiTools>,
    trouble: ArcSwapOption<String>,
}

impl Fetched {
    /// A service; nothing is fetched yet.
    pub(crate) fn new(service: &OpenApi, address: &str, client: reqwest::Client) -> Arc<Self> {
        Arc::new(Self {
            options: service.options.clone(),
            address: address.to_owned(),
            client,
            found: ArcSwapOption::empty(),
            trouble: ArcSwapOption::from_pointee("its document was not fetched yet".to_owned()),
        })
    }

    /// What the operator calls it.
    pub(crate) fn name(&self) -> &str {
        &self.options.name
    }

    /// Why it has no tools yet.
    pub(crate) fn trouble(&self) -> Option<Arc<String>> {
        self.trouble.load_full()
    }

    /// Fetches until it has the document.
    pub(crate) async fn follow(self: Arc<Self>) {
        while self.found.load().is_none() {
            if let Err(reason) = self.fetch().await {
                tracing::warn!(service = self.options.name, reason, "tools are missing until their document comes");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Fetches the document once.
    pub(crate) async fn fetch(&self) -> Result<(), String> {
        let fetched = tokio::time::timeout(DEADLINE, self.document()).await;
        let made = fetched.unwrap_or_else(|_| Err("it did not come in time".to_owned())).and_then(|document| {
            let options = OpenApiOptions { document, ..self.options.clone() };
            OpenApiTools::new(options, self.client.clone()).map_err(|error| error.to_string())
        });
        match made {
            Ok(tools) => {
                self.found.store(Some(tools));
                self.trouble.store(None);
                Ok(())
            }
            Err(reason) => {
                let reason = format!("the document at {} cannot be used: {reason}", self.address);
                let reason = countersign_runtime::redact::redact(&reason);
                self.trouble.store(Some(Arc::new(reason.clone())));
                Err(reason)
            }
        }
    }

    async fn document(&self) -> Result<Value, String> {
        let request = self.options.headers.iter().fold(self.client.get(&self.address), |request, (name, value)| {
            request.header(name.as_str(), value.as_str())
        });
        // The address may hold a key, and the error would repeat it.
        let answer = request.send().await.map_err(|error| error.without_url().to_string())?;
        if !answer.status().is_success() {
            return Err(format!("the answer was {}", answer.status()));
        }
        let (mut bytes, mut pieces) = (Vec::new(), answer.bytes_stream());
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece.map_err(|error| error.without_url().to_string())?);
            if u64::try_from(bytes.len()).is_ok_and(|length| length > LONGEST_DOCUMENT) {
                return Err(format!("it has more than {LONGEST_DOCUMENT} bytes"));
            }
        }
        read_document(&bytes)
    }
}

#[async_trait]
impl ToolSource for Fetched {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        match self.found.load_full() {
            Some(tools) => tools.tools().await,
            None => Vec::new(),
        }
    }
}

/// How long a document may take.
const DEADLINE: Duration = Duration::from_secs(10);
/// How long after a failure it is fetched again.
const PAUSE: Duration = Duration::from_secs(15);
