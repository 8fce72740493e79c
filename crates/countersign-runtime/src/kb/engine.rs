//! The search engine underneath: an index that lives in memory, with one segment.
//!
//! It is read from a file as a whole and written as a whole. A memory map would be smaller, but an index that is cut
//! short by somebody else would then kill the process, and its checksum has to be computed over every byte anyway. One
//! segment without deleted passages makes the scores those of a fresh build, whatever the history.

use super::error::KbError;
use super::figures::figures;
use super::passage::Passage;
use super::terms::{Term, terms};
use std::io::Write;
use std::path::{Path, PathBuf};
use tantivy::directory::{Directory, RamDirectory, TerminatingWrite};
use tantivy::indexer::NoMergePolicy;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};
use tantivy::{Index, IndexSettings, IndexWriter, TantivyDocument};

/// The fields of a passage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    pub(super) file: Field,
    pub(super) headings: Field,
    pub(super) text: Field,
    pub(super) figures: Field,
    pub(super) start: Field,
    pub(super) end: Field,
    pub(super) line: Field,
}

/// An index in memory.
pub(super) struct Engine {
    pub(super) index: Index,
    pub(super) fields: Fields,
    memory: RamDirectory,
}

impl Engine {
    /// An empty one.
    pub(super) fn empty() -> Result<Self, KbError> {
        let memory = RamDirectory::create();
        let index = Index::create(memory.clone(), schema(), IndexSettings::default())?;
        Self::of(index, memory)
    }

    /// One from its files.
    pub(super) fn load(files: Vec<(String, Vec<u8>)>) -> Result<Self, KbError> {
        let memory = RamDirectory::create();
        let failed = |error: &dyn std::fmt::Display| KbError::Engine(error.to_string());
        for (name, bytes) in files {
            let mut file = memory.open_write(Path::new(&name)).map_err(|error| failed(&error))?;
            file.write_all(&bytes).and_then(|()| file.terminate()).map_err(|error| failed(&error))?;
        }
        let index = Index::open(memory.clone())?;
        if index.schema() != schema() {
            return Err(KbError::Engine("the fields are others".to_owned()));
        }
        Self::of(index, memory)
    }

    fn of(index: Index, memory: RamDirectory) -> Result<Self, KbError> {
        index.tokenizers().register(WORDS, TextAnalyzer::from(Cutter(terms)));
        index.tokenizers().register(FIGURES, TextAnalyzer::from(Cutter(figures)));
        let schema = index.schema();
        let field = |name: &str| schema.get_field(name);
        let fields = Fields {
            file: field("file")?,
            headings: field("headings")?,
            text: field("text")?,
            figures: field("figures")?,
            start: field("start")?,
            end: field("end")?,
            line: field("line")?,
        };
        Ok(Self { index, fields, memory })
    }

    /// Somebody who adds and removes passages.
    pub(super) fn writer(&self) -> Result<IndexWriter, KbError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let writer = self.index.writer_with_num_threads(threads, threads * MEMORY)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(writer)
    }

    /// Makes what a writer did lasting, in one segment.
    pub(super) fn settle(&self, mut writer: IndexWriter) -> Result<(), KbError> {
        writer.commit()?;
        let segments = self.index.searchable_segment_metas()?;
        let deleted = segments.iter().any(tantivy::SegmentMeta::has_deletes);
        if segments.len() > 1 || deleted {
            let ids: Vec<_> = segments.iter().map(tantivy::SegmentMeta::id).collect();
            writer.merge(&ids).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        Ok(())
    }

    /// The names and bytes of its files.
    pub(super) fn files(&self) -> Result<Vec<(String, tantivy::directory::OwnedBytes)>, KbError> {
        let kept = [PathBuf::from("meta.json"), PathBuf::from(".managed.json")];
        let managed = self.index.directory().list_managed_files();
        let mut paths: Vec<&PathBuf> = managed.iter().chain(&kept).collect();
        paths.sort();
        paths.dedup();
        let mut files = Vec::new();
        for path in paths {
            // A managed file may be named before it is written; a lock is no part of the index.
            let Ok(file) = self.memory.open_read(path) else { continue };
            let bytes = file.read_bytes().map_err(|error| KbError::Engine(error.to_string()))?;
            files.push((path.display().to_string(), bytes));
        }
        Ok(files)
    }

    /// A passage as the engine keeps it.
    pub(super) fn document(&self, passage: &Passage) -> TantivyDocument {
        let fields = self.fields;
        let mut document = TantivyDocument::new();
        document.add_text(fields.file, &passage.file);
        for heading in &passage.headings {
            document.add_text(fields.headings, heading);
            document.add_text(fields.figures, heading);
        }
        document.add_text(fields.text, &passage.text);
        document.add_text(fields.figures, &passage.text);
        for (field, number) in [(fields.start, passage.start), (fields.end, passage.end), (fields.line, passage.line)] {
            document.add_u64(field, number as u64);
        }
        document
    }

    /// The passage of a document.
    pub(super) fn passage(&self, document: &TantivyDocument) -> Passage {
        let fields = self.fields;
        let text = |field| document.get_first(field).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let number = |field| document.get_first(field).and_then(|value| value.as_u64()).unwrap_or_default();
        let place = |field| usize::try_from(number(field)).unwrap_or_default();
        let headings = document.get_all(fields.headings).filter_map(|value| value.as_str().map(str::to_owned));
        Passage {
            file: text(fields.file),
            headings: headings.collect(),
            text: text(fields.text),
            start: place(fields.start),
            end: place(fields.end),
            line: place(fields.line),
        }
    }
}

fn schema() -> Schema {
    let mut schema = Schema::builder();
    let indexed = |cutter: &str| {
        let how = TextFieldIndexing::default().set_tokenizer(cutter).set_index_option(IndexRecordOption::WithFreqs);
        TextOptions::default().set_indexing_options(how)
    };
    schema.add_text_field("file", STRING | STORED | FAST);
    schema.add_text_field("headings", indexed(WORDS).set_stored());
    schema.add_text_field("text", indexed(WORDS).set_stored());
    schema.add_text_field("figures", indexed(FIGURES));
    schema.add_u64_field("start", STORED | FAST | INDEXED);
    schema.add_u64_field("end", STORED);
    schema.add_u64_field("line", STORED);
    schema.build()
}

/// Our way of cutting, as the engine wants it.
#[derive(Clone, Copy)]
struct Cutter(fn(&str) -> Vec<Term>);

struct Stream {
    terms: std::vec::IntoIter<Term>,
    token: Token,
    next: usize,
}

impl Tokenizer for Cutter {
    type TokenStream<'a> = Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream {
        Stream { terms: (self.0)(text).into_iter(), token: Token::default(), next: 0 }
    }
}

impl TokenStream for Stream {
    fn advance(&mut self) -> bool {
        let Some(term) = self.terms.next() else { return false };
        self.token.text = term.key;
        self.token.position = self.next;
        (self.token.offset_from, self.token.offset_to) = (term.range.start, term.range.end);
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

const WORDS: &str = "countersign-words";
const FIGURES: &str = "countersign-figures";
const MAX_THREADS: usize = 4;
/// What one thread may hold before it writes a segment.
const MEMORY: usize = 48 << 20;
