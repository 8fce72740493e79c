//! What a turn costs the server in processor time, at saturation: a plain answer, one tool, and a plan of three steps.

use crate::Fallible;
use crate::figures::Figures;
use crate::scripted::Scripted;
use crate::server::{Server, Store};
use crate::turn::Line;
use serde_json::json;
use std::time::Instant;

pub async fn run(binary: &str, turns: usize) -> Fallible<()> {
    for (store, told) in [(Store::Disk, "SQLite on the disk"), (Store::Memory, "no disk (:memory:)")] {
        let scripted = Scripted::start().await?;
        let server = Server::start(binary, store, &scripted.configuration)?;
        let mut first = 0;
        for (agent, way, results, named) in CASES {
            let mut costs = Vec::new();
            let mut rate = 0.0_f64;
            for round in 0..=ROUNDS {
                let count = if round == 0 { turns.div_ceil(10).max(LINES) } else { turns };
                let (cpu, took, done) = load(&server, agent, way, results, first, count).await?;
                first += count + LINES;
                if round > 0 {
                    costs.push(cpu * 1e6 / done as f64);
                    rate = rate.max(done as f64 / took);
                }
            }
            scripted.clock.take();
            let costs = Figures::of(costs);
            println!(
                "{told}, {named}: {:.0} µs a turn (least of {ROUNDS} rounds; median {:.0}), {rate:.0} turns a second",
                costs.at(0.0),
                costs.at(0.5)
            );
        }
        println!("{told}: memory {:?} MiB now and at most", server.memory()?);
    }
    Ok(())
}

/// So many turns over a few connections; gives the server's processor time, the time, and how many turns there were.
async fn load(
    server: &Server,
    agent: &str,
    way: &str,
    results: usize,
    first: usize,
    turns: usize,
) -> Fallible<(f64, f64, usize)> {
    let each = turns.div_ceil(LINES);
    let mut ready = Vec::new();
    for _ in 0..LINES {
        let mut line = Line::open(&server.address).await?;
        let mut sessions = Vec::new();
        for _ in 0..each {
            sessions.push(line.session(&json!({"agent": agent})).await?);
        }
        ready.push((line, sessions));
    }
    let (before, begun) = (server.cpu()?, Instant::now());
    let mut talking = tokio::task::JoinSet::new();
    for (at, (mut line, sessions)) in ready.into_iter().enumerate() {
        let way = way.to_owned();
        talking.spawn(async move {
            for (session, number) in sessions.iter().zip(first + at * each..) {
                let words = format!("Look up alpha{number}, beta{number} and gamma{number} ({way})");
                let turn = line.say(&mut None, session, &words).await?;
                if turn.ending != "completed" || turn.broken.is_some() || turn.tool_results != results {
                    return Err(format!("a turn went wrong: {turn:?}").into());
                }
            }
            Fallible::Ok(())
        });
    }
    while let Some(done) = talking.join_next().await {
        done??;
    }
    Ok((server.cpu()? - before, begun.elapsed().as_secs_f64(), each * LINES))
}

/// Agent, script, how many results there must be, and the name of the case.
const CASES: [(&str, &str, usize, &str); 4] = [
    ("react", "plain", 0, "a plain answer"),
    ("react", "reads", 1, "one tool that reads"),
    ("react", "acts", 1, "one tool that acts"),
    ("rewoo", "plan", 3, "a plan of three steps"),
];
/// So many connections talk at once.
const LINES: usize = 16;
const ROUNDS: usize = 5;
