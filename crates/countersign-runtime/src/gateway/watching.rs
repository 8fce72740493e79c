//! Answers that are only watched (advise, shadow): every byte passes at once; calls are judged and words examined beside it.

use super::held::CallReader;
use super::judging::{Fate, Judging};
use super::ledger::Entry;
use super::sse::Frames;
use super::traffic::OpenExchange;
use super::transport::Pieces;
use crate::usage::{self, UsageReader};
use bytes::Bytes;
use countersign::parse::Finish;
use countersign::resolve;
use futures_util::{Stream, StreamExt, stream};

/// The verdicts to name: id and status.
pub(super) type Verdicts = Vec<(String, &'static str)>;

/// Judges a whole answer that has been sent on already.
pub(super) async fn watch_whole(
    judging: &Judging,
    exchange: OpenExchange,
    body: &[u8],
    span: tracing::Span,
) -> Verdicts {
    let mut watch = Watch::new(judging, span);
    watch.usage.read(body);
    watch.read(&String::from_utf8_lossy(body));
    let (verdicts, entries) = watch.judge(judging).await;
    // Only watched: what could not be recorded passes all the same.
    let _ = judging.ledger.commit(entries).await;
    exchange.watched(&watch.text);
    verdicts
}

/// Passes a stream on, and names the verdicts in comments at its end.
pub(super) fn watch_stream(
    judging: Judging,
    exchange: OpenExchange,
    body: Pieces,
    span: tracing::Span,
) -> impl Stream<Item = Result<Bytes, String>> + Send {
    let watch = Watch::new(&judging, span);
    let frames = (Frames::default(), Vec::new());
    stream::unfold(Some((judging, exchange, body, watch, frames)), |state| async move {
        let (judging, exchange, mut body, mut watch, (mut frames, mut list)) = state?;
        match body.next().await {
            Some(Ok(piece)) => {
                // A frame that is too long is not looked at; it has passed all the same.
                let _ = frames.push(piece.clone(), &mut list);
                for frame in &list {
                    watch.read(&String::from_utf8_lossy(&frame.raw));
                    frame.data().iter().for_each(|data| watch.usage.read(data));
                }
                Some((Ok(piece), Some((judging, exchange, body, watch, (frames, list)))))
            }
            Some(Err(why)) => {
                exchange.fail(&why);
                Some((Err(why), None))
            }
            None => {
                let (verdicts, entries) = watch.judge(&judging).await;
                for entry in entries {
                    judging.ledger.record(entry).await;
                }
                exchange.watched(&watch.text);
                let named = verdicts.iter().map(|(id, status)| format!(": countersign-verdict {id} {status}\n\n"));
                let comments: String = named.collect();
                (!comments.is_empty()).then(|| (Ok(Bytes::from(comments)), None))
            }
        }
    })
}

/// What is read of an answer beside its way.
struct Watch {
    reader: CallReader,
    text: String,
    usage: UsageReader,
    span: tracing::Span,
}

impl Watch {
    fn new(judging: &Judging, span: tracing::Span) -> Self {
        let reader = CallReader::new(judging.asked.wire.dialect());
        Self { reader, text: String::new(), usage: UsageReader::default(), span }
    }

    fn read(&mut self, text: &str) {
        let said = self.reader.push(text);
        if self.text.len() + said.len() <= MAX_TEXT {
            self.text.push_str(&said);
        }
    }

    async fn judge(&mut self, judging: &Judging) -> (Verdicts, Vec<Entry>) {
        let (mut verdicts, mut entries) = (Vec::new(), Vec::new());
        let calls = self.reader.finish(Finish::Stop);
        let (tokens, tools) = (self.usage.tokens(), calls.iter().map(|call| call.name.as_str()));
        usage::count(&judging.metrics, tokens, &judging.caller, judging.asked.model.as_deref(), tools);
        usage::record(&self.span, tokens);
        for judged in judging.judge_all(&calls, resolve::Finish::Stop).await {
            entries.push(judging.entry(&judged, 0, &Fate::Released));
            verdicts.push((judged.own.verdict_id.clone(), judged.verdict.status.name()));
        }
        if calls.is_empty()
            && let Some(report) = judging.examine(&self.text).await
        {
            verdicts.push(judging.record_answer(&self.text, &report).await);
        }
        (verdicts, entries)
    }
}

/// The most bytes of an answer's words that are examined.
const MAX_TEXT: usize = 64 * 1024;
