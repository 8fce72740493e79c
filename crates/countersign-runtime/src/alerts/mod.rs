//! Word to people that something is wrong: a message to Feishu, Slack or any webhook, or an e-mail.
//!
//! Raising an alert never waits and never fails: it is put into a bounded queue, one for each place, and sent from
//! there. The same alert is sent once a minute, and then says how often it was raised in between. What cannot be sent
//! after some tries is dropped, with a line in the log. Secrets do not leave the house.

/// The forms of JSON that places want.
mod kind;
/// A message to people, in the form that each place wants.
mod letter;
/// An e-mail as it is handed over.
mod mime;
/// People by e-mail.
mod mail;
/// Where alerts go.
mod target;
/// One message to one place.
mod sender;
/// An alert on its way out.
mod message;
/// Which alerts are said again.
mod once;
/// One place's queue, and the sending from it.
mod courier;

pub use kind::TargetKind;
pub use letter::{Letter, is_invisible, quote};
pub use mail::{Mail, MailServer, MailTls};
pub use mime::Mailbox;
pub use sender::Sender;
pub use target::Target;

use crate::redact::Redactor;
use courier::Courier;
use once::{Once, Ruling};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What an alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AlertKind {
    /// A turn has failed.
    TurnFailed,
    /// Somebody asks more often than they may.
    OverLimit,
    /// The shared limiter cannot be reached.
    LimiterAway,
    /// A store cannot be reached or written.
    StoreAway,
    /// A layer has turned unhealthy.
    LayerUnhealthy,
    /// The new policy cannot be used.
    PolicyRefused,
}

impl AlertKind {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TurnFailed => "turn_failed",
            Self::OverLimit => "over_limit",
            Self::LimiterAway => "limiter_away",
            Self::StoreAway => "store_away",
            Self::LayerUnhealthy => "layer_unhealthy",
            Self::PolicyRefused => "policy_refused",
        }
    }
}

/// Something that people should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// Who or what it concerns: a key's id, a session, a layer. With the kind it tells alerts apart.
    pub subject: String,
    /// What happened, in a sentence.
    pub text: String,
}

/// How alerts are sent.
#[derive(Debug, Clone)]
pub struct AlertOptions {
    /// For how long the same alert is not said again.
    pub quiet: Duration,
    /// How long one try may take.
    pub deadline: Duration,
    /// How long to wait before the second try; twice as long before each further one.
    pub back_off: Duration,
}

impl Default for AlertOptions {
    fn default() -> Self {
        Self { quiet: Duration::from_secs(60), deadline: Duration::from_secs(5), back_off: Duration::from_millis(500) }
    }
}

/// The alerts. Cloning is cheap; all clones share their queues.
#[derive(Clone)]
pub struct Alerts {
    inner: Arc<Inner>,
}

struct Inner {
    once: Mutex<Once>,
    couriers: Vec<Courier>,
    redactor: Redactor,
    quiet: Duration,
}

impl Alerts {
    /// Starts a courier for each place. Must be called inside a tokio runtime.
    pub fn start(targets: Vec<Target>, options: AlertOptions, redactor: Redactor) -> Self {
        let quiet = options.quiet;
        let couriers = targets.into_iter().map(|target| Courier::start(target, options.clone())).collect();
        Self { inner: Arc::new(Inner { once: Mutex::new(Once::default()), couriers, redactor, quiet }) }
    }

    /// Alerts that go nowhere but into the log.
    pub fn silent() -> Self {
        Self::start(Vec::new(), AlertOptions::default(), Redactor::default())
    }

    /// Tells people, unless they were told a moment ago. Never waits, never fails.
    pub fn raise(&self, alert: Alert) {
        let ruling = {
            let mut once = self.inner.once.lock().unwrap_or_else(PoisonError::into_inner);
            once.rule(&alert, Instant::now(), self.inner.quiet)
        };
        let Ruling::Say { suppressed } = ruling else { return };
        let text = self.inner.redactor.redact(&alert.text);
        let subject = self.inner.redactor.redact(&alert.subject);
        tracing::warn!(alert = alert.kind.name(), subject, suppressed, "{text}");
        let message = message::Message { kind: alert.kind, subject, text, suppressed };
        for courier in &self.inner.couriers {
            courier.take(message.clone());
        }
    }

    /// How many alerts wait to be sent, and how many may.
    pub fn backlog(&self) -> (usize, usize) {
        self.inner.couriers.iter().fold((0, 0), |(waiting, room), courier| {
            let (more, space) = courier.backlog();
            (waiting + more, room + space)
        })
    }
}
