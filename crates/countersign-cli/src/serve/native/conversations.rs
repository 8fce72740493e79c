//! What the gateway carried, as conversations: exchanges that go on from each other, each with what was decided in it.
//!
//! Exchanges are stored by the gateway; here they are read, grouped, and joined with the audit. A key sees its own.

use super::audited::RecordCursor;
use super::{access, standing, wanted};
use crate::serve::body::{Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use countersign::claims::marked;
use countersign_runtime::review::{Review, ReviewState};
use countersign_runtime::store::{Kind, Order, Query as Find, Record};
use countersign_runtime::stream::{now_millis, timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Which conversations, or which exchanges of one.
#[derive(Debug, Deserialize)]
pub(super) struct PageQuery {
    limit: Option<usize>,
    after: Option<String>,
    q: Option<String>,
}

impl PageQuery {
    fn cursor(&self) -> Result<Option<RecordCursor>, ApiError> {
        self.after.as_deref().filter(|cursor| !cursor.is_empty()).map(RecordCursor::read).transpose()
    }
}

/// Lists conversations, the one with the newest exchange first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<PageQuery>,
) -> Result<axum::Json<Value>, ApiError> {
    let (limit, begin) = (query.limit.unwrap_or(50).clamp(1, 200), query.cursor()?);
    let words: Vec<String> =
        query.q.as_deref().unwrap_or_default().to_lowercase().split_whitespace().map(str::to_owned).collect();
    flush(&app).await;
    let waiting = waiting_reviews(&app, &caller).await?;
    let mut place = begin.clone();
    let (mut known, mut shown) = (HashSet::new(), Vec::new());
    let mut next = None;
    'pages: for _ in 0..MOST_PAGES {
        let page = newest(&app, None, place.as_ref(), PAGE).await?;
        for record in &page {
            place = Some(RecordCursor::of(record));
            let is_new = sees(&caller, record) && !known.contains(&record.parent) && has_words(record, &words);
            if !is_new || is_shown_before(&app, record, begin.as_ref()).await? {
                continue;
            }
            if shown.len() == limit {
                break 'pages;
            }
            known.insert(record.parent.clone());
            shown.push(summary(&app, record, &waiting).await?);
            next = place.clone();
        }
        if page.len() < PAGE {
            next = None;
            break;
        }
    }
    let next = next.map(|place| place.cursor());
    Ok(axum::Json(json!({"conversations": shown, "next": next, "kept": keeps(&app)})))
}

/// One conversation: its newest exchanges, the oldest of them first.
pub(super) async fn look(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<axum::Json<Value>, ApiError> {
    flush(&app).await;
    let missing = || ApiError::not_found(format!("there is no conversation {id:?}"));
    let newest_of_all = newest(&app, Some(&id), None, 1).await?;
    let last = newest_of_all.first().filter(|record| sees(&caller, record)).ok_or_else(missing)?;
    let limit = query.limit.unwrap_or(50).clamp(1, 200);
    let mut page = newest(&app, Some(&id), query.cursor()?.as_ref(), limit + 1).await?;
    let has_more = page.len() > limit;
    page.truncate(limit);
    let next = page.last().filter(|_| has_more).map(|record| RecordCursor::of(record).cursor());
    let waiting = waiting_reviews(&app, &caller).await?;
    let mut exchanges = Vec::new();
    for record in page.iter().rev() {
        exchanges.push(exchange(&app, record, &waiting).await?);
    }
    let mut shown = summary(&app, last, &waiting).await?;
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("list".to_owned(), json!(exchanges));
        fields.insert("next".to_owned(), json!(next));
    }
    Ok(axum::Json(shown))
}

async fn flush(app: &App) {
    app.gateway_setup.gateway.ledger.flush().await;
    app.gateway_setup.gateway.traffic.flush().await;
}

fn keeps(app: &App) -> bool {
    app.config.gateway.conversations == crate::config::Conversations::Keep
}

fn sees(caller: &Caller, record: &Record) -> bool {
    record.problem().is_none() && access::sees(caller, wanted::key(&record.body).unwrap_or_default())
}

fn has_words(record: &Record, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = ["title", "model", "messages", "answer"].map(|field| record.body.get(field).map(Value::to_string));
    let text = text.into_iter().flatten().collect::<Vec<_>>().join("\n").to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// Whether a conversation was on an earlier page, because it has an exchange that is newer than this page.
async fn is_shown_before(app: &App, record: &Record, begin: Option<&RecordCursor>) -> Result<bool, ApiError> {
    let Some(begin) = begin else { return Ok(false) };
    let first = newest(app, Some(&record.parent), None, 1).await?;
    Ok(first.first().is_some_and(|newest| !begin.is_before(newest)))
}

async fn newest(
    app: &App,
    parent: Option<&str>,
    after: Option<&RecordCursor>,
    limit: usize,
) -> Result<Vec<Record>, ApiError> {
    let after = after.map(RecordCursor::place);
    let find = Find { parent, after, order: Order::NewestFirst, limit, ..Find::default() };
    Ok(app.stores.records.list(Kind::Exchange, find).await?)
}

/// What a list shows of a conversation.
async fn summary(app: &App, last: &Record, waiting: &[Review]) -> Result<Value, ApiError> {
    let exchanges = newest(app, Some(&last.parent), None, MOST_COUNTED).await?;
    let oldest = exchanges.last().unwrap_or(last);
    let mut counts = standing::Counts::default();
    let mut waits: HashSet<&str> = HashSet::new();
    for record in &exchanges {
        for verdict in records_of(app, Kind::Verdict, &record.id).await? {
            counts.add(&standing::render(app, &verdict).await?);
        }
        waits.extend(reviews_of(record, waiting).map(|review| review.review_id.as_str()));
    }
    let word = |name: &str| last.body.get(name).cloned().unwrap_or_default();
    Ok(json!({
        "conversation_id": last.parent, "title": word("title"), "model": word("model"), "route": word("route"),
        "mode": word("mode"), "key": wanted::key(&last.body), "state": state(last),
        "exchanges": exchanges.len(), "calls": counts.calls, "refused": counts.refused, "repaired": counts.repaired,
        "waiting": counts.waiting.max(waits.len()),
        "created_at": timestamp(oldest.created_at), "updated_at": timestamp(last.created_at),
    }))
}

/// One exchange with what was decided in it.
async fn exchange(app: &App, record: &Record, waiting: &[Review]) -> Result<Value, ApiError> {
    let mut shown = record.body.clone();
    let mut verdicts = Vec::new();
    for kind in [Kind::Examination, Kind::Verdict] {
        for found in records_of(app, kind, &record.id).await? {
            verdicts.push(standing::render(app, &found).await?);
        }
    }
    // As it happened: results come with the request, calls and words with the answer.
    let order = ["result", "call", "answer"];
    verdicts.sort_by_key(|verdict| order.iter().position(|of| verdict.get("of").is_some_and(|known| known == of)));
    let reviews: Vec<Value> = reviews_of(record, waiting).map(Review::shown).collect();
    if let Some(answer) = shown.get_mut("answer").and_then(Value::as_object_mut) {
        let text = answer.get("text").and_then(Value::as_str).unwrap_or_default();
        let claims = marked::claims(text, &app.policy.current().policy().claims);
        answer.insert("claims".to_owned(), json!(claims));
    }
    if let Some(fields) = shown.as_object_mut() {
        fields.shift_remove("caller");
        fields.shift_remove("ended_at");
        fields.insert("key".to_owned(), json!(wanted::key(&record.body)));
        fields.insert("state".to_owned(), json!(state(record)));
        fields.insert("created_at".to_owned(), json!(timestamp(record.created_at)));
        fields.insert("verdicts".to_owned(), json!(verdicts));
        fields.insert("reviews".to_owned(), json!(reviews));
    }
    Ok(shown)
}

/// How an exchange stands. One that is open for longer than any answer takes was cut off with its server.
fn state(record: &Record) -> &str {
    let state = record.body.get("state").and_then(Value::as_str).unwrap_or_default();
    if state == "open" && now_millis() - record.created_at > LONGEST_OPEN { "broken" } else { state }
}

async fn records_of(app: &App, kind: Kind, answer: &str) -> Result<Vec<Record>, ApiError> {
    let find = Find { parent: Some(answer), limit: MOST_DECISIONS, ..Find::default() };
    Ok(app.stores.records.list(kind, find).await?)
}

/// The items of the gateway that wait and that a caller may see.
async fn waiting_reviews(app: &App, caller: &Caller) -> Result<Vec<Review>, ApiError> {
    let pending = Some(ReviewState::Pending);
    let found = app.services.reviews.list(pending, Order::NewestFirst, MOST_WAITING).await?;
    let is_seen = |review: &Review| review.session_id.is_none() && access::sees_review(caller, review.owner());
    Ok(found.into_iter().filter(is_seen).collect())
}

/// The items that came up in an exchange: on the same words, of the same caller.
fn reviews_of<'r>(record: &'r Record, waiting: &'r [Review]) -> impl Iterator<Item = &'r Review> {
    let caller = record.body.get("caller").and_then(Value::as_str).unwrap_or_default();
    waiting.iter().filter(move |review| review.conversation == record.state && review.caller == caller)
}

const PAGE: usize = 200;
/// So many pages of exchanges are looked through for one page of conversations.
const MOST_PAGES: usize = 20;
/// So many exchanges of a conversation are counted.
const MOST_COUNTED: usize = 200;
/// So many decisions of one exchange are shown.
const MOST_DECISIONS: usize = 200;
const MOST_WAITING: usize = 200;
/// In milliseconds.
const LONGEST_OPEN: i64 = 30 * 60 * 1000;
