//! A reader that comes while something is written: whatever is appended or closed between any two of its steps, it misses
//! nothing, sees nothing twice, and ends.

use super::double::{Asked, MeddledLog, Meddler};
use super::{Figures, Outcome, ensure, holds, hub, notices, read};
use crate::streams::bench::{delta, end, options};
use async_trait::async_trait;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::store::{EventLog, StoreError};
use countersign_runtime::stream::{Mode, PlantedBug, RunWriter, Start};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

// STREAM-3: T32
#[tokio::test(start_paused = true)]
async fn what_is_written_while_a_reader_subscribes_is_seen() {
    holds("subscribe at append and at close", scenario(None).await);
    notices(PlantedBug::ReadBeforeSubscribe, scenario(Some(PlantedBug::ReadBeforeSubscribe)).await);
}

/// Writes at the n-th step of a reader: before it, or between the log's answer and the reader's hearing it.
struct AtStep {
    left: Mutex<Option<(usize, Moment)>>,
    writer: Mutex<Option<(RunWriter, Deed)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    After,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Append,
    Close,
    Both,
}

impl AtStep {
    fn new(steps: usize, moment: Moment) -> Self {
        Self { left: Mutex::new(Some((steps, moment))), writer: Mutex::default() }
    }

    async fn step(&self, asked: Asked, moment: Moment) {
        if !matches!(asked, Asked::Head | Asked::Read) {
            return;
        }
        let due = {
            let mut left = self.left.lock().unwrap();
            match left.as_mut() {
                Some((0, at)) if *at == moment => left.take().is_some(),
                Some((steps, at)) if *at == moment => {
                    *steps -= 1;
                    false
                }
                _ => false,
            }
        };
        if due {
            let writer = self.writer.lock().unwrap().take();
            if let Some((writer, deed)) = writer {
                carry_out(&writer, deed).await;
                tokio::time::sleep(WAIT).await;
            }
        }
    }
}

async fn carry_out(writer: &RunWriter, deed: Deed) {
    if deed != Deed::Close {
        writer.write(vec![delta("in between")]).await.unwrap();
    }
    if deed != Deed::Append {
        writer.close_turn(vec![end()]).await.unwrap();
    }
}

#[async_trait]
impl Meddler for Arc<AtStep> {
    async fn before(&self, asked: Asked) -> Result<(), StoreError> {
        self.step(asked, Moment::Before).await;
        Ok(())
    }

    async fn after(&self, asked: Asked) -> Result<(), StoreError> {
        self.step(asked, Moment::After).await;
        Ok(())
    }
}

async fn scenario(bug: Option<PlantedBug>) -> Outcome {
    let mut figures = Figures::default();
    for steps in 0..4 {
        for moment in [Moment::Before, Moment::After] {
            for deed in [Deed::Append, Deed::Close, Deed::Both] {
                for cursor in [None, Some("1.1")] {
                    let since = Instant::now();
                    one_reader(bug, AtStep::new(steps, moment), deed, cursor).await?;
                    figures.rounds += 1;
                    figures.times.push(since.elapsed());
                }
            }
        }
    }
    Ok(figures)
}

/// The writer is another node, so that the reader's node knows only what the log tells it.
async fn one_reader(
    bug: Option<PlantedBug>,
    meddler: AtStep,
    deed: Deed,
    cursor: Option<&str>,
) -> Result<(), super::Violation> {
    let when = format!("{:?}", meddler.left.lock().unwrap());
    let meddler = Arc::new(meddler);
    let shared: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
    let meddled: Arc<dyn EventLog> = Arc::new(MeddledLog { log: Arc::clone(&shared), meddler: Arc::clone(&meddler) });
    let (reads, writes) = (hub(&meddled, options("reads"), bug), hub(&shared, options("writes"), bug));
    let watches = [tokio::spawn(Arc::clone(&reads).watch()), tokio::spawn(Arc::clone(&writes).watch())];
    let (_, writer) = writes.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
    *meddler.writer.lock().unwrap() = Some((writer.clone(), deed));
    let start = Start::From { mode: Mode::Hybrid, after: cursor.map(|id| id.parse().unwrap()) };
    let reading = tokio::spawn(async move { read(reads.reader("s", start).await.unwrap(), WAIT * 20).await });
    tokio::time::sleep(WAIT * 4).await;
    // A step that was never reached: then it happens now. A turn that is still open ends.
    let left = meddler.writer.lock().unwrap().take();
    if let Some((writer, deed)) = left {
        carry_out(&writer, deed).await;
    }
    if deed == Deed::Append {
        writer.close_turn(vec![end()]).await.unwrap();
    }
    let got = reading.await.unwrap();
    watches.iter().for_each(tokio::task::JoinHandle::abort);
    let (first, last) = (1 + u64::from(cursor.is_some()), if deed == Deed::Close { 2 } else { 3 });
    ensure(got.done && got.seqs() == (first..=last).collect::<Vec<_>>(), || {
        format!("{deed:?} at {when}, cursor {cursor:?}: the reader got {:?}, ended: {}", got.seqs(), got.done)
    })
}

/// Longer than a node takes to look what the others have written.
const WAIT: Duration = Duration::from_millis(150);
