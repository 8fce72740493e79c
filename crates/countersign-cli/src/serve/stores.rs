//! The stores that the server works on, opened from the configuration.

use super::health::Ping;
use crate::config::{Config, DataDir};
use crate::failure::Failure;
use countersign_runtime::store::layered::{HotTail, Spooled};
use countersign_runtime::store::memory::{MemoryFlags, MemoryLog, MemoryRecords};
use countersign_runtime::store::postgres::PostgresStore;
use countersign_runtime::store::redis::RedisStore;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{EventLog, Flags, Hints, Limiter, Records, StoreError};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The stores.
#[derive(Clone)]
pub(crate) struct Stores {
    /// The log of events.
    pub log: Arc<dyn EventLog>,
    /// Sessions, reviews and the like.
    pub records: Arc<dyn Records>,
    /// The stop flags.
    pub flags: Arc<dyn Flags>,
    /// The limiter that nodes share, where there is one.
    pub limiter: Option<Arc<dyn Limiter>>,
    /// Word between nodes, where there are several.
    pub hints: Option<Arc<dyn Hints>>,
    /// Flags that nodes share, by the name of their store.
    pub shared_flags: Vec<(&'static str, Arc<dyn Flags>)>,
    /// Whether no other node can write the log.
    pub alone: bool,
    /// The store in the data directory, where there is one.
    pub embedded: Option<Arc<SqliteStore>>,
    /// Redis, to be asked whether it is there.
    pub redis: Option<Arc<dyn Ping>>,
}

impl Stores {
    /// Opens what the configuration names: the embedded store always, the shared ones where they are configured.
    pub(crate) async fn open(config: &Config) -> Result<Self, Failure> {
        let own = match &config.data_dir {
            DataDir::Folder(folder) => Self::open_embedded(folder)?,
            DataDir::Memory => Self::in_memory(),
        };
        // A Redis that is unavailable is no reason not to start: everything that it holds can be done without.
        let redis = config.redis_url.as_ref().map(|url| RedisStore::open(url.expose(), REDIS_PREFIX));
        let redis = redis.transpose().map_err(|error| Failure::unusable(error.to_string()))?;
        let own = match &redis {
            Some(redis) => own.with_redis(redis),
            None => own,
        };
        match &config.postgres_url {
            Some(url) => own.open_shared(url.expose(), redis).await,
            None => Ok(own),
        }
    }

    /// Everything in a folder.
    fn open_embedded(folder: &Path) -> Result<Self, Failure> {
        let store = SqliteStore::open(folder).map_err(|error| {
            Failure::with_help(error.to_string(), "choose another folder with --data-dir, or see `countersign doctor`")
        })?;
        Ok(Self {
            log: Arc::clone(&store) as Arc<dyn EventLog>,
            records: Arc::clone(&store) as Arc<dyn Records>,
            flags: Arc::clone(&store) as Arc<dyn Flags>,
            embedded: Some(store),
            ..Self::in_memory()
        })
    }

    /// Writes what is queued and empties the write-ahead log, so that the next start finds everything in one file.
    pub(crate) async fn close(&self) {
        let Some(store) = self.embedded.clone() else { return };
        let closing = tokio::task::spawn_blocking(move || store.close());
        if tokio::time::timeout(CLOSE, closing).await.is_err() {
            tracing::warn!("the store took too long to close; the next start reads its write-ahead log");
        }
    }

    /// Everything in memory.
    pub(crate) fn in_memory() -> Self {
        Self {
            log: Arc::new(MemoryLog::default()),
            records: Arc::new(MemoryRecords::default()),
            flags: Arc::new(MemoryFlags::default()),
            limiter: None,
            hints: None,
            shared_flags: Vec::new(),
            alone: true,
            embedded: None,
            redis: None,
        }
    }

    /// Limits and stop flags over Redis.
    fn with_redis(self, redis: &Arc<RedisStore>) -> Self {
        Self {
            limiter: Some(Arc::clone(redis) as Arc<dyn Limiter>),
            hints: Some(Arc::clone(redis) as Arc<dyn Hints>),
            shared_flags: vec![("redis", Arc::clone(redis) as Arc<dyn Flags>)],
            redis: Some(Arc::new(Answers(Arc::clone(redis)))),
            ..self
        }
    }

    /// The log and the records on PostgreSQL, which several nodes share; what is our own becomes the spool for the time
    /// that it is unavailable.
    async fn open_shared(mut self, url: &str, redis: Option<Arc<RedisStore>>) -> Result<Self, Failure> {
        let help = "check `stores.postgres_url`, and that the server is up; `countersign doctor` looks for you";
        let unusable = |error: StoreError| Failure::with_help(error.to_string(), help);
        let postgres = PostgresStore::connect(url).await.map_err(unusable)?;
        let record = Arc::clone(&postgres) as Arc<dyn EventLog>;
        let shared: Arc<dyn EventLog> = match redis {
            Some(redis) => Arc::new(HotTail::new(redis, record)),
            None => record,
        };
        let spooled = Spooled::start(shared, Arc::clone(&self.log), Arc::clone(&self.records)).await;
        self.log = spooled.map_err(unusable)?;
        self.shared_flags.push(("postgres", Arc::clone(&postgres) as Arc<dyn Flags>));
        self.records = postgres;
        self.alone = false;
        Ok(self)
    }
}

/// Asks Redis whether it is there.
struct Answers(Arc<RedisStore>);

impl Ping for Answers {
    fn ping(&self) -> BoxFuture<'_, Result<(), String>> {
        async move { self.0.ping().await.map_err(|error| error.to_string()) }.boxed()
    }
}

/// How long closing the store may take.
const CLOSE: Duration = Duration::from_secs(5);
/// Before every key that we have in a Redis.
const REDIS_PREFIX: &str = "countersign:";
