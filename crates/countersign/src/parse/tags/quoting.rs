//! What is quoted: a tag in inline backticks or in a comment is spoken of, not used.
//!
//! Whether a backtick quotes is known only when its partner comes on the same line, so it is asked only when a tag stands
//! after one. A search that finds no partner is remembered for all of its stretch, which keeps the whole linear.

use super::window::Window;
use crate::parse::Span;
use crate::parse::markup::Input;

/// What may be open.
#[derive(Debug, Default)]
pub(super) struct Quoting {
    /// One backtick or two.
    ticks: Option<usize>,
    /// Where a comment began.
    comment: Option<usize>,
    /// How far a search for the partner came.
    search: Option<Search>,
    /// Up to where there is no run of one, of two backticks.
    none_until: [usize; 2],
    /// Up to where there is no end of a comment.
    no_comment_end_until: usize,
}

#[derive(Debug, Clone, Copy)]
struct Search {
    from: usize,
    at: usize,
}

/// Whether a tag is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    No,
    NeedMore,
    /// It is, and the quote ends here.
    Until(usize),
}

impl Quoting {
    /// One or two backticks: they open, or close what the same number opened.
    pub(super) fn ticks(&mut self, run: usize) {
        match self.ticks {
            Some(open) if open == run => self.ticks = None,
            Some(_) => {}
            None => self.ticks = Some(run),
        }
    }

    /// The start of a comment.
    pub(super) fn comment(&mut self, at: usize) {
        self.comment.get_or_insert(at);
    }

    /// Inline code does not go over the end of a line.
    pub(super) fn line_ends(&mut self) {
        self.ticks = None;
    }

    /// Nothing is open any more.
    pub(super) fn clear(&mut self) {
        self.ticks = None;
        self.comment = None;
        self.search = None;
    }

    /// Whether the tag at `at` is quoted.
    pub(super) fn covers(&mut self, at: usize, window: &Window, input: Input) -> Quoted {
        if let Some(from) = self.comment {
            match self.comment_end(from, window, input) {
                Quoted::Until(end) if end > at => {
                    self.clear();
                    return Quoted::Until(end);
                }
                Quoted::NeedMore => return Quoted::NeedMore,
                _ => self.comment = None,
            }
        }
        let Some(run) = self.ticks else { return Quoted::No };
        let found = self.partner(run, at, window, input);
        if found != Quoted::NeedMore {
            self.ticks = None;
            self.search = None;
        }
        found
    }

    /// The next run of as many backticks on the same line.
    fn partner(&mut self, run: usize, from: usize, window: &Window, input: Input) -> Quoted {
        let known = self.none_until.get(run - 1).copied().unwrap_or_default();
        if from < known {
            return Quoted::No;
        }
        let mut at = self.search.filter(|search| search.from == from).map_or(from, |search| search.at);
        let stop = loop {
            let rest = window.rest(at).as_bytes();
            let Some(next) = memchr::memchr2(b'`', b'\n', rest) else {
                at = window.end();
                break Stop::End;
            };
            at += next;
            if at - from > LONGEST || rest.get(next) == Some(&b'\n') {
                break Stop::None;
            }
            let ticks = window.rest(at).bytes().take(MOST_TICKS).take_while(|byte| *byte == b'`').count();
            if at + ticks == window.end() && input == Input::Open && ticks < MOST_TICKS {
                break Stop::End;
            }
            if ticks == run {
                return Quoted::Until(at + ticks);
            }
            at += ticks;
        };
        if matches!(stop, Stop::End) && input == Input::Open && at - from <= LONGEST {
            self.search = Some(Search { from, at });
            return Quoted::NeedMore;
        }
        if let Some(until) = self.none_until.get_mut(run - 1) {
            *until = at.min(from + LONGEST);
        }
        Quoted::No
    }

    /// Where the comment that began at `from` ends. Looked for within [`LONGEST`] bytes, each of them once.
    fn comment_end(&mut self, from: usize, window: &Window, input: Input) -> Quoted {
        let limit = window.floor(window.end().min(from + LONGEST));
        let start = window.floor(from.max(self.no_comment_end_until));
        match memchr::memmem::find(window.slice(Span::new(start, limit)).as_bytes(), b"-->") {
            Some(at) => Quoted::Until(start + at + 3),
            None => {
                self.no_comment_end_until = self.no_comment_end_until.max(limit.saturating_sub(2));
                let open = window.end() < from + LONGEST && input == Input::Open;
                if open { Quoted::NeedMore } else { Quoted::No }
            }
        }
    }
}

enum Stop {
    None,
    End,
}

/// The longest quote.
const LONGEST: usize = 16 << 10;

/// More backticks in a row quote nothing.
pub(super) const MOST_TICKS: usize = 64;
