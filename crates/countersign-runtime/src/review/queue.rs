//! The queue: every step is a compare-and-set of one record, together with its audit entry.

use super::error::ReviewError;
use super::item::{About, Conversation, Decided, Decision, NewReview, Resolution, Review, Reviewer};
use super::state::ReviewState;
use crate::ids::new_id;
use crate::store::{Applied, Change, Hint, Hints, Kind, Order, Query, Record, Records};
use crate::stream::{now_millis, timestamp};
use countersign::decide::Approval;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// The queue.
#[derive(Clone)]
pub struct Reviews {
    records: Arc<dyn Records>,
    changes: broadcast::Sender<Review>,
    hints: Option<Arc<dyn Hints>>,
    expiry: Duration,
    expiry_of_tool: Option<ExpiryOfTool>,
}

/// How long items of a tool wait, where that is special.
type ExpiryOfTool = Arc<dyn Fn(&str) -> Option<Duration> + Send + Sync>;

impl Reviews {
    /// A queue whose items wait so long.
    pub fn new(records: Arc<dyn Records>, hints: Option<Arc<dyn Hints>>, expiry: Duration) -> Self {
        Self { records, changes: broadcast::Sender::new(CHANGES), hints, expiry, expiry_of_tool: None }
    }

    /// The same queue, where items of some tools wait longer or shorter.
    pub fn with_expiry_of_tool(self, of_tool: impl Fn(&str) -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self { expiry_of_tool: Some(Arc::new(of_tool)), ..self }
    }

    /// Puts something in the queue. The same call that waits already, or that has an approval nobody used, is found again;
    /// so is the same result or answer, with what was decided on it.
    pub async fn open(&self, new: NewReview) -> Result<Review, ReviewError> {
        let parent = new.binding.digest();
        if let Some(known) = self.find(&parent, new.about, &new.conversation).await? {
            return Ok(known);
        }
        let now = now_millis();
        let special = self.expiry_of_tool.as_ref().and_then(|of_tool| of_tool(&new.binding.tool));
        let expires = now + i64::try_from(special.unwrap_or(self.expiry).as_millis()).unwrap_or(i64::MAX / 2);
        let review_id = new_id("rev").map_err(|error| ReviewError::Names(error.to_string()))?;
        let review = Review::new(review_id, new, now, expires);
        let record = Record {
            kind: Kind::Review,
            id: review.review_id.clone(),
            parent,
            state: review.state.name().to_owned(),
            created_at: now,
            version: 1,
            body: body(&review),
        };
        let changes = vec![Change::Insert(record, None), audit(&review, "opened", json!({}))?];
        match self.records.apply(changes).await? {
            Applied::Done => self.tell(&review),
            Applied::Conflict(_) => return Err(ReviewError::Raced),
        }
        Ok(review)
    }

    /// The newest item like this one in its conversation, whatever became of it.
    pub async fn latest(&self, new: &NewReview) -> Result<Option<Review>, ReviewError> {
        let parent = new.binding.digest();
        let query = Query { parent: Some(&parent), order: Order::NewestFirst, limit: PAGE, ..Query::default() };
        let found = self.records.list(Kind::Review, query).await?;
        let here = |review: &Review| review.about() == new.about && new.conversation.has_been(&review.conversation);
        let Some(review) = found.iter().filter_map(read).find(here) else { return Ok(None) };
        // Looking at it ends what has waited too long.
        self.get(&review.review_id).await.map(Some)
    }

    /// The item of a binding in a conversation that waits, or whose approval nobody has used and which is not too old; for
    /// a result or an answer also one that was decided.
    async fn find(
        &self,
        binding: &str,
        about: About,
        conversation: &Conversation,
    ) -> Result<Option<Review>, ReviewError> {
        let query = Query { parent: Some(binding), order: Order::NewestFirst, limit: PAGE, ..Query::default() };
        let now = now_millis();
        let open = |review: &Review| {
            let is_fresh = review.expires_at_ms > now;
            let is_open = match (about, review.state) {
                (_, ReviewState::Pending) => is_fresh,
                (_, ReviewState::Expired) => false,
                (About::Call, state) => state.is_yes() && !review.used && is_fresh,
                _ => true,
            };
            is_open && review.about() == about && conversation.has_been(&review.conversation)
        };
        Ok(self.records.list(Kind::Review, query).await?.iter().filter_map(read).find(open))
    }

    /// One item.
    pub async fn get(&self, id: &str) -> Result<Review, ReviewError> {
        Ok(self.load(id).await?.0)
    }

    async fn load(&self, id: &str) -> Result<(Review, u64), ReviewError> {
        let missing = || ReviewError::Missing(id.to_owned());
        let record = self.records.get(Kind::Review, id).await?.ok_or_else(missing)?;
        let review = read(&record).ok_or_else(missing)?;
        if review.state == ReviewState::Pending && review.expires_at_ms <= now_millis() {
            let expired = Review { state: ReviewState::Expired, ..review };
            // Whoever was first, it is expired.
            self.save(&expired, record.version, "expired", json!({})).await.or_else(|error| match error {
                ReviewError::Raced => Ok(()),
                other => Err(other),
            })?;
            return Ok((expired, record.version + 1));
        }
        Ok((review, record.version))
    }

    /// Items in an order; those in one state where one is named.
    pub async fn list(
        &self,
        state: Option<ReviewState>,
        order: Order,
        limit: usize,
    ) -> Result<Vec<Review>, ReviewError> {
        let query = Query { state: state.map(ReviewState::name), order, limit, ..Query::default() };
        Ok(fresh(self.records.list(Kind::Review, query).await?.iter().filter_map(read)))
    }

    /// The items that somebody looks for, in an order.
    pub async fn list_where(
        &self,
        state: Option<ReviewState>,
        order: Order,
        limit: usize,
        is_wanted: impl Fn(&Review) -> bool + Send,
    ) -> Result<Vec<Review>, ReviewError> {
        let (mut found, mut last) = (Vec::new(), None::<(i64, String)>);
        for _ in 0..PAGES {
            let after = last.as_ref().map(|(at, id)| (*at, id.as_str()));
            let query = Query { state: state.map(ReviewState::name), after, order, limit: PAGE, ..Query::default() };
            let page = self.records.list(Kind::Review, query).await?;
            found.extend(fresh(page.iter().filter_map(read).filter(&is_wanted)));
            if page.len() < PAGE || found.len() >= limit {
                break;
            }
            last = page.last().map(|record| (record.created_at, record.id.clone()));
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Takes an item for a person, for a while.
    pub async fn reserve(&self, id: &str, reviewer: &Reviewer) -> Result<Review, ReviewError> {
        let (review, version) = self.pending(id).await?;
        if let Some(other) = holder(&review) {
            return Err(ReviewError::Reserved(other.to_owned()));
        }
        let until = now_millis() + i64::try_from(RESERVATION.as_millis()).unwrap_or(i64::MAX / 2);
        let review = Review {
            reserved_by: reviewer.name(),
            reserved_key: reviewer.key.clone(),
            reserved_until_ms: Some(until),
            ..review
        };
        self.save(&review, version, "reserved", json!({"reviewer": reviewer.name(), "key": reviewer.key})).await?;
        Ok(review)
    }

    /// Gives an item back that a person has taken. One that nobody has stays as it is.
    pub async fn give_back(&self, id: &str, reviewer: &Reviewer) -> Result<Review, ReviewError> {
        let (review, version) = self.pending(id).await?;
        let Some(by) = holder(&review).map(str::to_owned) else { return Ok(review) };
        if is_another(&review, &by, reviewer) {
            return Err(ReviewError::Reserved(by));
        }
        let review = Review { reserved_by: None, reserved_key: None, reserved_until_ms: None, ..review };
        self.save(&review, version, "given_back", json!({"reviewer": by, "key": reviewer.key})).await?;
        Ok(review)
    }

    /// Takes what a person says. An edit has been checked by the caller.
    pub async fn decide(&self, id: &str, resolution: Resolution, reviewer: &Reviewer) -> Result<Review, ReviewError> {
        let (review, version) = self.pending(id).await?;
        if let Some(holder) = holder(&review)
            && is_another(&review, holder, reviewer)
        {
            return Err(ReviewError::Reserved(holder.to_owned()));
        }
        resolution.check(review.about())?;
        let Resolution { decision, reason, arguments, content } = resolution;
        let (name, key) = (reviewer.name(), reviewer.key.clone());
        let decided = Decided { decision, reviewer: name, key, reason, arguments, content };
        let state = match decided.decision {
            Decision::Approve => ReviewState::Approved,
            Decision::Edit => ReviewState::Edited,
            Decision::Reject => ReviewState::Rejected,
        };
        let note = serde_json::to_value(&decided).unwrap_or_default();
        let review = Review { state, decided: Some(decided), ..review };
        self.save(&review, version, state.name(), note).await?;
        Ok(review)
    }

    /// Uses an approval. Only one caller ever gets it.
    pub async fn take(&self, id: &str) -> Result<Approval, ReviewError> {
        let (review, version) = self.load(id).await?;
        if review.used {
            return Err(ReviewError::Over(review.state));
        }
        let approval = self.approval(&review).await?;
        let review = Review { used: true, ..review };
        self.save(&review, version, "used", json!({})).await?;
        Ok(approval)
    }

    /// The approval that a process took before it died, for whoever goes on with its work and knows that the call did not
    /// begin.
    pub async fn take_over(&self, id: &str) -> Result<Approval, ReviewError> {
        let (review, _) = self.load(id).await?;
        self.approval(&review).await
    }

    async fn approval(&self, review: &Review) -> Result<Approval, ReviewError> {
        let missing = || ReviewError::Missing(review.review_id.clone());
        let call = review.approved().ok_or(ReviewError::Over(review.state))?;
        let record = self.records.get(Kind::Review, &review.review_id).await?.ok_or_else(missing)?;
        Ok(Approval::grant(record.parent, call))
    }

    /// Waits until an item is decided or has expired.
    pub async fn wait(&self, id: &str) -> Result<Review, ReviewError> {
        let mut changes = self.changes.subscribe();
        loop {
            match self.get(id).await {
                Ok(review) if review.state != ReviewState::Pending => return Ok(review),
                Ok(_) => {}
                // A store that is unavailable is asked again: the person's answer must not be lost.
                Err(ReviewError::Store(error)) if error.may_pass() => tracing::warn!(%error, "a review waits"),
                Err(error) => return Err(error),
            }
            let about = async { while changes.recv().await.is_ok_and(|changed| changed.review_id != id) {} };
            // Where the word does not come (another node, a lost hint), the store is asked every second.
            let _ = tokio::time::timeout(LOOK, about).await;
        }
    }

    /// Everything that changes from now on.
    pub fn changes(&self) -> broadcast::Receiver<Review> {
        self.changes.subscribe()
    }

    /// Ends what has waited too long, and passes on word from other nodes, until it is dropped.
    pub async fn watch(self) {
        let mut hints = self.hints.as_ref().map(|hints| hints.listen());
        loop {
            let hinted = async {
                match &mut hints {
                    Some(hints) => hints.recv().await.ok(),
                    None => std::future::pending().await,
                }
            };
            match tokio::time::timeout(EXPIRE, hinted).await {
                Ok(Some(Hint::Review(id))) => {
                    if let Ok(review) = self.get(&id).await {
                        // Nobody listening is no failure.
                        let _ = self.changes.send(review);
                    }
                }
                Ok(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                Err(_) => self.expire().await,
            }
        }
    }

    async fn expire(&self) {
        let query = Query { state: Some(ReviewState::Pending.name()), ..Query::default() };
        let Ok(waiting) = self.records.list(Kind::Review, query).await else { return };
        let now = now_millis();
        for review in waiting.iter().filter_map(read).filter(|review| review.expires_at_ms <= now) {
            // Looking at it ends it.
            let _ = self.get(&review.review_id).await;
        }
    }

    async fn pending(&self, id: &str) -> Result<(Review, u64), ReviewError> {
        let (review, version) = self.load(id).await?;
        if review.state == ReviewState::Pending { Ok((review, version)) } else { Err(ReviewError::Over(review.state)) }
    }

    async fn save(&self, review: &Review, version: u64, action: &str, note: Value) -> Result<(), ReviewError> {
        let replace = Change::Replace {
            kind: Kind::Review,
            id: review.review_id.clone(),
            version,
            state: review.state.name().to_owned(),
            body: body(review),
        };
        match self.records.apply(vec![replace, audit(review, action, note)?]).await? {
            Applied::Done => {
                self.tell(review);
                Ok(())
            }
            Applied::Conflict(_) => Err(ReviewError::Raced),
        }
    }

    fn tell(&self, review: &Review) {
        // Nobody listening is no failure.
        let _ = self.changes.send(review.clone());
        if let Some(hints) = &self.hints {
            hints.announce(Hint::Review(review.review_id.as_str().into()));
        }
    }
}

/// Who has an item right now.
fn holder(review: &Review) -> Option<&str> {
    let until = review.reserved_until_ms?;
    review.reserved_by.as_deref().filter(|_| until > now_millis())
}

/// Whether somebody else than the holder speaks: with another key, or under another name.
fn is_another(review: &Review, holder: &str, reviewer: &Reviewer) -> bool {
    let other_key = review.reserved_key.is_some() && reviewer.key.is_some() && review.reserved_key != reviewer.key;
    other_key || reviewer.called.is_some() && reviewer.name().as_deref() != Some(holder)
}

/// Those that have not waited too long.
fn fresh(reviews: impl Iterator<Item = Review>) -> Vec<Review> {
    let now = now_millis();
    let stale = |review: &Review| review.state == ReviewState::Pending && review.expires_at_ms <= now;
    reviews.filter(|review| !stale(review)).collect()
}

fn body(review: &Review) -> Value {
    serde_json::to_value(review).unwrap_or_default()
}

fn read(record: &Record) -> Option<Review> {
    serde_json::from_value(record.body.clone()).ok()
}

/// An entry of the audit log.
fn audit(review: &Review, action: &str, note: Value) -> Result<Change, ReviewError> {
    let now = now_millis();
    let body = json!({
        "action": format!("review.{action}"),
        "review_id": review.review_id,
        "session_id": review.session_id,
        "caller": review.caller,
        "tool": review.tool,
        "arguments_digest": review.arguments_digest,
        "policy_version": review.policy_version,
        "note": note,
        "at": timestamp(now),
    });
    let id = new_id("aud").map_err(|error| ReviewError::Names(error.to_string()))?;
    let (kind, parent, state) = (Kind::Audit, review.review_id.clone(), format!("review.{action}"));
    Ok(Change::Insert(Record { kind, id, parent, state, created_at: now, version: 1, body }, None))
}

/// So many items are looked at together, and so many times, for those of one tool.
const PAGE: usize = 1000;
const PAGES: usize = 20;
/// How many changes a slow listener may be behind before it misses some.
const CHANGES: usize = 1024;
/// How long a person has an item for themselves.
const RESERVATION: Duration = Duration::from_secs(5 * 60);
/// How often a waiting turn asks the store.
const LOOK: Duration = Duration::from_secs(1);
/// How often items that have waited too long are ended.
const EXPIRE: Duration = Duration::from_secs(5);
