//! One place's queue, and the sending from it: a few tries, each with a deadline, then the alert is dropped.

use super::AlertOptions;
use super::letter::Letter;
use super::message::Message;
use super::sender::Sender as Way;
use super::target::Target;
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// Takes alerts for one place. The sending ends when the courier is dropped.
pub(super) struct Courier {
    queue: Sender<Message>,
    name: &'static str,
}

impl Courier {
    /// Starts the sending.
    pub(super) fn start(target: Target, options: AlertOptions) -> Self {
        let (queue, waiting) = mpsc::channel(ROOM);
        let name = target.name();
        tokio::spawn(deliver_all(waiting, target, options));
        Self { queue, name }
    }

    /// Puts a message into the queue; where it is full, the message is dropped.
    pub(super) fn take(&self, message: Message) {
        if let Err(refused) = self.queue.try_send(message) {
            let message = refused.into_inner();
            tracing::warn!(target = self.name, alert = message.kind.name(), "alert dropped: too many wait already");
        }
    }

    /// How many wait, and how many may.
    pub(super) fn backlog(&self) -> (usize, usize) {
        (ROOM - self.queue.capacity(), ROOM)
    }
}

async fn deliver_all(mut waiting: Receiver<Message>, target: Target, options: AlertOptions) {
    let place = target.name();
    let way = match Way::open(&target, options.deadline) {
        Ok(way) => way,
        Err(error) => {
            tracing::error!(target = place, "alerts cannot be sent: {error}");
            return;
        }
    };
    while let Some(message) = waiting.recv().await {
        if let Err(reason) = deliver(&way, &message.letter(), &options).await {
            tracing::warn!(target = place, alert = message.kind.name(), "alert dropped after {TRIES} tries: {reason}");
        }
    }
}

async fn deliver(way: &Way, letter: &Letter, options: &AlertOptions) -> Result<(), String> {
    let mut pause = options.back_off;
    for _ in 1..TRIES {
        if way.send(letter).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
        pause *= 2;
    }
    way.send(letter).await
}

/// How many alerts may wait for one place.
const ROOM: usize = 256;
/// The first try and three more.
const TRIES: u32 = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
