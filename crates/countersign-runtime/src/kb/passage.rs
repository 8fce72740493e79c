//! The shared words of this room: a passage, a hit, and what a build reports.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A piece of a document, about a paragraph long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The file, relative to the folder, with `/` between its parts.
    pub file: String,
    /// The headings that it is under, outermost first.
    pub headings: Vec<String>,
    /// Its text: the bytes `start..end` of the text that was read from the file.
    pub text: String,
    /// Where it begins, in bytes of the text that was read from the file.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The line it begins on, from 1: of the file, or of the text that was read where a file has no lines (PDF, JSON).
    pub line: usize,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// How well it fits, above 0. Scores of one search can be compared, those of two cannot.
    pub score: f32,
    /// The passage.
    pub passage: Arc<Passage>,
}

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// How many files of this stage are done.
    pub done: usize,
    /// How many there are in this stage.
    pub total: usize,
}

/// What a build is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Looking which files changed.
    Comparing,
    /// Reading files that are new or changed.
    Reading,
    /// Writing the index.
    Writing,
}

/// What a build did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BuildReport {
    /// How many files are in the index now.
    pub files: usize,
    /// How many passages are in it now.
    pub passages: usize,
    /// How many files are new.
    pub added: usize,
    /// How many were read again because they changed.
    pub changed: usize,
    /// How many are gone.
    pub removed: usize,
    /// How many were left as they are.
    pub unchanged: usize,
    /// What was not read, and why.
    pub skipped: Vec<Skipped>,
    /// Why everything was read again, where an old index could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuilt: Option<String>,
    /// How large the index is, in bytes.
    pub bytes: u64,
}

/// A file that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The file, relative to the folder.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// What is in a knowledge base.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// How many files are in it.
    pub files: usize,
    /// How many passages.
    pub passages: usize,
    /// How many different words, headings included.
    pub terms: usize,
    /// How large the index is, in bytes.
    pub bytes: u64,
    /// How many files there are of each kind, by the ending of their names.
    pub kinds: BTreeMap<String, usize>,
    /// What was not read, and why.
    pub skipped: Vec<Skipped>,
}
