//! A clock that jumps by an hour, forth and back, in the middle of a turn: numbers, order and leases do not notice.
//!
//! The scenario is a process of its own under libfaketime, which fakes the wall clock and leaves the monotonic one alone,
//! as a real jump does.

use super::{ALL, Figures, Outcome, Violation, ensure, holds, hub, is_whole, notices, read};
use crate::streams::bench::{delta, end, options};
use countersign::contract::EventType;
use countersign_runtime::store::EventLog;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::stream::{PlantedBug, now_millis};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CLOCK: &str = "FAKETIME_TIMESTAMP_FILE";
const BUG: &str = "COUNTERSIGN_TEST_CLOCK_BUG";

// STREAM-1, STREAM-2: T39
#[test]
fn a_clock_that_jumps_changes_neither_order_nor_leases() {
    holds("clock ±1 h (lost after the lease all the same)", in_a_process(None));
    notices(PlantedBug::WallClockIds, in_a_process(Some(PlantedBug::WallClockIds)));
}

fn in_a_process(bug: Option<PlantedBug>) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let clock = folder.path().join("clock");
    std::fs::write(&clock, "+0").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "faults::clock::the_child_lives_through_jumps", "--nocapture"]);
    command.env("LD_PRELOAD", library()).env(CLOCK, &clock).env("FAKETIME_NO_CACHE", "1");
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
    command.env(BUG, if bug.is_some() { "planted" } else { "none" });
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let word = |word: &str| said.lines().find_map(|line| line.strip_prefix(word)).map(str::to_owned);
    if let Some(found) = word("violated ") {
        return Err(Violation(found));
    }
    let took =
        word("held ").unwrap_or_else(|| panic!("the child said {said} {}", String::from_utf8_lossy(&output.stderr)));
    Ok(Figures { rounds: 6, times: vec![Duration::from_millis(took.parse().unwrap())] })
}

fn library() -> PathBuf {
    let places =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];
    let found =
        places.iter().map(|place| Path::new(place).join("faketime/libfaketime.so.1")).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("libfaketime is missing; run tools/test-servers, or install the package faketime"))
}

/// The child. Without its variable it is no test at all.
#[test]
fn the_child_lives_through_jumps() {
    let Ok(bug) = std::env::var(BUG) else { return };
    let bug = (bug == "planted").then_some(PlantedBug::WallClockIds);
    let clock = PathBuf::from(std::env::var_os(CLOCK).unwrap());
    match tokio::runtime::Runtime::new().unwrap().block_on(scenario(&clock, bug)) {
        Ok(figures) => println!("held {}", figures.times.first().unwrap().as_millis()),
        Err(violation) => println!("violated {}", violation.0),
    }
}

async fn scenario(clock: &Path, bug: Option<PlantedBug>) -> Outcome {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
    let (one, two) = (hub(&log, options("one"), bug), hub(&log, options("two"), bug));
    let dying = tokio::spawn(Arc::clone(&one).watch());
    let watch = tokio::spawn(Arc::clone(&two).watch());
    let refused =
        |error: countersign_runtime::stream::WriteError| Violation(format!("nothing can be written: {error}"));
    let (_, writer) = one.writer("s").open_turn(vec![delta("begin")]).await.map_err(refused)?;
    let reading = tokio::spawn(read(two.reader("s", ALL).await.unwrap(), Duration::from_secs(10)));
    for (jump, offset) in ["+3600", "-3600", "+0", "-7200", "+86400", "+0"].into_iter().zip([1_i64, -1, 0, -2, 24, 0]) {
        let before = now_millis();
        std::fs::write(clock, jump).unwrap();
        let hours = (now_millis() - before) as f64 / 3.6e6;
        if offset == 1 {
            assert!((hours - 1.0).abs() < 0.1, "the clock did not jump: {hours} h");
        }
        for at in 0..3 {
            writer.write(vec![delta(&format!("{jump} {at}"))]).await.map_err(refused)?;
            tokio::time::sleep(Duration::from_millis(70)).await;
        }
    }
    ensure(log.head("s").await.unwrap().open, || "a jump was taken for a death".to_owned())?;
    writer.close_turn(vec![end()]).await.map_err(refused)?;
    let got = reading.await.unwrap();
    ensure(is_whole(&got, 20), || format!("the reader got {:?}", got.seqs()))?;
    // A death is still a death, and it is noticed in the same time, whatever the clock does meanwhile.
    one.writer("t").open_turn(vec![delta("begin")]).await.map_err(refused)?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    dying.abort();
    let since = Instant::now();
    std::fs::write(clock, "-3600").unwrap();
    let lost = read(two.reader("t", ALL).await.unwrap(), Duration::from_secs(10)).await;
    watch.abort();
    let last = lost.events.last().map(|event| event.event_type);
    ensure(last == Some(EventType::Lost), || format!("a dead writer's turn ended with {last:?}"))?;
    let limit = options("").lease + Duration::from_secs(1);
    ensure(since.elapsed() <= limit, || format!("lost after {:?}", since.elapsed()))?;
    Ok(Figures { rounds: 6, times: vec![since.elapsed()] })
}
