//! Hints between nodes over publish and subscribe: two tasks, one that tells and one that listens.
//!
//! Nothing waits for them and nothing depends on them. Whenever the listener has (re)connected it says `All`, because it
//! cannot know what it missed; the teller says `All` to the others when it could not keep up or could not send.

use super::RedisStore;
use super::link::{Link, SHORT};
use crate::store::{Hint, Hints};
use futures_util::StreamExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

impl Hints for RedisStore {
    fn announce(&self, hint: Hint) {
        self.relay.announce(hint);
    }

    fn listen(&self) -> broadcast::Receiver<Hint> {
        self.relay.heard.subscribe()
    }
}

/// The two tasks.
pub(super) struct Relay {
    heard: broadcast::Sender<Hint>,
    said: mpsc::Sender<Hint>,
    /// A hint did not fit: the others must look at everything.
    overflowed: Arc<AtomicBool>,
    stop: DropGuard,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Relay {
    /// Starts them.
    pub(super) fn start(link: Arc<Link>, channel: String) -> Self {
        let (heard, _) = broadcast::channel(BACKLOG);
        let (said, saying) = mpsc::channel(BACKLOG);
        let overflowed = Arc::new(AtomicBool::new(false));
        let stop = CancellationToken::new();
        // A node does not listen to itself.
        let voice = format!("{:016x}", getrandom::u64().unwrap_or_default());
        let teller = Teller {
            link: Arc::clone(&link),
            channel: channel.clone(),
            voice: voice.clone(),
            overflowed: Arc::clone(&overflowed),
        };
        let listener = Listener { link, channel, voice, heard: heard.clone() };
        let tasks = vec![
            tokio::spawn(until(stop.clone(), teller.tell(saying))),
            tokio::spawn(until(stop.clone(), listener.listen())),
        ];
        Self { heard, said, overflowed, stop: stop.drop_guard(), tasks: Mutex::new(tasks) }
    }

    /// Stops them and waits.
    pub(super) async fn stop(&self) {
        self.stop.token().cancel();
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            // A task that was cancelled has ended too.
            let _ = task.await;
        }
    }

    fn announce(&self, hint: Hint) {
        if self.said.try_send(hint).is_err() {
            self.overflowed.store(true, Ordering::Relaxed);
        }
    }
}

async fn until(stop: CancellationToken, work: impl Future<Output = ()>) {
    stop.run_until_cancelled(work).await;
}

struct Teller {
    link: Arc<Link>,
    channel: String,
    voice: String,
    overflowed: Arc<AtomicBool>,
}

impl Teller {
    async fn tell(self, mut saying: mpsc::Receiver<Hint>) {
        let mut hints = Vec::new();
        while saying.recv_many(&mut hints, BACKLOG).await > 0 {
            if self.overflowed.swap(false, Ordering::Relaxed) {
                hints.push(Hint::All);
            }
            let words = words_of(&hints);
            hints.clear();
            let mut command = redis::cmd("PUBLISH");
            command.arg(&self.channel).arg(format!("{}\n{}", self.voice, words.join("\n")));
            let sent: Result<u64, _> = self.link.command(&command, SHORT).await;
            if sent.is_err() {
                self.overflowed.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// One word a hint, none twice; `All` makes the others needless.
fn words_of(hints: &[Hint]) -> Vec<String> {
    if hints.contains(&Hint::All) {
        return vec!["all".to_owned()];
    }
    let mut words: Vec<_> = hints.iter().map(word_of).collect();
    words.sort();
    words.dedup();
    words
}

fn word_of(hint: &Hint) -> String {
    match hint {
        Hint::Run(run) => format!("run {run}"),
        Hint::Flags => "flags".to_owned(),
        Hint::Review(review) => format!("review {review}"),
        Hint::All => "all".to_owned(),
    }
}

/// What a newer version says and we do not know may be about anything.
fn hint_of(word: &str) -> Hint {
    match word.split_once(' ') {
        Some(("run", run)) => Hint::Run(run.into()),
        Some(("review", review)) => Hint::Review(review.into()),
        None if word == "flags" => Hint::Flags,
        _ => Hint::All,
    }
}

struct Listener {
    link: Arc<Link>,
    channel: String,
    voice: String,
    heard: broadcast::Sender<Hint>,
}

impl Listener {
    async fn listen(self) {
        loop {
            if let Ok(listener) = self.link.subscribe(&self.channel).await {
                self.pass_on(Hint::All);
                self.follow(listener).await;
            }
            sleep(RETRY).await;
        }
    }

    /// Passes hints on until the connection is gone. A connection that only looks alive is found by asking.
    async fn follow(&self, listener: redis::aio::PubSub) {
        let (mut sink, mut messages) = listener.split();
        loop {
            match timeout(QUIET, messages.next()).await {
                Ok(Some(message)) => self.hear(message.get_payload().unwrap_or_default()),
                Ok(None) => return,
                Err(_) => {
                    let asked = timeout(SHORT, sink.ping::<redis::Value>()).await;
                    if !matches!(asked, Ok(Ok(_))) {
                        return;
                    }
                }
            }
        }
    }

    fn hear(&self, message: String) {
        let mut lines = message.lines();
        if lines.next() != Some(self.voice.as_str()) {
            lines.for_each(|word| self.pass_on(hint_of(word)));
        }
    }

    fn pass_on(&self, hint: Hint) {
        // Nobody listening is no error.
        let _ = self.heard.send(hint);
    }
}

/// How many hints may wait.
const BACKLOG: usize = 4096;
const RETRY: Duration = Duration::from_millis(250);
/// After so long without a word the listener asks whether the server is there.
const QUIET: Duration = Duration::from_secs(2);
