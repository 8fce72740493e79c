//! Looks at what waits, and tells one channel: woken by every change of the queue, and by the clock.

use super::channel::Channel;
use super::notice::{Item, letter};
use super::told::{self, Standing};
use crate::alerts::Sender;
use crate::redact::Redactor;
use crate::review::{Review, ReviewState, Reviews};
use crate::store::{Order, Records};
use crate::stream::now_millis;
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Makes the link for a channel and an item; none where the channel may not decide on it, or links are not configured.
pub type LinkSource = Arc<dyn Fn(&str, &Review) -> Option<String> + Send + Sync>;

/// How messages are sent.
#[derive(Debug, Clone)]
pub struct TellerOptions {
    /// How long one try may take.
    pub deadline: Duration,
    /// How long to wait before the second try; twice as long before each further one.
    pub back_off: Duration,
    /// How often is looked where no change is heard of.
    pub look: Duration,
}

impl Default for TellerOptions {
    fn default() -> Self {
        let [deadline, back_off, look] = [10_000, 1_000, 5_000].map(Duration::from_millis);
        Self { deadline, back_off, look }
    }
}

/// Tells one channel of what waits.
pub struct Teller {
    /// Who is told.
    pub channel: Channel,
    /// What waits.
    pub reviews: Reviews,
    /// Where the audit is.
    pub records: Arc<dyn Records>,
    /// Makes links.
    pub links: LinkSource,
    /// Hides secrets.
    pub redactor: Redactor,
    /// How messages are sent.
    pub options: TellerOptions,
}

/// What this process knows of items; the audit knows the rest.
#[derive(Default)]
struct Known {
    told: HashSet<String>,
    not_before: HashMap<String, i64>,
    held: HashSet<String>,
}

impl Teller {
    /// Tells, until it is dropped.
    pub async fn run(self) {
        let sender = match Sender::open(&self.channel.target, self.options.deadline) {
            Ok(sender) => sender,
            Err(reason) => {
                tracing::error!(channel = self.channel.name, "nobody can be told of reviews: {reason}");
                return;
            }
        };
        let mut changes = self.reviews.changes();
        let mut known = Known::default();
        loop {
            self.look(&sender, &mut known).await;
            // Lagging behind is no loss: everything that waits is looked at each time.
            let _ = tokio::time::timeout(self.options.look, changes.recv()).await;
            while changes.try_recv().is_ok() {}
            tokio::time::sleep(BREATH).await;
        }
    }

    /// One look at everything that waits.
    async fn look(&self, sender: &Sender, known: &mut Known) {
        if self.due(known).await.is_empty() && known.held.is_empty() {
            return;
        }
        tokio::time::sleep(self.channel.batch).await;
        // Looked at again: what was decided in the meantime needs nobody any more, and what came goes along.
        let due = self.due(known).await;
        let missed = self.missed(known).await;
        let mut ours = Vec::new();
        for review in due {
            match told::begin(self.records.as_ref(), &self.channel.name, &review).await {
                Ok(Standing::Ours) => ours.push(review),
                Ok(Standing::Told) => _ = known.told.insert(review.review_id),
                Ok(Standing::Busy(until)) => _ = known.not_before.insert(review.review_id, until),
                Err(error) => tracing::warn!(%error, "a review could not be told yet"),
            }
        }
        if !ours.is_empty() || missed > 0 {
            self.tell(sender, known, &ours, missed).await;
        }
    }

    /// What is to be told now.
    async fn due(&self, known: &mut Known) -> Vec<Review> {
        let Ok(waiting) = self.reviews.list(Some(ReviewState::Pending), Order::OldestFirst, MOST).await else {
            return Vec::new();
        };
        let here: HashSet<&str> = waiting.iter().map(|review| review.review_id.as_str()).collect();
        known.told.retain(|id| here.contains(id.as_str()));
        known.not_before.retain(|id, _| here.contains(id.as_str()));
        let now = now_millis();
        let quiet = self.is_quiet();
        let mut due = Vec::new();
        for review in waiting {
            let id = &review.review_id;
            let is_due = self.channel.wants(&review)
                && self.channel.due_at(&review) <= now
                && !known.told.contains(id)
                && known.not_before.get(id).is_none_or(|moment| *moment <= now);
            if is_due && quiet && !self.channel.is_urgent(&review) {
                known.held.insert(review.review_id);
            } else if is_due {
                due.push(review);
            }
        }
        due
    }

    fn is_quiet(&self) -> bool {
        self.channel.quiet.as_ref().is_some_and(|hours| hours.end_after(Timestamp::now()).is_some())
    }

    /// After quiet hours: how many of the items that were held back have expired.
    async fn missed(&self, known: &mut Known) -> usize {
        if self.is_quiet() {
            return 0;
        }
        let mut missed = 0;
        for id in std::mem::take(&mut known.held) {
            let expired = self.reviews.get(&id).await.is_ok_and(|review| review.state == ReviewState::Expired);
            missed += usize::from(expired);
        }
        missed
    }

    async fn tell(&self, sender: &Sender, known: &mut Known, ours: &[Review], missed: usize) {
        let channel = &self.channel;
        let item = |review| Item { review, link: (self.links)(&channel.name, review) };
        let items: Vec<Item<'_>> = ours.iter().map(item).collect();
        let sent = self.send(sender, &letter(channel, &items, missed, &self.redactor)).await;
        if let Err(reason) = &sent {
            tracing::warn!(channel = channel.name, items = ours.len(), "people could not be told of reviews: {reason}");
        }
        for review in ours {
            if let Err(error) = told::end(self.records.as_ref(), &channel.name, review, &sent).await {
                tracing::warn!(review = review.review_id, %error, "that somebody was told could not be written down");
            }
            if sent.is_ok() {
                known.told.insert(review.review_id.clone());
            }
        }
    }

    async fn send(&self, sender: &Sender, letter: &crate::alerts::Letter) -> Result<(), String> {
        let mut pause = self.options.back_off;
        for _ in 1..TRIES {
            if sender.send(letter).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        sender.send(letter).await
    }
}

/// So many items are looked at.
const MOST: usize = 1000;
/// The first try and three more; after a minute it begins again.
const TRIES: u32 = 4;
/// The least between two looks, however much happens.
const BREATH: Duration = Duration::from_millis(100);
