//! The stop flags in Redis: one hash, merged inside the server, so that no order of two nodes' words loses a stop.

use super::RedisStore;
use super::link::{SHORT, odd};
use crate::store::{Flag, Flags, Scope, StoreError};
use async_trait::async_trait;
use redis::Script;
use std::sync::LazyLock;

#[async_trait]
impl Flags for RedisStore {
    async fn merge(&self, flags: &[Flag]) -> Result<Vec<Flag>, StoreError> {
        let mut merge = MERGE.key(self.key("index", "flags"));
        for flag in flags {
            merge.arg(flag.scope.to_string()).arg(flag.raised).arg(flag.cleared).arg(flag.at);
        }
        let kept: Vec<(String, String)> = self.link.script(&merge, SHORT).await?;
        let read = |(scope, counts): &(String, String)| {
            flag_of(scope, counts).ok_or_else(|| odd("a flag that cannot be read"))
        };
        let mut kept = kept.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        kept.sort_by(|one, two| one.scope.cmp(&two.scope));
        Ok(kept)
    }
}

fn flag_of(scope: &str, counts: &str) -> Option<Flag> {
    let mut parts = counts.split(' ');
    let (raised, cleared, at) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Flag {
        scope: Scope::from_name(scope)?,
        raised: raised.parse().ok()?,
        cleared: cleared.parse().ok()?,
        at: at.parse().ok()?,
    })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&MERGE);
}

static MERGE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/flags.lua")));
