//! What happened in a span of time, counted from the records: turns, calls, results, repairs, reviews, claims.

use super::counted::{Counted, Sums, read_fact};
use super::latencies::latencies;
use super::moment;
use super::outcomes::Outcomes;
use super::{access, spent};
use crate::serve::body::Query;
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::record_facts::{Fact, Names};
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
    let look = app.record_facts.look(app.stores.records.as_ref(), read_fact).await?;
    let sees = |fact: &&Fact| access::operates(caller) || access::sees(caller, look.names().word(fact.key));
    let (counted, sums) = count(look.facts(from, to).filter(sees), look.names());
    drop(look);
    let mut outcomes = Outcomes::default();
    each(app, Kind::Review, from, to, |record| {
        if access::sees_review(caller, owner_of(record)) {
            outcomes.add(record);
        }
    })
    .await?;
    Ok(Records { counted, sums, outcomes })
}

/// Counts records, the oldest first.
fn count<'a>(facts: impl Iterator<Item = &'a Fact>, names: &Names) -> (Counted, Sums) {
    let (mut counted, mut sums) = (Counted::default(), Sums::default());
    facts.for_each(|fact| counted.add(fact, names));
    counted.finish(names);
    counted.sum(names, &mut sums);
    (counted, sums)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::record_facts::RecordFacts;
    use countersign_runtime::gateway::retention::{AuditRetention, sweep};
    use countersign_runtime::store::memory::MemoryRecords;
    use countersign_runtime::store::sqlite::SqliteStore;
    use countersign_runtime::store::{Applied, Change, Records as Store};
    use std::time::Duration;

    /// Numbers that are the same in every run.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % sides
        }

        fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
            words[self.roll(words.len() as u64) as usize]
        }
    }

    /// A verdict or an examination as the audit holds them: tries, repairs, items of the queue and keys among them.
    fn record(dice: &mut Dice, number: u64, at: i64) -> Record {
        let kind = if dice.roll(3) == 0 { Kind::Examination } else { Kind::Verdict };
        let state = match kind {
            Kind::Verdict => dice.pick(&["approved", "caution", "requires_review", "rejected", "validation_failed"]),
            _ => dice.pick(&["trusted", "suspicious"]),
        };
        let finding = json!({"code": dice.pick(&["call.a", "call.b", "result.c"]), "severity": dice.pick(&["info", "error"]),
            "correction": {"applied": dice.roll(2) == 0}});
        let findings: Vec<_> = (0..dice.roll(3)).map(|_| finding.clone()).collect();
        let body = json!({
            "kind": dice.pick(&["answer", "result"]), "tool": dice.pick(&["search", "pay", "send"]),
            "key": dice.pick(&["key_1", "key_2"]), "outcome": dice.pick(&["released", "sent_back", "repeated"]),
            "answer_id": format!("ans_{}", number / 3), "review_id": dice.pick(&["", "", "", "rev_1", "rev_2"]),
            "verdict": {"findings": findings},
        });
        // In no order, so that what is written late stands before and between what is known.
        let id = format!("ver_{:03}_{number}", dice.roll(1000));
        Record { kind, id, parent: String::new(), state: state.into(), created_at: at, version: 1, body }
    }

    /// Every record of the store, read anew.
    async fn read_all(store: &dyn Store) -> (Vec<Fact>, Names) {
        let (mut facts, mut names) = (Vec::new(), Names::default());
        for kind in [Kind::Verdict, Kind::Examination] {
            let records = store.list(kind, Find { limit: 1_000_000, ..Find::default() }).await.unwrap();
            facts.extend(records.iter().map(|record| read_fact(record, &mut names)));
        }
        (facts, names)
    }

    fn recount((facts, names): &(Vec<Fact>, Names), key: Option<&str>, (from, to): (i64, i64)) -> Value {
        let fits = |fact: &&Fact| (from..to).contains(&fact.at) && key.is_none_or(|key| names.word(fact.key) == key);
        render(count(facts.iter().filter(fits), names), (from, to))
    }

    async fn look(facts: &RecordFacts, store: &dyn Store, key: Option<&str>, (from, to): (i64, i64)) -> Value {
        let look = facts.look(store, read_fact).await.unwrap();
        let fits = |fact: &&Fact| key.is_none_or(|key| look.names().word(fact.key) == key);
        render(count(look.facts(from, to).filter(fits), look.names()), (from, to))
    }

    fn render((counted, sums): (Counted, Sums), (from, to): (i64, i64)) -> Value {
        json!({
            "calls": counted.calls, "repairs": counted.repairs, "mended": counted.mended, "verdicts": sums.verdicts,
            "results": [counted.results, counted.suspicious], "answers": [counted.answers, counted.doubtful],
            "by_tool": sums.by_tool, "by_code": sums.by_code, "series": counted.series(Some(from), to, 7),
        })
    }

    async fn compare(facts: &RecordFacts, store: &dyn Store, now: i64, step: u64) {
        let all = read_all(store).await;
        for span in [(i64::MIN / 2, now + 1_000_000), (now - 500_000, now - 3_000), (now - 20_000, now)] {
            for key in [None, Some("key_1")] {
                let (known, counted) = (look(facts, store, key, span).await, recount(&all, key, span));
                assert_eq!(known, counted, "step {step}, {span:?}, {key:?}");
            }
        }
    }

    /// Removes records, some at the beginning and some anywhere.
    async fn remove(dice: &mut Dice, store: &dyn Store) {
        let kind = if dice.roll(2) == 0 { Kind::Verdict } else { Kind::Examination };
        let (places, oldest) = (store.list_places(kind, Find::default()).await.unwrap(), dice.roll(2) == 0);
        let mut is_gone = |at: usize| if oldest { at < 5 } else { dice.roll(12) == 0 };
        let gone = places.into_iter().enumerate().filter(|(at, _)| is_gone(*at));
        let changes = gone.map(|(_, (_, id))| Change::Delete { kind, id }).collect();
        assert_eq!(store.apply(changes).await.unwrap(), Applied::Done);
    }

    /// One thing that happens to the audit between two looks.
    async fn go_on(dice: &mut Dice, store: &dyn Store, now: i64, step: u64) {
        let at = |dice: &mut Dice| match dice.roll(4) {
            0 => now - 600_000 + dice.roll(600_000) as i64,
            1 => now - 6_000 + dice.roll(3_000) as i64,
            _ => now - dice.roll(20) as i64,
        };
        match dice.roll(10) {
            0 | 1 => remove(dice, store).await,
            2 => {
                let keep = AuditRetention { age: Some(Duration::from_secs(60 * (1 + dice.roll(9)))), size: None };
                sweep(store, keep).await.unwrap();
            }
            // One for another: their number stays.
            3 => {
                remove(dice, store).await;
                let made =
                    (0..5).map(|one| record(dice, step * 100 + one, now - 400_000 + one as i64)).collect::<Vec<_>>();
                store.apply(made.into_iter().map(|record| Change::Insert(record, None)).collect()).await.unwrap();
            }
            _ => {
                for one in 0..=dice.roll(40) {
                    let at = at(dice);
                    let record = record(dice, step * 100 + one, at);
                    store.apply(vec![Change::Insert(record, None)]).await.unwrap();
                }
            }
        }
    }

    // SERVE-4: the figures are those of a plain recount, whatever was written, written late and removed in between.
    #[tokio::test]
    async fn the_figures_are_those_of_a_recount() {
        for seed in 0..5 {
            let (mut dice, store, facts) = (Dice(seed), MemoryRecords::default(), RecordFacts::default());
            for step in 0..40 {
                let now = now_millis();
                go_on(&mut dice, &store, now, step).await;
                compare(&facts, &store, now, step).await;
            }
        }
    }

    // SERVE-4, SERVE-5: the same on a disk, with a process that ends now and then and another that goes on.
    #[tokio::test]
    async fn the_figures_are_those_of_a_recount_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let mut dice = Dice(7);
        for run in 0..4 {
            let (store, facts) = (SqliteStore::open(folder.path()).unwrap(), RecordFacts::default());
            for step in run * 20..run * 20 + 15 {
                let now = now_millis();
                compare(&facts, &*store, now, step).await;
                go_on(&mut dice, &*store, now, step).await;
                compare(&facts, &*store, now, step).await;
            }
        }
    }
}
