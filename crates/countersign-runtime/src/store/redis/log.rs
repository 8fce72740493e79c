//! The log in Redis: a stream a run, its numbers as the streams' own ids (`0-SEQ`), so that the server itself refuses a
//! number twice; what a run is (epoch, end, owner, turn) in a hash beside it. Every change is one script.
//!
//! How durable an append is depends on the server's `appendonly` and `appendfsync`; where that matters the record is
//! PostgreSQL and Redis its hot tail.

use super::RedisStore;
use super::link::{LONG, odd};
use crate::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, READ_BYTES, RunInfo, StoreError,
    TurnMark,
};
use async_trait::async_trait;
use countersign::contract::{EventId, EventType};
use redis::{Script, ScriptInvocation, Value, from_redis_value};
use std::sync::{Arc, LazyLock};

#[async_trait]
impl EventLog for RedisStore {
    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        let mut claim = CLAIM.key(self.key("run", run));
        claim.key(self.key("index", "runs")).arg(run).arg(&owner.node).arg(&owner.address);
        let answer: Value = self.link.script(&claim, LONG).await?;
        if let Ok(lease) = from_redis_value(answer.clone()) {
            return Ok(Claimed::Held(lease_of(lease)));
        }
        let (node, address) = from_redis_value(answer).map_err(|_| odd("a claim got an answer of another kind"))?;
        Ok(Claimed::Taken(Owner { node, address }))
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        let mut seize = SEIZE.key(self.key("run", run));
        seize.arg(seen_epoch).arg(&owner.node).arg(&owner.address);
        let answer: Value = self.link.script(&seize, LONG).await?;
        Ok(from_redis_value(answer).ok().map(lease_of))
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        if !append.is_dense() {
            return Err(odd("an append whose events are not numbered one after the other"));
        }
        let mut script = APPEND.key(self.key("run", &append.run));
        script.key(self.key("log", &append.run)).key(self.key("index", "open")).arg(append.run.as_ref());
        script.arg(append.epoch).arg(append.after).arg(turn_word(append.turn));
        entry_arguments(&mut script, &append.entries);
        let (answer, number): (String, u64) = self.link.script(&script, LONG).await?;
        match answer.as_str() {
            "done" => Ok(Appended::Done),
            "duplicate" => Ok(Appended::Duplicate),
            "gap" => Ok(Appended::Gap { head: number }),
            "fenced" => Ok(Appended::Fenced { epoch: u32::try_from(number).unwrap_or(u32::MAX) }),
            "busy" => Ok(Appended::Busy),
            _ => Err(odd("an append got an answer of another kind")),
        }
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        let mut read = READ.key(self.key("log", run));
        read.arg(after.saturating_add(1)).arg(max).arg(READ_BYTES);
        let rows: Vec<EntryRow> = self.link.script(&read, LONG).await?;
        rows.into_iter().map(entry_of).collect()
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        let heads = self.heads(&[run.into()]).await?;
        heads.into_iter().next().ok_or_else(|| odd("no answer for a head"))
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        Ok(self.rows(runs).await?.iter().map(head_of).collect())
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        let mut command = redis::cmd("SMEMBERS");
        command.arg(self.key("index", "open"));
        let mut names: Vec<String> = self.link.command(&command, LONG).await?;
        names.sort();
        let names: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
        let rows = self.rows(&names).await?;
        let open = names.into_iter().zip(rows).filter(|(_, row)| head_of(row).open);
        Ok(open
            .map(|(run, (epoch, _, _, _, _, node, address))| OpenRun { run, epoch, owner: Owner { node, address } })
            .collect())
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        let key = self.key("beat", &owner.node);
        // A node's name is new with every process: the beats of those that are gone for a day are forgotten.
        let script = BEAT.key(key);
        self.link.script(&script, LONG).await
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let mut nodes: Vec<_> = self.open_runs().await?.into_iter().map(|open| open.owner.node).collect();
        nodes.sort();
        nodes.dedup();
        if nodes.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = redis::cmd("MGET");
        for node in &nodes {
            command.arg(self.key("beat", node));
        }
        let beats: Vec<Option<u64>> = self.link.command(&command, LONG).await?;
        Ok(nodes.into_iter().zip(beats).map(|(node, beat)| (node, beat.unwrap_or(0))).collect())
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        let mut command = redis::cmd("ZRANGE");
        command.arg(self.key("index", "runs")).arg(format!("({after}")).arg("+").arg("BYLEX");
        command.arg("LIMIT").arg(0).arg(max.min(100_000));
        let names: Vec<String> = self.link.command(&command, LONG).await?;
        let names: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
        let rows = self.rows(&names).await?;
        Ok(names.into_iter().zip(&rows).map(|(run, row)| RunInfo { run, head: head_of(row), bytes: row.4 }).collect())
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        let mut trim = TRIM.key(self.key("run", run));
        trim.key(self.key("log", run));
        trim.arg(keep.since.map(|since| since.to_string()).unwrap_or_default());
        trim.arg(keep.bytes.map(|bytes| bytes.to_string()).unwrap_or_default());
        self.link.script(&trim, LONG).await
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        let mut remove = REMOVE.key(self.key("run", run));
        remove.key(self.key("log", run)).key(self.key("index", "open")).key(self.key("index", "runs")).arg(run);
        self.link.script(&remove, LONG).await
    }

    async fn probe(&self) -> Result<(), StoreError> {
        let mut command = redis::cmd("SET");
        command.arg(self.key("index", "probe")).arg(1).arg("EX").arg(60);
        let _: String = self.link.command(&command, LONG).await?;
        Ok(())
    }
}

/// Epoch, end, oldest, open, bytes, node, address.
type RunRow = (u32, u64, u64, u8, u64, String, String);
/// Number, epoch, kind, time, body.
pub(super) type EntryRow = (u64, u32, String, i64, String);

impl RedisStore {
    async fn rows(&self, runs: &[Arc<str>]) -> Result<Vec<RunRow>, StoreError> {
        let mut rows = Vec::with_capacity(runs.len());
        // In portions, so that no script holds the server for long.
        for part in runs.chunks(1000) {
            let mut heads = HEADS.prepare_invoke();
            for run in part {
                heads.key(self.key("run", run));
            }
            let found: Vec<RunRow> = self.link.script(&heads, LONG).await?;
            rows.extend(found);
        }
        Ok(rows)
    }
}

fn head_of((epoch, seq, oldest, open, ..): &RunRow) -> Head {
    Head { epoch: *epoch, seq: *seq, oldest: *oldest, open: *open == 1 }
}

fn lease_of((epoch, seq, open): (u32, u64, u8)) -> Lease {
    Lease { epoch, seq, open: open == 1 }
}

fn turn_word(turn: TurnMark) -> &'static str {
    match turn {
        TurnMark::Keep => "keep",
        TurnMark::Open => "open",
        TurnMark::Close => "close",
    }
}

/// Puts events after what a script has been given.
pub(super) fn entry_arguments(script: &mut ScriptInvocation<'_>, entries: &[Entry]) {
    for entry in entries {
        script.arg(entry.id.epoch).arg(entry.id.seq).arg(entry.kind.name()).arg(entry.at).arg(entry.body.as_ref());
    }
}

/// Reads an event as the scripts give it.
pub(super) fn entry_of((seq, epoch, kind, at, body): EntryRow) -> Result<Entry, StoreError> {
    let kind = EventType::from_name(&kind).ok_or_else(|| odd("an event of an unknown type"))?;
    Ok(Entry { id: EventId { epoch, seq }, kind, at, body: body.into() })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&CLAIM);
    LazyLock::force(&SEIZE);
    LazyLock::force(&APPEND);
    LazyLock::force(&READ);
    LazyLock::force(&HEADS);
    LazyLock::force(&TRIM);
    LazyLock::force(&BEAT);
    LazyLock::force(&REMOVE);
}

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/claim.lua")));
static SEIZE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/seize.lua")));
static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/append.lua")));
static READ: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/read.lua")));
static HEADS: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/heads.lua")));
static TRIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/trim.lua")));
static BEAT: LazyLock<Script> =
    LazyLock::new(|| Script::new("redis.call('INCR', KEYS[1]) redis.call('EXPIRE', KEYS[1], 86400)"));
static REMOVE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "redis.call('DEL', KEYS[1], KEYS[2]) redis.call('SREM', KEYS[3], ARGV[1]) redis.call('ZREM', KEYS[4], ARGV[1])",
    )
});
