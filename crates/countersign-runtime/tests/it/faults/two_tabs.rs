//! Two tabs on one session: both get everything, whichever comes first and however often they come back.

use super::{ALL, Figures, Outcome, ensure, holds, hub, is_whole, notices, read};
use crate::streams::bench::{delta, end, options};
use countersign_runtime::store::EventLog;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::stream::PlantedBug;
use std::sync::Arc;
use std::time::{Duration, Instant};

// STREAM-3: T32
#[tokio::test]
async fn every_tab_gets_everything() {
    holds("two tabs", scenario(None).await);
    notices(PlantedBug::MarkReplayed, scenario(Some(PlantedBug::MarkReplayed)).await);
}

async fn scenario(bug: Option<PlantedBug>) -> Outcome {
    let mut figures = Figures::default();
    let longest = Duration::from_secs(5);
    for events in 1..40 {
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
        let hub = hub(&log, options("a"), bug);
        let (_, writer) = hub.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
        let one = tokio::spawn(read(hub.reader("s", ALL).await.unwrap(), longest));
        for at in 1..events {
            writer.write(vec![delta(&format!("{at}"))]).await.unwrap();
            tokio::task::yield_now().await;
        }
        let two = tokio::spawn(read(hub.reader("s", ALL).await.unwrap(), longest));
        tokio::task::yield_now().await;
        let since = Instant::now();
        writer.close_turn(vec![end()]).await.unwrap();
        for (tab, reading) in [("first", one), ("second", two)] {
            let got = reading.await.unwrap();
            ensure(is_whole(&got, events + 1), || format!("the {tab} tab got {:?} of {}", got.seqs(), events + 1))?;
        }
        let later = read(hub.reader("s", ALL).await.unwrap(), longest).await;
        ensure(is_whole(&later, events + 1), || format!("a tab that came later got {:?}", later.seqs()))?;
        figures.rounds += 1;
        figures.times.push(since.elapsed());
    }
    Ok(figures)
}
