//! Appends that are committed together: one lock, one look, one insert, one commit.
//!
//! The rows of the runs are locked in the order of their names, so two nodes that write the same runs wait for each other
//! instead of locking each other out. Then the appends are judged one after the other against what the database
//! holds and what this group has already put beside it; a refused one leaves no trace.

use super::fault::{away, broken, meaning};
use super::pool::{Borrowed, Pool, STATEMENT, Values, in_time};
use crate::store::{Append, Appended, Entry, StoreError, TurnMark};
use countersign::contract::{EventId, EventType};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::time::timeout;
use tokio_postgres::Row;

/// Commits a group; gives what became of each append, in order.
pub(super) async fn commit(pool: &Pool, appends: &[Append]) -> Result<Vec<Appended>, StoreError> {
    let mut connection = pool.borrow().await?;
    let mut plan = Plan::new(lock(&mut connection, appends).await?);
    plan.held = held(&mut connection, appends, &plan.runs).await?;
    let outcomes = appends.iter().map(|append| plan.judge(append)).collect();
    if plan.changed.is_empty() {
        connection.roll_back().await?;
    } else {
        write(&mut connection, &plan).await?;
    }
    Ok(outcomes)
}

/// Begins the transaction and locks the runs, in one message (sent in the order of the words: `biased`).
async fn lock(connection: &mut Borrowed<'_>, appends: &[Append]) -> Result<BTreeMap<Arc<str>, Run>, StoreError> {
    let lock = connection.statement(LOCK).await?;
    let mut names: Vec<&str> = appends.iter().map(|append| append.run.as_ref()).collect();
    names.sort_unstable();
    names.dedup();
    let client = connection.raw()?;
    let wanted: Values<'_> = &[&names];
    let both = async {
        let (begun, rows) = tokio::join!(biased; client.batch_execute("BEGIN"), client.query(&lock, wanted));
        begun.and(rows)
    };
    let rows = in_time(STATEMENT, both).await?;
    let run = |row: &Row| {
        let state = Run { epoch: number(row, 1), seq: number(row, 2), open: row.get(3), bytes: 0 };
        (Arc::from(row.get::<_, &str>(0)), state)
    };
    Ok(rows.iter().map(run).collect())
}

/// The events that an append may be a repetition of. Mostly there are none, and nothing is asked.
async fn held(
    connection: &mut Borrowed<'_>,
    appends: &[Append],
    runs: &BTreeMap<Arc<str>, Run>,
) -> Result<HashMap<(Arc<str>, u64), Entry>, StoreError> {
    let (mut names, mut firsts, mut lasts) = (Vec::new(), Vec::new(), Vec::new());
    for append in appends {
        let behind = runs.get(&append.run).is_some_and(|run| run.epoch == append.epoch && append.after < run.seq);
        if let Some(last) = append.entries.last().filter(|_| behind) {
            names.push(append.run.as_ref());
            firsts.push(signed(append.after));
            lasts.push(signed(last.id.seq));
        }
    }
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = connection.query(HELD, &[&names, &firsts, &lasts]).await?;
    rows.iter().map(|row| Ok(((Arc::from(row.get::<_, &str>(5)), number(row, 0)), entry_of(row)?))).collect()
}

/// Inserts, moves the heads and commits, in one message. If one of the three fails the server has undone all.
async fn write(connection: &mut Borrowed<'_>, plan: &Plan<'_>) -> Result<(), StoreError> {
    let (insert, update) = (connection.statement(INSERT).await?, connection.statement(UPDATE).await?);
    let rows = &plan.rows;
    let names: Vec<&str> = rows.iter().map(|(run, _)| *run).collect();
    let seqs: Vec<i64> = rows.iter().map(|(_, entry)| signed(entry.id.seq)).collect();
    let epochs: Vec<i64> = rows.iter().map(|(_, entry)| i64::from(entry.id.epoch)).collect();
    let kinds: Vec<&str> = rows.iter().map(|(_, entry)| entry.kind.name()).collect();
    let times: Vec<i64> = rows.iter().map(|(_, entry)| entry.at).collect();
    let bodies: Vec<&str> = rows.iter().map(|(_, entry)| entry.body.as_ref()).collect();
    let changed: Vec<_> = plan.runs.iter().filter(|(run, _)| plan.changed.contains_key(run.as_ref())).collect();
    let runs: Vec<&str> = changed.iter().map(|(run, _)| run.as_ref()).collect();
    let heads: Vec<i64> = changed.iter().map(|(_, run)| signed(run.seq)).collect();
    let opens: Vec<bool> = changed.iter().map(|(_, run)| run.open).collect();
    let sizes: Vec<i64> = changed.iter().map(|(_, run)| signed(run.bytes)).collect();
    let events: Values<'_> = &[&names, &seqs, &epochs, &kinds, &times, &bodies];
    let moved: Values<'_> = &[&runs, &heads, &opens, &sizes];
    let client = connection.raw()?;
    let sent = async {
        tokio::join!(
            biased;
            client.execute(&insert, events),
            client.execute(&update, moved),
            client.batch_execute("COMMIT"),
        )
    };
    let (inserted, updated, committed) =
        timeout(STATEMENT, sent).await.map_err(|_| away("no answer to a commit in time"))?;
    // The order matters: after a failed insert the server answers the rest with less telling words.
    let inserted = inserted.map_err(|error| meaning(&error))?;
    let updated = updated.map_err(|error| meaning(&error))?;
    committed.map_err(|error| meaning(&error))?;
    connection.settled()?;
    if inserted != rows.len() as u64 || updated != runs.len() as u64 {
        return Err(broken("a commit wrote another number of rows than were sent"));
    }
    Ok(())
}

/// A run as it will be.
#[derive(Debug)]
struct Run {
    epoch: u32,
    seq: u64,
    open: bool,
    /// How many bytes this group adds.
    bytes: u64,
}

/// What a group will do.
struct Plan<'a> {
    runs: BTreeMap<Arc<str>, Run>,
    held: HashMap<(Arc<str>, u64), Entry>,
    rows: Vec<(&'a str, &'a Entry)>,
    /// The runs that change, with the places of their new rows by number.
    changed: HashMap<&'a str, HashMap<u64, usize>>,
}

impl<'a> Plan<'a> {
    fn new(runs: BTreeMap<Arc<str>, Run>) -> Self {
        Self { runs, held: HashMap::new(), rows: Vec::new(), changed: HashMap::new() }
    }

    fn judge(&mut self, append: &'a Append) -> Appended {
        let repeated = !append.entries.is_empty() && append.entries.iter().all(|entry| self.holds(&append.run, entry));
        let Some(run) = self.runs.get_mut(&append.run) else { return Appended::Fenced { epoch: 0 } };
        if run.epoch != append.epoch {
            return Appended::Fenced { epoch: run.epoch };
        }
        if repeated {
            return Appended::Duplicate;
        }
        if append.after != run.seq {
            return Appended::Gap { head: run.seq };
        }
        if append.turn == TurnMark::Open && run.open {
            return Appended::Busy;
        }
        match append.turn {
            TurnMark::Keep => {}
            TurnMark::Open => run.open = true,
            TurnMark::Close => run.open = false,
        }
        run.seq += append.entries.len() as u64;
        run.bytes += append.entries.iter().map(|entry| entry.body.len() as u64).sum::<u64>();
        let places = self.changed.entry(&append.run).or_default();
        for entry in &append.entries {
            places.insert(entry.id.seq, self.rows.len());
            self.rows.push((&append.run, entry));
        }
        Appended::Done
    }

    fn holds(&self, run: &Arc<str>, entry: &Entry) -> bool {
        let place = self.changed.get(run.as_ref()).and_then(|places| places.get(&entry.id.seq));
        let staged = place.and_then(|place| self.rows.get(*place)).map(|(_, staged)| *staged);
        staged.or_else(|| self.held.get(&(Arc::clone(run), entry.id.seq))) == Some(entry)
    }
}

/// An event from `seq, epoch, kind, at, body`.
pub(super) fn entry_of(row: &Row) -> Result<Entry, StoreError> {
    let kind = EventType::from_name(row.get(2)).ok_or_else(|| broken("it holds an event of an unknown type"))?;
    let id = EventId { epoch: number(row, 1), seq: number(row, 0) };
    Ok(Entry { id, kind, at: row.get(3), body: row.get::<_, &str>(4).into() })
}

/// A number that is never negative; the tables know only signed ones.
pub(super) fn number<N: TryFrom<i64> + Default>(row: &Row, column: usize) -> N {
    N::try_from(row.get::<_, i64>(column)).unwrap_or_default()
}

/// The other way.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

const LOCK: &str =
    "SELECT run, epoch, seq, open FROM countersign.runs WHERE run = ANY($1::text[]) ORDER BY run FOR UPDATE";
const HELD: &str = "SELECT seq, epoch, kind, at, body, events.run FROM countersign.events \
    JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS wanted(run, first, last) \
    ON events.run = wanted.run AND seq > wanted.first AND seq <= wanted.last";
const INSERT: &str = "INSERT INTO countersign.events (run, seq, epoch, kind, at, body) \
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])";
const UPDATE: &str = "UPDATE countersign.runs AS kept SET seq = made.seq, open = made.open, bytes = kept.bytes + made.bytes \
    FROM unnest($1::text[], $2::bigint[], $3::boolean[], $4::bigint[]) AS made(run, seq, open, bytes) \
    WHERE kept.run = made.run";
