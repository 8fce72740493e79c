//! The store of events: can it be written right now.

use super::{Look, Probe};
use countersign_runtime::metrics::Metrics;
use countersign_runtime::store::EventLog;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Looks at the store.
pub struct Store {
    log: Arc<dyn EventLog>,
    metrics: Arc<Metrics>,
}

impl Store {
    /// A store.
    pub fn new(log: Arc<dyn EventLog>, metrics: Arc<Metrics>) -> Self {
        Self { log, metrics }
    }
}

impl Probe for Store {
    fn name(&self) -> &'static str {
        "store"
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            match self.log.probe().await {
                Ok(()) => Look::healthy(),
                Err(error) => {
                    self.metrics.store_errors.of(["events"]).add_one();
                    Look::unhealthy(error.to_string())
                }
            }
        })
    }
}
