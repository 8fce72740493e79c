//! The policy and the keys: is what was written last what is in force.

use super::{Look, Probe};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// Says what is wrong, where something is.
type Trouble = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Looks at the settings.
pub(crate) struct Settings {
    troubles: Vec<Trouble>,
}

impl Settings {
    /// Settings that can be asked what is wrong.
    pub(crate) fn new(troubles: Vec<Trouble>) -> Self {
        Self { troubles }
    }
}

impl Probe for Settings {
    fn name(&self) -> &'static str {
        "config"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            let wrong: Vec<String> = self.troubles.iter().filter_map(|trouble| trouble()).collect();
            if wrong.is_empty() { Look::healthy() } else { Look::degraded(wrong.join("; ")) }
        })
    }
}
