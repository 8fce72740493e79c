//! Connections: a few, kept while they work, rebuilt when they do not, lent for one piece of work.
//!
//! A connection that comes back in the middle of something (an error, a deadline, a caller that went away, an open
//! transaction) is thrown away, never reused: what it would answer next belongs to somebody else's question.

use super::fault::{away, broken, meaning};
use super::schema;
use super::tls::{Tls, Wanted};
use crate::store::StoreError;
use futures_util::FutureExt;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

/// The values of a statement.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The connections.
pub(super) struct Pool {
    config: Config,
    tls: Option<Tls>,
    idle: Mutex<Vec<Connection>>,
    places: Semaphore,
    /// Whether this process has seen to the tables.
    ready: tokio::sync::Mutex<Ready>,
}

#[derive(PartialEq)]
enum Ready {
    No,
    Yes,
}

impl Pool {
    /// Checks the URL; connects later.
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let Wanted { url, mode, tls } = Wanted::of(url)?;
        let mut config: Config = url
            .parse()
            .map_err(|_| broken("its URL cannot be read; give it as postgres://USER:PASSWORD@HOST:PORT/DATABASE"))?;
        config.ssl_mode(mode).connect_timeout(CONNECT).tcp_user_timeout(STATEMENT);
        config.keepalives_idle(Duration::from_secs(30));
        if config.get_application_name().is_none() {
            config.application_name("countersign");
        }
        let places = Semaphore::new(CONNECTIONS);
        Ok(Self { config, tls, idle: Mutex::default(), places, ready: tokio::sync::Mutex::new(Ready::No) })
    }

    /// Lends a connection.
    pub(super) async fn borrow(&self) -> Result<Borrowed<'_>, StoreError> {
        let place = timeout(QUEUE, self.places.acquire()).await;
        let place = place.map_err(|_| away("all connections are busy"))?.map_err(|_| away("the store is closed"))?;
        let known = self.waiting();
        let connection = match known {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        Ok(Borrowed { connection: Some(connection), pool: self, _place: place })
    }

    /// Closes all that are not lent.
    pub(super) fn clear(&self) {
        self.idle().clear();
    }

    fn waiting(&self) -> Option<Connection> {
        let mut idle = self.idle();
        idle.retain(|connection| !connection.client.is_closed());
        idle.pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self) -> Result<Connection, StoreError> {
        let (client, driver) = match &self.tls {
            None => {
                let (client, driver) = in_time(CONNECT, self.config.connect(NoTls)).await?;
                (client, tokio::spawn(driver.map(drop)))
            }
            Some(tls) => {
                let (client, driver) = in_time(CONNECT, self.config.connect(tls.clone())).await?;
                (client, tokio::spawn(driver.map(drop)))
            }
        };
        // The driver's error is also that of the statement that waits.
        let mut connection =
            Connection { client, statements: HashMap::new(), state: State::Idle, driver: driver.abort_handle() };
        in_time(STATEMENT, connection.client.batch_execute(SETTINGS)).await?;
        let mut ready = timeout(MIGRATION, self.ready.lock()).await.map_err(|_| away("its tables are being made"))?;
        if *ready == Ready::No {
            schema::migrate(&mut connection.client).await?;
            *ready = Ready::Yes;
        }
        Ok(connection)
    }
}

struct Connection {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    state: State,
    driver: AbortHandle,
}

#[derive(PartialEq)]
enum State {
    /// Between two statements, outside a transaction.
    Idle,
    /// Inside a transaction.
    Transaction,
    /// A statement was sent and its answer not read, or it failed.
    Unsure,
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The socket is closed at once, also while the server is silent.
        self.driver.abort();
    }
}

/// A connection on loan.
pub(super) struct Borrowed<'a> {
    connection: Option<Connection>,
    pool: &'a Pool,
    _place: SemaphorePermit<'a>,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take().filter(|connection| connection.state == State::Idle) {
            self.pool.idle().push(connection);
        }
    }
}

impl Borrowed<'_> {
    /// Asks for rows.
    pub(super) async fn query(&mut self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, StoreError> {
        let statement = self.statement(sql).await?;
        let connection = self.connection()?;
        let before = std::mem::replace(&mut connection.state, State::Unsure);
        let rows = in_time(STATEMENT, connection.client.query(&statement, values)).await?;
        connection.state = before;
        Ok(rows)
    }

    /// Asks for rows with a statement that was made for this question.
    pub(super) async fn query_once(&mut self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, StoreError> {
        let connection = self.connection()?;
        let before = std::mem::replace(&mut connection.state, State::Unsure);
        let rows = in_time(STATEMENT, connection.client.query(sql, values)).await?;
        connection.state = before;
        Ok(rows)
    }

    /// Changes rows; says how many.
    pub(super) async fn execute(&mut self, sql: &'static str, values: Values<'_>) -> Result<u64, StoreError> {
        let statement = self.statement(sql).await?;
        let connection = self.connection()?;
        let before = std::mem::replace(&mut connection.state, State::Unsure);
        let count = in_time(STATEMENT, connection.client.execute(&statement, values)).await?;
        connection.state = before;
        Ok(count)
    }

    /// Begins a transaction; without `commit` it is as if nothing had been done.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        self.plain("BEGIN").await?;
        self.connection()?.state = State::Transaction;
        Ok(())
    }

    /// Makes what was done since `begin` last.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.plain("COMMIT").await?;
        self.connection()?.state = State::Idle;
        Ok(())
    }

    /// Undoes what was done since `begin`.
    pub(super) async fn roll_back(&mut self) -> Result<(), StoreError> {
        self.plain("ROLLBACK").await?;
        self.connection()?.state = State::Idle;
        Ok(())
    }

    /// A statement that the server has parsed once for this connection.
    pub(super) async fn statement(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        let connection = self.connection()?;
        if let Some(statement) = connection.statements.get(sql) {
            return Ok(statement.clone());
        }
        let before = std::mem::replace(&mut connection.state, State::Unsure);
        let statement = in_time(STATEMENT, connection.client.prepare(sql)).await?;
        connection.statements.insert(sql, statement.clone());
        connection.state = before;
        Ok(statement)
    }

    /// The bare client, for several statements in one message. Until `settled` the connection counts as unsure.
    pub(super) fn raw(&mut self) -> Result<&Client, StoreError> {
        let connection = self.connection()?;
        connection.state = State::Unsure;
        Ok(&connection.client)
    }

    /// All that was sent through `raw` was answered, and no transaction is open.
    pub(super) fn settled(&mut self) -> Result<(), StoreError> {
        self.connection()?.state = State::Idle;
        Ok(())
    }

    async fn plain(&mut self, sql: &str) -> Result<(), StoreError> {
        let client = self.raw()?;
        in_time(STATEMENT, client.batch_execute(sql)).await
    }

    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        self.connection.as_mut().ok_or_else(|| away("the connection is gone"))
    }
}

/// Waits for an answer of the server, but not for long.
pub(super) async fn in_time<T>(
    deadline: Duration,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, StoreError> {
    match timeout(deadline, work).await {
        Ok(answer) => answer.map_err(|error| meaning(&error)),
        Err(_) => Err(away(format!("no answer within {} s", deadline.as_secs()))),
    }
}

/// At most so many connections of one process.
const CONNECTIONS: usize = 8;
const QUEUE: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(2);
/// For one statement, whatever it waits for.
pub(super) const STATEMENT: Duration = Duration::from_secs(5);
const MIGRATION: Duration = Duration::from_secs(30);
/// The server gives up when we do. An acknowledged commit must be on disk, whatever the database's default is; stronger
/// settings are left alone.
const SETTINGS: &str = "SET statement_timeout = 5000; SET idle_in_transaction_session_timeout = 10000; \
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";
