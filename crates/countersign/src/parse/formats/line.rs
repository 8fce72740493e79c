//! What is before a place on its line: words, a list mark, an open quotation, code.
//!
//! Every format puts its calls at a place of its own, and a sentence that only speaks of a call puts it elsewhere. The
//! state is kept while text passes, so nothing is looked back at.

/// Where a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// At the beginning of a line, or directly behind structure: a call is here.
    Free,
    /// Behind a whole sentence: a call, if the line ends after it.
    AfterSentence,
    /// Inside a sentence: a call, if the output ends after it.
    InSentence,
    /// In a quotation, in code, in a list, after a colon: a call is only spoken of.
    Mention,
}

/// What begins at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opener {
    /// A marker that stands for nothing else: a special token, a wrapper.
    Own,
    /// Something that ordinary text may hold: JSON, a call in brackets, a tag.
    Plain,
}

/// What was said before, as far as it matters whether a fence is the whole answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Said(usize);

impl Said {
    /// Takes words of the answer.
    pub(super) fn take(&mut self, text: &str) {
        let mut words = text.chars().filter(|c| !c.is_whitespace());
        while self.0 <= LABEL.len() {
            let Some(c) = words.next() else { return };
            self.0 = if LABEL.get(self.0) == Some(&c) { self.0 + 1 } else { LABEL.len() + 1 };
        }
    }

    /// Whether anything was said.
    pub(super) fn anything(self) -> bool {
        self.0 > 0
    }

    /// Whether nothing was said but what a format writes before its calls.
    pub(super) fn only_label(self) -> bool {
        self.0 == 0 || self.0 == LABEL.len()
    }
}

/// The line that is being read.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Up to here it was read.
    pub at: usize,
    /// How many lines came before it.
    number: usize,
    before: Before,
    /// Whether nothing but blanks stand between the line break and here.
    fresh: Fresh,
    /// The last character that is no blank.
    last: Option<char>,
    /// Whether a blank comes after it.
    apart: bool,
    quotation: Option<Quotation>,
    fence: Option<Fence>,
    /// How many blanks it begins with.
    indent: usize,
    /// Whether it began with the mark of a list.
    bulleted: bool,
    /// Its last characters, for abbreviations.
    recent: [char; 4],
    /// Whether the lines before belong to an item of a list, to which indented lines belong too.
    item: bool,
}

/// What is on a line so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Before {
    #[default]
    Nothing,
    /// The mark of a list, a quoted mail or a table.
    Bullet,
    /// A number, perhaps that of a list.
    Number,
    Words,
}

/// How an empty line began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Fresh {
    #[default]
    LineBreak,
    /// Behind a call or a marker.
    Structure,
}

/// A quotation, or code between backticks.
#[derive(Debug, Clone, Copy)]
struct Quotation {
    mark: Mark,
    from: usize,
    /// An empty line came before its end: it may have been none, or it goes over several paragraphs.
    uncertain: bool,
    /// It is markup that began a line: it goes on until it is closed.
    block: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Quote(char),
    Backticks(usize),
    /// An element whose text is quoted: `<pre>`, `<tool_response>`, `<!--`.
    Element(&'static str),
}

/// A fenced block.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// The line of its opening.
    line: usize,
    /// Whether it began a line: then only a line of its own ends it.
    block: bool,
    reading: Reading,
}

/// Whether calls inside a fence are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// They are, with their place.
    Calls,
    /// All of it is text.
    Text,
}

impl Line {
    /// Takes text that was passed over.
    pub(super) fn read(&mut self, text: &str) {
        self.at += text.len();
        let tail = match memchr::memrchr(b'\n', text.as_bytes()) {
            Some(at) => {
                self.begin();
                text.get(at + 1..).unwrap_or_default()
            }
            None => text,
        };
        if self.before != Before::Words {
            tail.chars().try_for_each(|c| self.look(c));
        }
        self.remember(tail);
        // Words end like this nearly everywhere.
        if let Some(last) = tail.bytes().next_back().filter(u8::is_ascii_graphic) {
            (self.last, self.apart) = (Some(char::from(last)), false);
            return;
        }
        match tail.trim_end().chars().next_back() {
            Some(last) => (self.last, self.apart) = (Some(last), tail.ends_with(char::is_whitespace)),
            None => self.apart |= !tail.is_empty(),
        }
    }

    /// Keeps the last characters.
    fn remember(&mut self, tail: &str) {
        if let Some(last) = tail.as_bytes().last_chunk::<4>().filter(|last| last.is_ascii()) {
            self.recent = last.map(char::from);
            return;
        }
        let from = tail.char_indices().rev().nth(self.recent.len() - 1).map_or(0, |(at, _)| at);
        for c in tail.get(from..).unwrap_or_default().chars() {
            self.recent.rotate_left(1);
            self.recent.iter_mut().next_back().into_iter().for_each(|last| *last = c);
        }
    }

    /// One more character of a line that has no words yet. Ends at the first word.
    fn look(&mut self, c: char) -> Option<()> {
        if self.before == Before::Nothing {
            self.indent += usize::from(c.is_whitespace());
        }
        self.bulleted |= self.before == Before::Bullet && !c.is_whitespace() && !BULLETS.contains(&c);
        self.before = match (self.before, c) {
            (before, c) if c.is_whitespace() => before,
            // What stands between calls.
            (Before::Nothing, ';' | ',') if self.fresh == Fresh::Structure => Before::Nothing,
            (Before::Nothing | Before::Bullet, c) if BULLETS.contains(&c) => Before::Bullet,
            (Before::Nothing | Before::Number, '0'..='9') => Before::Number,
            (Before::Number, '.' | ')' | '、' | ':') => Before::Bullet,
            _ => Before::Words,
        };
        (self.before != Before::Words).then_some(())
    }

    /// Whether the point that the words end with belongs to an abbreviation (`e.g.`, `i.e.`), not to a sentence.
    fn is_abbreviated(&self) -> bool {
        let mut letters = self.recent.iter().rev().skip_while(|c| c.is_whitespace());
        let (point, letter, before) = (letters.next(), letters.next(), letters.next());
        point == Some(&'.')
            && letter.is_some_and(|c| c.is_lowercase())
            && before.is_none_or(|c| matches!(c, '.' | '(' | '（' | '\0') || c.is_whitespace())
    }

    fn begin(&mut self) {
        if self.before != Before::Nothing {
            self.item = self.bulleted || (self.item && self.indent >= ITEM_INDENT);
        }
        (self.indent, self.bulleted) = (0, false);
        self.number += 1;
        (self.before, self.fresh, self.apart) = (Before::Nothing, Fresh::LineBreak, true);
    }

    /// Whether the line has only blanks so far.
    pub(super) fn is_fresh(&self) -> bool {
        self.before == Before::Nothing && self.fresh == Fresh::LineBreak
    }

    /// Whether a blank stands between words of the line and here.
    pub(super) fn is_apart(&self) -> bool {
        self.apart && self.before != Before::Nothing
    }

    /// A line break stands here: inline code ends, and after an empty line a quotation is uncertain.
    pub(super) fn line_break(&mut self, at: usize) {
        let empty = self.is_fresh();
        let inline = |quotation: &Quotation| match quotation.mark {
            Mark::Quote(_) => false,
            Mark::Backticks(_) => true,
            Mark::Element(_) => !quotation.block,
        };
        let ends = |quotation: &Quotation| inline(quotation) || at - quotation.from > LONGEST;
        if self.quotation.as_ref().is_some_and(ends) {
            self.quotation = None;
        }
        if empty {
            self.last = None;
            self.quotation.iter_mut().for_each(|quotation| quotation.uncertain = !quotation.block);
        }
    }

    /// A call or a marker ends here.
    pub(super) fn after_structure(&mut self, at: usize) {
        (self.at, self.before, self.fresh) = (at, Before::Nothing, Fresh::Structure);
        (self.last, self.apart, self.recent) = (None, false, ['\0'; 4]);
    }

    /// What ended here was text after all.
    pub(super) fn after_words(&mut self, at: usize) {
        (self.at, self.before, self.last, self.apart) = (at, Before::Words, Some('>'), false);
        self.recent = ['\0'; 4];
    }

    /// A message begins here: nothing is open.
    pub(super) fn restart(&mut self, at: usize) {
        *self = Self { at, number: self.number, ..Self::default() };
    }

    /// Where something stands that begins at the place up to which the line was read.
    pub(super) fn standing(&self, opener: Opener) -> Standing {
        match (self.before, self.last) {
            _ if self.is_quoted() => Standing::Mention,
            (Before::Nothing, _) if self.quotation.is_some() => Standing::InSentence,
            (Before::Nothing, _) if self.item && self.indent >= ITEM_INDENT => Standing::Mention,
            (Before::Nothing, _) => Standing::Free,
            (Before::Bullet, _) => Standing::Mention,
            (_, Some(':' | '：')) if self.apart || opener == Opener::Plain => Standing::Mention,
            (_, Some(last)) if !self.apart && OPENING.contains(&last) => Standing::Mention,
            (_, Some(last)) if POINTING.contains(&last) => Standing::Mention,
            _ if self.is_abbreviated() => Standing::Mention,
            (_, Some(last)) if SENTENCE_ENDS.contains(&last) => Standing::AfterSentence,
            (_, Some(':' | '：')) => Standing::AfterSentence,
            _ if opener == Opener::Plain => Standing::Mention,
            _ => Standing::InSentence,
        }
    }

    /// Whether a character is a quotation mark.
    pub(super) fn is_mark(c: char) -> bool {
        // All of `QUOTATIONS`, which a test holds against this: nearly every character is none.
        matches!(c, '"' | '＂' | '“' | '”' | '„' | '‟' | '‘' | '’' | '‚' | '«' | '»' | '‹' | '›')
            || matches!(c, '「' | '」' | '『' | '』' | '〝' | '〞' | '〟')
    }

    /// Whether a quotation or code is open.
    pub(super) fn is_quoted(&self) -> bool {
        self.quotation.is_some_and(|quotation| !quotation.uncertain)
    }

    /// Whether a fence is open, and whether calls in it are told.
    pub(super) fn fence(&self) -> Option<Reading> {
        self.fence.map(|fence| fence.reading)
    }

    /// A quotation mark at `at`, after the byte `before`.
    pub(super) fn quotation_mark(&mut self, mark: char, before: Option<u8>, at: usize) {
        if self.fence.is_some() || before == Some(b'\\') {
            return;
        }
        match &mut self.quotation {
            None | Some(Quotation { uncertain: true, .. }) if opens(mark, before) => self.open(Mark::Quote(mark), at),
            Some(Quotation { mark: Mark::Quote(open), .. }) if closes(*open, mark) => self.quotation = None,
            _ => {}
        }
    }

    /// Fewer than three backticks: they open inline code, or close what as many opened.
    pub(super) fn inline_code(&mut self, run: usize, at: usize) {
        match self.quotation {
            _ if self.fence.is_some() => {}
            Some(Quotation { mark: Mark::Backticks(open), .. }) if open == run => self.quotation = None,
            Some(Quotation { uncertain: false, .. }) => {}
            _ => self.open(Mark::Backticks(run), at),
        }
    }

    fn open(&mut self, mark: Mark, from: usize) {
        self.quotation = Some(Quotation { mark, from, uncertain: false, block: false });
    }

    /// The element that quotes what stands here.
    pub(super) fn element(&self) -> Option<&'static str> {
        match self.quotation {
            Some(Quotation { mark: Mark::Element(name), .. }) => Some(name),
            _ => None,
        }
    }

    /// An element begins at `at` whose text is quoted. Where it begins its line it goes on until it is closed, else to
    /// the end of the line.
    pub(super) fn open_element(&mut self, name: &'static str, at: usize) {
        if self.fence.is_none() && !self.is_quoted() {
            let block = self.before == Before::Nothing;
            self.quotation = Some(Quotation { mark: Mark::Element(name), from: at, uncertain: false, block });
        }
    }

    /// The element that quotes ends.
    pub(super) fn close_element(&mut self) {
        self.quotation = None;
    }

    /// Three or more backticks or tildes, before the character `next`.
    pub(super) fn fence_mark(&mut self, mark: u8, length: usize, next: Option<char>, reading: Reading) {
        let block = matches!(self.before, Before::Nothing | Before::Bullet);
        match self.fence {
            Some(open) => {
                let own_line = block && next.is_none_or(char::is_whitespace);
                let ends = own_line || !open.block || open.line == self.number;
                if open.mark == mark && length >= open.length && ends {
                    self.fence = None;
                }
            }
            None if block || mark == b'`' => {
                self.fence = Some(Fence { mark, length, line: self.number, block, reading });
            }
            None => {}
        }
    }
}

/// Whether a character after a marker ends the quotation of the marker alone: `"<tool_call>"`.
pub(super) fn ends_quotation(c: char) -> bool {
    matches!(c, '`' | '\'') || Line::is_mark(c)
}

/// Whether a mark opens a quotation where none is open.
fn opens(mark: char, before: Option<u8>) -> bool {
    let begins = before.is_none_or(|byte| !(byte.is_ascii_alphanumeric() || BEHIND_WORDS.contains(&byte)));
    match mark {
        '"' | '＂' => begins,
        // Some languages open with what others close with.
        '”' | '»' => before.is_none_or(|byte| byte.is_ascii_whitespace() || byte == b'('),
        _ => QUOTATIONS.iter().any(|(open, _)| *open == mark),
    }
}

fn closes(open: char, mark: char) -> bool {
    QUOTATIONS.iter().any(|(known, closing)| *known == open && closing.contains(&mark))
}

/// Marks that open a quotation, and those that close it.
const QUOTATIONS: &[(char, &[char])] = &[
    ('"', &['"']),
    ('＂', &['＂']),
    ('“', &['”', '“']),
    ('„', &['“', '”']),
    ('‟', &['”']),
    ('”', &['”']),
    ('‘', &['’']),
    ('‚', &['‘', '’']),
    ('«', &['»']),
    ('»', &['«']),
    ('‹', &['›']),
    ('「', &['」']),
    ('『', &['』']),
    ('〝', &['〞', '〟']),
];

/// What a closing quotation mark comes after.
const BEHIND_WORDS: &[u8] = b".!?;)]}%\\\"";

/// Marks of lists, quoted mails, tables and headings.
const BULLETS: &[char] = &['-', '*', '+', '>', '|', '#', '•', '·', '–', '—', '▪', '◦', '●', '○', '※'];

/// What leads directly to something spoken of.
const OPENING: &[char] = &['\'', '(', '（', '[', '【', '{', '=', '/', '\\', '＇'];

/// What points at something in a table or a line of examples.
const POINTING: &[char] = &['|', '｜', '→', '⇒', '➜', '⟶'];

/// Lines with as many blanks before them belong to the item of a list above.
const ITEM_INDENT: usize = 2;

/// What a sentence ends with.
const SENTENCE_ENDS: &[char] = &['.', '!', '?', '…', '。', '！', '？', ';', '；'];

/// What Command R writes before the fence with its calls.
const LABEL: &[char] = &['A', 'c', 't', 'i', 'o', 'n', ':'];

/// The longest quotation.
const LONGEST: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quotation_mark_is_known_as_one() {
        for c in '\0'..=char::MAX {
            let listed = QUOTATIONS.iter().any(|(open, closing)| *open == c || closing.contains(&c));
            assert_eq!(Line::is_mark(c), listed, "{c}");
        }
    }
}
