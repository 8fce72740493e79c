//! The knowledge base itself: built from a folder, opened from its index, asked in plain words.

use super::build;
use super::disk::{self, Manifest};
use super::error::KbError;
use super::figures::figures;
use super::index::Index;
use super::passage::{BuildReport, Hit, Passage, Progress, Stats};
use super::search::Finder;
use super::terms::terms;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Documents in passages that can be searched. Cheap to clone and to share between threads.
#[derive(Clone)]
pub struct KnowledgeBase {
    finder: Arc<Finder>,
    stats: Arc<Stats>,
}

impl KnowledgeBase {
    /// Brings the index of a folder up to date: new and changed files are read, the rest stays.
    pub fn build(folder: &Path, index: &Path, progress: &dyn Fn(Progress)) -> Result<BuildReport, KbError> {
        build::build(folder, index, progress).map(|built| built.report)
    }

    /// Opens an index as it is. [`KbError::Absent`] where there is none, [`KbError::Corrupted`] where it is damaged.
    pub fn open(index: &Path) -> Result<Self, KbError> {
        let (manifest, loaded) = disk::load(index)?;
        let base = Self::of(loaded, &manifest);
        if base.stats.passages != manifest.passages {
            return Err(KbError::corrupted(index, "it does not hold as many passages as its manifest says"));
        }
        Ok(base)
    }

    /// Brings the index up to date and opens it. Where it cannot be written, it is made in memory.
    pub fn open_or_build(folder: &Path, index: &Path, progress: &dyn Fn(Progress)) -> Result<Self, KbError> {
        match build::build(folder, index, progress) {
            Ok(built) => Ok(Self::of(built.index, &built.manifest)),
            Err(KbError::Unwritable { .. }) if build::is_current(folder, index, progress)? => Self::open(index),
            Err(KbError::Unwritable { .. }) => Ok(Self::in_memory(build::read_all(folder, index, progress)?)),
            Err(other) => Err(other),
        }
    }

    /// One of passages that come from elsewhere, without a file.
    pub fn in_memory(passages: Vec<Passage>) -> Self {
        let mut manifest = Manifest { passages: passages.len(), ..Manifest::default() };
        for passage in &passages {
            manifest.sources.entry(passage.file.clone()).or_default().passages += 1;
        }
        Self::of(Index::of(passages), &manifest)
    }

    fn of(index: Index, manifest: &Manifest) -> Self {
        let finder = Finder::new(index);
        let read = || manifest.sources.iter().filter(|(_, source)| source.problem.is_none());
        let mut kinds = BTreeMap::new();
        for (name, _) in read() {
            let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().to_lowercase());
            *kinds.entry(ending.unwrap_or_default()).or_default() += 1;
        }
        let stats = Stats {
            files: read().count(),
            passages: finder.passages(),
            terms: finder.words(),
            bytes: manifest.data.bytes,
            kinds,
            skipped: build::skipped(manifest),
        };
        Self { finder: Arc::new(finder), stats: Arc::new(stats) }
    }

    /// The passages that fit a text best, from the best on. Any text is a query; words that do not appear do no harm.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.finder.search(query, limit)
    }

    /// What is in it.
    pub fn stats(&self) -> Stats {
        Stats::clone(&self.stats)
    }
}

impl fmt::Debug for KnowledgeBase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KnowledgeBase").field("stats", &self.stats).finish_non_exhaustive()
    }
}

/// Whether a folder is an index itself and no folder of documents.
pub fn is_index(folder: &Path) -> bool {
    disk::is_index(folder)
}

/// Where the index of a folder is kept if nobody says otherwise.
pub fn default_index(folder: &Path) -> PathBuf {
    folder.join(".countersign-kb")
}

/// The places of a text that a query finds it by, in bytes, in order, without overlaps.
pub fn matches(query: &str, text: &str) -> Vec<Range<usize>> {
    let words: BTreeSet<String> = terms(query).into_iter().map(|term| term.key).collect();
    let numbers: BTreeSet<String> = figures(query).into_iter().map(|term| term.key).collect();
    let words = terms(text).into_iter().filter(|term| words.contains(&term.key));
    let numbers = figures(text).into_iter().filter(|term| numbers.contains(&term.key));
    let mut ranges: Vec<Range<usize>> = words.chain(numbers).map(|term| term.range).collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut found: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match found.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => found.push(range),
        }
    }
    found
}
