//! What the session's tools and searches returned and what people put into it, read once however many claims are held
//! against it.

use super::opinion::{Clearest, Opinion, Side, clipped, note};
use countersign::claims::arithmetic::Outcome;
use countersign::claims::settle::computed::computed;
use countersign::claims::settle::passage::Passage;
use countersign::claims::settle::{Quote, Subject, settle};
use countersign::contract::ClaimSource;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

/// A tool result, or any text that the caller vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// Where it is: the call's id, a link, a name.
    pub place: String,
    /// What it says: prose, or JSON as text.
    pub content: String,
}

/// What a piece of evidence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// What a tool returned, or what a caller vouches for.
    ToolResult,
    /// What a search found.
    SearchResult,
    /// A note of a person.
    Note,
    /// A material of a person.
    Material,
    /// A file of a person.
    File,
}

impl EvidenceKind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolResult => "tool_result",
            Self::SearchResult => "search_result",
            Self::Note => "note",
            Self::Material => "material",
            Self::File => "file",
        }
    }

    /// Several of them, for people, in English and Chinese.
    pub(super) const fn plural(self) -> (&'static str, &'static str) {
        match self {
            Self::ToolResult => ("tool results", "工具结果"),
            Self::SearchResult => ("search results", "搜索结果"),
            Self::Note => ("notes", "笔记"),
            Self::Material => ("materials", "素材"),
            Self::File => ("files", "文件"),
        }
    }
}

/// All evidence of a run.
pub(super) struct Results<'a> {
    list: Vec<(&'a Evidence, OnceLock<Passage>)>,
}

impl<'a> Results<'a> {
    pub(super) fn new(evidence: &'a [Evidence]) -> Self {
        Self { list: evidence.iter().map(|evidence| (evidence, OnceLock::new())).collect() }
    }

    /// What kinds of evidence there are.
    pub(super) fn kinds(&self) -> BTreeSet<EvidenceKind> {
        self.list.iter().map(|(evidence, _)| evidence.kind).collect()
    }

    /// What the results say of a claim: the clearest word for it, and the clearest against.
    pub(super) fn opinions(&self, subject: &Subject, weight: f64) -> Vec<Opinion> {
        let mut clearest = Clearest::new();
        for (evidence, read) in &self.list {
            let passage = read.get_or_init(|| Passage::read(&evidence.content, []));
            clearest.take(*evidence, settle(subject, passage));
        }
        clearest.sides().map(|(side, evidence, quote)| opinion(subject, side, evidence, &quote, weight)).collect()
    }

    /// What follows from the numbers of the results by computation, where exactly one thing does.
    pub(super) fn computed(&self, subject: &Subject, weight: f64) -> Option<Opinion> {
        let mut found = self.list.iter().filter_map(|(evidence, read)| {
            let passage = read.get_or_init(|| Passage::read(&evidence.content, []));
            Some((*evidence, computed(subject, passage)?))
        });
        let (evidence, computed) = found.next()?;
        if found.any(|(_, other)| other.outcome != computed.outcome) {
            return None;
        }
        let side = match computed.outcome {
            Outcome::Holds => Side::Supports,
            Outcome::Fails => Side::Conflicts,
        };
        let source = ClaimSource {
            name: "arithmetic".into(),
            place: Some(evidence.place.clone()),
            passage: Some(clipped(&computed.passage)),
            start: computed.place.as_ref().map(|place| place.start),
            end: computed.place.map(|place| place.end),
        };
        Some(Opinion { side, weight, note: computed.note, source })
    }

    /// The statements nearest to a claim, for a model to read.
    pub(super) fn nearest(&self, subject: &Subject, most: usize) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (evidence, read) in &self.list {
            let passage = read.get_or_init(|| Passage::read(&evidence.content, []));
            let near = passage.near(&subject.telling.around.near);
            let shares = |reading: &countersign::grounding::wording::Reading| {
                subject.telling.around.near.iter().any(|term| reading.holds(term))
            };
            let near = near.into_iter().filter(|statement| shares(&statement.reading)).take(3);
            found.extend(near.map(|statement| (evidence.place.clone(), clipped(&statement.text))));
        }
        found.truncate(most);
        found
    }
}

fn opinion(subject: &Subject, side: Side, evidence: &Evidence, quote: &Quote, weight: f64) -> Opinion {
    let place = quote.place.clone().or_else(|| locate(&evidence.content, &quote.says));
    let note = note(subject, side, &evidence.place, &quote.says);
    let source = ClaimSource {
        name: evidence.kind.name().into(),
        place: Some(evidence.place.clone()),
        passage: Some(clipped(&quote.passage)),
        start: place.as_ref().map(|place| place.start),
        end: place.map(|place| place.end),
    };
    Opinion { side, weight, note, source }
}

/// Where the number of a field is in the JSON text, where it is once.
fn locate(content: &str, says: &str) -> Option<Range<usize>> {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let token = says.rsplit(|c: char| !number(c)).find(|run| run.bytes().any(|byte| byte.is_ascii_digit()))?;
    let free = |at: usize| {
        let before = content.get(..at).and_then(|before| before.chars().next_back());
        let behind = content.get(at + token.len()..).and_then(|rest| rest.chars().next());
        !before.is_some_and(number) && !behind.is_some_and(number)
    };
    let mut places = content.match_indices(token).filter(|(at, _)| free(*at));
    let (at, _) = places.next().filter(|_| places.next().is_none())?;
    Some(at..at + token.len())
}
