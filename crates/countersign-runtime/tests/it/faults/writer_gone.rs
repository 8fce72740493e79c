//! A writer that is gone for good: `lost` within the lease and a second, on every node that reads.

use super::{ALL, Figures, Outcome, ensure, holds, hub, notices, read};
use crate::streams::bench::{delta, options};
use countersign::contract::EventType;
use countersign_runtime::store::EventLog;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::stream::PlantedBug;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

// STREAM-2
#[tokio::test(start_paused = true)]
async fn a_turn_whose_writer_is_gone_is_ended() {
    holds("writer gone for good (simulated time)", scenario(None).await);
    notices(PlantedBug::NoSweeper, scenario(Some(PlantedBug::NoSweeper)).await);
}

async fn scenario(bug: Option<PlantedBug>) -> Outcome {
    let mut figures = Figures::default();
    for round in 0..100_u64 {
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
        let (dead, alive) = (hub(&log, options("dead"), bug), hub(&log, options("alive"), bug));
        let dying = tokio::spawn(Arc::clone(&dead).watch());
        let watch = tokio::spawn(Arc::clone(&alive).watch());
        let (_, scribe) = dead.scribe("s").open_turn(vec![delta("begin")]).await.unwrap();
        let reading = tokio::spawn(read(alive.reader("s", ALL).await.unwrap(), Duration::from_secs(60)));
        tokio::time::sleep(Duration::from_millis(round * 17)).await;
        scribe.write(vec![delta("more")]).await.unwrap();
        dying.abort();
        let since = Instant::now();
        let got = reading.await.unwrap();
        watch.abort();
        let last = got.events.last().map(|event| event.event_type);
        ensure(got.done && last == Some(EventType::Lost), || format!("round {round}: it ended with {last:?}"))?;
        let limit = options("").lease + Duration::from_secs(1);
        ensure(since.elapsed() <= limit, || format!("round {round}: lost after {:?}", since.elapsed()))?;
        figures.rounds += 1;
        figures.times.push(since.elapsed());
    }
    Ok(figures)
}
