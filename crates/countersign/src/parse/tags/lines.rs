//! The readable text as it comes: words as they are, and each sentence that stands for a tag on a line of its own.
//!
//! Only blanks are ever held back: what follows them decides whether they stay. Text without tags comes out byte for
//! byte.

/// Puts words and sentences together. What it gives, joined, is the text.
#[derive(Debug, Default)]
pub struct Lines {
    /// Blanks and line breaks that came and were not given out yet.
    held: String,
    /// The beginning of the line that is being written.
    line: String,
    last: Last,
}

/// What was given out last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    #[default]
    Nothing,
    Words,
    Sentence,
    /// Words, and then a tag that no sentence stands for.
    Gap,
}

impl Lines {
    /// Words of the output: what of them can be shown by now.
    #[must_use]
    pub fn words(&mut self, text: &str) -> String {
        let written = text.trim_start();
        self.held.push_str(text.get(..text.len() - written.len()).unwrap_or_default());
        if written.is_empty() {
            return String::new();
        }
        let mut given = self.gap_before_words();
        let words = written.trim_end();
        given.push_str(words);
        self.held.push_str(written.get(words.len()..).unwrap_or_default());
        self.last = Last::Words;
        self.note_line(&given);
        given
    }

    /// A sentence that stands for a tag. An empty one leaves nothing.
    #[must_use]
    pub fn sentence(&mut self, sentence: &str) -> String {
        let sentence = sentence.trim();
        if sentence.is_empty() {
            self.last = if self.last == Last::Words { Last::Gap } else { self.last };
            return String::new();
        }
        let breaks = self.held.matches('\n').count();
        let mut given = match self.last {
            Last::Nothing => String::new(),
            // A mark of a list, and nothing else, stands on its line.
            Last::Words | Last::Gap if breaks == 0 && is_mark(&self.line) => std::mem::take(&mut self.held),
            _ => "\n".repeat(breaks.clamp(1, MOST_BREAKS)),
        };
        self.held.clear();
        given.push_str(sentence);
        self.last = Last::Sentence;
        self.note_line(&given);
        given
    }

    /// Nothing more comes: the blanks at the end, unless a sentence stands there.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        if self.last == Last::Sentence { String::new() } else { held }
    }

    /// The blanks between what was given out and the words that follow.
    fn gap_before_words(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        let breaks = held.matches('\n').count();
        match self.last {
            Last::Nothing | Last::Words => held,
            Last::Gap if breaks == 0 => held,
            Last::Sentence if breaks == 0 => "\n".to_owned(),
            // The author's own line break, at most one blank line, and the indentation of what follows.
            Last::Sentence | Last::Gap => {
                let indentation = held.rsplit('\n').next().unwrap_or_default();
                "\n".repeat(breaks.min(MOST_BREAKS)) + indentation
            }
        }
    }

    /// Keeps the beginning of the line that is being written.
    fn note_line(&mut self, given: &str) {
        let line = match given.rsplit_once('\n') {
            Some((_, line)) => {
                self.line.clear();
                line
            }
            None => given,
        };
        let room = LONGEST_MARK.saturating_sub(self.line.len()) + 1;
        self.line.push_str(line.get(..line.floor_char_boundary(room)).unwrap_or_default());
    }
}

/// Whether a line holds the mark of a list, a quotation or a heading and nothing else.
fn is_mark(line: &str) -> bool {
    let line = line.trim();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < line.len() && matches!(number, "." | ")" | "、" | "）" | ":" | "：");
    let quoted = !line.is_empty() && (line.chars().all(|c| c == '>') || line.chars().all(|c| c == '#'));
    line.len() <= LONGEST_MARK && (numbered || quoted || matches!(line, "-" | "*" | "+" | "•"))
}

/// A line break and a blank line: more is a hole.
const MOST_BREAKS: usize = 2;
/// The longest mark of a list, in bytes.
const LONGEST_MARK: usize = 12;
