//! What happened in a span of time, counted from the records: turns, calls, verdicts, repairs, reviews, claims.

use super::moment;
use crate::serve::body::Query;
use crate::serve::error::ApiError;
use crate::serve::state::App;
use axum::extract::State;
use countersign_runtime::store::{Kind, Query as Find, Record};
use countersign_runtime::stream::{now_millis, timestamp};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// From when to when, as RFC 3339 or milliseconds since 1970.
#[derive(Debug, Deserialize)]
pub struct StatsQuery {
    from: Option<String>,
    to: Option<String>,
}

/// Counts what happened.
pub async fn stats(
    State(app): State<Arc<App>>,
    Query(query): Query<StatsQuery>,
) -> Result<axum::Json<Value>, ApiError> {
    let from = moment::maybe("from", query.from.as_deref())?.unwrap_or(0);
    let to = moment::maybe("to", query.to.as_deref())?.unwrap_or_else(|| now_millis() + 1);
    if to < from {
        return Err(ApiError::bad_request("`to` lies before `from`", "to"));
    }
    app.counter.gateway.ledger.flush().await;
    let mut counted = Counted::default();
    each(&app, Kind::Verdict, from, to, |record| counted.verdict(record)).await?;
    let mut reviews: BTreeMap<String, u64> = BTreeMap::new();
    each(&app, Kind::Review, from, to, |record| *reviews.entry(record.state.clone()).or_default() += 1).await?;
    let mut sessions = Vec::new();
    each(&app, Kind::Session, i64::MIN / 2, to, |record| sessions.push(record.id.clone())).await?;
    let (mut turns, mut claims) = (BTreeMap::new(), BTreeMap::new());
    for session in &sessions {
        count_events(&app, session, (from, to), &mut turns, &mut claims).await?;
    }
    Ok(axum::Json(json!({
        "from": timestamp(from.max(0)),
        "to": timestamp(to),
        "turns": {"total": turns.values().sum::<u64>(), "by_end": turns},
        "calls": counted.calls,
        "verdicts": counted.verdicts,
        "repairs": counted.repairs,
        "reviews": {"total": reviews.values().sum::<u64>(), "by_state": reviews},
        "claims": {"total": claims.values().sum::<u64>(), "by_kind": claims},
        "by_tool": counted.by_tool,
    })))
}

#[derive(Default)]
struct Counted {
    calls: u64,
    repairs: u64,
    verdicts: BTreeMap<String, u64>,
    by_tool: BTreeMap<String, Map<String, Value>>,
}

impl Counted {
    fn verdict(&mut self, record: &Record) {
        let applied = |finding: &Value| finding.pointer("/correction/applied") == Some(&Value::Bool(true));
        let findings = record.body.pointer("/verdict/findings").and_then(Value::as_array);
        let repairs = findings.into_iter().flatten().filter(|finding| applied(finding)).count() as u64;
        self.calls += 1;
        self.repairs += repairs;
        *self.verdicts.entry(record.state.clone()).or_default() += 1;
        let tool = record.body.get("tool").and_then(Value::as_str).unwrap_or_default();
        let of_tool = self.by_tool.entry(tool.to_owned()).or_default();
        for (key, more) in [("calls", 1), ("repairs", repairs), (record.state.as_str(), 1)] {
            let known = of_tool.get(key).and_then(Value::as_u64).unwrap_or(0);
            of_tool.insert(key.to_owned(), (known + more).into());
        }
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

/// The ends of turns and the claims of a session.
async fn count_events(
    app: &App,
    session: &str,
    span: (i64, i64),
    turns: &mut BTreeMap<String, u64>,
    claims: &mut BTreeMap<String, u64>,
) -> Result<(), ApiError> {
    for entry in app.house.hub.history(session, 0, EVENTS).await? {
        let Some(event) = countersign_runtime::stream::frame::event_json(&entry, countersign::contract::Phase::Replay)
        else {
            continue;
        };
        let word = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let time = word("/timestamp").parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
        if !time.is_ok_and(|time| time >= span.0 && time < span.1) {
            continue;
        }
        match word("/event_type").as_str() {
            end @ ("completed" | "failed" | "stopped" | "lost") => *turns.entry(end.to_owned()).or_default() += 1,
            "message" => {
                for claim in event.pointer("/payload/claims").and_then(Value::as_array).into_iter().flatten() {
                    let kind = claim.get("kind").and_then(Value::as_str).unwrap_or_default();
                    *claims.entry(kind.to_owned()).or_default() += 1;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

const PAGE: usize = 1000;
/// A million records at most.
const PAGES: usize = 1000;
/// So many events of a session are looked at.
const EVENTS: usize = 100_000;
