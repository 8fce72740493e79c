//! Tools of HTTP services: one for each operation of an OpenAPI document.

/// What the operator says of a service.
mod options;

pub use options::OpenApiOptions;

use super::setup::SetupError;
use super::tool::Tool;
use super::toolbox::ToolSource;
use async_trait::async_trait;
use std::sync::Arc;

/// An HTTP service whose operations are offered as tools.
pub struct OpenApiTools {
    tools: Vec<Arc<Tool>>,
}

impl OpenApiTools {
    /// The tools of a service. The client must not follow redirects (`redirect::Policy::none()`).
    pub fn new(_options: OpenApiOptions, _client: reqwest::Client) -> Result<Arc<Self>, SetupError> {
        Ok(Arc::new(Self { tools: Vec::new() }))
    }
}

#[async_trait]
impl ToolSource for OpenApiTools {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        self.tools.clone()
    }
}
