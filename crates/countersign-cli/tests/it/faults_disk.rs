//! A full disk under the real binary: what can go on goes on, nothing is shown that is not kept, and everything comes back
//! by itself.

use crate::faults_world::{Figures, Model, Node, lost_of, wrong_with};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// A disk of 12 MiB.
struct Disk(PathBuf);

impl Disk {
    fn mount() -> Option<Self> {
        let path = tempfile::tempdir().unwrap().keep();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=12m", "tmpfs"]).arg(&path).status();
        let disk = Self(path);
        mounted.is_ok_and(|status| status.success()).then_some(disk)
    }

    /// Takes all the room there is.
    fn fill(&self) {
        let mut ballast = std::fs::File::options().create(true).append(true).open(self.0.join("ballast")).unwrap();
        for size in [64 * 1024, 4096, 512, 1] {
            while ballast.write_all(&vec![1_u8; size]).is_ok() {}
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.0.join("ballast")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).stderr(Stdio::null()).status();
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Tries until something holds; gives how long it took.
async fn wait_for(seconds: u64, what: &str, mut holds: impl AsyncFnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < Duration::from_secs(seconds), "{what}: not within {seconds} s");
        sleep(Duration::from_millis(50)).await;
    }
    begun.elapsed()
}

async fn layers(node: &Node) -> (String, String) {
    let health = node.get("/health").await.json();
    let layer = |name: &str| match &health["layers"][name] {
        serde_json::Value::String(word) => word.clone(),
        other => other["status"].as_str().unwrap_or_default().to_owned(),
    };
    (layer("disk"), layer("store"))
}

// SERVE-3, STREAM-1, STREAM-2, STREAM-4; T38
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_lived_through() {
    let Some(disk) = Disk::mount() else {
        // Past the test runner, which keeps what a passing test prints to itself.
        let told = "NOT TESTED: a full disk needs a tmpfs, and only root on Linux may mount one\n";
        std::io::stderr().write_all(told.as_bytes()).unwrap();
        return;
    };
    let mut figures = Figures::of("disk full, the real binary");
    let model = Model::start().await;
    let folder: &Path = &disk.0;
    let variables = [("COUNTERSIGN_UPSTREAM_OPENAI", model.base.as_str()), ("COUNTERSIGN_MODEL", "test")];
    let mut node = Node::start(folder, &variables).await;
    let (session, other) = (node.session(json!([])).await, node.session(json!([])).await);
    let mut before = node.say(&other, "pieces 5 5").await;
    before.finish(20).await;
    let mut caught = node.say(&session, "big 100000 20").await;
    caught.until("text_delta").await;
    disk.fill();
    let reading = tokio::spawn(async move {
        caught.finish(60).await;
        caught
    });
    let seen = wait_for(5, "a sick layer", async || layers(&node).await != ("healthy".into(), "healthy".into())).await;
    println!("health shows it after {seen:?}");
    disk.fill();
    // What goes on: life, the engine, replay, and the brake.
    assert_eq!(node.get("/livez").await.status, 200);
    let check = json!({"tools": [], "call": {"name": "x", "arguments": {}}});
    assert_eq!(node.post("/v1/check", &check).await.status, 200);
    let mut replay = node.events(&other, None).await;
    replay.finish(10).await;
    figures.add(wrong_with(&replay.events));
    figures.add(lost_of(&before.events, &replay.events));
    let stop = node.post(&format!("{other}/stop"), &json!({})).await;
    assert_eq!(stop.status, 200, "{stop:?}");
    let flags = node.get("/v1/stop").await.json();
    assert!(flags["flags"].as_array().is_some_and(|flags| !flags.is_empty()), "{flags}");
    let refused = node.post(&format!("{other}/messages"), &json!({"content": "pieces 1 0"})).await;
    println!("a new turn on a full disk: {}", refused.status);
    sleep(Duration::from_secs(1)).await;
    disk.free();
    let room = Instant::now();
    let caught = reading.await.unwrap();
    let end = caught.events.last().unwrap();
    figures.round();
    figures.time(end.at - room);
    if !end.is_terminal() || !caught.done || end.at - room > Duration::from_secs(10) {
        figures.add([format!("{} {:?} after there was room", end.kind, end.at - room)]);
    }
    let mut log = node.events(&session, None).await;
    log.finish(20).await;
    figures.add(wrong_with(&log.events));
    figures.add(lost_of(&caught.events, &log.events));
    wait_for(15, "healthy again", async || layers(&node).await == ("healthy".into(), "healthy".into())).await;
    let mut next = node.say(&session, "pieces 3 1").await;
    assert_eq!(next.finish(20).await.last().unwrap().kind, "completed");
    // The flag that was raised while nothing could be written has been written since.
    sleep(Duration::from_secs(2)).await;
    node.kill();
    node.restart().await;
    let mut stopped = node.say(&other, "pieces 1 0").await;
    assert_eq!(stopped.finish(20).await.last().unwrap().kind, "stopped", "the flag has survived");
    a_start_on_a_full_disk(&disk, &mut node, &mut figures).await;
    figures.finish();
}

/// A process that dies on a full disk and is started on it: what can be read is readable, and the open turn is ended once
/// there is room.
async fn a_start_on_a_full_disk(disk: &Disk, node: &mut Node, figures: &mut Figures) {
    let session = node.session(json!([])).await;
    node.say(&session, "hang").await.until("text_delta").await;
    disk.fill();
    node.kill();
    node.restart().await;
    assert_eq!((node.get("/livez").await.status, node.get("/v1/stop").await.status), (200, 200));
    let mut replay = node.events(&session, None).await;
    replay.until("text_delta").await;
    disk.free();
    let room = Instant::now();
    replay.finish(20).await;
    let end = replay.events.last().unwrap();
    figures.round();
    figures.time(end.at - room);
    if end.kind != "lost" || end.at - room > Duration::from_secs(10) {
        figures.add([format!("{} {:?} after there was room", end.kind, end.at - room)]);
    }
    figures.add(wrong_with(&replay.events));
}
