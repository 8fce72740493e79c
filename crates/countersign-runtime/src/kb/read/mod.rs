//! Reads files of every kind that we know into documents. One file for each kind.
//!
//! A file that cannot be read gives the reason and never a panic: whatever lies in a folder is hostile input.

/// Markdown and plain text: the file is the text.
mod markdown;
/// HTML: its text, with headings.
mod html;
/// PDF: the text that its pages show.
mod pdf;
/// CSV and TSV: one passage for each row.
mod table;
/// JSON and JSON lines: one passage for each record.
mod json;
/// Office documents: .docx and .xlsx.
mod office;

pub use pdf::THREAD as PDF_THREAD;

use super::charset::decode;
use super::document::Document;
use std::path::Path;

/// What a file is, by the ending of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Markdown,
    Text,
    Html,
    Pdf,
    Table,
    Json,
    JsonLines,
    Office,
}

impl Kind {
    /// None where we do not know such files.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "md" | "markdown" | "mdx" => Some(Self::Markdown),
            "txt" | "text" | "rst" | "org" | "adoc" => Some(Self::Text),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "pdf" => Some(Self::Pdf),
            "csv" | "tsv" => Some(Self::Table),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "docx" | "xlsx" => Some(Self::Office),
            _ => None,
        }
    }
}

/// The words of a file: of a PDF those that its pages show, of an office document those that it shows, of a text all of
/// them. Where there are none, why not.
pub fn text_of(bytes: &[u8]) -> Result<String, String> {
    if bytes.starts_with(b"%PDF-") {
        return pdf::read(bytes.to_vec()).map(|document| document.text);
    }
    if office::is_archive(bytes) {
        return office::text_of(bytes);
    }
    decode(bytes).ok_or_else(|| "it is not text".to_owned())
}

/// Reads the bytes of a file, or says why it cannot.
pub(super) fn read(kind: Kind, bytes: Vec<u8>) -> Result<Document, String> {
    if kind == Kind::Pdf {
        return pdf::read(bytes);
    }
    if kind == Kind::Office {
        return office::read(&bytes);
    }
    let text = decode(&bytes).ok_or("it is not text")?;
    drop(bytes);
    match kind {
        Kind::Markdown => markdown::read(text),
        Kind::Text | Kind::Pdf | Kind::Office => markdown::plain(text),
        Kind::Html => html::read(&text),
        Kind::Table => table::read(&text),
        Kind::Json => json::read(&text),
        Kind::JsonLines => json::lines(&text),
    }
}
