//! Finds passages: BM25 over text, headings and figures, added up term by term.
//!
//! The terms are taken in the order of their keys and their shares are added in that order for every passage, so that
//! the same question always gives the same scores, bit for bit; passages with the same score come by file and place.

use super::figures::figures;
use super::index::{Column, Index, Postings};
use super::passage::Hit;
use super::terms::terms;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;

/// An index that is ready to be asked.
pub(super) struct Finder {
    index: Index,
    /// For each column, how much each passage dampens its words by its length.
    damping: [Vec<f32>; 3],
}

/// A word of the question that stands somewhere.
struct Wanted<'i> {
    column: usize,
    postings: Postings<'i>,
}

impl Finder {
    /// Makes an index ready.
    pub(super) fn new(index: Index) -> Self {
        let damping = index.columns.each_ref().map(damping);
        Self { index, damping }
    }

    /// How many passages there are.
    pub(super) fn passages(&self) -> usize {
        self.index.passages.len()
    }

    /// How many different words there are.
    pub(super) fn words(&self) -> usize {
        self.index.words()
    }

    /// The passages that fit best.
    pub(super) fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let scores = self.scores(&self.find_wanted(query));
        let found = best(&scores, limit).into_iter();
        let hit = |(score, doc): (f32, usize)| {
            let passage = Arc::clone(self.index.passages.get(doc)?);
            Some(Hit { score, passage })
        };
        found.filter_map(hit).collect()
    }

    /// The words of a question that are in the index, in order; of very many the rarest.
    fn find_wanted(&self, query: &str) -> Vec<Wanted<'_>> {
        let query: String = query.chars().take(MAX_QUERY).collect();
        let key = |term: super::terms::Term| term.key;
        let words: BTreeSet<String> = terms(&query).into_iter().map(key).collect();
        let numbers: BTreeSet<String> = figures(&query).into_iter().map(key).collect();
        let mut wanted = Vec::new();
        for (at, column) in self.index.columns.iter().enumerate() {
            let keys = if at == FIGURES_COLUMN { &numbers } else { &words };
            let found = keys.iter().filter_map(|key| column.find(key));
            wanted.extend(found.map(|postings| Wanted { column: at, postings }));
        }
        let common = |wanted: &Wanted<'_>| wanted.postings.len() > self.passages() / COMMON;
        let telling = wanted.iter().filter(|wanted| !common(wanted)).count();
        if self.passages() >= MANY && telling >= ENOUGH {
            wanted.retain(|wanted| !common(wanted));
        }
        if wanted.len() > MAX_TERMS {
            wanted.sort_by_key(|wanted| wanted.postings.len());
            wanted.truncate(MAX_TERMS);
        }
        wanted
    }

    fn scores(&self, wanted: &[Wanted<'_>]) -> Vec<f32> {
        let mut scores = vec![0.0; self.passages()];
        for Wanted { column, postings } in wanted {
            let (Some(boost), Some(damping)) = (BOOSTS.get(*column), self.damping.get(*column)) else { continue };
            let weight = boost * idf(self.passages(), postings.len()) * (K1 + 1.0);
            for (doc, count) in postings.iter() {
                if let (Some(score), Some(damping)) = (scores.get_mut(doc), damping.get(doc)) {
                    let count = f32::from(count);
                    *score += weight * count / (count + damping);
                }
            }
        }
        scores
    }
}

/// How much each passage dampens its words by its length.
fn damping(column: &Column) -> Vec<f32> {
    let mean = column.mean_length().max(1.0);
    column.lengths.iter().map(|length| K1 * (1.0 - B + B * *length as f32 / mean)).collect()
}

/// The best passages, from the best on; of equal ones the first in the order of files and places.
fn best(scores: &[f32], limit: usize) -> Vec<(f32, usize)> {
    let limit = limit.min(scores.len());
    let mut heap: BinaryHeap<Reverse<Ranked>> = BinaryHeap::with_capacity(limit + 1);
    let mut floor = f32::MIN_POSITIVE;
    for (doc, score) in scores.iter().enumerate().filter(|_| limit > 0) {
        if *score < floor {
            continue;
        }
        heap.push(Reverse(Ranked { score: *score, doc: Reverse(doc) }));
        if heap.len() > limit {
            heap.pop();
            floor = heap.peek().map_or(floor, |worst| worst.0.score);
        }
    }
    let ordered = heap.into_sorted_vec();
    ordered.into_iter().map(|Reverse(ranked)| (ranked.score, ranked.doc.0)).collect()
}

/// A passage in the order of results.
#[derive(Clone, Copy, PartialEq)]
struct Ranked {
    score: f32,
    doc: Reverse<usize>,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.doc.cmp(&other.doc))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// How much a term tells that is in so many passages.
fn idf(passages: usize, with: usize) -> f32 {
    let (passages, with) = (passages as f64, with as f64);
    (1.0 + (passages - with + 0.5) / (with + 0.5)).ln() as f32
}

const K1: f32 = 1.2;
const B: f32 = 0.75;
/// The weights of text, headings and figures. A heading is shorter than its text and says less about the single sentence. A
/// number gives several keys and stands among the words, too: with more it would outweigh what the text is about (measured:
/// above 1 the right document falls behind).
const BOOSTS: [f32; 3] = [1.0, 0.6, 0.8];
const FIGURES_COLUMN: usize = 2;
/// In a large index a term that is in more than one passage of so many is not looked up …
const COMMON: usize = 3;
const MANY: usize = 1000;
/// … if so many others tell more.
const ENOUGH: usize = 4;
/// What is read of a question, in characters.
const MAX_QUERY: usize = 20_000;
/// A longer question is asked with its rarest terms.
const MAX_TERMS: usize = 400;
