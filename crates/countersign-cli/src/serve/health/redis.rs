//! Redis, where there is one: does it answer.

use super::{Look, Probe};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Something that answers when it is asked whether it is there.
pub(crate) trait Ping: Send + Sync {
    /// Asks.
    fn ping(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// Looks at Redis.
pub(crate) struct Redis(pub Arc<dyn Ping>);

impl Probe for Redis {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            match self.0.ping().await {
                Ok(()) => Look::healthy(),
                Err(reason) => Look::unhealthy(format!("{reason}; this node continues alone")),
            }
        })
    }
}
