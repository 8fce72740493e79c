//! Many slow streams at once: each a connection of its own, a chunk a second, every letter checked at the end.
//!
//! They are opened over a while, and none ends before the last is open (unless the gateway is too slow for that: the most
//! that were open at once is counted and printed).

use crate::Fallible;
use crate::cases::Case;
use crate::client::{self, Connection, Reply};
use crate::load::quantile;
use crate::meaning::{self, Match};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Opens so many streams, each of which lasts so many seconds after all are open.
pub async fn run(target: &str, count: u64, seconds: u64, headers: &[&str]) -> Fallible<()> {
    let chunks = seconds + count / OPENED_A_SECOND + 5;
    let shared = Rc::new(Shared {
        target: target.to_owned(),
        headers: headers.iter().map(|&header| header.to_owned()).collect(),
        case: Case::named(&format!("slow-{chunks}")).ok_or("no such case")?,
        open: Cell::new(0),
        most: Cell::new(0),
        seen: RefCell::default(),
    });
    let begun = Instant::now();
    let local = tokio::task::LocalSet::new();
    let opener = Rc::clone(&shared);
    local.spawn_local(async move {
        let mut every = tokio::time::interval(Duration::from_millis(10));
        let mut following = tokio::task::JoinSet::new();
        for number in 0..count {
            if number.is_multiple_of(OPENED_A_SECOND / 100) {
                every.tick().await;
            }
            let shared = Rc::clone(&opener);
            following.spawn_local(async move { shared.follow(number).await });
        }
        following.join_all().await;
    });
    local.await;
    shared.print(count, chunks, begun.elapsed());
    Ok(())
}

struct Shared {
    target: String,
    headers: Vec<String>,
    case: Case,
    open: Cell<u64>,
    most: Cell<u64>,
    seen: RefCell<Seen>,
}

#[derive(Default)]
struct Seen {
    whole: u64,
    lost: u64,
    samples: Vec<String>,
    first_byte: Vec<Duration>,
    lasted: Vec<Duration>,
}

impl Shared {
    async fn follow(&self, number: u64) {
        self.open.set(self.open.get() + 1);
        self.most.set(self.most.get().max(self.open.get()));
        let reply = self.ask(number).await;
        self.open.set(self.open.get() - 1);
        let mut seen = self.seen.borrow_mut();
        let why = match reply {
            Ok(reply)
                if reply.status == 200
                    && reply.is_complete
                    // A guard may cut the text into other pieces; every letter of it must be there.
                    && meaning::compare(&self.case.expected(number), &reply.body) != Match::Wrong =>
            {
                seen.first_byte.push(reply.first_byte);
                seen.lasted.push(reply.whole);
                seen.whole += 1;
                return;
            }
            Ok(reply) => {
                let end = reply.body.len().saturating_sub(200);
                let tail = String::from_utf8_lossy(&reply.body[end..]).into_owned();
                format!(
                    "status {}, {} bytes, complete {}, after {:.1} s, ends {tail}",
                    reply.status,
                    reply.body.len(),
                    reply.is_complete,
                    reply.whole.as_secs_f64()
                )
            }
            Err(error) => error.to_string(),
        };
        seen.lost += 1;
        if seen.samples.len() < 3 {
            seen.samples.push(why);
        }
    }

    async fn ask(&self, number: u64) -> Fallible<Reply> {
        let headers: Vec<&str> = self.headers.iter().map(String::as_str).collect();
        Connection::open(&self.target, number).await?.ask(&client::request(&self.case, number, &headers)).await
    }

    fn print(&self, count: u64, chunks: u64, took: Duration) {
        let mut seen = self.seen.borrow_mut();
        let seen = &mut *seen;
        seen.first_byte.sort();
        seen.lasted.sort();
        let line = serde_json::json!({
            "streams": count, "chunks": chunks, "most_at_once": self.most.get(), "whole": seen.whole, "lost": seen.lost, "samples": seen.samples,
            "first_byte_p50_ms": quantile(&seen.first_byte, 0.5), "first_byte_p99_ms": quantile(&seen.first_byte, 0.99),
            "lasted_p50_s": quantile(&seen.lasted, 0.5) / 1000.0, "lasted_most_s": quantile(&seen.lasted, 1.0) / 1000.0,
            "seconds": took.as_secs_f64(),
        });
        println!("{line}");
    }
}

/// A gateway on a busy core has to take them.
const OPENED_A_SECOND: u64 = 500;
