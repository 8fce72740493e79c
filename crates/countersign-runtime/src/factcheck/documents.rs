//! The user's documents as a library: the passages of the knowledge base, with their file and line.

use super::library::{Library, LibraryError, LibraryPassage, Line};
use crate::kb::{KnowledgeBase, Passage};
use std::path::Path;

impl Library for KnowledgeBase {
    fn passages(&self, query: &str, limit: usize) -> Result<Vec<LibraryPassage>, LibraryError> {
        Ok(self.search(query, limit).into_iter().map(|hit| convert(&hit.passage)).collect())
    }
}

fn convert(passage: &Passage) -> LibraryPassage {
    let ending = Path::new(&passage.file).extension().map(|ending| ending.to_ascii_lowercase());
    // The lines of a page are not those of its text.
    let page = ending.is_some_and(|ending| ["html", "htm", "xhtml"].iter().any(|html| ending == *html));
    LibraryPassage {
        place: passage.file.clone(),
        headings: passage.headings.clone(),
        text: passage.text.clone(),
        start: passage.start,
        line: if page { Line::From(passage.line) } else { Line::Counted(passage.line) },
    }
}
