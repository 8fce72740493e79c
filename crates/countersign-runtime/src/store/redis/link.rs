//! The one connection to the server: shared by all commands, rebuilt after a failure, never waited for without end.
//!
//! A command that failed to reach the server is not sent again from here: only the caller knows whether that is right.

use crate::store::StoreError;
use crate::tls::take_parameter;
use redis::aio::{MultiplexedConnection, PubSub};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, RedisError, ScriptInvocation, TlsCertificates,
};
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The connection.
pub(super) struct Link {
    client: Client,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<MultiplexedConnection>,
    /// How many connections there have been: who saw an older one fail does not drop a newer one.
    made: u64,
    /// The last failure to connect: for a moment nobody tries again.
    refused: Option<(Instant, StoreError)>,
}

impl Link {
    /// Checks the URL; connects later.
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let (url, roots) = take_parameter(url, "sslrootcert");
        let unusable = |cause: String| StoreError::Broken { store: NAME, cause };
        let client = match roots {
            None => Client::open(url),
            Some(path) => {
                let root_cert =
                    std::fs::read(&path).map_err(|error| unusable(format!("cannot read {path}: {error}")))?;
                Client::build_with_tls(url, TlsCertificates { client_tls: None, root_cert: Some(root_cert) })
            }
        };
        let client = client
            .map_err(|error| unusable(format!("its URL cannot be used ({}); give it as {FORM}", error.category())))?;
        Ok(Self { client, state: Mutex::new(State::default()) })
    }

    /// Sends a command.
    pub(super) async fn command<T: FromRedisValue>(&self, command: &Cmd, deadline: Duration) -> Result<T, StoreError> {
        let (mut connection, made) = self.connection().await?;
        let answer = in_time(deadline, command.query_async(&mut connection)).await;
        self.noted(made, answer).await
    }

    /// Runs a script.
    pub(super) async fn script<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
        deadline: Duration,
    ) -> Result<T, StoreError> {
        let (mut connection, made) = self.connection().await?;
        let answer = in_time(deadline, script.invoke_async(&mut connection)).await;
        self.noted(made, answer).await
    }

    /// A connection of its own that listens to a channel.
    pub(super) async fn subscribe(&self, channel: &str) -> Result<PubSub, StoreError> {
        let mut listener = in_time(CONNECT, self.client.get_async_pubsub()).await?;
        in_time(SHORT, listener.subscribe(channel)).await?;
        Ok(listener)
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, u64), StoreError> {
        // Whoever holds the lock holds it for one attempt at most.
        let waited = timeout(CONNECT * 2, self.state.lock()).await;
        let mut state = waited.map_err(|_| away("many wait for it"))?;
        if let Some(connection) = &state.connection {
            return Ok((connection.clone(), state.made));
        }
        if let Some((at, error)) = &state.refused
            && at.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        // The deadlines are ours; the driver's own stands above the longest of them.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(LONG * 2))
            .set_pipeline_buffer_size(1024);
        match in_time(CONNECT, self.client.get_multiplexed_async_connection_with_config(&config)).await {
            Ok(connection) => {
                state.made += 1;
                state.refused = None;
                state.connection = Some(connection.clone());
                Ok((connection, state.made))
            }
            Err(error) => {
                state.refused = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Drops a connection that failed: also after a deadline, because whatever is sent next would wait after it.
    async fn noted<T>(&self, made: u64, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Away { .. }) = answer {
            let mut state = self.state.lock().await;
            if state.made == made {
                state.connection = None;
            }
        }
        answer
    }
}

async fn in_time<T>(deadline: Duration, work: impl Future<Output = Result<T, RedisError>>) -> Result<T, StoreError> {
    match timeout(deadline, work).await {
        Ok(answer) => answer.map_err(|error| meaning(&error)),
        Err(_) => Err(away(&format!("no answer within {} ms", deadline.as_millis()))),
    }
}

fn away(cause: &str) -> StoreError {
    StoreError::Away { store: NAME, cause: cause.to_owned() }
}

/// An answer that no version of the server gives.
pub(super) fn odd(what: &str) -> StoreError {
    StoreError::Broken { store: NAME, cause: format!("{what}; is the database used by something else?") }
}

fn meaning(error: &RedisError) -> StoreError {
    let cause = error.to_string();
    let cut =
        error.is_io_error() || error.is_timeout() || error.is_connection_dropped() || error.is_unrecoverable_error();
    match (error.code(), error.kind()) {
        (Some("OOM" | "MISCONF"), _) => StoreError::Full { store: NAME, cause },
        (Some("BUSY" | "NOREPLICAS" | "LOADING" | "TRYAGAIN" | "CLUSTERDOWN" | "MASTERDOWN" | "READONLY"), _) => {
            StoreError::Away { store: NAME, cause }
        }
        (_, ErrorKind::AuthenticationFailed | ErrorKind::InvalidClientConfig) => {
            StoreError::Broken { store: NAME, cause }
        }
        _ if cut => StoreError::Away { store: NAME, cause },
        _ => StoreError::Broken { store: NAME, cause },
    }
}

const NAME: &str = "Redis";
const FORM: &str =
    "redis://HOST:PORT/DATABASE, or rediss:// for TLS, with ?sslrootcert=FILE for certificates of your own";
/// For what a request waits for: flags, limits, the hot tail.
pub(super) const SHORT: Duration = Duration::from_millis(500);
/// For the log, whose reads can be long.
pub(super) const LONG: Duration = Duration::from_secs(3);
const CONNECT: Duration = Duration::from_millis(300);
/// After a refused connection nobody tries for so long.
const PAUSE: Duration = Duration::from_millis(100);
