//! `countersign kb`: builds, searches and describes the index of a folder of documents.
//!
//! The documents are the truth. `search` brings the index up to date first, so that nobody is answered from yesterday's
//! files; `stats` only looks at what is there.

use super::{format, print};
use crate::args::{Format, KbArgs, KbCommand, KbPlace};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::kb;
use crate::human::progress::Bar;
use countersign_runtime::kb::{Hit, KnowledgeBase, default_index};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Runs one of the commands.
pub(crate) fn run(args: KbArgs) -> Result<u8, Failure> {
    match args.command {
        KbCommand::Build(place) => build(&place),
        KbCommand::Search { place, query, limit } => search(&place, &query.join(" "), usize::from(limit)),
        KbCommand::Stats(place) => stats(&place),
    }
}

fn build(place: &KbPlace) -> Result<u8, Failure> {
    let bar = Bar::new();
    let report = KnowledgeBase::build(&place.folder, &index(place), &|progress| bar.show(progress));
    bar.clear();
    let report = report?;
    match format(place.format) {
        Format::Human => {
            let mut canvas = Canvas::new(place.color, None);
            kb::draw_report(&mut canvas, &report);
            print(&canvas.finish())?;
        }
        Format::Jsonl | Format::Json => print(&(json!(report).to_string() + "\n"))?,
    }
    Ok(0)
}

/// Exit 1 where nothing was found.
fn search(place: &KbPlace, query: &str, limit: usize) -> Result<u8, Failure> {
    let bar = Bar::new();
    let base = KnowledgeBase::open_or_build(&place.folder, &index(place), &|progress| bar.show(progress));
    bar.clear();
    let hits = base?.search(query, limit);
    match format(place.format) {
        Format::Human => {
            let mut canvas = Canvas::new(place.color, None);
            kb::draw_hits(&mut canvas, query, &hits);
            print(&canvas.finish())?;
        }
        Format::Jsonl => print(&hits.iter().map(|hit| line(hit).to_string() + "\n").collect::<String>())?,
        Format::Json => print(&format!("{}\n", hits.iter().map(line).collect::<Value>()))?,
    }
    Ok(u8::from(hits.is_empty()))
}

fn stats(place: &KbPlace) -> Result<u8, Failure> {
    let stats = KnowledgeBase::open(&index(place))?.stats();
    match format(place.format) {
        Format::Human => {
            let mut canvas = Canvas::new(place.color, None);
            kb::draw_stats(&mut canvas, &stats);
            print(&canvas.finish())?;
        }
        Format::Jsonl | Format::Json => print(&(json!(stats).to_string() + "\n"))?,
    }
    Ok(0)
}

fn index(place: &KbPlace) -> PathBuf {
    place.index.clone().unwrap_or_else(|| default_index(&place.folder))
}

fn line(hit: &Hit) -> Value {
    let passage = &hit.passage;
    json!({
        "score": hit.score,
        "file": passage.file,
        "headings": passage.headings,
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "line": passage.line,
    })
}
