//! Finds passages: BM25 over text, headings and figures, added up term by term.
//!
//! The terms are taken in the order of their keys and their shares are added in that order for every passage, so that
//! the same question always gives the same scores, bit for bit; passages with the same score come by file and place.

use super::engine::{Engine, Fields};
use super::error::KbError;
use super::figures::figures;
use super::passage::{Hit, Passage};
use super::terms::terms;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;
use tantivy::postings::TermInfo;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocId, InvertedIndexReader, ReloadPolicy, Searcher, SegmentReader, Term};

/// An index that is ready to be asked.
pub(super) struct Finder {
    engine: Engine,
    searcher: Searcher,
    /// None where there is no passage at all.
    segment: Option<Segment>,
}

struct Segment {
    columns: Vec<Column>,
    passages: u32,
    /// The place of each passage in the order of files and offsets.
    ranks: Vec<u32>,
}

/// A field that is searched.
struct Column {
    field: Field,
    boost: f32,
    words: Arc<InvertedIndexReader>,
    /// How much each passage dampens its terms by its length.
    damping: Vec<f32>,
}

/// A term of the question that stands somewhere.
struct Wanted<'s> {
    column: &'s Column,
    info: TermInfo,
}

impl Finder {
    /// Makes an index ready.
    pub(super) fn new(engine: Engine) -> Result<Self, KbError> {
        let reader = engine.index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let reader: tantivy::IndexReader = reader;
        let searcher = reader.searcher();
        let segment = match searcher.segment_readers() {
            [] => None,
            [one] => Some(Segment::open(one, engine.fields)?),
            _ => return Err(KbError::Engine("there are several segments".to_owned())),
        };
        Ok(Self { engine, searcher, segment })
    }

    /// How many passages there are.
    pub(super) fn passages(&self) -> usize {
        self.segment.as_ref().map_or(0, |segment| segment.passages as usize)
    }

    /// How many different words there are.
    pub(super) fn terms(&self) -> usize {
        let columns = self.segment.iter().flat_map(|segment| &segment.columns);
        columns.map(|column| column.words.terms().num_terms()).sum()
    }

    /// The passages that fit best.
    pub(super) fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, KbError> {
        let Some(segment) = &self.segment else { return Ok(Vec::new()) };
        let scores = segment.scores(&segment.wanted(query)?)?;
        let best = segment.best(&scores, limit);
        best.into_iter().map(|(score, doc)| Ok(Hit { score, passage: Arc::new(self.passage(doc)?) })).collect()
    }

    fn passage(&self, doc: DocId) -> Result<Passage, KbError> {
        Ok(self.engine.passage(&self.searcher.doc(DocAddress::new(0, doc))?))
    }
}

impl Segment {
    fn open(reader: &SegmentReader, fields: Fields) -> Result<Self, KbError> {
        let boosts = [(fields.text, 1.0), (fields.headings, HEADINGS), (fields.figures, FIGURES)];
        let columns = boosts.into_iter().map(|(field, boost)| Column::open(reader, field, boost));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Self { columns, passages: reader.num_docs(), ranks: ranks(reader)? })
    }

    /// The terms of a question that stand in the index, in the order of their keys; of very many the rarest.
    fn wanted(&self, query: &str) -> Result<Vec<Wanted<'_>>, KbError> {
        let query: String = query.chars().take(MAX_QUERY).collect();
        let key = |term: super::terms::Term| term.key;
        let words: BTreeSet<String> = terms(&query).into_iter().map(key).collect();
        let numbers: BTreeSet<String> = figures(&query).into_iter().map(key).collect();
        let mut wanted = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            for key in if at == FIGURES_COLUMN { &numbers } else { &words } {
                let found = column.words.get_term_info(&Term::from_field_text(column.field, key));
                wanted.extend(found.map_err(engine)?.map(|info| Wanted { column, info }));
            }
        }
        let common = |wanted: &Wanted<'_>| wanted.info.doc_freq > self.passages / COMMON;
        let telling = wanted.iter().filter(|wanted| !common(wanted)).count();
        if self.passages >= MANY && telling >= ENOUGH {
            wanted.retain(|wanted| !common(wanted));
        }
        if wanted.len() > MAX_TERMS {
            wanted.sort_by_key(|wanted| wanted.info.doc_freq);
            wanted.truncate(MAX_TERMS);
        }
        Ok(wanted)
    }

    fn scores(&self, wanted: &[Wanted<'_>]) -> Result<Vec<f32>, KbError> {
        let mut scores = vec![0.0; self.ranks.len()];
        for Wanted { column, info } in wanted {
            let weight = column.boost * idf(self.passages, info.doc_freq) * (K1 + 1.0);
            let postings = column.words.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs);
            let mut postings = postings.map_err(engine)?;
            loop {
                for (doc, count) in postings.docs().iter().zip(postings.freqs()) {
                    let (place, count) = (*doc as usize, *count as f32);
                    if let (Some(score), Some(damping)) = (scores.get_mut(place), column.damping.get(place)) {
                        *score += weight * count / (count + damping);
                    }
                }
                postings.advance();
                if postings.docs().is_empty() {
                    break;
                }
            }
        }
        Ok(scores)
    }

    /// The best documents, from the best on.
    fn best(&self, scores: &[f32], limit: usize) -> Vec<(f32, DocId)> {
        let limit = limit.min(scores.len());
        let mut heap: BinaryHeap<Reverse<Ranked>> = BinaryHeap::with_capacity(limit + 1);
        let mut floor = f32::MIN_POSITIVE;
        for ((doc, score), rank) in (0..).zip(scores).zip(&self.ranks).filter(|_| limit > 0) {
            if *score < floor {
                continue;
            }
            heap.push(Reverse(Ranked { score: *score, rank: Reverse(*rank), doc }));
            if heap.len() > limit {
                heap.pop();
                floor = heap.peek().map_or(floor, |worst| worst.0.score);
            }
        }
        let ordered = heap.into_sorted_vec();
        ordered.into_iter().map(|Reverse(ranked)| (ranked.score, ranked.doc)).collect()
    }
}

impl Column {
    fn open(reader: &SegmentReader, field: Field, boost: f32) -> Result<Self, KbError> {
        let words = reader.inverted_index(field)?;
        let mean = (words.total_num_tokens() as f32 / reader.num_docs().max(1) as f32).max(1.0);
        let lengths = reader.get_fieldnorms_reader(field)?;
        let damping = |doc: DocId| K1 * (1.0 - B + B * lengths.fieldnorm(doc) as f32 / mean);
        Ok(Self { field, boost, words, damping: (0..reader.max_doc()).map(damping).collect() })
    }
}

/// A document in the order of results.
#[derive(Clone, Copy, PartialEq)]
struct Ranked {
    score: f32,
    rank: Reverse<u32>,
    doc: DocId,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The place of each document in the order of files and offsets.
fn ranks(reader: &SegmentReader) -> Result<Vec<u32>, KbError> {
    let files = reader.fast_fields().str("file")?.ok_or_else(|| KbError::Engine("the files are missing".to_owned()))?;
    let starts = reader.fast_fields().u64("start")?;
    let key = |doc: DocId| (files.ords().first(doc), starts.first(doc));
    let mut order: Vec<DocId> = (0..reader.max_doc()).collect();
    order.sort_by_cached_key(|doc| key(*doc));
    let mut ranks = vec![0; order.len()];
    for (rank, doc) in (0..).zip(order) {
        if let Some(place) = ranks.get_mut(doc as usize) {
            *place = rank;
        }
    }
    Ok(ranks)
}

/// How much a term tells that stands in so many passages.
fn idf(passages: u32, with: u32) -> f32 {
    let (passages, with) = (f64::from(passages), f64::from(with));
    (1.0 + (passages - with + 0.5) / (with + 0.5)).ln() as f32
}

fn engine(error: std::io::Error) -> KbError {
    KbError::Engine(error.to_string())
}

const K1: f32 = 1.2;
const B: f32 = 0.75;
/// A heading is shorter than its text and says less about the single sentence.
const HEADINGS: f32 = 0.6;
/// A number gives several keys and stands among the words, too: with more it would outweigh what the text is about
/// (measured: above 1 the right document falls behind).
const FIGURES: f32 = 0.8;
const FIGURES_COLUMN: usize = 2;
/// In a large index a term that stands in more than one passage of so many is not looked up …
const COMMON: u32 = 3;
const MANY: u32 = 1000;
/// … if so many others tell more.
const ENOUGH: usize = 4;
/// What is read of a question, in characters.
const MAX_QUERY: usize = 20_000;
/// A longer question is asked with its rarest terms.
const MAX_TERMS: usize = 400;
