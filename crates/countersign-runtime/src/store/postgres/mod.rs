//! Everything in a PostgreSQL database that several nodes share: the record of a deployment with more than one node.
//!
//! All compare-and-set is done in the database, because other processes write at the same time. Appends are collected
//! for a few milliseconds and committed together; nobody is answered before the commit, and `synchronous_commit` is
//! never off. Every wait has a deadline, and a server that does not answer is `Away`. Nothing is announced from here:
//! `NOTIFY` in the inserting transaction made it 4.6 times slower, so hints go over Redis.

/// What the server's errors mean.
mod fault;
/// The tables, made and brought up to date.
mod schema;
/// TLS.
mod tls;
/// Connections.
mod pool;
/// Appends, committed together.
mod group;
/// The task that collects them.
mod writer;
/// The log.
mod log;
/// The records.
mod records;
/// The flags.
mod flags;
/// The limiter.
mod limiter;

use crate::store::stored_json::Unreadable;
use crate::store::{EventLog, StoreError};
use pool::Pool;
use std::sync::Arc;
use writer::Writer;

/// A PostgreSQL database, seen by one node.
pub struct PostgresStore {
    pool: Arc<Pool>,
    writer: Writer,
    unreadable: Unreadable,
}

impl PostgresStore {
    /// Reaches a database by its URL (`postgres://USER:PASSWORD@HOST:PORT/DATABASE`), makes or updates its tables, and
    /// fails if it cannot be reached now.
    pub async fn connect(url: &str) -> Result<Arc<Self>, StoreError> {
        let store = Self::open(url)?;
        store.probe().await?;
        Ok(store)
    }

    /// The same without a look at the server, which may be unavailable and come later. Must be called inside a tokio runtime.
    pub fn open(url: &str) -> Result<Arc<Self>, StoreError> {
        let pool = Arc::new(Pool::open(url)?);
        let writer = Writer::start(Arc::clone(&pool));
        Ok(Arc::new(Self { pool, writer, unreadable: Unreadable::default() }))
    }

    /// Commits what is waiting, ends the writing task, and closes the connections. Later calls may still read.
    pub async fn close(&self) {
        self.writer.stop().await;
        self.pool.clear();
    }
}
