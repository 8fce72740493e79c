//! The stores that the server works on, opened from the configuration.

use super::health::Ping;
use crate::config::{Config, DataDir};
use crate::failure::Failure;
use countersign_runtime::store::memory::{MemoryFlags, MemoryLog, MemoryRecords};
use countersign_runtime::store::{EventLog, Flags, Hints, Limiter, Records};
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
    /// Redis, to be asked whether it is there.
    pub redis: Option<Arc<dyn Ping>>,
}

impl Stores {
    /// Opens what the configuration names.
    pub async fn open(config: &Config) -> Result<Self, Failure> {
        if let DataDir::Folder(folder) = &config.data_dir {
            std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, "make", &error))?;
        }
        Ok(Self::in_memory())
    }

    /// Everything in memory.
    pub fn in_memory() -> Self {
        Self {
            log: Arc::new(MemoryLog::default()),
            records: Arc::new(MemoryRecords::default()),
            flags: Arc::new(MemoryFlags::default()),
            limiter: None,
            hints: None,
            redis: None,
        }
    }
}
