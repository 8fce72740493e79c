//! The audit, read page by page: verdicts on calls and on results in one order, the newest first.
//!
//! A question may fit few of many records, so as many stored pages are read as it takes, up to a bound in one request;
//! the cursor then goes on where reading ended. Nothing is left out and nothing comes twice, whatever is written meanwhile.

use super::wanted::Wanted;
use crate::serve::error::ApiError;
use countersign_runtime::store::{Kind, Order, Query as Find, Record, Records};
use std::collections::VecDeque;

/// What was found, and where to go on.
pub(super) struct Page {
    /// The records, the newest first.
    pub found: Vec<Record>,
    /// The place of the last record that was looked at; none where there are no more.
    pub next: Option<RecordCursor>,
}

/// A record's place in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordCursor {
    at: i64,
    id: String,
}

impl RecordCursor {
    /// The place of a record.
    pub(super) fn of(record: &Record) -> Self {
        Self { at: record.created_at, id: record.id.clone() }
    }

    /// Reads a cursor.
    pub(super) fn read(cursor: &str) -> Result<Self, ApiError> {
        let parts = cursor.split_once('.').and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())));
        let (at, id) =
            parts.ok_or_else(|| ApiError::bad_request("`after` must be a cursor that `next` gave", "after"))?;
        Ok(Self { at, id })
    }

    /// The place, as the store takes it.
    pub(super) fn place(&self) -> (i64, &str) {
        (self.at, &self.id)
    }

    /// Whether a record comes after this place, where the newest are first.
    pub(super) fn is_before(&self, record: &Record) -> bool {
        (record.created_at, record.id.as_str()) < self.place()
    }

    /// The cursor.
    pub(super) fn cursor(&self) -> String {
        format!("{}.{}", self.at, self.id)
    }
}

/// Reads what is wanted.
pub(super) async fn read(
    records: &dyn Records,
    wanted: &Wanted,
    after: Option<RecordCursor>,
    limit: usize,
) -> Result<Page, ApiError> {
    let mut feeds: Vec<Feed> = wanted.kinds().iter().map(|kind| Feed::new(*kind, after.clone())).collect();
    let (mut found, mut last) = (Vec::new(), None);
    for _ in 0..MOST_LOOKED_AT {
        for feed in &mut feeds {
            feed.fill(records, wanted, limit).await?;
        }
        // The store's order, over all kinds: by time and then by name; a feed without records comes last.
        let newest = feeds.iter_mut().max_by(|one, two| one.front().cmp(&two.front()));
        let Some(record) = newest.and_then(|feed| feed.waiting.pop_front()) else {
            return Ok(Page { found, next: None });
        };
        if found.len() == limit {
            return Ok(Page { found, next: last });
        }
        last = Some(RecordCursor::of(&record));
        found.extend(Some(record).filter(|record| wanted.fits(record)));
    }
    Ok(Page { found, next: last })
}

/// The records of one kind, a page at a time.
struct Feed {
    kind: Kind,
    after: Option<RecordCursor>,
    waiting: VecDeque<Record>,
    is_over: bool,
}

impl Feed {
    fn new(kind: Kind, after: Option<RecordCursor>) -> Self {
        Self { kind, after, waiting: VecDeque::new(), is_over: false }
    }

    fn front(&self) -> Option<(i64, &str)> {
        self.waiting.front().map(|record| (record.created_at, record.id.as_str()))
    }

    async fn fill(&mut self, records: &dyn Records, wanted: &Wanted, limit: usize) -> Result<(), ApiError> {
        if self.is_over || !self.waiting.is_empty() {
            return Ok(());
        }
        // One more than is wanted tells whether there are more.
        let page_size = limit.saturating_add(1).clamp(SMALLEST, LARGEST);
        let find = Find {
            parent: wanted.parent(),
            state: wanted.status.as_deref(),
            since: wanted.since,
            until: wanted.until,
            after: self.after.as_ref().map(|place| (place.at, place.id.as_str())),
            order: Order::NewestFirst,
            limit: page_size,
        };
        let page = records.list(self.kind, find).await?;
        self.is_over = page.len() < page_size;
        self.after = page.last().map(RecordCursor::of).or(self.after.take());
        self.waiting = page.into();
        Ok(())
    }
}

/// So many records are read together, at least and at most.
const SMALLEST: usize = 100;
const LARGEST: usize = 500;
/// So many are looked at in one request; who wants more goes on with the cursor.
const MOST_LOOKED_AT: usize = 20_000;
