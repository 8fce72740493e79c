//! Answers that are only watched (advise, shadow): every byte passes at once, and the calls are judged beside it.

use super::held::CallReader;
use super::judging::{Fate, Judging};
use super::ledger::Entry;
use super::sse::Frames;
use super::transport::Pieces;
use bytes::Bytes;
use countersign::parse::Finish;
use futures_util::{Stream, StreamExt, stream};

/// The verdicts to name: id and status.
pub type Verdicts = Vec<(String, &'static str)>;

/// Judges the calls of a whole answer that has been sent on already.
pub async fn watch_whole(judging: &Judging, body: &[u8]) -> Verdicts {
    let mut reader = CallReader::new(judging.asked.wire.dialect());
    reader.push(&String::from_utf8_lossy(body));
    let (verdicts, entries) = judge(judging, &mut reader).await;
    // Only watched: what could not be recorded passes all the same.
    let _ = judging.ledger.commit(entries).await;
    verdicts
}

/// Passes a stream on, and behind it names the verdicts in comments.
pub fn watch_stream(judging: Judging, body: Pieces) -> impl Stream<Item = Result<Bytes, String>> + Send {
    let reader = CallReader::new(judging.asked.wire.dialect());
    let watch = Watch { judging, body, reader, frames: Frames::default(), list: Vec::new() };
    stream::unfold(Some(watch), |watch| async move {
        let mut watch = watch?;
        match watch.body.next().await {
            Some(Ok(piece)) => {
                watch.look(piece.clone());
                Some((Ok(piece), Some(watch)))
            }
            Some(Err(why)) => Some((Err(why), None)),
            None => {
                let (verdicts, entries) = judge(&watch.judging, &mut watch.reader).await;
                for entry in entries {
                    watch.judging.ledger.record(entry).await;
                }
                let named = verdicts.iter().map(|(id, status)| format!(": countersign-verdict {id} {status}\n\n"));
                let comments: String = named.collect();
                (!comments.is_empty()).then(|| (Ok(Bytes::from(comments)), None))
            }
        }
    })
}

struct Watch {
    judging: Judging,
    body: Pieces,
    reader: CallReader,
    frames: Frames,
    list: Vec<super::sse::Frame>,
}

impl Watch {
    fn look(&mut self, piece: Bytes) {
        // A frame that is too long is not looked at; it has passed all the same.
        let _ = self.frames.push(piece, &mut self.list);
        for frame in &self.list {
            self.reader.push(&String::from_utf8_lossy(&frame.raw));
        }
    }
}

async fn judge(judging: &Judging, reader: &mut CallReader) -> (Verdicts, Vec<Entry>) {
    let (mut verdicts, mut entries) = (Vec::new(), Vec::new());
    for call in reader.finish(Finish::Stop) {
        let judged = judging.judge(call).await;
        entries.push(judging.entry(&judged, 0, &Fate::Released));
        verdicts.push((judged.verdict_id.clone(), judged.verdict.status.name()));
    }
    (verdicts, entries)
}
