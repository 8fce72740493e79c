//! Connections: taken, bounded, and closed.
//!
//! A loop of our own instead of the framework's, because a server that strangers reach needs what that one leaves out: a
//! deadline for the head of a request, a limit on its size, and a limit on how many connections are open.

use super::head_deadline::HeadTimer;
use super::limits::Peer;
use super::state::App;
use super::tls::Tls;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::MissedTickBehavior;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

/// Takes connections until the end begins; then gives those that are open the time to finish.
pub(super) struct Listener {
    router: Router,
    app: Arc<App>,
    room: Arc<Semaphore>,
    /// Room for those who are told that there is none.
    doorstep: Arc<Semaphore>,
    connections: TaskTracker,
}

impl Listener {
    /// A listener for a router.
    pub(super) fn new(router: Router, app: Arc<App>) -> Self {
        let room = Arc::new(Semaphore::new(app.config.limits.connections));
        let doorstep = Arc::new(Semaphore::new(DOORSTEP));
        Self { router, app, room, doorstep, connections: TaskTracker::new() }
    }

    /// Takes connections until the end begins.
    pub(super) async fn run(&self, socket: TcpListener) {
        let end = self.app.shutdown.begun().clone();
        loop {
            let accepted = tokio::select! {
                () = end.cancelled() => return,
                accepted = socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer, end.clone()),
                Err(error) => rest(&error).await,
            }
        }
    }

    /// Waits until every connection has ended, at most so long.
    pub(super) async fn drain(&self, deadline: Duration) {
        self.connections.close();
        let hurry = self.app.shutdown.hurry().clone();
        tokio::select! {
            _ = tokio::time::timeout(deadline, self.connections.wait()) => {}
            () = hurry.cancelled() => {}
        }
    }

    fn take(&self, stream: TcpStream, peer: SocketAddr, end: CancellationToken) {
        // An event of a stream is small and must not wait for the next one.
        let _ = stream.set_nodelay(true);
        match Arc::clone(&self.room).try_acquire_owned() {
            Ok(permit) => {
                let held = self.app.metrics.connections.hold();
                let router = self.router.clone();
                let acceptor = self.app.tls.as_ref().map(Tls::acceptor);
                self.connections.spawn(async move {
                    match acceptor {
                        None => serve(stream, peer, router, end).await,
                        Some(acceptor) => {
                            if let Some(stream) = shake_hands(stream, acceptor).await {
                                serve(stream, peer, router, end).await;
                            }
                        }
                    }
                    drop((permit, held) as (OwnedSemaphorePermit, _));
                });
            }
            // A handshake would cost more than the refusal is worth.
            Err(_) if self.app.tls.is_some() => {}
            Err(_) => {
                if let Ok(permit) = Arc::clone(&self.doorstep).try_acquire_owned() {
                    self.connections.spawn(async move {
                        let _ = tokio::time::timeout(DOORSTEP_TIME, turn_away(stream)).await;
                        drop(permit);
                    });
                }
            }
        }
    }
}

/// Begins TLS, within a deadline. Who speaks plain HTTP is told so in words that they can read.
async fn shake_hands(mut stream: TcpStream, acceptor: TlsAcceptor) -> Option<TlsStream<TcpStream>> {
    let shaking = async {
        let mut first = [0];
        if stream.peek(&mut first).await? == 1 && first != [TLS_HANDSHAKE] {
            tell(&mut stream, PLAIN).await?;
            return Ok(None);
        }
        acceptor.accept(stream).await.map(Some)
    };
    match tokio::time::timeout(HEAD_DEADLINE, shaking).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            tracing::debug!("a TLS handshake failed: {error}");
            None
        }
        Err(_) => None,
    }
}

/// Says that there is no room. What the client sent is read first: an answer to somebody whose words are left unread is
/// lost on the way.
async fn turn_away(mut stream: TcpStream) -> io::Result<()> {
    tell(&mut stream, FULL).await
}

async fn tell(stream: &mut TcpStream, answer: &[u8]) -> io::Result<()> {
    let mut words = [0; 4096];
    let _ = stream.read(&mut words).await?;
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    while stream.read(&mut words).await? > 0 {}
    Ok(())
}

/// Asks for as many open files as this process may have; each connection is one.
#[cfg(unix)]
pub(super) fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where it is refused, the old limit holds, and `accept` says when it is reached.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// There is no such limit here.
#[cfg(not(unix))]
pub fn raise_file_limit() {}

async fn serve<S>(stream: S, peer: SocketAddr, router: Router, end: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        router.clone().call(request)
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(HeadTimer)
        .header_read_timeout(HEAD_DEADLINE)
        .max_header_size(HEAD_SIZE)
        .max_headers(HEADERS)
        .max_buf_size(BUFFER)
        .writev(false);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut glances = tokio::time::interval(GLANCE);
    glances.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // A connection that breaks is the client's affair; what it cost is already in the answer that was not read.
    loop {
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            () = end.cancelled() => break,
            // To be looked at is all that a deadline needs.
            _ = glances.tick() => {}
        }
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// After a failed accept: some errors are about one connection, others (no more files) need a moment.
async fn rest(error: &io::Error) {
    let one = [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset, io::ErrorKind::ConnectionRefused];
    if !one.contains(&error.kind()) {
        tracing::warn!("cannot take a connection: {error}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// How long the head of a request may take, and how long a connection may wait for the next request.
const HEAD_DEADLINE: Duration = Duration::from_secs(8);
/// How often a connection is looked at; a head that is too slow is cut at most that much late.
const GLANCE: Duration = Duration::from_secs(4);
/// The largest head.
const HEAD_SIZE: usize = 64 * 1024;
/// What a connection holds of an answer that its client does not take, beside the piece it was given last.
const BUFFER: usize = 64 * 1024;
/// The most headers.
const HEADERS: usize = 128;
/// How many may be told at once that there is no room; others are just closed.
const DOORSTEP: usize = 64;
const DOORSTEP_TIME: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 135\r\n\r\n{\"error\":{\"message\":\"too many connections are open\",\"type\":\"service_unavailable_error\",\"code\":\"too_many_connections\",\"param\":null}}   ";
/// The first byte of every TLS connection.
const TLS_HANDSHAKE: u8 = 22;
const PLAIN: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 147\r\n\r\n{\"error\":{\"message\":\"this server speaks https: write https:// before its address\",\"type\":\"invalid_request_error\",\"code\":\"https_only\",\"param\":null}}";
