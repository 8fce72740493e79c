//! The tokens that most of a text is made of: words, numbers and Chinese characters with nothing joined to them.
//!
//! They need not be looked through for what people copy (ids, paths, addresses), which takes ten times as long. Whatever may be
//! more than that is left to the lexer, so the tokens are the same.

/// The end of the word, number or Chinese character that begins at a place, where it is certain that it is no more than that.
#[inline]
pub(super) fn plain_end(text: &[u8], start: usize) -> Option<usize> {
    let near = || text.get(start..text.len().min(start + LONGEST));
    match *text.get(start)? {
        b'a'..=b'z' => plain_word(near()?, text, start),
        b'0'..=b'9' => {
            let end = start + plain_number(near()?)?;
            ends_run(text, end).then_some(end)
        }
        0xe4..=0xe9 if text.get(start..start + 2)? >= FIRST_HAN.as_slice() => Some(start + 3),
        _ => None,
    }
}

/// The end of a word, perhaps with an apostrophe inside, which hyphens may join to others and nothing else.
#[inline]
fn plain_word(near: &[u8], text: &[u8], start: usize) -> Option<usize> {
    let mut length = count_letters(near);
    if ends_run(text, start + length) {
        return Some(start + length);
    }
    while let Some([b'\'', b'a'..=b'z', ..]) = near.get(length..) {
        length += 1 + count_letters(near.get(length + 1..)?);
    }
    let joins = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'-' | b'\'');
    let run = length + near.get(length..)?.iter().take_while(joins).count();
    ends_run(text, start + run).then_some(start + length)
}

/// How many letters of ASCII a text begins with.
#[inline]
fn count_letters(text: &[u8]) -> usize {
    let (eights, rest) = text.as_chunks::<8>();
    let mut count = 0;
    for eight in eights {
        let eight = u64::from_le_bytes(*eight);
        // The highest bit of each byte that is a letter; no byte carries into the next, 0x7f + 0x1f fits.
        let low = eight & (ONES * 0x7f);
        let letters = (low + ONES * 0x1f) & !(low + ONES * 0x05) & !eight & (ONES * 0x80);
        if letters != ONES * 0x80 {
            return count + (!letters & (ONES * 0x80)).trailing_zeros() as usize / 8;
        }
        count += 8;
    }
    count + rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count()
}

/// The length of a number that nobody takes for an id.
fn plain_number(rest: &[u8]) -> Option<usize> {
    let length = number_width(rest);
    let number = rest.get(..length)?;
    let counted = number.iter().any(|byte| matches!(byte, b',' | b'.'));
    let short = length < 7 && (length < 3 || !number.starts_with(b"0")) && !number.contains(&b'\'');
    (counted || short).then_some(length)
}

/// Digits with separators of thousands and one decimal point.
pub(super) fn number_width(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    while end <= 3 + 4 * MAX_GROUPS && matches!(bytes.get(end), Some(b',' | b'\'')) && digits(end + 1) == 3 {
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    end
}

/// Whether a run of letters and digits ends at a place, perhaps with a sign of punctuation that does not belong to it.
#[inline]
fn ends_run(text: &[u8], at: usize) -> bool {
    match class(text, at) {
        Class::Goes => false,
        Class::Trimmed => matches!(class(text, at + 1), Class::Ends),
        Class::Ends => true,
    }
}

#[inline]
fn class(text: &[u8], at: usize) -> Class {
    let Some(byte) = text.get(at) else { return Class::Ends };
    match CLASSES.get(usize::from(*byte)) {
        Some(Class::Goes) if is_wide_sign(text.get(at..).unwrap_or_default()) => Class::Ends,
        Some(class) => *class,
        None => Class::Goes,
    }
}

/// Whether a sign stands at a place that begins nothing else.
#[inline]
pub(super) fn is_plain_sign(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b'/' | b'~' | b'.' | b'+' | b'_') => text.get(at + 1).is_none_or(u8::is_ascii_whitespace),
        Some(byte @ 0..=0x7f) => byte.is_ascii_graphic() && !byte.is_ascii_alphanumeric(),
        _ => is_wide_sign(text.get(at..).unwrap_or_default()),
    }
}

/// Whether a text begins with a sign of Chinese punctuation: 、。《》「」【】，：！？“”—….
#[inline]
fn is_wide_sign(text: &[u8]) -> bool {
    matches!(
        text,
        [0xe3, 0x80, 0x81 | 0x82 | 0x88..=0x91, ..]
            | [0xef, 0xbc, 0x81..=0x8f | 0x9a..=0xa0, ..]
            | [0xe2, 0x80, 0x90..=0x98 | 0x9c..=0xa6, ..]
    )
}

/// What a byte behind a run does to it.
#[derive(Clone, Copy)]
enum Class {
    /// It ends the run.
    Ends,
    /// It is cut off where nothing follows it.
    Trimmed,
    /// It may go on with the run.
    Goes,
}

/// Whether a sign may join the parts of an id, an address or a path.
pub(super) const fn is_joiner(c: char) -> bool {
    cut_at_end(c) || matches!(c, '_' | '/' | '@' | '²' | '³')
}

/// Whether a sign joins only where something follows it.
pub(super) const fn cut_at_end(c: char) -> bool {
    matches!(c, '-' | '.' | ':' | '+' | ',' | '\'' | '’' | '?' | '&' | '=' | '#' | '%' | '~')
}

const CLASSES: [Class; 256] = classify();

#[expect(clippy::indexing_slicing, reason = "runs while the program is built: a wrong place fails the build")]
const fn classify() -> [Class; 256] {
    let (mut classes, mut byte) = ([Class::Goes; 256], 0u8);
    while byte < u8::MAX {
        let c = byte as char;
        if byte.is_ascii() && cut_at_end(c) {
            classes[byte as usize] = Class::Trimmed;
        } else if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !is_joiner(c) || matches!(byte, 0xe4..=0xe9) {
            // Chinese characters end a run; of other signs beyond ASCII the first byte does not tell.
            classes[byte as usize] = Class::Ends;
        }
        byte += 1;
    }
    classes
}

/// The first two bytes of the first character that is written in Chinese.
const FIRST_HAN: [u8; 2] = [0xe4, 0xb8];
const MAX_GROUPS: usize = 4;
/// A one in every byte.
const ONES: u64 = u64::MAX / 0xff;
/// A longer word or number is left to the lexer.
const LONGEST: usize = 64;
