//! The store of events: can it be written right now, and is what it holds whole.

use super::{Look, Probe};
use countersign_runtime::metrics::Metrics;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{EventLog, Records};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Looks at the store.
pub(crate) struct Store {
    /// The log that turns are written to.
    pub log: Arc<dyn EventLog>,
    /// What else is kept.
    pub records: Arc<dyn Records>,
    /// The store in the data directory, where there is one.
    pub embedded: Option<Arc<SqliteStore>>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
}

impl Store {
    /// What is wrong with what it holds, in words.
    fn damage(&self) -> Vec<String> {
        let mut damage = self.embedded.as_ref().map(|store| store.damage()).unwrap_or_default();
        let rows = self.records.unreadable();
        if !rows.is_empty() {
            let named = rows.iter().take(SHOWN).map(|(kind, id)| format!("{} {id}", kind.name()));
            let named = named.collect::<Vec<_>>().join(", ");
            damage.push(format!("{} stored rows cannot be read: {named}", rows.len()));
        }
        damage
    }
}

impl Probe for Store {
    fn name(&self) -> &'static str {
        "store"
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            match self.log.probe().await {
                Ok(()) => match self.damage() {
                    damage if damage.is_empty() => Look::healthy(),
                    damage => Look::degraded(damage.join("; ")),
                },
                Err(error) => {
                    self.metrics.store_errors.of(["events"]).add_one();
                    Look::unhealthy(error.to_string())
                }
            }
        })
    }
}

/// So many rows that cannot be read are named.
const SHOWN: usize = 5;
