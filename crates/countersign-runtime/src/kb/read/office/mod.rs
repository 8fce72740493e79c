//! Office documents: .docx and .xlsx, archives of XML.
//!
//! What people upload is hostile input: how much is unpacked, how deep elements stand in each other, how many cells there
//! are and how much text comes out are bounded. No document type is read, so that no entity can grow, and nothing is
//! fetched. Macros are never looked at.

/// XML as a flat run of tokens.
mod xml;
/// The archive: its parts by name.
mod package;
/// How paragraphs of a .docx are styled and numbered.
mod styles;
/// The words of a .docx.
mod docx;
/// What the number in a cell means.
mod numbers;
/// The cells of an .xlsx.
mod xlsx;

use super::table::{is_header, label, write_row};
use crate::kb::document::{Document, Nature, Writer};
use package::{Main, Package};
use std::sync::Arc;
use xlsx::{Row, Sheet};

/// Whether these bytes are an archive, as office documents are.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// The words of a document, or the sheets of a workbook with a line for each row, cells apart by tabs.
pub(super) fn text_of(bytes: &[u8]) -> Result<String, String> {
    let mut package = Package::open(bytes)?;
    let text = match package.find_main()? {
        Main::Document(part) => docx::read(&mut package, &part)?.text,
        Main::Workbook(part) => {
            let mut lines = SheetLines::default();
            xlsx::read(&mut package, &part, &mut lines)?;
            lines.text
        }
    };
    if text.trim().is_empty() { Err("the document has no text".to_owned()) } else { Ok(text) }
}

/// A document in blocks: paragraphs and rows, or a passage for each row of a sheet.
pub(super) fn read(bytes: &[u8]) -> Result<Document, String> {
    let mut package = Package::open(bytes)?;
    match package.find_main()? {
        Main::Document(part) => docx::read(&mut package, &part),
        Main::Workbook(part) => {
            let mut passages = SheetPassages::default();
            xlsx::read(&mut package, &part, &mut passages)?;
            Ok(passages.writer.finish())
        }
    }
}

/// What sheets are read into.
trait Sheets {
    /// Another sheet begins.
    fn sheet(&mut self, sheet: &Sheet) -> Result<(), String>;
    /// A row of it.
    fn row(&mut self, row: &Row) -> Result<(), String>;
}

/// Sheets as text.
#[derive(Default)]
struct SheetLines {
    text: String,
}

impl Sheets for SheetLines {
    fn sheet(&mut self, sheet: &Sheet) -> Result<(), String> {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        self.text.push_str(&format!("{gap}## {}\n", sheet.title()));
        Ok(())
    }

    fn row(&mut self, row: &Row) -> Result<(), String> {
        self.text.push_str(&row.line());
        self.text.push('\n');
        Ok(())
    }
}

/// Sheets as passages, each value with the name of its column.
#[derive(Default)]
struct SheetPassages {
    writer: Writer,
    path: Arc<[String]>,
    headers: Option<Vec<String>>,
}

impl Sheets for SheetPassages {
    fn sheet(&mut self, sheet: &Sheet) -> Result<(), String> {
        self.path = Arc::from([sheet.title()]);
        self.headers = None;
        Ok(())
    }

    fn row(&mut self, row: &Row) -> Result<(), String> {
        let cells = row.spread();
        if self.headers.is_none() {
            let names = is_header(cells.iter().map(String::as_str));
            self.headers = Some(if names { cells.iter().map(|cell| label(cell)).collect() } else { Vec::new() });
            if names {
                return Ok(());
            }
        }
        let text = write_row(cells.iter().map(String::as_str), self.headers.as_deref().unwrap_or_default());
        self.writer.block(&text, None, &self.path, Nature::Stands)
    }
}

#[cfg(test)]
mod tests;
