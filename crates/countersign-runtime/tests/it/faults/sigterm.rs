//! The end of the process with a thousand open streams: every reader gets a terminal event and `[DONE]`, and every session
//! is resumable.

use super::house::{End, House};
use super::{ALL, Figures, Outcome, ensure, holds, notices, read};
use countersign::contract::EventType;
use countersign_runtime::stream::{PlantedBug, Start};
use countersign_runtime::turn::UserMessage;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const STREAMS: usize = 1000;
const SAID: &[u8] =
    b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"One moment.\"},\"finish_reason\":null}]}\n\n";

// STREAM-2, SERVE-4: T36
#[test]
fn every_stream_is_ended_before_the_process_is() {
    holds("shutdown with 1,000 streams (library)", scenario(None));
    notices(PlantedBug::AbortedTasks, scenario(Some(PlantedBug::AbortedTasks)));
}

fn scenario(bug: Option<PlantedBug>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let ended = Arc::new(Mutex::new(Vec::new()));
    let (house, names, since) = runtime.block_on(async {
        let house = House::new(bug);
        house.script.set(SAID, End::Silence);
        let mut names = Vec::new();
        for _ in 0..STREAMS {
            let session = house.session(Vec::new()).await;
            names.push(session.session_id.clone());
            let message = UserMessage { content: "hello".to_owned(), ..UserMessage::default() };
            let after = house.turns.begin(session.clone(), message).await.unwrap();
            let reader = house.hub.reader(&session.session_id, Start::OwnTurn { after }).await.unwrap();
            let ended = Arc::clone(&ended);
            tokio::spawn(async move {
                let got = read(reader, Duration::from_secs(30)).await;
                ended.lock().unwrap().push((Instant::now(), got));
            });
        }
        let since = Instant::now();
        house.turns.shut_down(Duration::from_millis(200)).await;
        // As long as the server waits for its connections.
        for _ in 0..300 {
            if ended.lock().unwrap().len() == STREAMS {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        (house, names, since)
    });
    runtime.shutdown_timeout(Duration::from_millis(100));
    let ended = std::mem::take(&mut *ended.lock().unwrap());
    let is_end = |got: &crate::streams::bench::Got| {
        got.done && got.events.last().is_some_and(|event| event.event_type == EventType::Stopped)
    };
    let well = ended.iter().filter(|(_, got)| is_end(got)).count();
    ensure(well == STREAMS, || format!("{well} of {STREAMS} readers were told of the end"))?;
    let again = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    again.block_on(async {
        for name in names.iter().step_by(50) {
            let got = read(house.hub.reader(name, ALL).await.unwrap(), Duration::from_secs(5)).await;
            ensure(is_end(&got), || format!("{name} cannot be resumed: {:?}", got.seqs()))?;
        }
        Ok(())
    })?;
    Ok(Figures { rounds: STREAMS, times: ended.iter().map(|(at, _)| *at - since).collect() })
}
