//! A streamed answer on its way: pieces in, pieces out, and at the end what was decided.
//!
//! It is driven by the client's reading: where the client stops, so does the upstream. While something is held or
//! decided, comments keep the connection alive.

use super::held::{Held, Settled};
use super::idle_timer::IdleTimer;
use super::reading::Reading;
use super::rewrite::{Ended, Rewriter, rewriter};
use super::sse::{Frame, Frames, Output};
use super::transport::Pieces;
use super::wire::{Fault, Wire};
use crate::usage::UsageReader;
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;

/// Drives one answer.
pub(super) struct Driver {
    wire: Wire,
    frames: Frames,
    list: Vec<Frame>,
    rewriter: Box<dyn Rewriter>,
    heartbeat: Duration,
    idle: IdleTimer,
    stage: Stage,
    body: Option<Pieces>,
    reading: Option<Reading>,
    usage: UsageReader,
}

enum Stage {
    /// Pieces come.
    Reading,
    /// Everything came; what is held is decided.
    CallResolution(Pin<Box<dyn Future<Output = Settled> + Send>>),
    Over,
}

impl Driver {
    /// A driver for an answer.
    pub(super) fn new(body: Pieces, reading: Reading) -> Self {
        Self {
            wire: reading.wire,
            frames: Frames::default(),
            list: Vec::new(),
            rewriter: rewriter(reading.wire, reading.options()),
            heartbeat: reading.heartbeat,
            idle: IdleTimer::new(reading.heartbeat),
            stage: Stage::Reading,
            body: Some(body),
            reading: Some(reading),
            usage: UsageReader::default(),
        }
    }

    /// The next bytes for the client; none when the answer is over.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            let bytes = match &mut self.stage {
                Stage::Reading => self.read().await,
                Stage::CallResolution(decision) => match timeout(self.heartbeat, decision).await {
                    Err(_) => Bytes::from_static(HEARTBEAT),
                    Ok(settled) => self.close(&settled),
                },
                Stage::Over => return None,
            };
            if !bytes.is_empty() {
                return Some(bytes);
            }
        }
    }

    async fn read(&mut self) -> Bytes {
        let Some(body) = &mut self.body else { return self.ended(Ended::Clean) };
        let idle = &mut self.idle;
        let next = poll_fn(|context| match body.poll_next_unpin(context) {
            Poll::Ready(next) => {
                idle.seen();
                Poll::Ready(Some(next))
            }
            Poll::Pending => idle.poll_over(context).map(|()| None),
        });
        let Some(next) = next.await else { return Bytes::from_static(HEARTBEAT) };
        let ended = match next {
            Some(Ok(piece)) => return self.take(piece),
            Some(Err(why)) => Ended::Broken(why),
            None => Ended::Clean,
        };
        // A stream that has ended must not be asked again.
        self.body = None;
        self.ended(ended)
    }

    fn take(&mut self, piece: Bytes) -> Bytes {
        let mut list = std::mem::take(&mut self.list);
        let Ok(piece) = self.frames.push(piece, &mut list) else {
            return self.fail(&Fault::cut("an event of it is too long"), Output::new(Bytes::new()));
        };
        let mut out = Output::new(piece);
        for frame in &list {
            if let Some(data) = frame.data() {
                self.usage.read(&data);
            }
            if let Err(fault) = self.rewriter.frame(frame, &mut out) {
                // Text that is held back is no part of what broke.
                let _ = self.rewriter.end(Ended::Broken(fault.message.clone()), &mut out);
                return self.fail(&fault, out);
            }
        }
        self.list = list;
        if !self.rewriter.is_over() {
            return out.take();
        }
        let sent = out.take();
        let last = self.ended(Ended::Clean);
        if last.is_empty() { sent } else { [sent, last].concat().into() }
    }

    /// The upstream has sent everything.
    fn ended(&mut self, ended: Ended) -> Bytes {
        let mut out = Output::new(Bytes::new());
        // The beginning of an event that says nothing yet is nobody's to read: some clients break on a name alone.
        let says = |rest: &Frame| rest.data().is_some_and(|data| !data.trim_ascii().is_empty());
        let rest = self.frames.rest().filter(|rest| ended == Ended::Clean && says(rest));
        let read = match rest.map(|rest| self.rewriter.frame(&rest, &mut out)) {
            Some(Err(_)) => Err(Fault::cut("it ends in the middle of an event")),
            _ => self.rewriter.end(ended, &mut out),
        };
        if let Some(body) = self.body.take() {
            drain(body);
        }
        match read {
            Err(fault) => self.fail(&fault, out),
            Ok(held) => self.decide(held, out),
        }
    }

    fn decide(&mut self, held: Held, mut out: Output) -> Bytes {
        let Some(reading) = self.reading.take() else { return out.take() };
        reading.count(self.usage.tokens(), &held);
        let mut decision: Pin<Box<dyn Future<Output = Settled> + Send>> = Box::pin(reading.settle(held));
        // Most answers are decided without waiting for anybody.
        match decision.as_mut().now_or_never() {
            Some(settled) => {
                self.stage = Stage::Over;
                self.rewriter.close(&settled, &mut out);
            }
            None => self.stage = Stage::CallResolution(decision),
        }
        out.take()
    }

    fn close(&mut self, settled: &Settled) -> Bytes {
        self.stage = Stage::Over;
        let mut out = Output::new(Bytes::new());
        self.rewriter.close(settled, &mut out);
        out.take()
    }

    /// The answer broke: the client is told in its dialect, and nothing that looks like an end follows.
    fn fail(&mut self, fault: &Fault, mut out: Output) -> Bytes {
        tracing::info!(code = fault.code, message = fault.message, "an answer broke");
        self.stage = Stage::Over;
        self.body = None;
        if let Some(reading) = self.reading.take() {
            reading.exchange.fail(&fault.message);
        }
        out.write(&fault.event(self.wire, self.rewriter.sequence()));
        out.take()
    }
}

/// Reads what is left, so that the connection can be used again; for a moment only.
fn drain(mut body: Pieces) {
    let mut gone = async move { while body.next().await.is_some_and(|piece| piece.is_ok()) {} }.boxed();
    if gone.as_mut().now_or_never().is_none() {
        tokio::spawn(timeout(DRAIN, gone));
    }
}

const HEARTBEAT: &[u8] = b": keep-alive\n\n";
const DRAIN: Duration = Duration::from_secs(2);
