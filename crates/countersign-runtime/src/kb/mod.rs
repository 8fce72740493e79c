//! The knowledge base: the user's own documents, in passages that can be searched (CLAIM-3).
//!
//! A folder of documents is read (`read`), cut into passages (`cut`) and indexed by words (`terms`) and by numbers and
//! dates (`figures`). The index stands beside the documents (`disk`) and is brought up to date when they change
//! (`build`). The documents are the truth: a damaged index is rebuilt, never served. Nothing here judges a claim, and
//! nothing here changes a document.

/// Why a knowledge base cannot be used.
mod error;
/// Passages, hits, reports.
mod passage;
/// Bytes into text.
mod charset;
/// What every reader gives.
mod document;
/// One reader for each kind of file.
mod read;
/// Documents into passages.
mod cut;
/// What lies in a folder.
mod folder;
/// The words that a text is found by.
mod terms;
/// The numbers and dates that it is found by.
mod figures;
/// The inverted index.
mod index;
/// The index on disk.
mod disk;
/// Finding passages.
mod search;
/// Bringing an index up to date.
mod build;
/// The knowledge base itself.
mod base;

pub use base::{KnowledgeBase, default_index, is_index, matches};
pub use error::KbError;
pub use passage::{BuildReport, Hit, Passage, Progress, Skipped, Stage, Stats};
pub use read::{PDF_THREAD, text_of};
