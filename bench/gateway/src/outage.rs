//! An upstream that dies and comes back, as the clients see it.
//!
//! The upstream runs in this process: it answers for five seconds, then its port is closed and all its connections with
//! it (so whoever connects is refused), then it is back. Clients keep asking at a steady pace, half of them for whole
//! answers and half for streams that take a quarter of a second.

use crate::Fallible;
use crate::cases::Case;
use crate::client::{self, Connection};
use crate::load::quantile;
use crate::meaning::{self, Match};
use crate::stub;
use serde_json::json;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

pub async fn run(target: &str, upstream: &str, seconds: u64, headers: &[&str]) -> Fallible<()> {
    let down = BEFORE..BEFORE + Duration::from_secs(seconds);
    let end = down.end + AFTER;
    let begun = Instant::now();
    let upstream = upstream.to_owned();
    let closed_at = down.start;
    let back_at = down.end;
    // Threads of their own: what the upstream had begun ends with its runtime, at once.
    let stub = std::thread::spawn(move || -> Fallible<()> {
        serve_for(&upstream, closed_at)?;
        std::thread::sleep(back_at.saturating_sub(begun.elapsed()));
        serve_for(&upstream, end.saturating_sub(begun.elapsed()) + Duration::from_secs(1))
    });
    let headers: Rc<Vec<String>> = Rc::new(headers.iter().map(|&header| header.to_owned()).collect());
    let local = tokio::task::LocalSet::new();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| local.spawn_local(ask_on(target.to_owned(), Rc::clone(&headers), client, begun, end)))
        .collect();
    local.await;
    let mut events = Vec::new();
    for client in clients {
        events.extend(client.await?);
    }
    stub.join().map_err(|_| "the upstream broke down")??;
    print(events, down);
    Ok(())
}

fn serve_for(address: &str, time: Duration) -> Fallible<()> {
    let runtime = crate::alone()?;
    let local = tokio::task::LocalSet::new();
    let served = local.block_on(&runtime, async {
        let listener = stub::listen(address)?;
        let _ = tokio::time::timeout(time, stub::serve(listener)).await;
        Fallible::Ok(())
    });
    drop(local);
    served
}

struct Event {
    asked: Duration,
    answered: Duration,
    outcome: String,
    body: String,
}

async fn ask_on(target: String, headers: Rc<Vec<String>>, client: u64, begun: Instant, end: Duration) -> Vec<Event> {
    let Some(case) = Case::named(if client % 2 == 0 { "chat" } else { "drip" }) else { return Vec::new() };
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut events = Vec::new();
    let mut number = client * 100_000;
    tokio::time::sleep(PACE / CLIENTS as u32 * client as u32).await;
    while begun.elapsed() < end {
        number += 1;
        let asked = begun.elapsed();
        let (outcome, body) = outcome(&target, &case, number, &headers).await;
        events.push(Event { asked, answered: begun.elapsed(), outcome, body });
        tokio::time::sleep((asked + PACE).saturating_sub(begun.elapsed())).await;
    }
    events
}

async fn outcome(target: &str, case: &Case, number: u64, headers: &[&str]) -> (String, String) {
    let kind = if case.is_streamed() { "stream" } else { "chat" };
    let reply = async {
        let mut connection = Connection::open(target, number).await?;
        connection.ask(&client::request(case, number, headers)).await
    };
    match reply.await {
        Err(error) => (format!("{kind}: no answer"), error.to_string()),
        Ok(reply) => {
            let body = String::from_utf8_lossy(&reply.body).into_owned();
            let is_whole = reply.is_complete && meaning::compare(&case.expected(number), &reply.body) != Match::Wrong;
            match (reply.status, is_whole) {
                (200, true) => ("success".to_owned(), String::new()),
                (200, false) if body.contains("\"error\"") => (format!("{kind}: 200, cut, with an error event"), body),
                (200, false) if reply.is_complete => (format!("{kind}: 200, cut SILENTLY"), body),
                (200, false) => (format!("{kind}: 200, cut, the connection broken off"), body),
                (status, _) => (format!("{kind}: {status}"), body),
            }
        }
    }
}

fn print(mut events: Vec<Event>, down: std::ops::Range<Duration>) {
    events.sort_by_key(|event| event.asked);
    let mut outcomes: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for event in &events {
        let entry = outcomes.entry(&event.outcome).or_insert((0, &event.body));
        entry.0 += 1;
    }
    let during = || events.iter().filter(|event| down.contains(&event.asked));
    let mut took: Vec<Duration> = during().map(|event| event.answered.saturating_sub(event.asked)).collect();
    took.sort();
    let ok = |event: &&Event| event.outcome == "success";
    let back = events
        .iter()
        .filter(ok)
        .filter(|event| event.asked >= down.start && event.answered >= down.end)
        .map(|event| event.answered)
        .min();
    let last_failure =
        events.iter().filter(|event| event.asked >= down.end && !ok(event)).map(|event| event.asked).max();
    let since = |time: Option<Duration>| time.map(|time| time.saturating_sub(down.end).as_secs_f64());
    let outcomes: serde_json::Map<_, _> = outcomes
        .into_iter()
        .map(|(name, (count, body))| (name.to_owned(), json!({"count": count, "body": tail(body)})))
        .collect();
    let line = json!({
        "down_s": (down.end - down.start).as_secs(),
        "before": {"asked": events.iter().filter(|event| event.answered < down.start).count(), "success": events.iter().filter(|event| event.answered < down.start).filter(ok).count()},
        "asked_while_down": took.len(), "success_while_down": during().filter(ok).filter(|event| event.answered < down.end).count(),
        "answer_while_down_p50_ms": quantile(&took, 0.5), "answer_while_down_most_ms": quantile(&took, 1.0),
        "first_success_after_s": since(back), "last_failure_after_s": since(last_failure),
        "outcomes": outcomes,
    });
    println!("{line}");
}

fn tail(body: &str) -> String {
    let letters: Vec<char> = body.chars().collect();
    letters[letters.len().saturating_sub(500)..].iter().collect()
}

const BEFORE: Duration = Duration::from_secs(5);
const AFTER: Duration = Duration::from_secs(40);
const CLIENTS: u64 = 8;
/// How often each client asks.
const PACE: Duration = Duration::from_millis(400);
