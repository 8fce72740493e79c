//! Versions: v1.2.3, version 2.1, Python 3.12, 2.0.0-rc.1. A version takes its marker, else the product's name.

use crate::claims::find::found::Found;
use crate::claims::find::lexicon::{
    CURRENCY, IMPERATIVE, MARKER, MONTH, PREPOSITION, PRODUCT, SCALE, STATISTIC, STATISTIC_TAIL, UNIT, VERSION,
};
use crate::claims::find::names::{name, names};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Gap, Shape};
use crate::contract::{ClaimKind, ClaimValue};

/// The version that begins at a token.
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    match token.shape {
        Shape::Word if marker_letter(s, at) => version(s, at, behind(s, at + 1), s.words(at)),
        Shape::Word | Shape::Han => find_named(s, at),
        Shape::Digits => bare(s, at).or_else(|| edition(s, at)),
        _ => None,
    }
}

/// v5, v1.2.3: a word of `v` and digits.
fn marker_letter(s: &Sentence, at: usize) -> bool {
    let word = s.words(at);
    let digits = word.strip_prefix(['v', 'V']).unwrap_or_default();
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !(s.at(at).glued() && (s.before(at).shape == Shape::Word || s.before(at).is('/')))
        && !(s.before(at).is('(') && s.before(at).glued() && s.at(at.wrapping_sub(2)).shape == Shape::Word)
}

/// "version 2.1", 版本1.8.0, "Python 3.12", 鸿蒙4.2, and "Tide 0.9" where a name is before a number with a point.
fn find_named(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    let mut number = at + 1;
    // Node.js, Next.js: the name has a point.
    if s.is(at + 1, '.') && s.word(at + 2, name!("js")) && s.at(at + 2).glued() {
        number = at + 3;
    }
    if s.at(number).shape != Shape::Digits || s.at(number).gap == Gap::Line {
        return None;
    }
    let end = behind(s, number + 1);
    let pointed = s.words(number).contains('.') || end > number + 1;
    let measured = s.has(end, UNIT | SCALE | CURRENCY) && !s.has(end, PREPOSITION)
        || s.is(end, '%')
        || s.is(end, '％')
        || s.is(end, '-') && s.at(end).glued()
        || s.word(end, name!("percent"));
    let year = !pointed && s.at(number).length() == 4;
    if measured || year && !token.has(VERSION) {
        return None;
    }
    let marked = token.has(VERSION) && (s.lone(at) != '版');
    if marked {
        return version(s, at, end, s.words(at));
    }
    let product = token.has(PRODUCT) || number > at + 1;
    let written = token.case != Case::Lower || token.shape == Shape::Han || pointed;
    if product && written && !is_counted(s, end, pointed) {
        return version(s, at, end, s.words(at));
    }
    let latin = s.chinese && token.shape == Shape::Word && s.words(number).contains('.') && end > number + 1;
    if latin {
        return version(s, at, end, s.words(at));
    }
    let name = (token.case == Case::Capital || token.case == Case::Upper && token.length() > 4 && end > number + 1)
        && s.at(at).length() > 2
        && at > 0
        && token.gap == Gap::Blank
        && !s.divides(at.wrapping_sub(1));
    let other = token.has(MARKER | STATISTIC | STATISTIC_TAIL | MONTH | CURRENCY | PREPOSITION | IMPERATIVE | SCALE);
    let rest = !s.has(end, SCALE) && s.at(end).shape != Shape::Word || s.has(end, PREPOSITION);
    (name && pointed && !other && rest && s.at(number).gap == Gap::Blank)
        .then(|| version(s, at, end, s.words(at)))
        .flatten()
}

/// "Windows 11 users" is a version, "Go 3 times" is none.
fn is_counted(s: &Sentence, end: usize, pointed: bool) -> bool {
    let next = s.at(end);
    !pointed && next.shape == Shape::Word && next.has(UNIT | SCALE) && !next.has(PREPOSITION)
}

/// 2.0.0-rc.1: three parts or a pre-release need no name.
fn bare(s: &Sentence, at: usize) -> Option<Found> {
    let before = s.before(at);
    let end = behind(s, at + 1);
    let parts = (at..end)
        .filter(|at| s.at(*at).shape == Shape::Digits)
        .map(|at| 1 + s.words(at).matches('.').count())
        .sum::<usize>();
    let pre = (at..end).any(|at| {
        s.one_of(at, names!["rc", "beta", "alpha", "dev", "preview"])
            || s.words(at).as_bytes().get(..2).is_some_and(|head| head.eq_ignore_ascii_case(b"rc"))
    });
    let free = !s.at(at).glued()
        || matches!(before.shape, Shape::Han)
        || matches!(before.first, '(' | '（' | '"' | '*' | '，' | '、' | '：' | '“');
    let named = before.has(MARKER)
        || before.shape == Shape::Sign && matches!(before.first, '§' | '#' | '/' | '=')
        || s.has(at.wrapping_sub(2), MARKER);
    let address = parts == 4
        && !s.words(at).is_empty()
        && (at..end).filter(|at| s.at(*at).shape == Shape::Digits).all(|at| {
            s.words(at).split('.').all(|part| part.len() <= 3 && part.parse::<u32>().is_ok_and(|n| n <= 255))
        });
    let section =
        matches!(s.lone(end), '节' | '章' | '条' | '款') || matches!(s.words(at.wrapping_sub(1)), "第" | "附录");
    let enough = parts >= 3 && !address || pre && parts >= 2;
    let end = end + usize::from(s.lone(end) == '版');
    (free && !named && !section && enough && !s.at(end).glued() | s.divides(end) | (s.at(end).shape == Shape::Han))
        .then(|| version(s, at, end, ""))
        .flatten()
}

/// 1.0版.
fn edition(s: &Sentence, at: usize) -> Option<Found> {
    (s.lone(at + 1) == '版' && s.words(at).contains('.')).then(|| version(s, at, at + 2, "")).flatten()
}

/// The rest of a version after its first part: `.3`, `-rc.1`, `+build`.
fn behind(s: &Sentence, mut at: usize) -> usize {
    for _ in 0..8 {
        let (sign, next) = (s.at(at), s.at(at + 1));
        let joins = sign.shape == Shape::Sign && sign.glued() && next.glued();
        let part = match sign.first {
            '.' => next.shape == Shape::Digits || s.one_of(at + 1, names!["x", "beta", "rc", "alpha", "post", "dev"]),
            '-' | '+' => {
                s.one_of(
                    at + 1,
                    names![
                        "beta", "rc", "alpha", "dev", "preview", "snapshot", "lts", "stable", "final", "patch", "pre",
                        "build", "nightly"
                    ],
                ) || next.coded && matches!(next.first.to_ascii_lowercase(), 'r' | 'b' | 'a' | 'p')
            }
            _ => false,
        };
        if !(joins && part) {
            break;
        }
        at += 2;
    }
    at
}

fn version(s: &Sentence, first: usize, end: usize, name: &str) -> Option<Found> {
    let number = s.text.get(s.at(first).start..s.before(end).end).unwrap_or_default();
    let number = number.strip_prefix(name).filter(|rest| !rest.is_empty()).unwrap_or(number).trim();
    let of = Some(name).filter(|name| !name.is_empty() && !number.contains(*name)).map(str::to_owned);
    let value = ClaimValue {
        of: Some(match of {
            Some(name) => format!("{name} {number}"),
            None => number.to_owned(),
        }),
        ..ClaimValue::default()
    };
    Some(Found { first, end, kind: ClaimKind::Version, value: Some(value) })
}
