//! Markdown and plain text. The file is the text: offsets are places in the file, and nothing is taken away.

use crate::kb::document::{Block, Document, Headings, Nature, within};
use std::sync::Arc;

/// Reads Markdown: headings of both styles, paragraphs, fences.
pub(super) fn read(text: String) -> Result<Document, String> {
    let mut reader = Reader::default();
    let mut at = 0;
    let mut before: Option<&str> = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        reader.line(line, before, at, number + 1);
        before = Some(line);
        at += line.len();
    }
    reader.finish(text)
}

/// Reads plain text: paragraphs stand between empty lines.
pub(super) fn plain(text: String) -> Result<Document, String> {
    let mut reader = Reader::default();
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if line.trim().is_empty() {
            reader.close()
        } else {
            reader.add(at, line, number + 1)
        }
        at += line.len();
    }
    reader.finish(text)
}

#[derive(Default)]
struct Reader {
    headings: Headings,
    path: Option<Arc<[String]>>,
    open: Option<Block>,
    fence: Option<Fence>,
    blocks: Vec<Block>,
}

struct Fence {
    mark: char,
    length: usize,
}

impl Reader {
    fn line(&mut self, line: &str, before: Option<&str>, at: usize, number: usize) {
        let bare = line.trim();
        if let Some(fence) = &self.fence {
            let closes = fence_of(bare).is_some_and(|(mark, length)| mark == fence.mark && length >= fence.length);
            self.add(at, line, number);
            if closes && bare.chars().all(|c| bare.starts_with(c)) {
                self.fence = None;
                self.close();
            }
        } else if let Some((mark, length)) = fence_of(bare) {
            self.close();
            self.fence = Some(Fence { mark, length });
            self.add(at, line, number);
        } else if bare.is_empty() {
            self.close();
        } else if let Some((level, title)) = heading(line) {
            self.close();
            self.enter(level, title);
        } else if let Some((level, title)) = underlined(bare, before, self.open.as_ref()) {
            self.open = None;
            self.enter(level, title);
        } else {
            self.add(at, line, number);
        }
    }

    fn enter(&mut self, level: u8, title: &str) {
        self.headings.enter(level, title);
        self.path = None;
    }

    fn add(&mut self, at: usize, line: &str, number: usize) {
        let end = at + line.trim_end().len();
        match &mut self.open {
            Some(block) => block.range.end = end.max(block.range.end),
            None if line.trim().is_empty() => {}
            None => {
                let headings = Arc::clone(self.path.get_or_insert_with(|| self.headings.path()));
                self.open = Some(Block { range: at..end, line: number, headings, nature: Nature::Flows });
            }
        }
    }

    fn close(&mut self) {
        // One more than there may be tells that there were too many.
        if within(self.blocks.len()).is_ok() {
            self.blocks.extend(self.open.take());
        }
    }

    fn finish(mut self, text: String) -> Result<Document, String> {
        self.close();
        within(self.blocks.len())?;
        Ok(Document { text, blocks: self.blocks })
    }
}

/// `## Title ##`, with at most three blanks before it.
fn heading(line: &str) -> Option<(u8, &str)> {
    let rest = line.strip_prefix("   ").or(line.strip_prefix("  ")).or(line.strip_prefix(' ')).unwrap_or(line);
    let title = rest.trim_start_matches('#');
    let level = u8::try_from(rest.len() - title.len()).ok().filter(|level| (1..=6).contains(level))?;
    let title = title.strip_prefix([' ', '\t']).or_else(|| title.trim().is_empty().then_some(""))?;
    Some((level, title.trim().trim_end_matches('#').trim_end()))
}

/// A line of `===` or `---` under a single line of text makes a heading of it.
fn underlined<'t>(bare: &str, before: Option<&'t str>, open: Option<&Block>) -> Option<(u8, &'t str)> {
    let level = match bare.chars().next()? {
        '=' => 1,
        '-' => 2,
        _ => return None,
    };
    let whole = bare.len() >= 2 && bare.chars().all(|c| bare.starts_with(c));
    let title = before?.trim();
    let single = open.is_some_and(|block| block.range.len() == title.len()) && !title.starts_with(['-', '|', '>', '*']);
    (whole && single).then_some((level, title))
}

fn fence_of(bare: &str) -> Option<(char, usize)> {
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(String, String, usize)> {
        let document = read(text.to_owned()).unwrap();
        let block = |b: &Block| (document.text[b.range.clone()].to_owned(), b.headings.join(" > "), b.line);
        document.blocks.iter().map(block).collect()
    }

    // CLAIM-3
    #[test]
    fn paragraphs_stand_under_their_headings() {
        let found = blocks("intro\n\n# A #\ntext\nmore\n\n## B\n- x\n- y\n\nC\n===\nlast\r\n");
        let expected = [("intro", "", 1), ("text\nmore", "A", 4), ("- x\n- y", "A > B", 8), ("last", "C", 13)];
        assert_eq!(found, expected.map(|(text, path, line)| (text.to_owned(), path.to_owned(), line)));
    }

    #[test]
    fn a_fence_hides_headings_and_empty_lines() {
        let found = blocks("# A\n```sh\n# no heading\n\nls\n```\nafter\n");
        assert_eq!(found[0].0, "```sh\n# no heading\n\nls\n```");
        assert_eq!((found[1].0.as_str(), found[1].1.as_str()), ("after", "A"));
        assert_eq!(blocks("```\nnever closed\n\n# x").len(), 1);
        assert_eq!(blocks("#hashtag\n#######\n")[0].0, "#hashtag\n#######");
        assert_eq!(blocks("a\nb\n---\nc")[0].0, "a\nb\n---\nc");
    }

    #[test]
    fn plain_text_has_no_headings() {
        let document = plain("# not\n\n\n  two\nlines  \n\n".to_owned()).unwrap();
        let found: Vec<&str> = document.blocks.iter().map(|b| &document.text[b.range.clone()]).collect();
        assert_eq!(found, ["# not", "  two\nlines"]);
    }
}
