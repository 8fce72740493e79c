//! A hub over a log, events to write, and a strict reader of frames.

use countersign::contract::{ContentType, EventType, StreamEvent};
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::store::{EventLog, Owner};
use countersign_runtime::stream::{Draft, Hub, HubOptions, Reader, Start};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn options(node: &str) -> HubOptions {
    HubOptions {
        owner: Owner { node: node.to_owned(), address: String::new() },
        alone: false,
        lease: Duration::from_millis(500),
        heartbeat: Duration::from_secs(10),
        poll: Duration::from_millis(50),
        metrics: Arc::default(),
    }
}

pub(crate) fn hub(log: &Arc<MemoryLog>, node: &str) -> Arc<Hub> {
    let log: Arc<dyn EventLog> = Arc::clone(log) as Arc<dyn EventLog>;
    Hub::new(log, None, options(node))
}

pub(crate) fn delta(text: &str) -> Draft {
    Draft::new(EventType::TextDelta, "concierge", ContentType::Text, json!({"content": text}))
}

pub(crate) fn end() -> Draft {
    Draft::new(EventType::Completed, "countersign", ContentType::Json, json!({}))
}

/// Frames as a strict client reads them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Got {
    pub events: Vec<StreamEvent>,
    pub done: bool,
    pub bytes: Vec<u8>,
}

impl Got {
    pub(crate) fn seqs(&self) -> Vec<u64> {
        self.events.iter().filter_map(|event| event.id.map(|id| id.seq)).collect()
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let text = std::str::from_utf8(bytes).expect("frames are text");
        for frame in text.split_terminator("\n\n") {
            assert!(!self.done, "nothing follows [DONE]");
            if frame.starts_with(':') {
                continue;
            }
            if frame == "data: [DONE]" {
                self.done = true;
                continue;
            }
            let data = frame.lines().find_map(|line| line.strip_prefix("data: ")).expect("a frame has data");
            let event: StreamEvent = serde_json::from_str(data).expect("data is an event");
            let id = frame.lines().find_map(|line| line.strip_prefix("id: ")).map(str::to_owned);
            assert_eq!(id, event.id.map(|id| id.to_string()), "the SSE id is the event's");
            assert!(frame.contains(&format!("event: {}\n", event.event_type.name())));
            assert_ne!(event.meta.is_replay, event.meta.is_realtime);
            self.events.push(event);
        }
    }
}

/// Reads to the end.
pub(crate) async fn read_all(mut reader: Reader) -> Got {
    let mut got = Got::default();
    let reading = async {
        while let Some(frames) = reader.next().await {
            got.take(&frames.bytes);
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reading).await.expect("a stream ends");
    got
}

/// Reads a run from a start to the end.
pub(crate) async fn read_from(hub: &Arc<Hub>, run: &str, start: Start) -> Got {
    read_all(hub.reader(run, start).await.expect("the cursor can be served")).await
}
