//! Single characters of markup: what a model wrote full-width, as an entity or invisibly is read as what it stands for.
//!
//! Content is never folded by this; only brackets, slashes, equals signs and names are.

use super::{Input, Oddities};

/// One character of markup.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    /// What it stands for.
    pub(super) symbol: char,
    /// The bytes it takes.
    pub(super) len: usize,
    /// What had to be tolerated.
    pub(super) odd: Oddities,
}

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Peek {
    /// A character.
    Unit(Unit),
    /// The text is over, or over in the middle of what may become an entity.
    NeedMore,
    /// The text is over for good.
    End,
}

/// The character of markup at the byte `at`.
pub(super) fn peek(text: &str, at: usize, input: Input) -> Peek {
    let rest = text.get(at..).unwrap_or_default();
    let Some(first) = rest.chars().next() else {
        return if input == Input::Open { Peek::NeedMore } else { Peek::End };
    };
    if first == '\\' {
        // Markdown escapes the low line: `create\_note`.
        if rest.starts_with("\\_") {
            let odd = Oddities { backslash: true, ..Oddities::default() };
            return Peek::Unit(Unit { symbol: '_', len: 2, odd });
        }
        if rest.len() == 1 && input == Input::Open {
            return Peek::NeedMore;
        }
    }
    if first == '&' {
        match entity(rest) {
            Entity::Is(symbol, len) => {
                let odd = Oddities { entity: true, ..Oddities::default() };
                return Peek::Unit(Unit { symbol, len, odd });
            }
            Entity::MayBecome if input == Input::Open => return Peek::NeedMore,
            _ => {}
        }
    }
    Peek::Unit(plain(first))
}

impl Unit {
    /// Whether it is a blank of any kind.
    pub(super) fn is_blank(self) -> bool {
        self.symbol.is_whitespace()
    }

    /// Whether nobody sees it.
    pub(super) fn is_invisible(self) -> bool {
        is_invisible(self.symbol)
    }

    /// Whether it may be inside a name.
    pub(super) fn is_of_name(self) -> bool {
        self.symbol.is_alphanumeric() || matches!(self.symbol, '_' | '-' | '.' | ':' | '|' | '#' | '▁')
    }

    /// Whether a name may begin with it.
    pub(super) fn begins_name(self) -> bool {
        self.symbol.is_alphabetic() || matches!(self.symbol, '_' | '|')
    }
}

/// Whether nobody sees a character: zero-width blanks and joiners, marks of direction, soft hyphens.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' | '\u{180e}')
}

/// A text with its entities decoded, once.
pub(crate) fn decode_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        decoded.push_str(before);
        let (symbol, len) = match single(from) {
            Entity::Is(symbol, len) => (symbol, len),
            _ => ('&', 1),
        };
        decoded.push(symbol);
        rest = from.get(len..).unwrap_or_default();
    }
    decoded.push_str(rest);
    decoded
}

/// A character by itself.
fn plain(first: char) -> Unit {
    let mut odd = Oddities::default();
    let symbol = match first {
        '\u{ff01}'..='\u{ff5e}' => {
            odd.wide = true;
            char::from_u32(u32::from(first) - 0xfee0).unwrap_or(first)
        }
        '﹤' | '﹥' => {
            odd.wide = true;
            if first == '﹤' { '<' } else { '>' }
        }
        '〈' | '〉' => {
            odd.foreign = true;
            if first == '〈' { '<' } else { '>' }
        }
        _ => first,
    };
    Unit { symbol, len: first.len_utf8(), odd }
}

enum Entity {
    Is(char, usize),
    MayBecome,
    IsNot,
}

/// The entity at the beginning of a text, also one whose `&` was escaped again: `&amp;lt;`.
fn entity(text: &str) -> Entity {
    let outer = single(text);
    let Entity::Is('&', len) = outer else { return outer };
    let inner = format!("&{}", head(text.get(len..).unwrap_or_default(), LONGEST_ENTITY));
    match single(&inner) {
        Entity::Is(symbol, inner_len) => Entity::Is(symbol, len + inner_len - 1),
        Entity::MayBecome => Entity::MayBecome,
        Entity::IsNot => outer,
    }
}

/// The entity at the beginning of a text that begins with `&`.
fn single(text: &str) -> Entity {
    let body = head(text.strip_prefix('&').unwrap_or_default(), LONGEST_ENTITY);
    let Some(end) = body.find(';') else {
        let open = body.chars().all(|c| c.is_ascii_alphanumeric() || c == '#');
        return if open && body.len() < LONGEST_ENTITY { Entity::MayBecome } else { Entity::IsNot };
    };
    let name = body.get(..end).unwrap_or_default();
    let symbol = match name.strip_prefix('#') {
        Some(number) => decode_number(number),
        None => ENTITIES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, symbol)| *symbol),
    };
    symbol.map_or(Entity::IsNot, |symbol| Entity::Is(symbol, end + 2))
}

/// `60` and `x3c` as characters.
fn decode_number(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32).filter(|c| *c != '\0')
}

/// At most `bytes` bytes from the beginning.
fn head(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

/// The entities that occur in tags and in what models escape.
const ENTITIES: [(&str, char); 10] = [
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("sol", '/'),
    ("equals", '='),
    ("lowbar", '_'),
    ("num", '#'),
];

/// `#x10ffff;` is the longest that is read.
const LONGEST_ENTITY: usize = 9;
