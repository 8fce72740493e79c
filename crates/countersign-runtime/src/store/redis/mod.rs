//! What nodes share through Redis: a log, the hot tail of another log, the stop flags, the limits, and hints.
//!
//! Redis may be gone at any moment and may come back empty. So every command has a deadline, a dead server is `Away`
//! within it, the connection is rebuilt by the next command, and whoever needs the truth asks the record
//! (see `layered`). Compare-and-set is done by scripts inside the server, on one server: a Redis cluster is not
//! supported. Nothing here decides what an event means.

/// The one connection, its deadlines, and what its errors mean.
mod link;
/// The log.
mod log;
/// The newest events of runs whose record is elsewhere.
mod hot;
/// The flags.
mod flags;
/// The limiter.
mod limiter;
/// The hints.
mod hints;

use crate::store::StoreError;
use hints::Relay;
use link::Link;
use std::sync::Arc;

pub use hot::{HotHead, HotRead};

/// A Redis server, seen by one node.
pub struct RedisStore {
    link: Arc<Link>,
    prefix: String,
    relay: Relay,
}

impl RedisStore {
    /// Reaches a server by its URL (`redis://HOST:PORT/DATABASE`), and fails if it cannot be reached now.
    pub async fn connect(url: &str) -> Result<Arc<Self>, StoreError> {
        let store = Self::open(url, PREFIX)?;
        store.ping().await?;
        Ok(store)
    }

    /// The same without a look at the server, which may be unavailable and come later, and with another beginning of all keys
    /// than `countersign:`. Must be called inside a tokio runtime.
    pub fn open(url: &str, prefix: &str) -> Result<Arc<Self>, StoreError> {
        // The one crypto library of the process, where TLS is spoken; a second call changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let link = Arc::new(Link::open(url)?);
        let relay = Relay::start(Arc::clone(&link), format!("{prefix}hints"));
        Ok(Arc::new(Self { link, prefix: prefix.to_owned(), relay }))
    }

    /// Whether the server answers right now.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let _: String = self.link.command(&redis::cmd("PING"), link::SHORT).await?;
        Ok(())
    }

    /// Ends the tasks that pass hints. Everything else goes on working.
    pub async fn close(&self) {
        self.relay.stop().await;
    }

    /// A key: the part says what it is, the name whose.
    fn key(&self, part: &str, name: &str) -> String {
        format!("{}{part}:{name}", self.prefix)
    }
}

/// The beginning of all keys.
const PREFIX: &str = "countersign:";

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    log::build_tables();
    hot::build_tables();
    flags::build_tables();
    limiter::build_tables();
}
