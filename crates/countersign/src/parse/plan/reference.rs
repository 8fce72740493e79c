//! `#E1` in a text: the result of a step, named. The number is read whole (`#E12` is never `#E1`), and what goes on with
//! letters is something else, such as a colour (`#E1A2B3`).

use crate::parse::event::Span;

/// A reference to the result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    /// The number of the step.
    pub number: u32,
    /// Where it is.
    pub span: Span,
    /// Whether it is written as it should be. `#e1` may be meant, and may be something else.
    pub plain: bool,
}

/// Evidence that an answer names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Which, such as `#E1`.
    pub id: String,
    /// Where it is, its own brackets included.
    pub span: Span,
}

/// Every piece of evidence that an answer names: `#E1`, `[#E1]`, `[E1]`, `[#E1, #E2]`, also full-width. At most a
/// thousand.
pub fn citations(text: &str) -> Vec<Citation> {
    let mut found: Vec<Citation> = Vec::new();
    for (at, opening) in text.match_indices(['#', '＃', '[', '［', '【']) {
        if found.len() >= MOST_CITATIONS {
            break;
        }
        if found.last().is_some_and(|last| at < last.span.end) {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        if matches!(opening, "#" | "＃") {
            let marked = marked(rest).filter(|(_, _, plain)| *plain);
            found.extend(marked.map(|(number, len, _)| citation(number, at, at + len)));
        } else {
            find_bracketed(rest, at, opening.len(), &mut found);
        }
    }
    found
}

/// The name of the step with a number.
pub(super) fn id(number: u32) -> String {
    format!("#E{number}")
}

/// Every reference in a text.
pub(super) fn references(text: &str) -> impl Iterator<Item = Reference> {
    text.match_indices(['#', '＃']).filter_map(|(at, _)| {
        let (number, len, plain) = marked(text.get(at..)?)?;
        Some(Reference { number, span: Span::new(at, at + len), plain })
    })
}

/// `#E1` at the beginning of a text: the number, the length, and whether it is written as it should be.
pub(super) fn marked(text: &str) -> Option<(u32, usize, bool)> {
    let rest = text.strip_prefix(['#', '＃'])?;
    let mark = text.len() - rest.len();
    let (number, len, plain) = numbered(rest)?;
    Some((number, mark + len, plain))
}

/// `E1` at the beginning of a text.
pub(super) fn numbered(text: &str) -> Option<(u32, usize, bool)> {
    let mut characters = text.char_indices();
    let (_, letter) = characters.next()?;
    if !matches!(letter, 'E' | 'e' | 'Ｅ' | 'ｅ') {
        return None;
    }
    let (mut number, mut digits, mut len) = (0, 0, letter.len_utf8());
    for (at, c) in characters {
        match narrow(c).to_digit(10) {
            Some(digit) if digits < MOST_DIGITS => number = number * 10 + digit,
            Some(_) => return None,
            None if c.is_ascii_alphabetic() || c == '_' => return None,
            None => break,
        }
        digits += 1;
        len = at + c.len_utf8();
    }
    (digits > 0).then_some((number, len, letter != 'e'))
}

/// A character of full width as the plain one it stands for.
pub(super) fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        '【' => '[',
        '】' => ']',
        _ => c,
    }
}

/// What a bracket holds where it holds evidence alone. One piece is cited with its brackets, each of several alone.
fn find_bracketed(rest: &str, at: usize, opening: usize, found: &mut Vec<Citation>) {
    let inner = rest.get(opening..).unwrap_or_default();
    let mut named: Vec<(u32, usize, usize)> = Vec::new();
    let mut place = 0;
    loop {
        let here = inner.get(place..).unwrap_or_default();
        let Some(c) = here.chars().next() else { return };
        if let Some((number, len, _)) = marked(here).or_else(|| numbered(here)) {
            named.push((number, place, place + len));
            place += len;
            continue;
        }
        match c {
            ']' | '］' | '】' => break,
            ' ' | ',' | ';' | '，' | '、' | '；' if !named.is_empty() && named.len() < MOST_TOGETHER => {
                place += c.len_utf8()
            }
            _ => return,
        }
    }
    let inside = at + opening;
    match named.as_slice() {
        [(number, _, end)] => {
            let closing = inner.get(*end..).and_then(|rest| rest.find([']', '］', '】']).map(|behind| (rest, behind)));
            let after = closing.map_or(0, |(rest, behind)| behind + rest.get(behind..).map_or(0, first_len));
            found.push(citation(*number, at, inside + end + after));
        }
        several => {
            found.extend(several.iter().map(|(number, start, end)| citation(*number, inside + start, inside + end)))
        }
    }
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn citation(number: u32, start: usize, end: usize) -> Citation {
    Citation { id: id(number), span: Span::new(start, end) }
}

/// The longest number: colours and other hexadecimal things are longer.
const MOST_DIGITS: usize = 4;
/// Pieces of evidence in one pair of brackets.
const MOST_TOGETHER: usize = 32;
/// Citations of one answer.
const MOST_CITATIONS: usize = 1000;
