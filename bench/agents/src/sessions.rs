//! Many sessions at once on the demo model: each talks several turns, one after the other, with tools that the server runs
//! and one that the client runs.

use crate::Fallible;
use crate::figures::Figures;
use crate::server::{Server, Store};
use crate::turn::{Line, Turn};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

pub async fn run(binary: &str, count: usize, turns: usize) -> Fallible<()> {
    let server = Server::start(binary, Store::Disk, "")?;
    let mut ready = Vec::new();
    for _ in 0..count {
        let mut line = Line::open(&server.address).await?;
        let session = line.session(&json!({"agent": "react", "tools": [echo()]})).await?;
        ready.push((line, Line::open(&server.address).await?, session));
    }
    let before = server.cpu()?;
    let begun = Instant::now();
    let mut talking = tokio::task::JoinSet::new();
    for (line, other, session) in ready {
        talking.spawn(talk(line, other, session, turns));
    }
    let mut all = Vec::new();
    while let Some(told) = talking.join_next().await {
        all.extend(told??);
    }
    report(&server, count, turns, &all, begun.elapsed().as_secs_f64(), server.cpu()? - before)
}

async fn talk(mut line: Line, other: Line, session: String, turns: usize) -> Fallible<Vec<(f64, Turn)>> {
    let mut other = Some(other);
    let mut told = Vec::new();
    for turn in 0..turns {
        let begun = Instant::now();
        let seen = line.say(&mut other, &session, QUESTIONS[turn % QUESTIONS.len()]).await?;
        told.push((begun.elapsed().as_secs_f64(), seen));
    }
    Ok(told)
}

fn report(server: &Server, count: usize, turns: usize, all: &[(f64, Turn)], took: f64, cpu: f64) -> Fallible<()> {
    let times = Figures::of(all.iter().map(|(seconds, _)| *seconds).collect());
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    for (_, turn) in all {
        *endings.entry(turn.ending.clone()).or_default() += 1;
    }
    let broken: Vec<&String> = all.iter().filter_map(|(_, turn)| turn.broken.as_ref()).collect();
    let sum = |of: fn(&Turn) -> usize| all.iter().map(|(_, turn)| of(turn)).sum::<usize>();
    let (now, most) = server.memory()?;
    println!(
        "{count} sessions, {turns} turns each: {} turns in {took:.1} s ({:.0} a second), endings {endings:?}",
        all.len(),
        all.len() as f64 / took
    );
    println!(
        "streams that broke a promise: {}; events {}, tool results {}",
        broken.len(),
        sum(|turn| turn.events),
        sum(|turn| turn.tool_results)
    );
    println!(
        "a turn: p50 {:.0} ms, p99 {:.0} ms, longest {:.0} ms",
        times.at(0.5) * 1e3,
        times.at(0.99) * 1e3,
        times.at(1.0) * 1e3
    );
    println!(
        "server: {:.2} cores, {:.0} µs a turn, memory {now} MiB, at most {most} MiB",
        cpu / took,
        cpu * 1e6 / all.len() as f64
    );
    match broken.first() {
        None if all.len() == count * turns && endings.keys().eq(["completed"]) => Ok(()),
        None => Err(format!(
            "not all turns were completed: {endings:?} {:?}",
            all.iter().find(|(_, turn)| turn.ending != "completed")
        )
        .into()),
        Some(first) => Err(format!("a stream broke a promise: {first}").into()),
    }
}

/// A tool that the client runs: it gives back what it is given.
fn echo() -> Value {
    json!({"type": "function", "function": {
        "name": "echo",
        "description": "Says a text back.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false},
    }})
}

const QUESTIONS: [&str; 5] = [
    "Please echo the text \"good morning\".",
    "Create a note named \"plan\" with the content \"call the plumber\".",
    "List the notes of this session.",
    "Save the material \"the meeting is on Friday\".",
    "Please echo the text \"and good night\".",
];
