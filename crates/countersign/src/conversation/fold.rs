//! Makes two spellings of the same text the same text.
//!
//! Lower case, narrow letters, plain quotes and dashes, no accents: what people and models change without meaning
//! anything by it. It never reorders or drops letters, so that a phrase stays a phrase.

use crate::text::words::narrow;

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
        fold_char(c, out);
    }
}

/// A text, folded.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

fn fold_char(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    match c {
        '\u{4e00}'..='\u{9fff}' => out.push(c),
        '‘' | '’' | '´' | '`' => out.push('\''),
        '“' | '”' => out.push('"'),
        '‐'..='―' | '−' => out.push('-'),
        '\u{a0}' | '\u{202f}' | '\u{2009}' => out.push(' '),
        'ß' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => out.push(plain(c)),
        // Combining accents.
        '\u{300}'..='\u{36f}' => {}
        other => out.extend(narrow(other).to_lowercase()),
    }
}

/// The bare letter of an accented one.
fn plain(c: char) -> char {
    let lower = c.to_lowercase().next().unwrap_or(c);
    PLAIN.iter().find(|(_, accented)| accented.contains(lower)).map_or(lower, |(bare, _)| *bare)
}

const PLAIN: &[(char, &str)] = &[
    ('a', "àáâãäåāăąǎạảấầẩẫậắằẳẵặ"),
    ('e', "èéêëēĕėęěẹẻẽếềểễệ"),
    ('i', "ìíîïĩīĭįıǐịỉ"),
    ('o', "òóôõöøōŏőǒọỏốồổỗộớờởỡợơ"),
    ('u', "ùúûüũūŭůűųǔụủứừửữựư"),
    ('c', "çćĉċč"),
    ('d', "ďđð"),
    ('g', "ĝğġģ"),
    ('l', "ĺļľŀł"),
    ('n', "ñńņňŉ"),
    ('r', "ŕŗř"),
    ('s', "śŝşšș"),
    ('t', "ţťŧțþ"),
    ('y', "ýÿŷỳỵỷỹ"),
    ('z', "źżž"),
    ('h', "ĥħ"),
    ('k', "ķ"),
    ('w', "ŵ"),
    ('j', "ĵ"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_meet() {
        // CALL-8
        assert_eq!(fold("São Paulo “Zürich” ＡＢＣ１２ Ł"), "sao paulo \"zurich\" abc12 l");
        assert_eq!(fold("北京’s"), "北京's");
    }
}
