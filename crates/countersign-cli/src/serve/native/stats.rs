//! What happened in a span of time, counted from the records: turns, calls, results, repairs, reviews, claims.

use super::counted::{Counted, Sums, read_fact};
use super::latencies::latencies;
use super::moment;
use super::outcomes::Outcomes;
use super::{access, spent};
use crate::serve::body::Query;
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use crate::serve::tallies::What;
use axum::Extension;
use axum::extract::State;
use countersign_runtime::store::{Kind, Query as Find, Record};
use countersign_runtime::stream::{now_millis, timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// From when to when, as RFC 3339 or milliseconds since 1970, and in how many parts.
#[derive(Debug, Deserialize)]
pub(super) struct StatsQuery {
    from: Option<String>,
    to: Option<String>,
    buckets: Option<usize>,
}

/// Counts what happened.
pub(super) async fn stats(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<StatsQuery>,
) -> Result<axum::Json<Value>, ApiError> {
    let begin = moment::maybe("from", query.from.as_deref())?;
    let (from, now) = (begin.unwrap_or(0), now_millis() + 1);
    let to = moment::maybe("to", query.to.as_deref())?.unwrap_or(now);
    if to < from {
        return Err(ApiError::bad_request("`to` lies before `from`", "to"));
    }
    if query.buckets.is_some_and(|parts| !(1..=MOST_PARTS).contains(&parts)) {
        return Err(ApiError::bad_request(format!("`buckets` must be from 1 to {MOST_PARTS}"), "buckets"));
    }
    app.gateway_setup.gateway.ledger.flush().await;
    let Records { counted, sums, outcomes } = records(&app, &caller, (from, to)).await?;
    let Said { turns, claims } = collect_said(&app, &caller, (from, to)).await?;
    let latency =
        if access::operates(&caller) { latencies(&app.metrics) } else { json!({"check": null, "routes": []}) };
    let tokens = if access::operates(&caller) { spent::tokens(&app.metrics) } else { Value::Null };
    let series = query.buckets.map(|parts| counted.series(begin, to, parts));
    let mut stats = json!({
        "from": timestamp(from.max(0)),
        "to": timestamp(to),
        "turns": {"total": turns.values().sum::<u64>(), "by_end": turns},
        "calls": counted.calls,
        "verdicts": sums.verdicts,
        "repairs": counted.repairs,
        "mended": counted.mended,
        "reviews": {"total": outcomes.by_state.values().sum::<u64>(), "by_state": outcomes.by_state},
        "claims": {"total": claims.values().sum::<u64>(), "by_kind": claims},
        "by_tool": sums.by_tool,
        "by_code": sums.by_code,
        "results": {"total": counted.results, "suspicious": counted.suspicious},
        "answers": {"total": counted.answers, "doubtful": counted.doubtful},
        "outcomes": outcomes.render(),
        "latency": latency,
        "tokens": tokens,
    });
    if let (Some(series), Some(fields)) = (series, stats.as_object_mut()) {
        fields.insert("series".to_owned(), json!(series));
    }
    Ok(axum::Json(stats))
}

/// What the records of a caller say.
#[derive(Default)]
struct Records {
    counted: Counted,
    sums: Sums,
    outcomes: Outcomes,
}

/// Counts the records that a caller may see.
async fn records(app: &App, caller: &Caller, (from, to): (i64, i64)) -> Result<Records, ApiError> {
    let Records { mut counted, mut sums, mut outcomes } = Records::default();
    let operates = access::operates(caller);
    let look = app.record_facts.look(app.stores.records.as_ref(), read_fact).await?;
    for fact in look.facts().filter(|fact| fact.at >= from && fact.at < to) {
        if operates || access::sees(caller, look.names().word(fact.key)) {
            counted.add(fact, look.names());
        }
    }
    counted.finish(look.names());
    counted.sum(look.names(), &mut sums);
    drop(look);
    each(app, Kind::Review, from, to, |record| {
        if access::sees_review(caller, owner_of(record)) {
            outcomes.add(record);
        }
    })
    .await?;
    Ok(Records { counted, sums, outcomes })
}

/// Reads the audit once, so that the first look at the figures is as quick as the others.
pub(crate) async fn read_audit(app: Arc<App>) {
    if let Err(error) = app.record_facts.look(app.stores.records.as_ref(), read_fact).await {
        tracing::warn!(%error, "the audit could not be read for the figures; the first look at them will take longer");
    }
}

/// Every record of a kind in a span of time, page by page.
async fn each(app: &App, kind: Kind, from: i64, to: i64, mut take: impl FnMut(&Record)) -> Result<(), ApiError> {
    let mut last: Option<(i64, String)> = None;
    for _ in 0..PAGES {
        let after = last.as_ref().map(|(time, id)| (*time, id.as_str()));
        let find = Find { since: Some(from), until: Some(to), after, limit: PAGE, ..Find::default() };
        let page = app.stores.records.list(kind, find).await?;
        page.iter().for_each(&mut take);
        if page.len() < PAGE {
            break;
        }
        last = page.last().map(|record| (record.created_at, record.id.clone()));
    }
    Ok(())
}

/// Turns by how they ended, claims by their kind.
#[derive(Default)]
struct Said {
    turns: BTreeMap<String, u64>,
    claims: BTreeMap<String, u64>,
}

/// The key of a session or a review; what follows its first slash is the key's own.
fn owner_of(record: &Record) -> &str {
    let caller = record.body.get("caller").and_then(Value::as_str).unwrap_or_default();
    caller.split('/').next().unwrap_or_default()
}

/// The ends of turns and the claims of a caller's sessions in a span of time.
async fn collect_said(app: &App, caller: &Caller, (from, to): (i64, i64)) -> Result<Said, ApiError> {
    let mut sessions = Vec::new();
    each(app, Kind::Session, i64::MIN / 2, to, |record| {
        if access::sees(caller, owner_of(record)) {
            sessions.push(record.id.clone());
        }
    })
    .await?;
    let mut said = Said::default();
    for session in &sessions {
        let tell = |fact: &crate::serve::tallies::Fact| {
            if fact.at < from || fact.at >= to {
                return;
            }
            let (counts, word) = match &fact.what {
                What::End(end) => (&mut said.turns, *end),
                What::Claim(kind) => (&mut said.claims, kind.as_ref()),
            };
            match counts.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(counts.insert(word.to_owned(), 1)),
            }
        };
        app.tallies.each(&app.services.hub, session, tell).await?;
    }
    Ok(said)
}

const PAGE: usize = 1000;
/// A million records at most.
const PAGES: usize = 1000;
/// So many parts of the time are shown.
const MOST_PARTS: usize = 200;
