//! The proxy that checks nothing: what axum and reqwest cost by themselves, with the settings one would choose.
//!
//! One shared client, TCP_NODELAY on both sides, bodies streamed both ways, headers copied but those of the connection.

use crate::Fallible;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use std::sync::Arc;

pub async fn run(address: &str, upstream: &str) -> Fallible<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    // No redirects followed and no proxies from the environment: a gateway passes on what it gets.
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
    let listener = tokio::net::TcpListener::bind(address).await?.tap_io(|socket| {
        let _ = socket.set_nodelay(true);
    });
    let state = Bare { client, upstream: upstream.trim_end_matches('/').into() };
    let router = axum::Router::new().fallback(forward).with_state(state);
    Ok(axum::serve(listener, router).await?)
}

#[derive(Clone)]
struct Bare {
    client: reqwest::Client,
    upstream: Arc<str>,
}

async fn forward(State(bare): State<Bare>, request: Request) -> Response {
    let (mut head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let url = format!("{}{path}", bare.upstream);
    head.headers.remove(header::HOST);
    leave_connection_headers(&mut head.headers);
    let sent = bare.client.request(head.method, url).headers(head.headers);
    let answer = match sent.body(reqwest::Body::wrap_stream(body.into_data_stream())).send().await {
        Ok(answer) => answer,
        Err(error) => return (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    leave_connection_headers(response.headers_mut());
    *response.body_mut() = Body::from_stream(answer.bytes_stream());
    response
}

/// What belongs to one connection is not passed on to the next.
fn leave_connection_headers(headers: &mut HeaderMap) {
    headers.remove(header::CONNECTION);
    headers.remove(header::TRANSFER_ENCODING);
}
