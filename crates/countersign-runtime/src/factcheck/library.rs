//! A knowledge base, through a small door: passages for a query. Each passage is read once in a run.

use super::guarded::Guarded;
use super::opinion::{Clearest, Opinion, Side, clipped, note};
use countersign::claims::settle::lean::before;
use countersign::claims::settle::passage::Passage;
use countersign::claims::settle::{Quote, Subject, settle};
use countersign::contract::ClaimSource;
use countersign::grounding::wording::head;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Somebody who finds passages.
pub trait Library: Send + Sync {
    /// The passages nearest to a query, best first, at most `limit`.
    fn passages(&self, query: &str, limit: usize) -> Result<Vec<LibraryPassage>, LibraryError>;
}

/// A passage of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryPassage {
    /// The document: a file, as the user named it.
    pub place: String,
    /// The headings that it is under, outermost first.
    pub headings: Vec<String>,
    /// Its words.
    pub text: String,
    /// Where it begins in the document, in UTF-8 bytes.
    pub start: usize,
    /// On which line.
    pub line: Line,
}

/// Where a passage begins, in lines from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Nobody knows.
    Unknown,
    /// It begins there; its own lines are not those of the document.
    From(usize),
    /// It begins there, and its lines are those of the document.
    Counted(usize),
}

impl LibraryPassage {
    /// The document and the line of a place in the text: `report.md:12`.
    fn place_of(&self, offset: usize) -> String {
        let inside = || self.text.get(..offset).map_or(0, |before| before.matches('\n').count());
        match self.line {
            Line::Unknown => self.place.clone(),
            Line::From(line) => format!("{}:{line}", self.place),
            Line::Counted(line) => format!("{}:{}", self.place, line + inside()),
        }
    }
}

/// Why a library gave nothing. The text is fit for a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LibraryError(pub String);

/// The passages of a run, each read once.
#[derive(Default)]
pub(super) struct Read {
    /// By document and place in it.
    passages: Mutex<HashMap<(String, usize), Slot>>,
}

type Slot = Arc<OnceLock<Passage>>;

impl Read {
    fn of(&self, passage: &LibraryPassage) -> Slot {
        let key = (passage.place.clone(), passage.start);
        let mut passages = self.passages.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(passages.entry(key).or_default());
        drop(passages);
        slot.get_or_init(|| Passage::read(&passage.text, passage.headings.iter().map(String::as_str)));
        slot
    }
}

/// What a library found for a claim, and what that says of it.
pub(super) struct Looked {
    pub(super) opinions: Vec<Opinion>,
    pub(super) passages: Vec<LibraryPassage>,
}

/// Asks a library about a claim.
pub(super) fn look(
    library: &Guarded<dyn Library>,
    read: &Read,
    subject: &Subject,
    limit: usize,
    weight: f64,
) -> Result<Looked, String> {
    let query = query(subject);
    let passages = library.ask(move |library| library.passages(&query, limit))?;
    let mut clearest = Clearest::new();
    for passage in passages.iter().take(limit) {
        let slot = read.of(passage);
        if let Some(read) = slot.get() {
            clearest.take(passage, settle(subject, read));
        }
    }
    let opinions = clearest.sides().map(|(side, p, quote)| opinion(subject, side, p, &quote, weight)).collect();
    Ok(Looked { opinions, passages })
}

/// What is searched for: the sentence of a claim, or the part around it where it is long, and the sentence it leans on.
fn query(subject: &Subject) -> String {
    let place = &subject.telling.around.place;
    let content = subject.content;
    let near = |at: usize| content.get(at..).is_some();
    let from = (subject.claim.start.saturating_sub(QUERY).max(place.start)..place.end).find(|at| near(*at));
    let to = (subject.claim.end + QUERY).min(place.end);
    let to = (place.start..=to).rev().find(|at| near(*at));
    let sentence = from.zip(to).and_then(|(from, to)| content.get(from..to)).unwrap_or_default();
    match before(content, place) {
        Some(before) => format!("{sentence} {}", head(before, QUERY)),
        None => sentence.to_owned(),
    }
}

fn opinion(subject: &Subject, side: Side, passage: &LibraryPassage, quote: &Quote, weight: f64) -> Opinion {
    let place = quote.place.clone().unwrap_or(0..passage.text.len());
    let document = passage.place_of(place.start);
    let note = note(subject, side, &document, &quote.says);
    let source = ClaimSource {
        name: "knowledge_base".into(),
        place: Some(document),
        passage: Some(clipped(&quote.passage)),
        start: Some(passage.start + place.start),
        end: Some(passage.start + place.end),
    };
    Opinion { side, weight, note, source }
}

/// So many bytes of a sentence to each side of a claim are searched for.
const QUERY: usize = 500;
