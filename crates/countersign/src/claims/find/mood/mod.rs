//! The mood of a sentence: which of its tokens state something at all.
//!
//! A question, an order, a recipe, advice, a rule, a plan and what is only supposed state nothing about the world; nor
//! does a title. A sentence is judged in segments (between colons and semicolons), because "Compare both: the first is
//! cheaper than the second" asks and tells. It knows no claims.

mod english;
mod chinese;

use super::lexicon::SUPPOSE;
use super::names::{name, names};
use super::sentence::Sentence;
use super::tokens::{Case, Gap, Seen, Shape, Token, signs};
use crate::text::lists::word_list;
use std::ops::Range;

/// What holds from one sentence to the next: "Suppose a train leaves at nine. It travels at 80 km/h."
#[derive(Debug, Default)]
pub(crate) struct Mood {
    supposing: bool,
}

impl Mood {
    /// Notes where a sentence begins a new line, and what one without claims supposes.
    pub(crate) fn pass(&mut self, tokens: &[Token], seen: &Seen) {
        self.supposing &= tokens.first().is_none_or(|token| token.gap != Gap::Line);
        self.supposing |= seen.has(SUPPOSE) && tokens.first().is_some_and(|token| token.has(SUPPOSE));
    }

    /// Hands over the runs of tokens in which nothing is stated.
    pub(crate) fn silence(&mut self, sentence: &Sentence, mut silence: impl FnMut(Range<usize>)) {
        if self.supposing || asks(sentence) {
            silence(0..sentence.tokens.len());
            return;
        }
        let mut segment = |from: usize, to: usize| {
            if let Some(Silent { start, supposing }) = find_start(sentence, from, to) {
                self.supposing |= supposing;
                silence(start..to);
            }
        };
        let mut from = 0;
        if sentence.seen.sign(const { signs(":;") }) {
            for (at, token) in sentence.tokens.iter().enumerate() {
                if token.shape == Shape::Sign && matches!(token.first, ':' | '：' | ';' | '；') {
                    segment(from, at);
                    from = at + 1;
                }
            }
        }
        segment(from, sentence.tokens.len());
        if sentence.seen.sign(const { signs("*\"") }) {
            titles(sentence, silence);
        }
    }
}

/// Where a segment stops to state, and whether what it supposes holds for the sentences behind it too.
struct Silent {
    start: usize,
    supposing: bool,
}

impl Silent {
    /// Nothing is stated from a token on.
    fn from(start: usize) -> Self {
        Self { start, supposing: false }
    }
}

fn find_start(sentence: &Sentence, from: usize, to: usize) -> Option<Silent> {
    if sentence.chinese { chinese::find_start(sentence, from, to) } else { english::find_start(sentence, from, to) }
}

/// Whether a sentence counts what its writer is about to list: "Here are three ways to do it:", 下面介绍五个技巧：.
pub(crate) fn announces(sentence: &Sentence) -> bool {
    let colon = sentence.tokens.last().is_some_and(|last| last.is(':') || last.is('：'));
    let opens = sentence
        .one_of(0, names!["here", "here's", "there", "below", "these", "i", "i'll", "we", "you", "my", "our", "let's"])
        || sentence.word(1, name!("following"));
    let start = sentence.text.get(sentence.at(0).start..).unwrap_or_default();
    colon || opens || sentence.chinese && LISTS.iter().any(|word| start.starts_with(word))
}

/// Whether a sentence asks, with or without its mark.
fn asks(sentence: &Sentence) -> bool {
    let last = sentence.tokens.iter().rposition(|t| !matches!(t.first, '"' | '”' | ')' | '*' | '’' | '）'));
    let Some(last) = last else { return false };
    let marked = sentence.is(last, '?') || sentence.is(last, '？');
    let particle = |at: usize| matches!(sentence.lone(at), '吗' | '嗎');
    let end = if sentence.divides(last) { last.wrapping_sub(1) } else { last };
    marked || particle(end) || sentence.chinese && (end.saturating_sub(3)..=end).any(|at| sentence.words(at) == "多少")
}

/// What is in 《》, or alone with a capital in quotation marks, is a name.
fn titles(sentence: &Sentence, mut silence: impl FnMut(Range<usize>)) {
    let mut book = None;
    for (at, token) in sentence.tokens.iter().enumerate().filter(|(_, token)| token.shape == Shape::Sign) {
        let slanted = token.first == '*' && !sentence.is(at + 1, '*') && !sentence.before(at).is('*');
        let closes =
            |at: &usize| if slanted { sentence.is(*at, '*') } else { sentence.is(*at, '"') || sentence.is(*at, '”') };
        let opens = matches!(token.first, '"' | '“') || slanted;
        let close = if opens { (at + 1..at + 6).find(closes) } else { None };
        if let Some(close) = close
            && (at + 1..close).any(|at| sentence.at(at).case == Case::Capital)
        {
            silence(at..close);
        }
        match token.first {
            '《' if book.is_none() => book = Some(at),
            '》' => book.take().into_iter().for_each(|from| silence(from..at)),
            _ => {}
        }
    }
    book.into_iter().for_each(|from| silence(from..sentence.tokens.len()));
}

/// Behind "1.", "(2)", "- ", "Step 3:".
fn past_numbering(sentence: &Sentence, from: usize) -> usize {
    let mut at = from;
    for _ in 0..4 {
        let token = sentence.at(at);
        let opens = token.shape == Shape::Sign
            && matches!(token.first, '-' | '*' | '•' | '(' | '（' | '"' | '“' | '>' | '#' | '✅' | '👉');
        let counted = token.shape == Shape::Digits && (at == from || sentence.before(at).first == '(');
        let closes = token.shape == Shape::Sign && matches!(token.first, '.' | ')' | '）' | '、') && at > from;
        if !(opens || counted && !sentence.at(at + 1).shape.eq(&Shape::Word) || closes) {
            break;
        }
        at += 1;
    }
    at
}

/// What opens a sentence about a list.
const LISTS: &[&str] = word_list!("claims", "find/mood/lists");
