//! What every reader gives: a text, and the blocks that it falls into.
//!
//! A block that flows (a paragraph) may be joined with its neighbours or cut; one that stands (a table row, a record) is
//! never joined. Offsets are into `text`, so that whoever has the same file reads the same place.

use std::ops::Range;
use std::sync::Arc;

/// The text of a file and its blocks, in order.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) blocks: Vec<Block>,
}

/// A stretch of a document that belongs together.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) range: Range<usize>,
    /// The line it begins on, from 1.
    pub(super) line: usize,
    pub(super) headings: Arc<[String]>,
    pub(super) nature: Nature,
}

/// How a block behaves beside others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// May be joined with its neighbours.
    Flows,
    /// Is a passage of its own.
    Stands,
}

/// A document that is written block by block, for formats whose text is not the file itself.
#[derive(Debug, Default)]
pub(super) struct Writer {
    document: Document,
    lines: usize,
}

impl Writer {
    /// Adds a block. Without a line of the file it gets the line of the text.
    pub(super) fn block(
        &mut self,
        text: &str,
        line: Option<usize>,
        headings: &Arc<[String]>,
        nature: Nature,
    ) -> Result<(), String> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let start = self.document.text.len();
        if start + text.len() > MAX_TEXT {
            return Err(format!("it holds more than {} MiB of text", MAX_TEXT >> 20));
        }
        within(self.document.blocks.len() + 1)?;
        self.document.text.push_str(text);
        let end = self.document.text.len();
        let gap = if nature == Nature::Flows { "\n\n" } else { "\n" };
        self.document.text.push_str(gap);
        let line = line.unwrap_or(self.lines + 1);
        self.lines += text.matches('\n').count() + gap.len();
        self.document.blocks.push(Block { range: start..end, line, headings: Arc::clone(headings), nature });
        Ok(())
    }

    pub(super) fn finish(self) -> Document {
        self.document
    }
}

/// A file of a few bytes a block would need many times its size in memory.
pub(super) fn within(blocks: usize) -> Result<(), String> {
    if blocks > MAX_BLOCKS { Err(format!("it holds more than {MAX_BLOCKS} paragraphs or records")) } else { Ok(()) }
}

/// The headings that a place is under.
#[derive(Debug, Default)]
pub(super) struct Headings {
    open: Vec<(u8, String)>,
}

impl Headings {
    /// Enters a heading of some level: those of the same level or deeper are left.
    pub(super) fn enter(&mut self, level: u8, title: &str) {
        self.open.retain(|(other, _)| *other < level);
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            self.open.push((level, title.chars().take(MAX_HEADING).collect()));
        }
    }

    /// From the outermost to the innermost.
    pub(super) fn path(&self) -> Arc<[String]> {
        self.open.iter().map(|(_, title)| title.clone()).collect()
    }
}

const MAX_TEXT: usize = 128 << 20;
const MAX_BLOCKS: usize = 1_000_000;
const MAX_HEADING: usize = 200;
