//! HTTP to one upstream: over HTTP/1.1 with connections that are kept, over HTTP/2 where the upstream chooses it.

/// One HTTP/1.1 connection.
mod connection;
/// Those that wait for a request.
mod pool;

use crate::http::Connector;
use bytes::Bytes;
use connection::{Connection, Socket};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http2;
use hyper::header::{HOST, HeaderValue};
use hyper::http::uri;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::connect::Connection as _;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use pool::{IDLE, Pool};
use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tower::Service;

/// The body of a request.
pub type SentBody = Either<Full<Bytes>, UnsyncBoxBody<Bytes, std::io::Error>>;

/// A client for one upstream.
pub struct Client {
    connector: Connector,
    /// Where it is: scheme, host and port.
    origin: Uri,
    host: HeaderValue,
    version: Version,
    pool: Arc<Pool>,
    /// The connection that all requests share, where the upstream speaks HTTP/2, and when the last of them began.
    shared: Mutex<Option<(Instant, http2::SendRequest<SentBody>)>>,
}

/// Which HTTP is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// What the upstream chooses; 1.1 where there is no TLS.
    Chosen,
    /// HTTP/2 alone.
    Http2,
}

/// Why there is no answer.
#[derive(Debug)]
pub struct Unanswered {
    /// The whole chain of causes.
    pub why: String,
    /// Whether it is certain that nothing was sent.
    pub unsent: bool,
}

/// A way to the upstream.
enum Route {
    Own(Box<Connection>),
    Shared(http2::SendRequest<SentBody>),
}

impl Client {
    /// A client for the scheme, host and port of an address.
    pub fn new(connector: Connector, origin: Uri, version: Version) -> Option<Self> {
        let usual = if origin.scheme_str() == Some("https") { 443 } else { 80 };
        let name = origin.host()?;
        let host = match origin.port_u16().filter(|port| *port != usual) {
            Some(port) => HeaderValue::from_str(&format!("{name}:{port}")),
            None => HeaderValue::from_str(name),
        };
        let (pool, shared) = (Arc::default(), Mutex::default());
        Some(Self { connector, origin, host: host.ok()?, version, pool, shared })
    }

    /// Sends a request whose address is path and query, and waits for the head of its answer.
    pub async fn send(&self, mut request: Request<SentBody>) -> Result<Response<Answer>, Unanswered> {
        while let Some(route) = self.known_route().await {
            match self.send_by(route, request).await {
                Ok(answer) => return Ok(answer),
                // The upstream closed the connection before anything was sent.
                Err((Some(unsent), _)) => request = unsent,
                Err((None, error)) => return Err(Unanswered { why: told(&error), unsent: false }),
            }
        }
        // Most requests find a connection, and must not carry what making one needs.
        let route = Box::pin(self.connect()).await.map_err(|why| Unanswered { why, unsent: true })?;
        self.send_by(route, request)
            .await
            .map_err(|(unsent, error)| Unanswered { why: told(&error), unsent: unsent.is_some() })
    }

    /// A connection that is there.
    async fn known_route(&self) -> Option<Route> {
        if let Some(mut shared) = self.known_shared()
            && shared.ready().await.is_ok()
        {
            return Some(Route::Shared(shared));
        }
        while let Some(mut own) = self.pool.take() {
            if poll_fn(|context| Poll::Ready(own.is_idle(context))).await {
                return Some(Route::Own(own));
            }
        }
        None
    }

    /// The shared connection, unless it was closed or has waited too long.
    fn known_shared(&self) -> Option<http2::SendRequest<SentBody>> {
        let mut shared = self.lock_shared();
        drop(shared.take_if(|(used, sender)| used.elapsed() > IDLE || sender.is_closed()));
        let (used, sender) = shared.as_mut()?;
        *used = Instant::now();
        Some(sender.clone())
    }

    async fn connect(&self) -> Result<Route, String> {
        let mut connector = self.connector.clone();
        let socket = timeout(CONNECT, async {
            poll_fn(|context| connector.poll_ready(context)).await?;
            connector.call(self.origin.clone()).await
        });
        let socket = socket.await.map_err(|_| "operation timed out".to_owned())?.map_err(|error| told(&*error))?;
        let http2 = self.version == Version::Http2 || socket.connected().is_negotiated_h2();
        let route = if http2 {
            self.share(socket).await.map(Route::Shared)
        } else {
            Connection::open(socket).await.map(|own| Route::Own(Box::new(own)))
        };
        route.map_err(|error| told(&error))
    }

    /// Speaks HTTP/2 over a socket, for this request and those that follow.
    async fn share(&self, socket: Socket) -> hyper::Result<http2::SendRequest<SentBody>> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        let (sender, driver) =
            builder.timer(TokioTimer::new()).initial_stream_window_size(WINDOW).handshake(socket).await?;
        // It ends when the last sender is gone, or the upstream closes it; what went wrong is told to those who wait.
        tokio::spawn(driver);
        *self.lock_shared() = Some((Instant::now(), sender.clone()));
        Ok(sender)
    }

    async fn send_by(
        &self,
        route: Route,
        mut request: Request<SentBody>,
    ) -> Result<Response<Answer>, (Option<Request<SentBody>>, hyper::Error)> {
        // A request that could not be sent the one way may go the other: each has its own form.
        let (answer, own) = match route {
            Route::Own(mut own) => {
                put_target(&mut request, uri::Parts::default());
                request.headers_mut().insert(HOST, self.host.clone());
                (own.send(request).await, Some(own))
            }
            Route::Shared(mut shared) => {
                put_target(&mut request, self.origin.clone().into_parts());
                request.headers_mut().remove(HOST);
                (Box::pin(shared.try_send_request(request)).await, None)
            }
        };
        let answer = answer.map_err(|mut failed| (failed.take_message(), failed.into_error()))?;
        let mut answer = answer.map(|body| Answer { body, own, pool: Arc::clone(&self.pool) });
        if answer.body().is_end_stream() {
            // There is no body that anybody would read to its end.
            poll_fn(|context| {
                answer.body_mut().release(context);
                Poll::Ready(())
            })
            .await;
        }
        Ok(answer)
    }

    fn lock_shared(&self) -> MutexGuard<'_, Option<(Instant, http2::SendRequest<SentBody>)>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Path and query of a request, behind what else its address is to name.
fn put_target(request: &mut Request<SentBody>, mut named: uri::Parts) {
    if request.uri().authority().is_none() && named.authority.is_none() {
        return;
    }
    named.path_and_query = request.uri().path_and_query().cloned();
    if let Ok(address) = Uri::from_parts(named) {
        *request.uri_mut() = address;
    }
}

/// The body of an answer. Dropping it before its end closes a connection of its own; at its end that goes to the pool.
pub struct Answer {
    body: Incoming,
    own: Option<Box<Connection>>,
    pool: Arc<Pool>,
}

impl Answer {
    fn release(&mut self, context: &mut Context<'_>) {
        if let Some(mut own) = self.own.take()
            && own.is_idle(context)
        {
            self.pool.put(own);
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let mut next = Pin::new(&mut self.body).poll_frame(context);
        if next.is_pending()
            && let Some(own) = &mut self.own
        {
            own.drive(context);
            next = Pin::new(&mut self.body).poll_frame(context);
        }
        match &next {
            Poll::Ready(Some(Err(_))) => self.own = None,
            Poll::Ready(None) => self.release(context),
            Poll::Ready(Some(Ok(_))) if self.body.is_end_stream() => self.release(context),
            _ => {}
        }
        next
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// An error with the whole chain of its causes.
pub fn told(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |cause: &&(dyn Error + 'static)| (*cause).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// For the name, the connection and TLS together.
const CONNECT: Duration = Duration::from_secs(10);
/// What an upstream may send of one answer that nobody reads.
const WINDOW: u32 = 256 * 1024;
