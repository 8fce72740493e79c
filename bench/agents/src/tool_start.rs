//! The time from the model's last byte to the arrival of the call at its tool: one turn after the other, a tool that reads
//! and one that acts, with the log on the disk and without one.

use crate::Fallible;
use crate::figures::Figures;
use crate::scripted::Scripted;
use crate::server::{Server, Store};
use crate::turn::Line;
use serde_json::json;

pub async fn run(binary: &str, turns: usize) -> Fallible<()> {
    for (store, told) in [(Store::Disk, "SQLite on the disk"), (Store::Memory, "no disk (:memory:)")] {
        let scripted = Scripted::start().await?;
        let server = Server::start(binary, store, &scripted.configuration)?;
        let mut line = Line::open(&server.address).await?;
        let mut number = 0;
        let mut all = [Vec::new(), Vec::new()];
        let mut bare = Vec::new();
        // In turns, so that what disturbs one disturbs the other; the first ones are for warming up.
        for round in 0..turns + WARM_UP {
            for (way, kept) in ["reads", "acts"].iter().zip(&mut all) {
                number += 1;
                let session = line.session(&json!({"agent": "react"})).await?;
                let turn = line.say(&mut None, &session, &format!("Look up alpha{number} ({way})")).await?;
                let times = scripted.clock.take();
                if turn.ending != "completed" || turn.broken.is_some() || turn.tool_results != 1 || times.len() != 1 {
                    return Err(format!("a turn went wrong: {turn:?}, {} starts", times.len()).into());
                }
                if round >= WARM_UP {
                    kept.extend(times);
                }
            }
            if store == Store::Disk && round >= WARM_UP {
                bare.push(server.bare_sync(round)?);
            }
        }
        let [reads, acts] = all;
        for (named, times) in
            [("a tool that reads", reads), ("a tool that acts", acts), ("a bare write of 16 KiB and fdatasync", bare)]
        {
            print(told, named, &Figures::of(times));
        }
    }
    Ok(())
}

fn print(told: &str, named: &str, times: &Figures) {
    let at = |share| times.at(share) * 1e3;
    if times.len() > 0 {
        println!(
            "{told}, {named}: p10 {:.3} ms, p50 {:.3} ms, p90 {:.3} ms, p99 {:.3} ms ({} times)",
            at(0.1),
            at(0.5),
            at(0.9),
            at(0.99),
            times.len()
        );
    }
}

const WARM_UP: usize = 20;
