//! Makes two spellings of the same text the same text.
//!
//! Lower case, narrow letters, plain quotes and dashes, no accents: what people and models change without meaning
//! anything by it. It never reorders letters, so that a phrase stays a phrase, and never joins two letters of another script.

use super::words::narrow;

/// A text, folded.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// Adds a text, folded, to another.
pub fn fold_into(text: &str, out: &mut String) {
    let start = out.len();
    if text.is_ascii() {
        out.push_str(text);
        if let Some(tail) = out.get_mut(start..) {
            tail.make_ascii_lowercase();
        }
        return;
    }
    out.reserve(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            '\u{4e00}'..='\u{9fff}' => out.push(c),
            '‘' | '’' | '´' | '`' => out.push('\''),
            '“' | '”' => out.push('"'),
            '‐'..='―' | '−' => out.push('-'),
            '\u{a0}' | '\u{202f}' | '\u{2009}' => out.push(' '),
            other => push_plain(other, out),
        }
    }
}

/// A text in lower case, as [`str::to_lowercase`] gives it; quick for Chinese, whose characters have no case.
pub fn lowercase(text: &str) -> String {
    if text.is_ascii() || is_caseless(text.as_bytes()) { text.to_ascii_lowercase() } else { text.to_lowercase() }
}

/// Whether no character beyond ASCII can have a case.
fn is_caseless(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        at += match first {
            0..=0x7f => 1,
            0xe3..=0xe9 => 3,
            // ° and ²; “, — and €; ， and ：, not Ａ.
            0xc2 => 2,
            0xe2 if matches!(bytes.get(at + 1), Some(0x80..=0x82)) => 3,
            0xef if bytes.get(at + 1) == Some(&0xbc) && !matches!(bytes.get(at + 2), Some(0xa1..=0xba)) => 3,
            _ => return false,
        };
    }
    true
}

/// The letters and digits of a name, folded: `Prénom ` and `prenom`, `first_name` and `First Name` are the same.
pub fn fold_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii() {
            out.extend(c.is_ascii_alphanumeric().then(|| c.to_ascii_lowercase()));
        } else {
            fold_letter(c, &mut out);
        }
    }
    out
}

/// Adds one letter outside ASCII, folded; nothing for a mark or a blank.
pub(crate) fn fold_letter(letter: char, out: &mut String) {
    if narrow(letter).is_alphanumeric() {
        push_plain(letter, out);
    }
}

/// Adds a letter in lower case, narrow and without its accents.
fn push_plain(letter: char, out: &mut String) {
    for lower in narrow(letter).to_lowercase() {
        match lower {
            // Combining accents.
            '\u{300}'..='\u{36f}' => {}
            '\u{aa}'..='\u{45f}' | '\u{1e00}'..='\u{1eff}' => match find_base(lower) {
                Some(base) => out.push_str(base),
                None => out.push(lower),
            },
            other => out.push(other),
        }
    }
}

/// The letters under an accent or a ligature, for a letter in lower case.
fn find_base(letter: char) -> Option<&'static str> {
    BASES.iter().find(|(_, accented)| accented.contains(letter)).map(|(base, _)| *base)
}

/// Each base with its accented forms.
const BASES: &[(&str, &str)] = &[
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁẚạảấầẩẫậắằẳẵặª"),
    ("ae", "æǣǽ"),
    ("b", "ḃḅḇ"),
    ("c", "çćĉċčḉ"),
    ("d", "ďđðḋḍḏḑḓ"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ("f", "ḟ"),
    ("g", "ĝğġģǧǵḡ"),
    ("h", "ĥħȟḣḥḧḩḫẖ"),
    ("i", "ìíîïĩīĭįıǐȉȋḭḯỉị"),
    ("j", "ĵǰ"),
    ("k", "ķǩḱḳḵ"),
    ("l", "ĺļľŀłḷḹḻḽ"),
    ("m", "ḿṁṃ"),
    ("n", "ñńņňŉǹṅṇṉṋ"),
    ("o", "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợº"),
    ("oe", "œ"),
    ("p", "ṕṗ"),
    ("r", "ŕŗřȑȓṙṛṝṟ"),
    ("s", "śŝşšșṡṣṥṧṩ"),
    ("ss", "ß"),
    ("t", "ţťŧțṫṭṯṱẗ"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ("v", "ṽṿ"),
    ("w", "ŵẁẃẅẇẉẘ"),
    ("x", "ẋẍ"),
    ("y", "ýÿŷȳẏẙỳỵỷỹ"),
    ("z", "źżžẑẓẕ"),
    ("е", "ёѐ"),
    ("и", "йѝ"),
    ("α", "ά"),
    ("ε", "έ"),
    ("η", "ή"),
    ("ι", "ίϊΐ"),
    ("ο", "ό"),
    ("υ", "ύϋΰ"),
    ("ω", "ώ"),
    ("σ", "ς"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_case_is_that_of_the_library() {
        for c in (char::MIN..=char::MAX).filter(|c| !c.is_control()) {
            let text = format!("A{c}中 {c}b");
            assert_eq!(lowercase(&text), text.to_lowercase(), "{c:?}");
        }
    }

    #[test]
    fn spellings_meet() {
        // CALL-8
        assert_eq!(fold("São Paulo “Zürich” ＡＢＣ１２ Ł"), "sao paulo \"zurich\" abc12 l");
        assert_eq!(fold("北京’s"), "北京's");
    }

    // PARSE-2
    #[test]
    fn what_people_change_in_a_name_is_folded_away() {
        assert_eq!(fold_name(" Straße_NAME "), "strassename");
        assert_eq!(fold_name("e\u{301}le\u{300}ve"), "eleve");
        assert_eq!(fold_name("Ｎｕｍｂｅｒ １"), "number1");
        assert_eq!(fold_name("İstanbul"), "istanbul");
        assert_eq!(fold_name("城市-名"), "城市名");
        assert_eq!(fold_name("フィールド"), "フィールド");
        assert_eq!(fold_name("—…  "), "");
    }
}
