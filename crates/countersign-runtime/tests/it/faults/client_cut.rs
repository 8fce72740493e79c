//! A client that is cut at any byte and comes back with the id of the last whole frame: all its pieces are the reference.

use super::{ALL, Figures, Outcome, ensure, holds, hub, notices, read};
use crate::streams::bench::{Got, delta, end, options};
use countersign_runtime::store::EventLog;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::stream::{Mode, PlantedBug, Start};
use std::sync::Arc;
use std::time::Duration;

// STREAM-3: T31
#[tokio::test]
async fn a_client_cut_at_every_byte_misses_nothing() {
    holds("client cut at every byte", scenario(None).await);
    notices(PlantedBug::CursorIncluded, scenario(Some(PlantedBug::CursorIncluded)).await);
}

async fn scenario(bug: Option<PlantedBug>) -> Outcome {
    let mut figures = Figures::default();
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
    let hub = hub(&log, options("a"), bug);
    for turn in 0..2 {
        let (_, writer) = hub.writer("s").open_turn(vec![delta(&format!("turn {turn}"))]).await.unwrap();
        for word in ["eins", "zwei — ☂️", "三\nlines\n\n"] {
            writer.write(vec![delta(word)]).await.unwrap();
        }
        writer.close_turn(vec![end()]).await.unwrap();
    }
    let longest = Duration::from_secs(5);
    let reference = read(hub.reader("s", ALL).await.unwrap(), longest).await;
    for cut in 0..=reference.bytes.len() {
        let before = reference.bytes.get(..cut).unwrap();
        // A client keeps whole frames and forgets a torn one.
        let whole = before.windows(2).rposition(|pair| pair == b"\n\n").map_or(0, |at| at + 2);
        let mut got = Got::default();
        got.take(before.get(..whole).unwrap());
        figures.rounds += 1;
        if got.done {
            continue;
        }
        let after = got.events.last().and_then(|event| event.id);
        let rest = read(hub.reader("s", Start::From { mode: Mode::Hybrid, after }).await.unwrap(), longest).await;
        let together: Vec<_> = got.events.into_iter().chain(rest.events).collect();
        ensure(together == reference.events && rest.done, || {
            let ids: Vec<_> = together.iter().filter_map(|event| Some(event.id?.to_string())).collect();
            format!("cut at byte {cut}: {}", ids.join(" "))
        })?;
    }
    Ok(figures)
}
