//! The closed loop: so many connections, each asking again as soon as it has its answer; every answer is checked.

use crate::Fallible;
use crate::cases::Case;
use crate::client::{self, Connection, Reply};
use crate::meaning::{self, Match};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Copy)]
pub enum Until {
    Seconds(f64),
    Count(u64),
}

impl Until {
    /// `2.5` are seconds, `x1000` are requests.
    pub fn read(text: &str) -> Fallible<Self> {
        Ok(match text.strip_prefix('x') {
            Some(count) => Self::Count(count.parse()?),
            None => Self::Seconds(text.parse()?),
        })
    }
}

/// Runs one case (or several, `a,b,c`, in turn) and prints what happened as JSON.
pub async fn run(target: &str, names: &str, concurrency: u64, until: Until, headers: &[&str]) -> Fallible<()> {
    let cases: Option<Vec<Case>> = names.split(',').map(Case::named).collect();
    let shared = Rc::new(Shared {
        target: target.to_owned(),
        headers: headers.iter().map(|&header| header.to_owned()).collect(),
        cases: cases.ok_or("no such case")?,
        until,
        begun: Instant::now(),
        // Every run has numbers of its own.
        next: Cell::new(u64::from(std::process::id()) % 9000 * 10_000),
        asked: Cell::new(0),
        seen: RefCell::default(),
    });
    let local = tokio::task::LocalSet::new();
    for at in 0..concurrency {
        let shared = Rc::clone(&shared);
        local.spawn_local(async move { ask_on(&shared, at).await });
    }
    local.await;
    shared.print();
    Ok(())
}

struct Shared {
    target: String,
    headers: Vec<String>,
    cases: Vec<Case>,
    until: Until,
    begun: Instant,
    next: Cell<u64>,
    asked: Cell<u64>,
    seen: RefCell<Seen>,
}

#[derive(Default)]
struct Seen {
    exact: u64,
    meant: u64,
    wrong: u64,
    sample: Option<String>,
    first_byte: Vec<Duration>,
    whole: Vec<Duration>,
}

async fn ask_on(shared: &Shared, from: u64) {
    let headers: Vec<&str> = shared.headers.iter().map(String::as_str).collect();
    let mut connection = None;
    while let Some((number, case)) = shared.next_one() {
        let request = client::request(case, number, &headers);
        match ask(&mut connection, &shared.target, from, &request).await {
            Ok(reply) => shared.judge(case, number, &reply),
            Err(error) => {
                shared.fail(&error.to_string());
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

async fn ask(connection: &mut Option<Connection>, target: &str, from: u64, request: &[u8]) -> Fallible<Reply> {
    let mut open = match connection.take() {
        Some(open) => open,
        None => Connection::open(target, from).await?,
    };
    let reply = open.ask(request).await?;
    if reply.is_reusable {
        *connection = Some(open);
    }
    Ok(reply)
}

impl Shared {
    fn next_one(&self) -> Option<(u64, &Case)> {
        let asked = self.asked.get();
        let is_over = match self.until {
            Until::Seconds(seconds) => self.begun.elapsed().as_secs_f64() >= seconds,
            Until::Count(count) => asked >= count,
        };
        self.asked.set(asked + 1);
        self.next.set(self.next.get() + 1);
        (!is_over).then(|| (self.next.get(), &self.cases[asked as usize % self.cases.len()]))
    }

    fn judge(&self, case: &Case, number: u64, reply: &Reply) {
        let matched = meaning::compare(&case.expected(number), &reply.body);
        if reply.status != 200 || !reply.is_complete || matched == Match::Wrong {
            let body = String::from_utf8_lossy(&reply.body).into_owned();
            return self.fail(&format!("status {}, complete {}: {body}", reply.status, reply.is_complete));
        }
        let mut seen = self.seen.borrow_mut();
        match matched {
            Match::Bytes => seen.exact += 1,
            _ => seen.meant += 1,
        }
        seen.first_byte.push(reply.first_byte);
        seen.whole.push(reply.whole);
    }

    fn fail(&self, why: &str) {
        let mut seen = self.seen.borrow_mut();
        seen.wrong += 1;
        seen.sample.get_or_insert_with(|| why.chars().take(1500).collect());
    }

    fn print(&self) {
        let mut seen = self.seen.borrow_mut();
        let seen = &mut *seen;
        seen.first_byte.sort();
        seen.whole.sort();
        let line = serde_json::json!({
            "seconds": self.begun.elapsed().as_secs_f64(),
            "requests": seen.exact + seen.meant,
            "exact": seen.exact, "meant": seen.meant, "wrong": seen.wrong, "sample": seen.sample,
            "first_byte_p50_ms": quantile(&seen.first_byte, 0.5), "first_byte_p99_ms": quantile(&seen.first_byte, 0.99),
            "whole_p50_ms": quantile(&seen.whole, 0.5), "whole_p99_ms": quantile(&seen.whole, 0.99),
        });
        println!("{line}");
    }
}

/// A quantile in milliseconds, of what is sorted.
pub fn quantile(sorted: &[Duration], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).map_or(0.0, |value| value.as_secs_f64() * 1000.0)
}
