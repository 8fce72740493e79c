//! Moves chunks through the threads: one reads, several judge, one writes.
//!
//! For every chunk the reader opens a slot and puts its receiving end into a queue that the writer follows. So the
//! order of the answers is the order of the slots, whoever finishes first; and because that queue is bounded, so is
//! everything that is on its way. The writer flushes after each chunk: who sends one line gets one answer.

use super::judge::{Done, Judge, Shape, judge_chunk};
use super::source::Source;
use super::split::{Chunk, Splitter};
use crate::failure::Failure;
use crate::tally::Tally;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Judges every line of the sources and writes the answers in order.
pub(crate) fn run<J: Judge>(judge: &J, sources: Vec<Source>, shape: &Shape, jobs: usize) -> Result<Tally, Failure> {
    let bar = progress(&sources);
    let (work, waiting) = sync_channel::<Job>(jobs * 2);
    let (order, slots) = sync_channel::<Slot>(jobs * 4);
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        let start = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || work_on(judge, &waiting, shape));
        if (0..jobs).filter(|_| start().is_ok()).count() == 0 {
            leave(Failure::Internal("cannot start a thread".to_owned()));
        }
        scope.spawn(move || feed(sources, &work, &order));
        let written = write(&slots, shape, &bar);
        bar.finish_and_clear();
        Ok(written.unwrap_or_else(|failure| leave(failure)))
    })
}

/// The reader may be waiting for input that never comes: only the end of the process stops it.
fn leave(failure: Failure) -> ! {
    std::process::exit(i32::from(failure.report()))
}

/// A chunk and the slot for its answers.
struct Job(Chunk, SyncSender<Done>);

/// What the writer follows, in input order.
enum Slot {
    Chunk(Receiver<Done>),
    Failed(Failure),
}

fn feed(sources: Vec<Source>, work: &SyncSender<Job>, order: &SyncSender<Slot>) {
    for source in sources {
        match feed_one(source, work, order) {
            Ok(Fed::All) => {}
            Ok(Fed::NobodyListens) => return,
            Err(failure) => {
                // Where the writer has left there is nobody to tell.
                let _ = order.send(Slot::Failed(failure));
                return;
            }
        }
    }
}

/// Whether a source was read to its end.
enum Fed {
    All,
    NobodyListens,
}

fn feed_one(source: Source, work: &SyncSender<Job>, order: &SyncSender<Slot>) -> Result<Fed, Failure> {
    let (input, name) = source.open()?;
    let mut splitter = Splitter::new(input, name.clone());
    let place = name.as_deref().unwrap_or("the input");
    let failed = |error: io::Error| Failure::unusable(format!("cannot read {place}: {error}"));
    while let Some(chunk) = splitter.next_chunk().map_err(failed)? {
        let (answer, slot) = sync_channel(1);
        if order.send(Slot::Chunk(slot)).is_err() || work.send(Job(chunk, answer)).is_err() {
            return Ok(Fed::NobodyListens);
        }
    }
    Ok(Fed::All)
}

fn work_on<J: Judge>(judge: &J, waiting: &Mutex<Receiver<Job>>, shape: &Shape) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job(chunk, answer)) = next else { return };
        // Where the writer has left, the answer is not wanted any more.
        let _ = answer.send(judge_chunk(judge, &chunk, shape));
    }
}

fn write(slots: &Receiver<Slot>, shape: &Shape, bar: &ProgressBar) -> Result<Tally, Failure> {
    let mut out = io::stdout().lock();
    let mut tally = Tally::default();
    let mut opened = false;
    let failed = |error: io::Error| Failure::writing(&error);
    while let Ok(slot) = slots.recv() {
        let done = match slot {
            Slot::Chunk(slot) => slot.recv().map_err(|_| Failure::Internal("a worker stopped".to_owned()))?,
            Slot::Failed(failure) => return Err(failure),
        };
        let mut bytes = done.out.as_slice();
        if matches!(shape, Shape::Items) && !opened && !bytes.is_empty() {
            out.write_all(b"[").map_err(failed)?;
            bytes = bytes.get(1..).unwrap_or_default();
            opened = true;
        }
        out.write_all(bytes).and_then(|()| out.flush()).map_err(failed)?;
        bar.inc(done.read);
        tally.merge(done.tally);
    }
    let end: &[u8] = match (shape, opened) {
        (Shape::Items, true) => b"\n]\n",
        (Shape::Items, false) => b"[]\n",
        _ => b"",
    };
    out.write_all(end).and_then(|()| out.flush()).map_err(failed)?;
    Ok(tally)
}

/// A bar on stderr, where a person waits for files and the answers go elsewhere.
fn progress(sources: &[Source]) -> ProgressBar {
    let seen = io::stderr().is_terminal() && !io::stdout().is_terminal();
    let total: Option<u64> = sources.iter().map(Source::size).sum();
    match total {
        Some(total) if seen => {
            let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}");
            let bar = ProgressBar::new(total);
            if let Ok(style) = style { bar.with_style(style) } else { bar }
        }
        _ => ProgressBar::hidden(),
    }
}

/// Deeply nested input is bounded elsewhere; this leaves room for what remains.
const STACK: usize = 8 * 1024 * 1024;
