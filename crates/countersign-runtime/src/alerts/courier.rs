//! One place's queue, and the sending from it: a few tries, each with a deadline, then the alert is dropped.

use super::AlertOptions;
use super::target::{Message, Target};
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
        let name = target.kind.name();
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
    let client = match crate::http::client().timeout(options.deadline).build() {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(target = target.kind.name(), "alerts cannot be sent: {error}");
            return;
        }
    };
    while let Some(message) = waiting.recv().await {
        deliver(&client, &target, &message, &options).await;
    }
}

async fn deliver(client: &reqwest::Client, target: &Target, message: &Message, options: &AlertOptions) {
    let mut pause = options.back_off;
    for attempt in 1..=TRIES {
        let Err(reason) = send(client, target, message).await else { return };
        if attempt == TRIES {
            let (to, alert) = (target.kind.name(), message.kind.name());
            tracing::warn!(target = to, alert, "alert dropped after {TRIES} tries: {reason}");
            return;
        }
        tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
        pause *= 2;
    }
}

async fn send(client: &reqwest::Client, target: &Target, message: &Message) -> Result<(), String> {
    let answer = client.post(&target.url).json(&message.body(target.kind)).send().await;
    // The address carries a key: it does not go into the reason.
    let status = answer.map_err(|error| error.without_url().to_string())?.status();
    if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
}

/// How many alerts may wait for one place.
const ROOM: usize = 256;
/// The first try and three more.
const TRIES: u32 = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
