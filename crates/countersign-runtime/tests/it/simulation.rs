//! Lease, fence and resume in a world of chance that can be repeated: three nodes, one log, and between them delays, lost
//! questions, lost answers, nodes that die and nodes that sleep.
//!
//! One thread, tokio's paused clock and one stream of random numbers: a seed is a whole history, thousands of them a
//! minute. A network simulator (turmoil) was tried on paper and left: our nodes meet in a log behind a trait, not on
//! sockets, so what can go wrong between them is exactly what the log's double does here. To repeat a seed:
//! `COUNTERSIGN_SIM_SEED=123 cargo test -p countersign-runtime --test it simulation -- --nocapture`;
//! `COUNTERSIGN_SIM_SEEDS=100000` runs more of them.

use crate::faults::double::{Asked, MeddledLog, Meddler};
use crate::streams::bench::{Got, delta, end, options};
use async_trait::async_trait;
use countersign::contract::{EventId, EventType};
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::store::{Entry, EventLog, StoreError};
use countersign_runtime::stream::{BadCursor, Hub, HubOptions, Mode, PlantedBug, RunWriter, Start, WriteError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

const NODES: usize = 3;
const RUNS: [&str; 2] = ["one", "two"];
/// After this no more harm is done, and everything must come to its end.
const TROUBLE: Duration = Duration::from_millis(2500);
/// By then it must have.
const LONGEST: Duration = Duration::from_secs(60);

// STREAM-1, STREAM-2, STREAM-3
#[test]
fn lease_fence_and_resume_hold_in_every_history() {
    let sums = Mutex::new(Sums::default());
    std::thread::scope(|threads| {
        for half in 0..2 {
            let sums = &sums;
            threads.spawn(move || {
                for seed in seeds().filter(|seed| seed % 2 == half) {
                    match history(seed, None) {
                        Ok(found) => sums.lock().unwrap().add(&found),
                        Err(wrong) => panic!("seed {seed}: {wrong}"),
                    }
                }
            });
        }
    });
    let sums = sums.into_inner().unwrap();
    println!("SIMULATION | {sums:?}");
    // A simulation in which nothing happens shows nothing.
    assert!(sums.seeds == 1 || (sums.acknowledged > sums.seeds && sums.lost > 0 && sums.fenced > 0), "{sums:?}");
}

// A seed is a whole history: what it found can be looked at again.
#[test]
fn a_seed_repeats_its_history() {
    let twice = [history(7, None), history(7, None)].map(|found| format!("{found:?}"));
    assert_eq!(twice.first(), twice.last());
}

// The simulation can fail: without a sweep streams do not end, without a fence the dead write on, with `>=` readers see
// events twice.
#[test]
fn the_simulation_notices_planted_bugs() {
    for bug in [PlantedBug::NoSweeper, PlantedBug::NoFence, PlantedBug::CursorIncluded] {
        let found = (0..200).find_map(|seed| history(seed, Some(bug)).err().map(|wrong| (seed, wrong)));
        let (seed, wrong) = found.unwrap_or_else(|| panic!("{bug:?} was not noticed in 200 seeds"));
        println!("PLANTED | {bug:?} (simulation, seed {seed}) | {wrong} |");
    }
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match number("COUNTERSIGN_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("COUNTERSIGN_SIM_SEEDS").unwrap_or(600),
    }
}

#[derive(Debug, Default)]
struct Sums {
    seeds: u64,
    turns: u64,
    acknowledged: u64,
    lost: u64,
    fenced: u64,
    kills: u64,
    resumes: u64,
}

impl Sums {
    fn add(&mut self, found: &Self) {
        self.seeds += 1;
        self.turns += found.turns;
        self.acknowledged += found.acknowledged;
        self.lost += found.lost;
        self.fenced += found.fenced;
        self.kills += found.kills;
        self.resumes += found.resumes;
    }
}

/// One history from one seed.
fn history(seed: u64, bug: Option<PlantedBug>) -> Result<Sums, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let world = World::new(seed, bug);
        let ended = timeout(LONGEST, Arc::clone(&world).live()).await;
        ended.map_err(|_| format!("not everything came to its end within {LONGEST:?}"))??;
        world.check().await
    })
}

/// Random numbers that can be repeated. Everybody has a row of their own, because in which order tokio wakes the readers of
/// one log is chance too, and not ours.
struct Chance(AtomicU64);

impl Chance {
    fn of(parts: &[u64]) -> Self {
        let mix = |sum: u64, part: &u64| (sum ^ part).wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(29);
        Self(AtomicU64::new(parts.iter().fold(0x9e37_79b9_7f4a_7c15, mix)))
    }

    fn below(&self, bound: u64) -> u64 {
        let mut mixed = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one_in(&self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn millis(&self, bound: u64) -> Duration {
        Duration::from_millis(self.below(bound))
    }
}

/// The way from one node to the log.
struct Way {
    seed: u64,
    node: u64,
    begun: Instant,
    calm: Arc<AtomicBool>,
    dead: AtomicBool,
    /// Until when the node sleeps.
    asleep: Mutex<Option<Instant>>,
}

impl Way {
    /// What happens to a question on its way there or back: it depends on who asks what and when, and on nothing else.
    fn chance(&self, asked: Asked, way: u64) -> Chance {
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap();
        Chance::of(&[self.seed, self.node, now, asked as u64, way])
    }

    /// A dead node hears and says nothing more; one that sleeps does so later.
    async fn pass(&self, asked: Asked, way: u64) -> Result<(), StoreError> {
        if self.dead.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        let asleep = *self.asleep.lock().unwrap();
        if let Some(until) = asleep {
            sleep_until(until).await;
        }
        if self.calm.load(Ordering::Relaxed) {
            return Ok(());
        }
        let chance = self.chance(asked, way);
        sleep(chance.millis(if chance.one_in(20) { 120 } else { 8 })).await;
        if chance.one_in(25) { Err(away("it was lost on the way")) } else { Ok(()) }
    }
}

#[async_trait]
impl Meddler for Arc<Way> {
    async fn before(&self, asked: Asked) -> Result<(), StoreError> {
        self.pass(asked, 0).await
    }

    async fn after(&self, asked: Asked) -> Result<(), StoreError> {
        self.pass(asked, 1).await
    }
}

fn away(cause: &str) -> StoreError {
    StoreError::Away { store: "simulated", cause: cause.to_owned() }
}

/// A process: when it dies, another takes its place under a new name.
struct Node {
    hub: Arc<Hub>,
    way: Arc<Way>,
}

struct World {
    seed: u64,
    begun: Instant,
    calm: Arc<AtomicBool>,
    log: Arc<MemoryLog>,
    bug: Option<PlantedBug>,
    nodes: Mutex<Vec<Arc<Node>>>,
    born: AtomicU64,
    watches: Mutex<JoinSet<()>>,
    /// Events that a writer was told are durable.
    acknowledged: Mutex<BTreeMap<(&'static str, EventId), String>>,
    found: Mutex<Sums>,
}

impl World {
    fn new(seed: u64, bug: Option<PlantedBug>) -> Arc<Self> {
        let world = Arc::new(Self {
            seed,
            begun: Instant::now(),
            calm: Arc::default(),
            log: Arc::default(),
            bug,
            nodes: Mutex::default(),
            born: AtomicU64::new(0),
            watches: Mutex::default(),
            acknowledged: Mutex::default(),
            found: Mutex::default(),
        });
        let nodes = (0..NODES).map(|_| world.bear()).collect();
        *world.nodes.lock().unwrap() = nodes;
        world
    }

    fn bear(&self) -> Arc<Node> {
        let number = self.born.fetch_add(1, Ordering::Relaxed);
        let name = format!("node {number}");
        let way = Arc::new(Way {
            seed: self.seed,
            node: number,
            begun: self.begun,
            calm: Arc::clone(&self.calm),
            dead: AtomicBool::new(false),
            asleep: Mutex::default(),
        });
        let log = MeddledLog { log: Arc::clone(&self.log) as Arc<dyn EventLog>, meddler: Arc::clone(&way) };
        let (heartbeat, poll) = (Duration::from_secs(1), Duration::from_millis(100));
        let options = HubOptions { heartbeat, poll, ..options(&name) };
        let hub = Hub::with_bug(Arc::new(log), None, options, self.bug);
        self.watches.lock().unwrap().spawn(Arc::clone(&hub).watch());
        Arc::new(Node { hub, way })
    }

    fn node(&self, chance: &Chance) -> Arc<Node> {
        let nodes = self.nodes.lock().unwrap();
        let at = usize::try_from(chance.below(nodes.len() as u64)).unwrap();
        Arc::clone(nodes.get(at).unwrap())
    }

    fn count(&self, add: impl FnOnce(&mut Sums)) {
        add(&mut self.found.lock().unwrap());
    }

    /// Writers, readers and harm, until all have ended.
    async fn live(self: Arc<Self>) -> Result<(), String> {
        let mut tasks = JoinSet::new();
        for (run, number) in RUNS.into_iter().zip(0..) {
            let chance = |who| Chance::of(&[self.seed, number, who]);
            tasks.spawn(Arc::clone(&self).write(run, chance(0)));
            tasks.spawn(Arc::clone(&self).follow(run, chance(1)));
            tasks.spawn(Arc::clone(&self).follow(run, chance(2)));
        }
        let chance = Chance::of(&[self.seed, u64::MAX]);
        tasks.spawn(Arc::clone(&self).harm(chance));
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(|error| format!("a task broke off: {error}"))??;
        }
        self.settle().await
    }

    /// Kills nodes and puts them to sleep; then there is peace.
    async fn harm(self: Arc<Self>, chance: Chance) -> Result<(), String> {
        let until = Instant::now() + TROUBLE;
        while Instant::now() < until {
            sleep(Duration::from_millis(100) + chance.millis(600)).await;
            let node = self.node(&chance);
            if chance.one_in(2) {
                node.way.dead.store(true, Ordering::Relaxed);
                self.count(|found| found.kills += 1);
                let next = self.bear();
                let mut nodes = self.nodes.lock().unwrap();
                nodes.retain(|other| !Arc::ptr_eq(other, &node));
                nodes.push(next);
            } else {
                let until = Instant::now() + chance.millis(1500);
                *node.way.asleep.lock().unwrap() = Some(until);
            }
        }
        self.calm.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Turn after turn on whatever node, as long as there is trouble.
    async fn write(self: Arc<Self>, run: &'static str, chance: Chance) -> Result<(), String> {
        while !self.calm.load(Ordering::Relaxed) {
            let node = self.node(&chance);
            // A dead node never answers: its client gives up. A turn goes on without its client.
            let turn = tokio::spawn(Arc::clone(&self).turn(node, run, Chance::of(&[chance.below(u64::MAX)])));
            let _ = timeout(Duration::from_millis(1500), turn).await;
            sleep(chance.millis(150)).await;
        }
        Ok(())
    }

    async fn turn(self: Arc<Self>, node: Arc<Node>, run: &'static str, chance: Chance) {
        let words = format!("turn {}", chance.below(u64::MAX));
        let Ok((after, writer)) = node.hub.writer(run).open_turn(vec![delta(&words)]).await else { return };
        self.count(|found| found.turns += 1);
        let epoch = self.epoch_of(run, after + 1).await;
        self.acknowledge(run, EventId { epoch, seq: after + 1 }, &words);
        for at in 0..chance.below(12) {
            sleep(chance.millis(60)).await;
            let words = format!("{at} of {words}");
            match writer.write(vec![delta(&words)]).await {
                Ok(id) => self.acknowledge(run, id, &words),
                Err(WriteError::Store(_)) => break,
                Err(_) => {
                    self.count(|found| found.fenced += 1);
                    return self.try_as_a_zombie(&writer).await;
                }
            }
        }
        if let Ok(id) = writer.close_turn(vec![end()]).await {
            self.acknowledge(run, id, "completed");
        }
    }

    /// A turn that was told that it is fenced tries all the same.
    async fn try_as_a_zombie(&self, writer: &RunWriter) {
        for _ in 0..3 {
            let _ = writer.write(vec![delta("zombie")]).await;
        }
    }

    async fn epoch_of(&self, run: &str, seq: u64) -> u32 {
        let entries = self.log.read(run, seq - 1, 1).await.unwrap();
        entries.first().map_or(0, |entry| entry.id.epoch)
    }

    fn acknowledge(&self, run: &'static str, id: EventId, words: &str) {
        self.count(|found| found.acknowledged += 1);
        self.acknowledged.lock().unwrap().insert((run, id), words.to_owned());
    }

    /// Reads a run to its ends on whatever node, is cut, comes back elsewhere; what it got together must be the log.
    async fn follow(self: Arc<Self>, run: &'static str, chance: Chance) -> Result<(), String> {
        let mut got = Got::default();
        loop {
            let last = got.events.iter().rev().find_map(|event| event.id);
            let calm = self.calm.load(Ordering::Relaxed);
            let node = self.node(&chance);
            let patience = if calm { LONGEST } else { chance.millis(1500) };
            match timeout(patience, read_on(&node.hub, run, last, &mut got)).await {
                Ok(Err(wrong)) => return Err(wrong),
                // After the trouble a stream that is not cut must end by itself.
                Ok(Ok(true)) if calm && !self.log.head(run).await.unwrap().open => break,
                _ => self.count(|found| found.resumes += 1),
            }
            sleep(Duration::from_millis(20) + chance.millis(150)).await;
        }
        let log: Vec<_> = self.entries(run).await.iter().map(|entry| entry.id).collect();
        let seen: Vec<_> = got.events.iter().filter_map(|event| event.id).collect();
        if seen == log { Ok(()) } else { Err(format!("{run}: a reader saw {}, the log has {}", ids(&seen), ids(&log))) }
    }

    /// After the trouble every session takes a new turn, within the lease and what a client waits.
    async fn settle(&self) -> Result<(), String> {
        for run in RUNS {
            let node = self.node(&Chance::of(&[self.seed]));
            let since = Instant::now();
            loop {
                if let Ok((_, writer)) = node.hub.writer(run).open_turn(vec![delta("after all")]).await {
                    writer.close_turn(vec![end()]).await.map_err(|error| format!("{run}: {error}"))?;
                    break;
                }
                if since.elapsed() > Duration::from_secs(10) {
                    let open = self.log.open_runs().await.unwrap();
                    return Err(format!("{run} takes no more turns: {open:?}"));
                }
                sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }

    async fn entries(&self, run: &str) -> Vec<Entry> {
        self.log.read(run, 0, 100_000).await.unwrap()
    }

    /// The invariants of the log itself.
    async fn check(&self) -> Result<Sums, String> {
        for run in RUNS {
            let entries = self.entries(run).await;
            let place: Vec<_> = entries.iter().map(|entry| entry.id).collect();
            let dense = entries.iter().zip(1..).all(|(entry, seq)| entry.id.seq == seq);
            let sorted = place.iter().map(|id| id.epoch).is_sorted();
            if !dense || !sorted {
                return Err(format!("{run} is not dense: {}", ids(&place)));
            }
            self.check_turns(run, &entries)?;
            self.check_acknowledged(run, &entries)?;
        }
        Ok(std::mem::take(&mut *self.found.lock().unwrap()))
    }

    /// Every turn begins with its own words and has one end; nothing is written between two turns, also not by a zombie.
    fn check_turns(&self, run: &str, entries: &[Entry]) -> Result<(), String> {
        let mut open = None;
        for entry in entries {
            let body = entry.body.as_ref();
            if body.contains("zombie") {
                return Err(format!("{run}: a zombie wrote {}", entry.id));
            }
            let begins = body.contains("\"content\":\"turn ") || body.contains("after all");
            match (open, begins, entry.kind.is_terminal()) {
                (None, true, _) => open = Some(entry.id.epoch),
                (Some(epoch), false, true) => {
                    let lost = entry.kind == EventType::Lost;
                    if lost {
                        self.count(|found| found.lost += 1);
                    }
                    if lost == (epoch == entry.id.epoch) {
                        return Err(format!("{run}: {} ends a turn of epoch {epoch}", entry.id));
                    }
                    open = None;
                }
                (Some(epoch), false, false) if epoch == entry.id.epoch => {}
                _ => return Err(format!("{run}: {} stands in the wrong place: {body}", entry.id)),
            }
        }
        if open.is_some() { Err(format!("{run} has a turn without an end")) } else { Ok(()) }
    }

    fn check_acknowledged(&self, run: &str, entries: &[Entry]) -> Result<(), String> {
        let acknowledged = self.acknowledged.lock().unwrap();
        for ((_, id), words) in acknowledged.iter().filter(|((of, _), _)| *of == run) {
            let kept = entries.iter().find(|entry| entry.id == *id);
            if !kept.is_some_and(|entry| entry.body.contains(words)) {
                return Err(format!("{run}: {id} was acknowledged ({words}) and the log has {kept:?}"));
            }
        }
        Ok(())
    }
}

/// Reads on to the end of a stream; says whether it came.
async fn read_on(hub: &Arc<Hub>, run: &str, after: Option<EventId>, got: &mut Got) -> Result<bool, String> {
    let mut reader = match hub.reader(run, Start::From { mode: Mode::Hybrid, after }).await {
        Ok(reader) => reader,
        Err(BadCursor::Store(_)) => return Ok(false),
        Err(other) => return Err(format!("{run}: a cursor that was given is refused: {other:?}")),
    };
    got.done = false;
    while let Some(frames) = reader.next().await {
        got.take(&frames.bytes);
        if got.events.last().is_some_and(|event| event.event_type == EventType::Reset) {
            return Err(format!("{run}: a reset, and nothing was lost"));
        }
    }
    Ok(true)
}

fn ids(ids: &[EventId]) -> String {
    ids.iter().map(EventId::to_string).collect::<Vec<_>>().join(" ")
}
