//! How each layer is: looked at in the background, told at once.
//!
//! Each layer has its own loop and its own deadline, so that one that hangs neither delays the others nor the answer of
//! `/health`, which only reads what was seen last. A layer that turns unhealthy is told to people.

/// What is said about a layer.
mod layer;
/// The disk under the data directory.
mod disk;
/// The store of events.
mod store;
/// Redis, where there is one.
mod redis;
/// What waits to be done.
mod queues;
/// The models behind.
mod upstream;
/// The policy and the keys.
mod settings;
/// The tools of agents.
mod tools;

pub(crate) use disk::{Disk, look as look_at_disk};
pub(crate) use layer::{Layer, Look, Status};
pub(crate) use queues::Queues;
pub(crate) use redis::{Ping, Redis};
pub(crate) use settings::Settings;
pub(crate) use store::Store;
pub(crate) use tools::Tools;
pub(crate) use upstream::{UpstreamProbe, reach};

use countersign_runtime::alerts::{Alert, AlertKind, Alerts};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A way to see how a layer is.
pub(crate) trait Probe: Send + Sync {
    /// The layer.
    fn name(&self) -> &'static str;

    /// How often it is looked at.
    fn every(&self) -> Duration {
        Duration::from_secs(2)
    }

    /// Looks.
    fn look(&self) -> BoxFuture<'_, Look>;
}

/// What was seen last.
#[derive(Clone)]
pub(crate) struct Health {
    layers: Arc<Mutex<BTreeMap<&'static str, Layer>>>,
    alerts: Alerts,
}

impl Health {
    /// Nothing was seen yet.
    pub(crate) fn new(alerts: Alerts) -> Self {
        Self { layers: Arc::default(), alerts }
    }

    /// Looks at a layer again and again, until the end.
    pub(crate) fn watch(&self, probe: Arc<dyn Probe>, end: CancellationToken) {
        self.layers().insert(probe.name(), Layer::new(Look::healthy().noting("not looked at yet")));
        let health = self.clone();
        tokio::spawn(async move {
            loop {
                let look = tokio::time::timeout(DEADLINE, probe.look()).await;
                let look = look.unwrap_or_else(|_| Look::unhealthy("it does not answer"));
                health.see(probe.name(), look);
                tokio::select! {
                    () = end.cancelled() => return,
                    () = tokio::time::sleep(probe.every()) => {}
                }
            }
        });
    }

    /// Keeps what was seen, and tells people where it has turned bad.
    fn see(&self, name: &'static str, look: Look) {
        let (before, after) = {
            let mut layers = self.layers();
            let layer = layers.entry(name).or_insert_with(|| Layer::new(Look::healthy()));
            let before = layer.status();
            layer.see(look);
            (before, layer.clone())
        };
        if before == after.status() {
            return;
        }
        let note = after.note().unwrap_or("no reason given");
        match after.status() {
            Status::Healthy => tracing::info!(layer = name, "the layer is well again"),
            Status::Degraded => tracing::warn!(layer = name, note, "the layer is degraded"),
            Status::Unhealthy => self.alerts.raise(Alert {
                kind: AlertKind::LayerUnhealthy,
                subject: name.to_owned(),
                text: format!("the layer {name} is unhealthy: {note}"),
            }),
        }
    }

    /// The answer of `/health`.
    pub(crate) fn report(&self) -> Value {
        let layers = self.layers();
        let status = overall(layers.values().map(Layer::status));
        let shown: Map<String, Value> = layers.iter().map(|(name, layer)| ((*name).to_owned(), layer.show())).collect();
        json!({"status": status.name(), "version": env!("CARGO_PKG_VERSION"), "layers": shown})
    }

    fn layers(&self) -> MutexGuard<'_, BTreeMap<&'static str, Layer>> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One layer that is not well leaves a server that still serves: degraded. Two that are down do not.
fn overall(layers: impl Iterator<Item = Status>) -> Status {
    let (mut down, mut unwell) = (0, 0);
    for status in layers {
        down += usize::from(status == Status::Unhealthy);
        unwell += usize::from(status != Status::Healthy);
    }
    match (down, unwell) {
        (_, 0) => Status::Healthy,
        (2.., _) => Status::Unhealthy,
        _ => Status::Degraded,
    }
}

/// How long a look may take.
const DEADLINE: Duration = Duration::from_millis(1500);

#[cfg(test)]
mod tests {
    use super::*;

    struct Hangs;

    impl Probe for Hangs {
        fn name(&self) -> &'static str {
            "store"
        }

        fn look(&self) -> BoxFuture<'_, Look> {
            Box::pin(std::future::pending())
        }
    }

    // SERVE-3: a layer that hangs is unhealthy, and nobody waits for it.
    #[tokio::test]
    async fn a_layer_that_hangs_is_unhealthy() {
        let health = Health::new(Alerts::silent());
        health.watch(Arc::new(Hangs), CancellationToken::new());
        assert_eq!(health.report()["status"], "healthy");
        tokio::time::sleep(Duration::from_secs(2)).await;
        let report = health.report();
        assert_eq!(
            (&report["status"], &report["layers"]["store"]["status"]),
            (&json!("degraded"), &json!("unhealthy"))
        );
    }

    // SERVE-3, T39
    #[test]
    fn one_layer_down_is_degraded_and_two_are_unhealthy() {
        use Status::{Degraded, Healthy, Unhealthy};
        for (layers, whole) in [
            (vec![], Healthy),
            (vec![Healthy, Healthy], Healthy),
            (vec![Healthy, Degraded, Degraded], Degraded),
            (vec![Unhealthy, Healthy], Degraded),
            (vec![Unhealthy, Unhealthy, Healthy], Unhealthy),
        ] {
            assert_eq!(overall(layers.iter().copied()), whole, "{layers:?}");
        }
    }
}
