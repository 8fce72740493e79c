//! What need not be kept: events that are too old, or too many, of runs without an open turn.

use super::draft::now_millis;
use super::hub::Hub;
use crate::store::{Keep, StoreError};
use std::time::Duration;

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// Events of the last so long; none means forever.
    pub age: Option<Duration>,
    /// The newest events of each session that fit in so many bytes; none means all.
    pub bytes: Option<u64>,
}

impl Hub {
    /// Trims every run that has no open turn; returns how many events went.
    pub async fn retain(&self, retention: Retention) -> Result<u64, StoreError> {
        if retention == Retention::default() {
            return Ok(0);
        }
        let age = |age: Duration| now_millis() - i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let keep = Keep { since: retention.age.map(age), bytes: retention.bytes };
        let mut gone = 0;
        let mut after = String::new();
        loop {
            let runs = self.log.runs(&after, PAGE).await?;
            let Some(last) = runs.last() else { return Ok(gone) };
            after = last.run.to_string();
            for info in runs.iter().filter(|info| !info.head.open && info.head.oldest <= info.head.seq) {
                let oldest = self.log.trim(&info.run, keep).await?;
                gone += oldest.saturating_sub(info.head.oldest);
                self.run(&info.run).trimmed(oldest);
            }
        }
    }
}

/// How many runs are looked at at once.
const PAGE: usize = 500;
