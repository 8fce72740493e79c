//! The scripted upstream over HTTP/2 without TLS.

use crate::gateway_upstream::{Asked, Inside, Raw, Step, Upstream};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Starts one, on a thread of its own.
pub(crate) fn start() -> Upstream {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let inside = Arc::new(Inside::default());
    let kept = Arc::clone(&inside);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let inside = Arc::clone(&kept);
                let service = hyper::service::service_fn(move |request| answer(Arc::clone(&inside), request));
                let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
            }
        });
    });
    Upstream::of(port, inside)
}

type Pieces = StreamBody<Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, String>> + Send>>>;

async fn answer(inside: Arc<Inside>, request: Request<Incoming>) -> Result<Response<Pieces>, Infallible> {
    let (parts, body) = request.into_parts();
    let pair = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let mut headers: Vec<(String, String)> = parts.headers.iter().map(pair).collect();
    headers.push((":version".to_owned(), format!("{:?}", parts.version)));
    let body = body.collect().await.map(|body| body.to_bytes().to_vec()).unwrap_or_default();
    let (_, raw) = inside.answer_to(Asked { target: parts.uri.to_string(), headers, body, left: None });
    let Raw { status, headers, steps, .. } = raw;
    let frames = stream::iter(steps).filter_map(async |step| match step {
        Step::Bytes(bytes) => Some(Ok(Frame::data(Bytes::from(bytes)))),
        Step::Cut => {
            // A reset overtakes what was written; the test wants it behind.
            tokio::time::sleep(Duration::from_millis(50)).await;
            Some(Err("cut".to_owned()))
        }
        _ => None,
    });
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    Ok(response.body(StreamBody::new(Box::pin(frames) as _)).unwrap())
}
