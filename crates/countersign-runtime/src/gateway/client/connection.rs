//! One HTTP/1.1 connection, driven by whoever waits for its answer.
//!
//! A connection with a task of its own hands an answer over piece by piece: every piece changes tasks twice and leaves the
//! server in a write of its own. Here the reader drives the connection, so that all that one read brought is there at once.

use super::SentBody;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use tokio::net::TcpStream;

/// A connection, plain or with TLS.
pub(super) type Socket = MaybeHttpsStream<TokioIo<TcpStream>>;

/// An open connection. Dropping it closes it.
pub(super) struct Connection {
    sender: http1::SendRequest<SentBody>,
    /// None once it has ended.
    driver: Option<http1::Connection<Socket, SentBody>>,
}

impl Connection {
    /// Speaks HTTP/1.1 over a socket.
    pub(super) async fn open(socket: Socket) -> hyper::Result<Self> {
        let (sender, driver) = http1::Builder::new().max_buf_size(BUFFER).handshake(socket).await?;
        Ok(Self { sender, driver: Some(driver) })
    }

    /// Whether it is open and waits for a request.
    pub(super) fn is_idle(&mut self, context: &mut Context<'_>) -> bool {
        self.drive(context);
        self.driver.is_some() && self.sender.is_ready()
    }

    /// Sends a request and waits for the head of its answer. The error holds the request where none of it was sent.
    pub(super) async fn send(
        &mut self,
        request: Request<SentBody>,
    ) -> Result<Response<Incoming>, TrySendError<Request<SentBody>>> {
        let mut answer = pin!(self.sender.try_send_request(request));
        poll_fn(|context| {
            drive(&mut self.driver, context);
            answer.as_mut().poll(context)
        })
        .await
    }

    /// Reads and writes what can be read and written now.
    pub(super) fn drive(&mut self, context: &mut Context<'_>) {
        drive(&mut self.driver, context);
    }
}

fn drive(driver: &mut Option<http1::Connection<Socket, SentBody>>, context: &mut Context<'_>) {
    // What went wrong is told to whoever waits for the answer, once the driver is gone.
    if let Some(Poll::Ready(_)) = driver.as_mut().map(|driver| Pin::new(driver).poll(context)) {
        *driver = None;
    }
}

/// The most that is read at once, and the most that waits where nobody reads on.
const BUFFER: usize = 64 * 1024;
