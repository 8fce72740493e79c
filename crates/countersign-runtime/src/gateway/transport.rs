//! How a request gets to an upstream: straight, or through the proxy that the environment names.

use super::client::{Answer, Client, Unanswered, told};
use crate::models;
use bytes::Bytes;
use futures_util::{FutureExt, Stream, StreamExt};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyDataStream, BodyExt, Either, Full};
use hyper::body::Body;
use hyper::{Request, Response, Uri};
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use std::error::Error;
use std::future::ready;
use std::pin::Pin;
use tower::{ServiceExt, service_fn};
use tower_http::decompression::Decompression;

/// The way to an upstream.
pub enum Transport {
    /// Straight.
    Direct(Box<Client>),
    /// Through a proxy.
    Proxied(reqwest::Client),
}

/// A body on its way out.
pub enum OutBody {
    /// Known bytes, which can be sent again.
    Bytes(Bytes),
    /// A stream, which cannot.
    Stream(UnsyncBoxBody<Bytes, std::io::Error>),
}

/// A body on its way in. Dropping it closes the connection.
pub type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>;

impl OutBody {
    /// A body that is sent as it comes.
    pub fn stream<B>(body: B) -> Self
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        Self::Stream(body.map_err(std::io::Error::other).boxed_unsync())
    }
}

impl Transport {
    /// Whether the environment names a proxy for an address.
    pub fn has_proxy(address: &Uri) -> bool {
        Matcher::from_system().intercept(address).is_some()
    }

    /// Sends a request to a path with its query on the server of `base`, and waits for the head of its answer. What is compressed in a way that is known is unpacked.
    pub async fn send(
        &self,
        method: &Method,
        base: &Url,
        target: &str,
        headers: HeaderMap,
        body: OutBody,
    ) -> Result<Response<Pieces>, Unanswered> {
        match self {
            Self::Direct(client) => direct(client, method, target, headers, body).await,
            Self::Proxied(client) => proxied(client, method, address(base, target), headers, body).boxed().await,
        }
    }
}

async fn direct(
    client: &Client,
    method: &Method,
    target: &str,
    mut headers: HeaderMap,
    body: OutBody,
) -> Result<Response<Pieces>, Unanswered> {
    headers.entry(ACCEPT).or_insert(ANYTHING);
    let mut request = Request::new(match body {
        OutBody::Bytes(bytes) => Either::Left(Full::new(bytes)),
        OutBody::Stream(stream) => Either::Right(stream),
    });
    *request.method_mut() = method.clone();
    *request.uri_mut() = Uri::try_from(target).map_err(|error| Unanswered { why: error.to_string(), unsent: false })?;
    *request.headers_mut() = headers;
    let answer = client.send(request).await?;
    match answer.headers().contains_key(CONTENT_ENCODING) {
        true => unpack(answer).boxed().await,
        false => Ok(answer.map(pieces)),
    }
}

/// An answer without its compression, where that is one of those that are known.
async fn unpack(answer: Response<Answer>) -> Result<Response<Pieces>, Unanswered> {
    let mut once = Some(answer);
    let fetch = service_fn(move |_: Request<()>| ready(once.take().ok_or("it was fetched already")));
    let unpacking = Decompression::new(fetch).gzip(true).deflate(true);
    let unpacked = unpacking.oneshot(Request::new(())).await;
    unpacked.map(|answer| answer.map(pieces)).map_err(|why| Unanswered { why: why.to_owned(), unsent: false })
}

fn pieces<B>(body: B) -> Pieces
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    Box::pin(BodyDataStream::new(Box::pin(body)).map(|piece| piece.map_err(|error| told(&*error.into()))))
}

async fn proxied(
    client: &reqwest::Client,
    method: &Method,
    url: Url,
    headers: HeaderMap,
    body: OutBody,
) -> Result<Response<Pieces>, Unanswered> {
    let mut request = reqwest::Request::new(method.clone(), url);
    *request.headers_mut() = headers;
    *request.body_mut() = Some(match body {
        OutBody::Bytes(bytes) => bytes.into(),
        OutBody::Stream(body) => reqwest::Body::wrap_stream(BodyDataStream::new(body)),
    });
    let failed = |error: reqwest::Error| Unanswered { why: models::told(&error), unsent: error.is_connect() };
    let answer = client.execute(request).await.map_err(failed)?;
    let mut response = Response::new(());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    let bytes = answer.bytes_stream().map(|piece| piece.map_err(|error| models::told(&error)));
    Ok(response.map(|()| Box::pin(bytes) as Pieces))
}

/// A path with its query on the server of a base.
fn address(base: &Url, target: &str) -> Url {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let mut url = base.clone();
    url.set_path(path);
    url.set_query(query);
    url
}

const ANYTHING: HeaderValue = HeaderValue::from_static("*/*");
