//! The newest events of a run whose record is elsewhere, so that many readers do not all ask the record for them.
//!
//! A hot tail has a generation, a random word that it gets when it is filled. Who goes on with it names the generation
//! it filled or knows, so a tail that was lost and filled by somebody else, or brought back from an old snapshot, is
//! never continued by mistake. Whether a tail tells the truth is not known here: `layered` compares it with the record.

use super::RedisStore;
use super::link::SHORT;
use super::log::{EntryRow, entry_arguments, entry_of};
use crate::store::{Entry, READ_BYTES, StoreError};
use redis::Script;
use std::sync::LazyLock;

/// Where a hot tail says that it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HotHead {
    /// Which filling this is; empty where there is no tail.
    pub generation: String,
    /// The epoch of the run's writer.
    pub epoch: u32,
    /// The newest event.
    pub seq: u64,
}

/// A reading of a hot tail.
#[derive(Debug, Clone, Default)]
pub struct HotRead {
    /// Where it is.
    pub head: HotHead,
    /// The events, in order, not necessarily from the number that was asked for.
    pub entries: Vec<Entry>,
}

impl RedisStore {
    /// Goes on with a tail. False where it is another one, or does not end at `after`.
    pub async fn hot_append(
        &self,
        run: &str,
        after: &HotHead,
        entries: &[Entry],
        keep: usize,
    ) -> Result<bool, StoreError> {
        let mut append = APPEND.key(self.key("hot-head", run));
        append.key(self.key("hot", run)).arg(&after.generation).arg(after.epoch).arg(after.seq);
        append.arg(keep).arg(SECONDS);
        entry_arguments(&mut append, entries);
        let done: u8 = self.link.script(&append, SHORT).await?;
        Ok(done == 1)
    }

    /// Starts a tail over with these events, which end at the head.
    pub async fn hot_refill(&self, run: &str, head: &HotHead, entries: &[Entry]) -> Result<(), StoreError> {
        let mut refill = REFILL.key(self.key("hot-head", run));
        refill.key(self.key("hot", run)).arg(&head.generation).arg(head.epoch).arg(head.seq).arg(SECONDS);
        entry_arguments(&mut refill, entries);
        let _: u8 = self.link.script(&refill, SHORT).await?;
        Ok(())
    }

    /// Reads a tail.
    pub async fn hot_read(&self, run: &str, after: u64, max: usize) -> Result<HotRead, StoreError> {
        let mut read = READ.key(self.key("hot-head", run));
        read.key(self.key("hot", run)).arg(after.saturating_add(1)).arg(max).arg(READ_BYTES);
        let (generation, epoch, seq, rows): (String, u32, u64, Vec<EntryRow>) = self.link.script(&read, SHORT).await?;
        let entries = rows.into_iter().map(entry_of).collect::<Result<_, _>>()?;
        Ok(HotRead { head: HotHead { generation, epoch, seq }, entries })
    }

    /// Forgets a tail.
    pub async fn hot_forget(&self, run: &str) -> Result<(), StoreError> {
        let mut command = redis::cmd("DEL");
        command.arg(self.key("hot-head", run)).arg(self.key("hot", run));
        let _: u64 = self.link.command(&command, SHORT).await?;
        Ok(())
    }
}

/// A tail that nobody has written for so long is forgotten.
const SECONDS: u32 = 3600;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&APPEND);
    LazyLock::force(&REFILL);
    LazyLock::force(&READ);
}

static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/hot_append.lua")));
static REFILL: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/hot_refill.lua")));
static READ: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/hot_read.lua")));
