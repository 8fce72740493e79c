//! Whom turns ask beside the model.

use crate::agents::Agents;
use crate::factcheck::FactCheck;
use crate::tools::{Search, ToolSource};
use std::sync::Arc;

/// Who looks claims up, with the sources of the moment.
pub type FactSource = Arc<dyn Fn() -> Arc<FactCheck> + Send + Sync>;

/// Whom turns ask beside the model.
#[derive(Clone)]
pub struct TurnServices {
    /// Who answers in sessions.
    pub agents: Arc<Agents>,
    /// Where the tools come from that we run.
    pub sources: Vec<Arc<dyn ToolSource>>,
    /// Who searches the web.
    pub search: Option<Arc<dyn Search>>,
    /// Who looks claims up; nobody where it is absent.
    pub facts: Option<FactSource>,
    /// With which key results are sealed.
    pub seal_key: Arc<[u8]>,
}

impl Default for TurnServices {
    /// The built-in agents, without tools of ours. Results are sealed with a key that nobody knows.
    fn default() -> Self {
        let mut key = [0; 32];
        // Without randomness the seals are worth nothing, and nothing else is harmed.
        let _ = getrandom::fill(&mut key);
        let agents = Arc::new(Agents::default());
        Self { agents, sources: Vec::new(), search: None, facts: None, seal_key: Arc::new(key) }
    }
}
