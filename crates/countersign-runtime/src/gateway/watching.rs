//! Answers that are only watched (advise, shadow): every byte passes at once; calls are judged and words examined beside it.

use super::held::CallReader;
use super::judging::{Fate, Judging};
use super::ledger::Entry;
use super::sse::Frames;
use super::transport::Pieces;
use bytes::Bytes;
use countersign::parse::Finish;
use countersign::resolve;
use futures_util::{Stream, StreamExt, stream};

/// The verdicts to name: id and status.
pub(super) type Verdicts = Vec<(String, &'static str)>;

/// Judges a whole answer that has been sent on already.
pub(super) async fn watch_whole(judging: &Judging, body: &[u8]) -> Verdicts {
    let mut watch = Watch::new(judging);
    watch.read(&String::from_utf8_lossy(body));
    let (verdicts, entries) = watch.judge(judging).await;
    // Only watched: what could not be recorded passes all the same.
    let _ = judging.ledger.commit(entries).await;
    verdicts
}

/// Passes a stream on, and names the verdicts in comments at its end.
pub(super) fn watch_stream(judging: Judging, body: Pieces) -> impl Stream<Item = Result<Bytes, String>> + Send {
    let watch = Watch::new(&judging);
    let frames = (Frames::default(), Vec::new());
    stream::unfold(Some((judging, body, watch, frames)), |state| async move {
        let (judging, mut body, mut watch, (mut frames, mut list)) = state?;
        match body.next().await {
            Some(Ok(piece)) => {
                // A frame that is too long is not looked at; it has passed all the same.
                let _ = frames.push(piece.clone(), &mut list);
                list.iter().for_each(|frame| watch.read(&String::from_utf8_lossy(&frame.raw)));
                Some((Ok(piece), Some((judging, body, watch, (frames, list)))))
            }
            Some(Err(why)) => Some((Err(why), None)),
            None => {
                let (verdicts, entries) = watch.judge(&judging).await;
                for entry in entries {
                    judging.ledger.record(entry).await;
                }
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
}

impl Watch {
    fn new(judging: &Judging) -> Self {
        Self { reader: CallReader::new(judging.asked.wire.dialect()), text: String::new() }
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
