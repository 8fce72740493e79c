//! All claims on several threads, handed out in the order of the queue, so that a stopped run has settled its beginning.

use super::Entry;
use super::lookup::Lookup;
use countersign::contract::ClaimUpdate;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Looks up every claim of the queue and hands out what was found, until the sink breaks.
pub(super) fn work(
    queue: &[&Entry],
    lookup: &Lookup,
    threads: usize,
    sink: &mut dyn FnMut(ClaimUpdate) -> ControlFlow<()>,
) {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, stopped) = (&next, &stopped);
            scope.spawn(move || serve(queue, lookup, next, stopped, &sender));
        }
        drop(sender);
        let mut early: BTreeMap<usize, Option<ClaimUpdate>> = BTreeMap::new();
        let mut turn = 0;
        for (at, update) in receiver {
            early.insert(at, update);
            while let Some(update) = early.remove(&turn) {
                turn += 1;
                if update.is_some_and(|update| sink(update).is_break()) {
                    stopped.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    });
}

type Found = (usize, Option<ClaimUpdate>);

fn serve(queue: &[&Entry], lookup: &Lookup, next: &AtomicUsize, stopped: &AtomicBool, sender: &Sender<Found>) {
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(entry) = queue.get(at) else { return };
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        let found = catch_unwind(AssertUnwindSafe(|| lookup.look_up(entry))).unwrap_or_else(|_| {
            lookup.trouble("internal error while looking up a claim; please report it".to_owned());
            None
        });
        if sender.send((at, found)).is_err() {
            return;
        }
    }
}
