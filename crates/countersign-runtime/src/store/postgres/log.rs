//! The log in PostgreSQL.

use super::PostgresStore;
use super::fault::away;
use super::group::{entry_of, number, signed};
use crate::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, READ_BYTES, RunInfo, StoreError,
};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;
use tokio_postgres::Row;

#[async_trait]
impl EventLog for PostgresStore {
    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        let mut connection = self.pool.borrow().await?;
        // The turn may end between the two questions: then the first one has another answer.
        for _ in 0..TRIES {
            let held = connection.query(CLAIM, &[&run, &owner.node, &owner.address]).await?;
            if let Some(row) = held.first() {
                return Ok(Claimed::Held(lease_of(row)));
            }
            let taken = connection.query(OWNER, &[&run]).await?;
            if let Some(row) = taken.first() {
                return Ok(Claimed::Taken(Owner { node: row.get(0), address: row.get(1) }));
            }
        }
        Err(away("a run changes hands too quickly to be claimed"))
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let seen = i64::from(seen_epoch);
        let rows = connection.query(SEIZE, &[&run, &seen, &owner.node, &owner.address]).await?;
        Ok(rows.first().map(lease_of))
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        self.writer.append(append).await
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let max = i64::try_from(max.min(MAX_ROWS)).unwrap_or(i64::MAX);
        let bytes = i64::try_from(READ_BYTES).unwrap_or(i64::MAX);
        let rows = connection.query(READ, &[&run, &signed(after), &max, &bytes]).await?;
        rows.iter().map(entry_of).collect()
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let rows = connection.query(HEAD, &[&run]).await?;
        Ok(rows.first().map_or(UNWRITTEN, head_of))
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let names: Vec<&str> = runs.iter().map(AsRef::as_ref).collect();
        let rows = connection.query(HEADS, &[&names]).await?;
        let found: HashMap<&str, Head> = rows.iter().map(|row| (row.get(4), head_of(row))).collect();
        Ok(names.iter().map(|name| found.get(name).copied().unwrap_or(UNWRITTEN)).collect())
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let rows = connection.query(OPEN, &[]).await?;
        let open = |row: &Row| OpenRun {
            run: row.get::<_, &str>(0).into(),
            epoch: number(row, 1),
            owner: Owner { node: row.get(2), address: row.get(3) },
        };
        Ok(rows.iter().map(open).collect())
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        let mut connection = self.pool.borrow().await?;
        let beats = connection.query(BEAT, &[&owner.node]).await?;
        if beats.first().is_some_and(|row| row.get::<_, i64>(0) == 1) {
            connection.execute(FORGET, &[]).await?;
        }
        Ok(())
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let rows = connection.query(BEATS, &[]).await?;
        Ok(rows.iter().map(|row| (row.get(0), number(row, 1))).collect())
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        let rows = connection.query(RUNS, &[&after, &max]).await?;
        let info = |row: &Row| RunInfo { run: row.get::<_, &str>(4).into(), head: head_of(row), bytes: number(row, 5) };
        Ok(rows.iter().map(info).collect())
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        let mut connection = self.pool.borrow().await?;
        connection.begin().await?;
        // With the row locked nobody appends while we count.
        let rows = connection.query(LOCK, &[&run]).await?;
        let Some(end) = rows.first().map(|row| row.get::<_, i64>(0)) else {
            connection.roll_back().await?;
            return Ok(1);
        };
        let bytes = keep.bytes.map(signed);
        let rows = connection.query(FIRST_KEPT, &[&run, &keep.since, &bytes]).await?;
        let first = rows.first().and_then(|row| row.get::<_, Option<i64>>(0)).unwrap_or(end.saturating_add(1));
        connection.execute(CUT, &[&run, &first]).await?;
        connection.execute(CUT_HEAD, &[&run, &first]).await?;
        connection.commit().await?;
        Ok(u64::try_from(first).unwrap_or_default())
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        let mut connection = self.pool.borrow().await?;
        connection.begin().await?;
        // Two statements: the second one's view is taken after an append that the first one waited for.
        connection.execute("DELETE FROM countersign.runs WHERE run = $1", &[&run]).await?;
        connection.execute("DELETE FROM countersign.events WHERE run = $1", &[&run]).await?;
        connection.commit().await
    }

    async fn probe(&self) -> Result<(), StoreError> {
        let mut connection = self.pool.borrow().await?;
        connection.execute(PROBE, &[]).await?;
        Ok(())
    }
}

fn head_of(row: &Row) -> Head {
    Head { epoch: number(row, 0), seq: number(row, 1), oldest: number(row, 2), open: row.get(3) }
}

fn lease_of(row: &Row) -> Lease {
    Lease { epoch: number(row, 0), seq: number(row, 1), open: row.get(2) }
}

const UNWRITTEN: Head = Head { epoch: 0, seq: 0, oldest: 1, open: false };
const TRIES: usize = 5;
/// At most so many events in one reading.
const MAX_ROWS: usize = 10_000;

const CLAIM: &str = "INSERT INTO countersign.runs AS kept (run, epoch, seq, oldest, open, bytes, node, address) \
    VALUES ($1, 1, 0, 1, false, 0, $2, $3) \
    ON CONFLICT (run) DO UPDATE SET \
    epoch = CASE WHEN kept.node = $2 THEN kept.epoch ELSE kept.epoch + 1 END, \
    node = $2, address = CASE WHEN kept.node = $2 THEN kept.address ELSE $3 END \
    WHERE kept.node = $2 OR NOT kept.open RETURNING epoch, seq, open";
const OWNER: &str = "SELECT node, address FROM countersign.runs WHERE run = $1 AND open";
const SEIZE: &str = "UPDATE countersign.runs SET epoch = epoch + 1, node = $3, address = $4 \
    WHERE run = $1 AND epoch = $2 RETURNING epoch, seq, open";
/// The first event always, further ones while what is before them and they themselves fit.
const READ: &str = "SELECT seq, epoch, kind, at, body FROM ( \
    SELECT *, sum(octet_length(body)) OVER (ORDER BY seq) AS total, row_number() OVER (ORDER BY seq) AS place FROM ( \
    SELECT seq, epoch, kind, at, body FROM countersign.events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3 \
    ) AS wanted) AS counted WHERE total <= $4 OR place = 1 ORDER BY seq";
const HEAD: &str = "SELECT epoch, seq, oldest, open FROM countersign.runs WHERE run = $1";
const HEADS: &str = "SELECT epoch, seq, oldest, open, run FROM countersign.runs WHERE run = ANY($1::text[])";
const OPEN: &str = "SELECT run, epoch, node, address FROM countersign.runs WHERE open ORDER BY run";
const BEAT: &str = "INSERT INTO countersign.beats AS kept (node, beat, at) VALUES ($1, 1, now()) \
    ON CONFLICT (node) DO UPDATE SET beat = kept.beat + 1, at = now() RETURNING beat";
/// A node's name is new with every process: those that are long gone are forgotten when a new one comes.
const FORGET: &str = "DELETE FROM countersign.beats WHERE at < now() - interval '7 days'";
const BEATS: &str = "SELECT owners.node, coalesce(beats.beat, 0) \
    FROM (SELECT DISTINCT node FROM countersign.runs WHERE open) AS owners \
    LEFT JOIN countersign.beats USING (node) ORDER BY owners.node COLLATE \"C\"";
const RUNS: &str =
    "SELECT epoch, seq, oldest, open, run, bytes FROM countersign.runs WHERE run > $1 ORDER BY run LIMIT $2";
const LOCK: &str = "SELECT seq FROM countersign.runs WHERE run = $1 FOR UPDATE";
/// The first event that is neither too old nor followed by too much.
const FIRST_KEPT: &str = "SELECT min(seq) FROM ( \
    SELECT seq, at, sum(octet_length(body)) OVER (ORDER BY seq DESC) AS rest FROM countersign.events WHERE run = $1 \
    ) AS counted WHERE ($2::bigint IS NULL OR at >= $2) AND ($3::bigint IS NULL OR rest <= $3)";
const CUT: &str = "DELETE FROM countersign.events WHERE run = $1 AND seq < $2";
const CUT_HEAD: &str = "UPDATE countersign.runs SET oldest = $2, bytes = \
    (SELECT coalesce(sum(octet_length(body)), 0) FROM countersign.events WHERE run = $1) WHERE run = $1";
/// A write that changes nothing that anybody reads, but needs a server that takes writes.
const PROBE: &str = "INSERT INTO countersign.limits VALUES ('', 0) ON CONFLICT (key) DO UPDATE SET drained = 0";
