//! The inverted index: the passages, and for each word the passages that it is in.
//!
//! It lives in memory, and is read and written as a whole. Passages are kept in the order of files and places, so that the
//! same documents always give the same index, bit for bit, whatever the history. What is read from a file is checked: an
//! index that does not hold together is none.

use super::figures::figures;
use super::passage::Passage;
use super::terms::{Term, terms};
use std::collections::HashMap;
use std::sync::Arc;

/// Passages that can be looked up by their words.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// In the order of files and places.
    pub(super) passages: Vec<Arc<Passage>>,
    /// The text, the headings, and the figures of both.
    pub(super) columns: [Column; 3],
}

/// One field of all passages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Column {
    /// The words, in order, each with the place after its last posting.
    words: Vec<(Box<str>, usize)>,
    /// The passages of each word, rising.
    docs: Vec<u32>,
    /// How often the word is in each of them; more than 255 times is 255.
    counts: Vec<u8>,
    /// How many words the field of each passage has.
    pub(super) lengths: Vec<u32>,
}

/// The passages that a word is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Postings<'i> {
    docs: &'i [u32],
    counts: &'i [u8],
}

impl Index {
    /// The index of some passages.
    pub(super) fn of(passages: Vec<Passage>) -> Self {
        Self::default().with(&|_| true, passages)
    }

    /// This index without the passages of files that are not kept, and with new ones.
    pub(super) fn with(self, is_kept: &dyn Fn(&str) -> bool, new: Vec<Passage>) -> Self {
        let old = self.passages.len();
        let kept = self.passages.into_iter().enumerate().filter(|(_, passage)| is_kept(&passage.file));
        let new = new.into_iter().enumerate().map(|(at, passage)| (old + at, Arc::new(passage)));
        let mut entries: Vec<(usize, Arc<Passage>)> = kept.chain(new).collect();
        entries.sort_by(|(_, a), (_, b)| (&a.file, a.start).cmp(&(&b.file, b.start)));
        let mut places = vec![None; old];
        let mut drafts = self.columns.map(|column| Draft::new(column, entries.len()));
        for (at, (was, passage)) in entries.iter().enumerate() {
            match places.get_mut(*was) {
                Some(place) => *place = u32::try_from(at).ok(),
                None => drafts.iter_mut().zip(fields(passage)).for_each(|(draft, found)| draft.add(at, found)),
            }
        }
        let columns = drafts.map(|draft| draft.finish(&places));
        Self { passages: entries.into_iter().map(|(_, passage)| passage).collect(), columns }
    }

    /// How many different words there are, headings and figures included.
    pub(super) fn words(&self) -> usize {
        self.columns.iter().map(|column| column.words.len()).sum()
    }

    /// The index as bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.passages.len());
        for passage in &self.passages {
            put_text(&mut out, &passage.file);
            put(&mut out, passage.headings.len());
            passage.headings.iter().for_each(|heading| put_text(&mut out, heading));
            put_text(&mut out, &passage.text);
            [passage.start, passage.end, passage.line].iter().for_each(|number| put(&mut out, *number));
        }
        self.columns.iter().for_each(|column| column.encode(&mut out));
        out
    }

    /// The index of some bytes, if they are one.
    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let input = &mut bytes;
        let count = take(input)?;
        let mut passages = Vec::new();
        for _ in 0..count {
            let file = take_text(input)?.to_owned();
            let headings = (0..take(input)?).map(|_| take_text(input).map(str::to_owned)).collect::<Option<_>>()?;
            let text = take_text(input)?.to_owned();
            let (start, end, line) = (take(input)?, take(input)?, take(input)?);
            passages.push(Arc::new(Passage { file, headings, text, start, end, line }));
        }
        let mut column = || Column::decode(input, count);
        let columns = [column()?, column()?, column()?];
        bytes.is_empty().then_some(Self { passages, columns })
    }
}

impl Column {
    /// The passages that a word is in.
    pub(super) fn find(&self, word: &str) -> Option<Postings<'_>> {
        let at = self.words.binary_search_by(|(known, _)| (**known).cmp(word)).ok()?;
        self.postings(at)
    }

    fn postings(&self, at: usize) -> Option<Postings<'_>> {
        let start = at.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |(_, end)| *end);
        let (_, end) = self.words.get(at)?;
        Some(Postings { docs: self.docs.get(start..*end)?, counts: self.counts.get(start..*end)? })
    }

    /// How many words a passage has on average.
    pub(super) fn mean_length(&self) -> f32 {
        let total: u64 = self.lengths.iter().map(|length| u64::from(*length)).sum();
        total as f32 / self.lengths.len().max(1) as f32
    }

    fn encode(&self, out: &mut Vec<u8>) {
        self.lengths.iter().for_each(|length| put(out, *length as usize));
        put(out, self.words.len());
        for (at, (word, _)) in self.words.iter().enumerate() {
            put_text(out, word);
            let Some(postings) = self.postings(at) else { continue };
            put(out, postings.len());
            let mut last = 0;
            for (doc, count) in postings.iter() {
                put(out, doc - last);
                out.push(count);
                last = doc;
            }
        }
    }

    fn decode(input: &mut &[u8], passages: usize) -> Option<Self> {
        let mut column = Self::default();
        for _ in 0..passages {
            column.lengths.push(u32::try_from(take(input)?).ok()?);
        }
        for _ in 0..take(input)? {
            let word = take_text(input)?.into();
            let mut last = 0_usize;
            for _ in 0..take(input)? {
                last = last.checked_add(take(input)?).filter(|doc| *doc < passages)?;
                let (count, rest) = input.split_first()?;
                column.docs.push(u32::try_from(last).ok()?);
                column.counts.push(*count);
                *input = rest;
            }
            column.words.push((word, column.docs.len()));
        }
        column.words.is_sorted_by(|(a, _), (b, _)| a < b).then_some(column)
    }
}

impl Postings<'_> {
    /// How many passages there are.
    pub(super) fn len(&self) -> usize {
        self.docs.len()
    }

    /// Each passage, and how often the word is there.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u8)> {
        self.docs.iter().zip(self.counts).map(|(doc, count)| (*doc as usize, *count))
    }
}

/// A column under construction.
struct Draft {
    old: Column,
    found: HashMap<Box<str>, Vec<(u32, u8)>>,
    lengths: Vec<u32>,
}

impl Draft {
    fn new(old: Column, passages: usize) -> Self {
        Self { old, found: HashMap::new(), lengths: vec![0; passages] }
    }

    /// Adds the words of a passage.
    fn add(&mut self, at: usize, found: Vec<Term>) {
        let Ok(doc) = u32::try_from(at) else { return };
        if let Some(length) = self.lengths.get_mut(at) {
            *length = u32::try_from(found.len()).unwrap_or(u32::MAX);
        }
        for term in found {
            let postings = self.found.entry(term.key.into_boxed_str()).or_default();
            match postings.last_mut() {
                Some((last, count)) if *last == doc => *count = count.saturating_add(1),
                _ => postings.push((doc, 1)),
            }
        }
    }

    /// Takes in what the old column has of passages that are kept, at their new places.
    fn finish(mut self, places: &[Option<u32>]) -> Column {
        let place = |doc: usize| places.get(doc).copied().flatten();
        for (at, (word, _)) in self.old.words.iter().enumerate() {
            let Some(postings) = self.old.postings(at) else { continue };
            let mut kept = postings.iter().filter_map(|(doc, count)| Some((place(doc)?, count))).peekable();
            if kept.peek().is_some() {
                self.found.entry(word.clone()).or_default().extend(kept);
            }
        }
        for (doc, length) in self.old.lengths.iter().enumerate() {
            if let Some(mine) = place(doc).and_then(|at| self.lengths.get_mut(at as usize)) {
                *mine = *length;
            }
        }
        let mut found: Vec<_> = self.found.into_iter().collect();
        found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut column = Column { lengths: self.lengths, ..Column::default() };
        for (word, mut postings) in found {
            postings.sort_unstable();
            column.docs.extend(postings.iter().map(|(doc, _)| doc));
            column.counts.extend(postings.iter().map(|(_, count)| count));
            column.words.push((word, column.docs.len()));
        }
        column
    }
}

/// The words of each column of a passage.
fn fields(passage: &Passage) -> [Vec<Term>; 3] {
    let headings = || passage.headings.iter().map(String::as_str);
    let all = headings().chain([passage.text.as_str()]);
    [terms(&passage.text), headings().flat_map(terms).collect(), all.flat_map(figures).collect()]
}

/// Writes a number, seven bits at a time.
fn put(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(0x80 | (number & 0x7f) as u8);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn take(input: &mut &[u8]) -> Option<usize> {
    let (mut number, mut shift) = (0_u64, 0_u32);
    loop {
        let (byte, rest) = input.split_first()?;
        *input = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return usize::try_from(number).ok();
        }
        shift += 7;
    }
}

fn take_text<'b>(input: &mut &'b [u8]) -> Option<&'b str> {
    let length = take(input)?;
    let (text, rest) = input.split_at_checked(length)?;
    *input = rest;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(file: &str, start: usize, text: &str) -> Passage {
        let headings = vec!["A heading 2024".to_owned()];
        Passage { file: file.to_owned(), headings, text: text.to_owned(), start, end: start + text.len(), line: 1 }
    }

    fn sample() -> Vec<Passage> {
        let texts = ["the first of 12 words", "营收增长 12%", "", "more words, more words", "x ".repeat(400).leak()];
        texts.iter().enumerate().map(|(at, text)| passage(&format!("{}.md", at % 3), at, text)).collect()
    }

    // CLAIM-3: an index is the same whatever its history.
    #[test]
    fn a_changed_index_is_that_of_a_fresh_build() {
        let fresh = Index::of(sample());
        let mut backwards = sample();
        backwards.reverse();
        assert_eq!(Index::of(backwards).encode(), fresh.encode());
        let grown = Index::of(vec![passage("1.md", 0, "gone by then"), passage("0.md", 7, "gone, too")]);
        let grown = grown.with(&|_| false, sample());
        assert_eq!(grown.encode(), fresh.encode());
        let (first, rest): (Vec<_>, Vec<_>) = sample().into_iter().partition(|passage| passage.file == "1.md");
        let grown = Index::of(first).with(&|_| true, rest);
        assert_eq!(grown.encode(), fresh.encode());
    }

    #[test]
    fn an_index_is_read_as_it_was_written_and_nothing_else_is_one() {
        let index = Index::of(sample());
        let bytes = index.encode();
        let again = Index::decode(&bytes).unwrap();
        assert_eq!((&again.columns, &again.passages), (&index.columns, &index.passages));
        for end in 0..bytes.len() {
            assert!(Index::decode(&bytes[..end]).is_none(), "{end}");
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                // What cannot be told from an index must still not panic.
                if let Some(index) = Index::decode(&damaged) {
                    let found = index.columns[0].find("words").map_or(0, |postings| postings.iter().count());
                    assert!(found <= index.passages.len());
                }
            }
        }
    }

    #[test]
    fn a_word_that_stands_often_is_counted_up_to_the_limit() {
        let index = Index::of(sample());
        let postings = index.columns[0].find("x").unwrap();
        assert_eq!(postings.iter().map(|(_, count)| count).collect::<Vec<_>>(), [255]);
        assert!(index.columns[0].find("absent").is_none());
    }
}
