//! The store of events: can it be written right now, and is what it holds whole.

use super::{Look, Probe};
use crate::serve::stores::Stores;
use countersign_runtime::metrics::Metrics;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Looks at the store.
pub struct Store {
    stores: Stores,
    metrics: Arc<Metrics>,
}

impl Store {
    /// The stores of a server.
    pub fn new(stores: Stores, metrics: Arc<Metrics>) -> Self {
        Self { stores, metrics }
    }

    /// What is wrong with what it holds, in words.
    fn damage(&self) -> Vec<String> {
        let mut damage = self.stores.embedded.as_ref().map(|store| store.damage()).unwrap_or_default();
        let rows = self.stores.records.unreadable();
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
            match self.stores.log.probe().await {
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
