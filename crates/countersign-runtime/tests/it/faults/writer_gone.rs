//! A writer that is gone for good: `lost` within the lease and a second, on every node that reads.

use super::double::{Asked, MeddledLog, Meddler};
use super::{ALL, Figures, Outcome, ensure, holds, hub, is_whole, notices, read};
use crate::streams::bench::{delta, end, options};
use async_trait::async_trait;
use countersign::contract::EventType;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::store::{EventLog, StoreError};
use countersign_runtime::stream::PlantedBug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
        let (_, writer) = dead.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
        let reading = tokio::spawn(read(alive.reader("s", ALL).await.unwrap(), Duration::from_secs(60)));
        tokio::time::sleep(Duration::from_millis(round * 17)).await;
        writer.write(vec![delta("more")]).await.unwrap();
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

/// A store that is unavailable for everybody.
#[derive(Default)]
struct Switch(AtomicBool);

#[async_trait]
impl Meddler for Arc<Switch> {
    async fn before(&self, _: Asked) -> Result<(), StoreError> {
        let cause = || StoreError::Away { store: "switched", cause: "told to be".to_owned() };
        if self.0.load(Ordering::Relaxed) { Err(cause()) } else { Ok(()) }
    }
}

// STREAM-2: nobody could raise a beat while the store was unavailable; that is no death.
#[tokio::test(start_paused = true)]
async fn a_store_that_was_away_kills_no_writer() {
    for away in (100..3000).step_by(50) {
        let switch = Arc::new(Switch::default());
        let inner: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
        let log: Arc<dyn EventLog> = Arc::new(MeddledLog { log: inner, meddler: Arc::clone(&switch) });
        let (one, two) = (hub(&log, options("one"), None), hub(&log, options("two"), None));
        let watches = [&one, &two].map(|hub| tokio::spawn(Arc::clone(hub).watch()));
        let (_, writer) = one.writer("s").open_turn(vec![delta("begin")]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(700 + away % 130)).await;
        switch.0.store(true, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(away)).await;
        switch.0.store(false, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(2)).await;
        writer.close_turn(vec![end()]).await.unwrap_or_else(|error| panic!("away for {away} ms: {error}"));
        let got = read(two.reader("s", ALL).await.unwrap(), Duration::from_secs(5)).await;
        assert!(is_whole(&got, 2), "away for {away} ms: {:?}", got.seqs());
        watches.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
