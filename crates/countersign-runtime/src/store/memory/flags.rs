//! The flags in memory.

use crate::store::{Flag, Flags, Scope, StoreError, merge_flags};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The flags.
#[derive(Debug, Default)]
pub struct MemoryFlags {
    view: Mutex<BTreeMap<Scope, Flag>>,
}

#[async_trait]
impl Flags for MemoryFlags {
    fn is_durable(&self) -> bool {
        false
    }

    async fn merge(&self, flags: &[Flag]) -> Result<Vec<Flag>, StoreError> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        merge_flags(&mut view, flags);
        Ok(view.values().cloned().collect())
    }
}
