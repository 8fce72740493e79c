//! Clients that take nothing and never leave: they cost a page of memory each, and the others do not notice.
//!
//! The scenario is a process of its own, so that its memory is its own: the test starts itself as a child, which serves
//! frames over TCP as the server does (nothing is read that is not asked for) to clients that do not read.

use super::{ALL, Figures, Outcome, ensure, holds, hub, notices};
use crate::streams::bench::{delta, end, options};
use countersign_runtime::store::EventLog;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::stream::{Hub, PlantedBug};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

const BUG: &str = "COUNTERSIGN_TEST_SLOW_CLIENT_BUG";
const SLOW: usize = 24;
const EVENTS: usize = 8000;
const LIMIT_KIB: u64 = 80 * 1024;

// STREAM-2, STREAM-3
#[test]
fn clients_that_take_nothing_cost_little_and_harm_nobody() {
    holds("slow clients, half-open (p50, p99: of the others' events)", in_a_process(None));
    notices(PlantedBug::UnboundedChannel, in_a_process(Some(PlantedBug::UnboundedChannel)));
}

fn in_a_process(bug: Option<PlantedBug>) -> Outcome {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "faults::slow_client::the_child_serves_clients_that_take_nothing", "--nocapture"]);
    command.env(BUG, if bug.is_some() { "planted" } else { "none" });
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = said.lines().find_map(|line| line.strip_prefix("measured "));
    let found = found.unwrap_or_else(|| panic!("the child said {said} {}", String::from_utf8_lossy(&output.stderr)));
    let mut numbers = found.split(' ').map(|number| number.parse::<u64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let (grown, quiet, p50, p99) = (next(), next(), next(), next());
    println!("{SLOW} slow clients on a log of {EVENTS} KiB: {grown} KiB more, the others' p99 {quiet} -> {p99} µs");
    ensure(grown < LIMIT_KIB, || format!("{SLOW} clients that take nothing cost {grown} KiB"))?;
    ensure(p99 < quiet * 5 + 30_000, || format!("the others' p99 went from {quiet} to {p99} µs"))?;
    let times = std::iter::repeat_n(Duration::from_micros(p50), 98).chain([Duration::from_micros(p99); 2]).collect();
    Ok(Figures { rounds: SLOW, times })
}

/// The child. Without its variable it is no test at all.
#[test]
fn the_child_serves_clients_that_take_nothing() {
    let Ok(bug) = std::env::var(BUG) else { return };
    let bug = (bug == "planted").then_some(PlantedBug::UnboundedChannel);
    tokio::runtime::Runtime::new().unwrap().block_on(measure(bug));
}

async fn measure(bug: Option<PlantedBug>) {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
    let hub = hub(&log, options("a"), bug);
    let (_, writer) = hub.writer("long").open_turn(vec![delta("begin")]).await.unwrap();
    for at in 0..EVENTS / 100 {
        let drafts = (0..100).map(|place| delta(&format!("{at} {place} {}", "x".repeat(800)))).collect();
        writer.write(drafts).await.unwrap();
    }
    let quiet = latencies(&hub, "quiet").await;
    let before = resident();
    let address = serve(Arc::clone(&hub)).await;
    let mut clients = Vec::new();
    for _ in 0..SLOW {
        clients.push(TcpStream::connect(address).await.unwrap());
    }
    // Time for everything that wants to be kept.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let busy = latencies(&hub, "busy").await;
    let grown = resident().saturating_sub(before);
    let at = |times: &[u64], share: usize| times.get(times.len() * share / 100).copied().unwrap();
    println!("measured {grown} {} {} {}", at(&quiet, 99), at(&busy, 50), at(&busy, 99));
    drop(clients);
}

/// Serves every connection the long run.
async fn serve(hub: Arc<Hub>) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut reader = hub.reader("long", ALL).await.unwrap();
            tokio::spawn(async move {
                while let Some(frames) = reader.next().await {
                    if socket.write_all(&frames.bytes).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// How long events take from the writer's word to the readers, in µs, sorted.
async fn latencies(hub: &Arc<Hub>, run: &str) -> Vec<u64> {
    let begun = Instant::now();
    let now = move || u64::try_from(begun.elapsed().as_micros()).unwrap();
    let (_, writer) = hub.writer(run).open_turn(vec![delta("begin")]).await.unwrap();
    let mut readers = Vec::new();
    for _ in 0..5 {
        let mut reader = hub.reader(run, ALL).await.unwrap();
        readers.push(tokio::spawn(async move {
            let mut times = Vec::new();
            while let Some(frames) = reader.next().await {
                let text = String::from_utf8_lossy(&frames.bytes).into_owned();
                let sent = text.split("sent ").skip(1).filter_map(|rest| rest.split(' ').next()?.parse::<u64>().ok());
                times.extend(sent.map(|sent| now().saturating_sub(sent)));
            }
            times
        }));
    }
    for _ in 0..300 {
        writer.write(vec![delta(&format!("sent {} ", now()))]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    writer.close_turn(vec![end()]).await.unwrap();
    let mut times = Vec::new();
    for reader in readers {
        times.extend(reader.await.unwrap());
    }
    times.sort_unstable();
    times
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
