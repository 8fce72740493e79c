//! Cuts a document into passages of about a paragraph: 200 to 1200 characters where the text allows it.
//!
//! Short neighbours under the same headings are joined, long blocks are cut at the ends of sentences. Inside a sentence
//! we cut only where one sentence alone is longer than a passage may be. The text of a passage is never changed.

use super::document::{Block, Document, Nature};
use super::passage::Passage;
use countersign::text::sentences::sentences;
use std::ops::Range;

/// The passages of a document, in order.
pub(super) fn passages(document: &Document, file: &str) -> Vec<Passage> {
    let text = document.text.as_str();
    let mut found = Vec::new();
    let mut open: Option<Open<'_>> = None;
    for block in &document.blocks {
        let size = size(text, &block.range);
        match &mut open {
            Some(group) if group.takes(block, size) => group.grow(block, size),
            _ => {
                close(text, file, open.take(), &mut found);
                open = Some(Open { first: block, range: block.range.clone(), size });
            }
        }
    }
    close(text, file, open, &mut found);
    found
}

/// Blocks that become one passage, or several where there is too much.
struct Open<'d> {
    first: &'d Block,
    range: Range<usize>,
    size: usize,
}

impl Open<'_> {
    fn takes(&self, block: &Block, size: usize) -> bool {
        let flow = self.first.nature == Nature::Flows && block.nature == Nature::Flows;
        let total = self.size + size;
        let small = self.size < MIN || (size < MIN / 2 && total <= AIM);
        flow && small && total <= MAX && self.first.headings == block.headings
    }

    fn grow(&mut self, block: &Block, size: usize) {
        self.range.end = block.range.end;
        self.size += size;
    }
}

fn close(text: &str, file: &str, open: Option<Open<'_>>, found: &mut Vec<Passage>) {
    let Some(open) = open else { return };
    let pieces = if open.size <= MAX { vec![open.range.clone()] } else { pieces(text, &open.range) };
    let (mut line, mut counted) = (open.first.line, open.range.start);
    for range in pieces {
        let Some(piece) = text.get(range.clone()) else { continue };
        let start = range.start + (piece.len() - piece.trim_start().len());
        let piece = piece.trim();
        if piece.is_empty() {
            continue;
        }
        line += text.get(counted..start).map_or(0, |gap| gap.matches('\n').count());
        counted = start;
        let headings = open.first.headings.to_vec();
        let (end, text) = (start + piece.len(), piece.to_owned());
        found.push(Passage { file: file.to_owned(), headings, text, start, end, line });
    }
}

/// Cuts a long stretch at the ends of sentences.
fn pieces(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let stretch = text.get(range.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut piece: Option<Piece> = None;
    let mut parts: Vec<Range<usize>> = Vec::new();
    for sentence in sentences(stretch) {
        halve(stretch, sentence, &mut parts);
    }
    for (at, part) in parts.iter().enumerate() {
        let size = size(stretch, part);
        if let Some(open) = piece.as_mut().filter(|open| open.size + size <= MAX) {
            open.end = part.end;
            open.size += size;
        } else {
            let rest = piece.take().and_then(|open| open.split(stretch, &mut found));
            let mut next = rest.unwrap_or(Piece { start: part.start, end: part.end, size: 0, good: None });
            (next.end, next.size) = (part.end, next.size + size);
            piece = Some(next);
        }
        if let Some(open) = piece.as_mut().filter(|_| ends(stretch, part, parts.get(at + 1))) {
            open.good = Some((open.end, open.size));
            if open.size >= AIM {
                found.push(open.start..open.end);
                piece = None;
            }
        }
    }
    if let Some(open) = piece {
        // A short rest stays with what it follows.
        match found.last_mut() {
            Some(last) if open.size < MIN && size(stretch, &(last.start..open.end)) <= MAX => last.end = open.end,
            _ => found.push(open.start..open.end),
        }
    }
    found.into_iter().map(|piece| range.start + piece.start..range.start + piece.end).collect()
}

/// A passage under construction.
struct Piece {
    start: usize,
    end: usize,
    size: usize,
    /// The last place where a sentence really ended, and how much comes before it.
    good: Option<(usize, usize)>,
}

impl Piece {
    /// Closes the piece where a sentence ended. What follows that place is the beginning of the next one.
    fn split(self, stretch: &str, found: &mut Vec<Range<usize>>) -> Option<Piece> {
        match self.good.filter(|(end, size)| *size >= MIN && *end < self.end) {
            Some((end, size)) => {
                found.push(self.start..end);
                let rest = stretch.get(end..self.end)?;
                let start = end + (rest.len() - rest.trim_start().len());
                Some(Piece { start, end: self.end, size: self.size - size, good: None })
            }
            None => {
                found.push(self.start..self.end);
                None
            }
        }
    }
}

/// Whether a sentence really ends here: the end of a line ends none where the text was only wrapped.
fn ends(stretch: &str, part: &Range<usize>, next: Option<&Range<usize>>) -> bool {
    let closes = |c: char| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '；' | ':' | '：' | '|' | ';');
    let quotes = |c: char| matches!(c, '"' | '\'' | '”' | '’' | ')' | '）' | '」' | '』' | '*' | '_' | '`' | ']');
    let said = stretch.get(part.clone()).unwrap_or_default();
    let begins = |text: &str| {
        text.starts_with(['-', '*', '+', '|', '#', '>', '•']) || text.starts_with(|c: char| c.is_ascii_digit())
    };
    said.trim_end_matches(quotes).ends_with(closes)
        || next.and_then(|next| stretch.get(next.clone())).is_none_or(begins)
}

/// Cuts a sentence that is longer than a passage may be: after a clause, else after a blank, else anywhere.
fn halve(stretch: &str, sentence: Range<usize>, parts: &mut Vec<Range<usize>>) {
    let text = stretch.get(sentence.clone()).unwrap_or_default();
    let (mut start, mut count) = (sentence.start, 0);
    let (mut clause, mut blank): (Option<usize>, Option<usize>) = (None, None);
    for (at, c) in text.char_indices() {
        let at = sentence.start + at;
        if count >= AIM {
            let end = clause.or(blank).unwrap_or(at);
            parts.push(start..end);
            count = stretch.get(end..at).map_or(0, |rest| rest.chars().count());
            (start, clause, blank) = (end, None, None);
        }
        count += 1;
        let behind = at + c.len_utf8();
        match c {
            ',' | ';' | ':' | '，' | '、' | '：' if count >= MIN => clause = Some(behind),
            c if c.is_whitespace() && count >= MIN => blank = Some(behind),
            _ => {}
        }
    }
    parts.push(start..sentence.end);
}

fn size(text: &str, range: &Range<usize>) -> usize {
    text.get(range.clone()).map_or(0, |text| text.chars().count())
}

/// Below this, neighbours are joined.
const MIN: usize = 200;
/// From here on a passage ends with its sentence.
const AIM: usize = 700;
/// No passage is longer.
const MAX: usize = 1200;

#[cfg(test)]
mod tests {
    use super::super::document::Writer;
    use super::*;
    use std::sync::Arc;

    fn cut(blocks: &[&str]) -> Vec<Passage> {
        let mut writer = Writer::default();
        for block in blocks {
            writer.block(block, None, &Arc::from([]), Nature::Flows).unwrap();
        }
        let document = writer.finish();
        let found = passages(&document, "a.txt");
        for passage in &found {
            assert_eq!(document.text[passage.start..passage.end], passage.text);
            assert!(passage.text.chars().count() <= MAX, "{}", passage.text.len());
        }
        found
    }

    // CLAIM-3
    #[test]
    fn short_paragraphs_are_joined_and_long_ones_cut_between_sentences() {
        let found = cut(&["One.", "Two.", &"Three. ".repeat(40), "Four."]);
        assert_eq!(found.len(), 1, "{found:?}");
        let found = cut(&[&"A sentence of some words stands here, and it ends. ".repeat(100)]);
        assert!(found.len() >= 4 && found.iter().all(|p| p.text.ends_with('.') && p.text.starts_with("A sent")));
        assert!(found.iter().all(|p| (MIN..=MAX).contains(&p.text.chars().count())));
        let found = cut(&[&"公司营收增长百分之十二，利润持平。".repeat(200)]);
        assert!(found.iter().all(|p| p.text.ends_with('。') && p.text.starts_with("公司")));
    }

    #[test]
    fn a_wrapped_line_is_no_end_of_a_sentence() {
        let wrapped =
            "The revenue of the company grew by a lot in\nthe year that ended, as the report of the board says.\n";
        let found = cut(&[&wrapped.repeat(30)]);
        assert!(found.len() > 2 && found.iter().all(|p| p.text.ends_with("says.")), "{found:?}");
    }

    #[test]
    fn what_has_no_sentences_is_cut_all_the_same() {
        for text in
            ["x".repeat(20_000), "字".repeat(20_000), "a, ".repeat(9000), "\n.\n".repeat(5000), "\u{301}".repeat(9000)]
        {
            let total: usize = cut(&[&text]).iter().map(|p| p.text.len()).sum();
            assert!(total <= text.len());
        }
        assert_eq!(cut(&["x".repeat(5000).as_str()]).iter().map(|p| p.text.len()).sum::<usize>(), 5000);
    }

    #[test]
    fn lines_are_counted() {
        let text = format!("first line\n{}", "A line of text that is a sentence.\n".repeat(60));
        let found = cut(&[&text]);
        for passage in &found {
            assert_eq!(passage.line, text[..passage.start].matches('\n').count() + 1);
        }
        assert!(found.len() > 1);
    }
}
