//! Server-sent events as an answer.

use crate::serve::error::ApiError;
use crate::serve::state::App;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use bytes::Bytes;
use countersign_runtime::stream::Reader;
use futures_util::{Stream, StreamExt, stream};
use std::convert::Infallible;

/// A cursor that the server keeps for a reader: told of what was sent, before the end is.
pub(super) trait Marker: Send + 'static {
    /// Everything up to this event has been handed over.
    fn mark(&mut self, last: countersign::contract::EventId) -> impl Future<Output = ()> + Send;

    /// The end comes next: what was marked must be kept before it.
    fn finish(&mut self) -> impl Future<Output = ()> + Send;
}

/// No cursor is kept.
pub(super) struct NoMarker;

impl Marker for NoMarker {
    async fn mark(&mut self, _: countersign::contract::EventId) {}

    async fn finish(&mut self) {}
}

/// The answer that follows a reader to its end.
pub(super) fn follow(app: &App, reader: Reader, marker: impl Marker) -> Result<Response, ApiError> {
    let open = app.metrics.open_streams.hold();
    let state = (reader, marker, None, open);
    let frames = stream::unfold(state, |(mut reader, mut marker, mut sent, open)| async move {
        // Asked for more: what was given before has been taken.
        if let Some(last) = sent.take() {
            marker.mark(last).await;
        }
        let frames = reader.next().await?;
        if frames.end {
            marker.finish().await;
        }
        sent = frames.last;
        Some((frames.bytes, (reader, marker, sent, open)))
    });
    answer(frames)
}

/// Pages in pieces: a connection copies what it is given, and must not copy a whole page for a client that does not read.
fn in_pieces(page: Bytes) -> impl Stream<Item = Bytes> + Send {
    stream::unfold(page, |mut page| async move {
        let piece = page.split_to(page.len().min(PIECE));
        (!piece.is_empty()).then_some((piece, page))
    })
}

/// An answer of frames.
pub(super) fn answer(frames: impl Stream<Item = Bytes> + Send + 'static) -> Result<Response, ApiError> {
    Response::builder()
        .header(CONTENT_TYPE, "text/event-stream; charset=utf-8")
        .header(CACHE_CONTROL, "no-cache")
        // Proxies that gather answers would hold back what is live.
        .header("x-accel-buffering", "no")
        .body(Body::from_stream(frames.flat_map(in_pieces).map(Ok::<_, Infallible>)))
        .map_err(|error| ApiError::internal(error.to_string()))
}

/// So many bytes are given to a connection at once.
const PIECE: usize = 32 * 1024;
