//! The stores that the server works on, opened from the configuration.

use super::health::Ping;
use crate::config::{Config, DataDir};
use crate::failure::Failure;
use countersign_runtime::store::memory::{MemoryFlags, MemoryLog, MemoryRecords};
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{EventLog, Flags, Hints, Limiter, Records};
use std::path::Path;
use std::sync::Arc;

/// The stores.
#[derive(Clone)]
pub struct Stores {
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
    /// Redis, to be asked whether it is there.
    pub redis: Option<Arc<dyn Ping>>,
}

impl Stores {
    /// Opens what the configuration names.
    pub async fn open(config: &Config) -> Result<Self, Failure> {
        match &config.data_dir {
            DataDir::Folder(folder) => Self::embedded(folder),
            DataDir::Memory => Ok(Self::in_memory()),
        }
    }

    /// Everything in a folder.
    fn embedded(folder: &Path) -> Result<Self, Failure> {
        let store = SqliteStore::open(folder).map_err(|error| {
            Failure::with_help(error.to_string(), "choose another folder with --data-dir, or see `countersign doctor`")
        })?;
        Ok(Self {
            log: Arc::clone(&store) as Arc<dyn EventLog>,
            records: Arc::clone(&store) as Arc<dyn Records>,
            flags: store,
            limiter: None,
            hints: None,
            redis: None,
            shared_flags: Vec::new(),
            alone: true,
        })
    }

    /// Everything in memory.
    pub fn in_memory() -> Self {
        Self {
            log: Arc::new(MemoryLog::default()),
            records: Arc::new(MemoryRecords::default()),
            flags: Arc::new(MemoryFlags::default()),
            limiter: None,
            hints: None,
            shared_flags: Vec::new(),
            alone: true,
            redis: None,
        }
    }
}
