//! What follows a place in a tag: looked at without taking it, a bounded stretch at most.

use super::characters::{Peek, peek};
use super::{Bounds, Input};

/// Whether a tag can go on at a place.
pub(super) enum Goes {
    NeedMore,
    Yes,
    No,
}

/// Whether a tag can go on at a place: a bracket, or the next attribute.
pub(super) fn goes_on(text: &str, at: usize, input: Input, bounds: &Bounds) -> Goes {
    let mut at = at;
    for _ in 0..MOST_BLANKS {
        match peek(text, at, input) {
            Peek::NeedMore => return Goes::NeedMore,
            Peek::End => return Goes::Yes,
            Peek::Unit(unit) if unit.is_blank() || unit.is_invisible() || matches!(unit.symbol, ',' | ';') => {
                at += unit.len;
            }
            Peek::Unit(unit) => {
                return match unit.symbol {
                    '>' | '<' => Goes::Yes,
                    '/' => match next_after_blanks(text, at + unit.len, input) {
                        Peek::NeedMore => Goes::NeedMore,
                        Peek::Unit(next) if next.symbol == '>' => Goes::Yes,
                        _ => Goes::No,
                    },
                    _ if unit.begins_name() => match whole_word(text, at, input, bounds) {
                        Word::NeedMore => Goes::NeedMore,
                        Word::TooLong => Goes::No,
                        Word::Is(_, end) => match next_after_blanks(text, end, input) {
                            Peek::NeedMore => Goes::NeedMore,
                            Peek::Unit(next) if matches!(next.symbol, '=' | ':') => Goes::Yes,
                            _ => Goes::No,
                        },
                    },
                    _ => Goes::No,
                };
            }
        }
    }
    Goes::Yes
}

/// What word is at a place.
pub(super) enum Word {
    NeedMore,
    TooLong,
    Is(String, usize),
}

/// The word at a place, folded, and where it ends.
pub(super) fn whole_word(text: &str, from: usize, input: Input, bounds: &Bounds) -> Word {
    let mut word = String::new();
    let mut at = from;
    loop {
        match peek(text, at, input) {
            Peek::NeedMore => return Word::NeedMore,
            Peek::Unit(unit) if unit.is_invisible() => at += unit.len,
            Peek::Unit(unit) if unit.symbol == ':' && !word.is_empty() => match peek(text, at + unit.len, input) {
                Peek::NeedMore => return Word::NeedMore,
                // `id: 3` and `id:"3"` for `id="3"`.
                Peek::Unit(next) if next.symbol.is_alphabetic() => {
                    word.push(':');
                    at += unit.len;
                }
                _ => return Word::Is(word, at),
            },
            Peek::Unit(unit) if unit.is_of_name() => {
                word.extend(unit.symbol.to_lowercase());
                at += unit.len;
            }
            _ => return Word::Is(word, at),
        }
        if at - from > bounds.name {
            return Word::TooLong;
        }
    }
}

/// The first character that is no blank, within a few.
pub(super) fn next_after_blanks(text: &str, from: usize, input: Input) -> Peek {
    let mut at = from;
    for _ in 0..MOST_BLANKS {
        match peek(text, at, input) {
            Peek::Unit(unit) if unit.is_blank() || unit.is_invisible() => at += unit.len,
            other => return other,
        }
    }
    Peek::End
}

/// The most blanks that are looked over to see what follows.
const MOST_BLANKS: usize = 64;
