//! PDF: the text that its pages show, page by page.
//!
//! A PDF is a program in a file and the worst input we read. It is read on a thread of its own with a deadline and a
//! deep stack; a panic there is caught, and every stream has a limit to what it may inflate to. A thread that does not
//! come back is left behind (none can be killed) and stops by itself at its next page; after a few of them no further
//! PDF is tried.

/// Where text is shown, and which blanks and lines follow from that.
mod layout;
/// The fonts of a page: which characters its bytes are, and how wide.
mod font;
/// The instructions of a page.
mod page;

use crate::kb::document::{Document, Nature, Writer};
use lopdf::LoadOptions;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Reads a PDF, or says why it cannot.
pub(super) fn read(bytes: Vec<u8>) -> Result<Document, String> {
    read_within(bytes, LIMIT)
}

fn read_within(bytes: Vec<u8>, limit: Duration) -> Result<Document, String> {
    static LEFT: AtomicUsize = AtomicUsize::new(0);
    if LEFT.load(Ordering::Relaxed) >= MAX_LEFT {
        return Err("too many PDF files before it did not come to an end".to_owned());
    }
    let (answer, waiting) = sync_channel(1);
    let end = Instant::now() + limit;
    let work = move || {
        let read = catch_unwind(AssertUnwindSafe(|| pages(&bytes, end)));
        // Nobody waits any longer where the deadline has passed.
        let _ = answer.send(read.unwrap_or_else(|_| Err("the PDF is damaged".to_owned())));
    };
    let started = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK).spawn(work);
    started.map_err(|error| format!("no thread for it: {error}"))?;
    let pages = match waiting.recv_timeout(limit) {
        Ok(pages) => pages?,
        Err(RecvTimeoutError::Timeout) => {
            LEFT.fetch_add(1, Ordering::Relaxed);
            return Err(format!("the PDF took longer than {} seconds", limit.as_secs()));
        }
        Err(RecvTimeoutError::Disconnected) => return Err("the PDF is damaged".to_owned()),
    };
    document(&pages)
}

/// The text of each page.
fn pages(bytes: &[u8], end: Instant) -> Result<Vec<String>, String> {
    let options = LoadOptions::with_max_decompressed_size(MAX_OBJECTS);
    let pdf = lopdf::Document::load_mem_with_options(bytes, options).map_err(|error| match error {
        lopdf::Error::InvalidPassword => ENCRYPTED.to_owned(),
        error => format!("no PDF: {error}"),
    })?;
    if pdf.is_encrypted() {
        return Err(ENCRYPTED.to_owned());
    }
    let mut total = 0;
    let mut texts = Vec::new();
    for (number, id) in pdf.get_pages() {
        if Instant::now() >= end || total > MAX_TEXT || number > MAX_PAGES {
            return Err("the PDF is too large".to_owned());
        }
        // One broken page takes nothing from the others.
        let text = page::text(&pdf, id, end).unwrap_or_default();
        total += text.len();
        texts.push(text);
    }
    Ok(texts)
}

/// Paragraphs as blocks, under the number of their page.
fn document(pages: &[String]) -> Result<Document, String> {
    let mut writer = Writer::default();
    for (at, text) in pages.iter().enumerate() {
        let heading: Arc<[String]> = Arc::from([format!("page {}", at + 1)]);
        for paragraph in text.split("\n\n") {
            writer.block(paragraph.trim(), None, &heading, Nature::Flows)?;
        }
    }
    let document = writer.finish();
    if document.blocks.is_empty() {
        return Err("the PDF has no text (scanned pages need to be recognised first)".to_owned());
    }
    Ok(document)
}

/// The name of the threads that read PDF files. A panic in one of them is no news: the file is skipped with its reason.
pub const THREAD: &str = "countersign-pdf";

const ENCRYPTED: &str = "the PDF is encrypted and needs a password";
const LIMIT: Duration = Duration::from_secs(20);
const STACK: usize = 64 << 20;
const MAX_LEFT: usize = 3;
/// What one stream of objects may inflate to.
const MAX_OBJECTS: usize = 32 << 20;
const MAX_TEXT: usize = 64 << 20;
const MAX_PAGES: u32 = 20_000;

#[cfg(test)]
mod tests;
