//! Bytes into text: UTF-8, UTF-16 with its mark, what an HTML page says of itself, GB18030, and Latin as the last guess.
//!
//! Old Chinese text files are often GB18030. A file in another encoding seldom reads as GB18030 from end to end without
//! a fault, so that is the test. What is not text at all is said to be none.

use encoding_rs::{Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The text of a file, without a byte order mark; none where it is binary.
pub(super) fn decode(bytes: &[u8]) -> Option<String> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let body = bytes.get(mark..).unwrap_or_default();
        let known = [UTF_8, UTF_16LE, UTF_16BE].contains(&encoding);
        return known.then(|| encoding.decode_without_bom_handling(body).0.into_owned()).filter(|text| !binary(text));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (!binary(text)).then(|| text.to_owned());
    }
    let clean = |encoding: &'static Encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes);
    let text =
        find_named(bytes).and_then(clean).or_else(|| clean(GB18030)).or_else(|| clean(WINDOWS_1252))?.into_owned();
    (!binary(&text)).then_some(text)
}

/// The encoding that an HTML page names near its beginning.
fn find_named(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(bytes.get(..2048.min(bytes.len()))?).to_ascii_lowercase();
    let (_, behind) = head.split_once("charset=")?;
    let label = behind.trim_start_matches(['"', '\'', ' ']);
    let label = label.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').next()?;
    Encoding::for_label(label.as_bytes())
}

/// Whether a text has characters that no text has.
fn binary(text: &str) -> bool {
    let odd = |c: char| c == '\0' || (c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c' | '\x0b' | '\u{85}'));
    let (seen, odd) = text.chars().take(8192).fold((0, 0), |(seen, bad), c| (seen + 1, bad + usize::from(odd(c))));
    odd * 100 > seen || text.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    // CLAIM-3
    #[test]
    fn chinese_files_of_any_age_are_read() {
        let (gb, ..) = GB18030.encode("二〇二四年营收三点四亿元，同比增长。");
        assert_eq!(decode(&gb).unwrap(), "二〇二四年营收三点四亿元，同比增长。");
        assert_eq!(decode("\u{feff}营收".as_bytes()).unwrap(), "营收");
        let wide: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("营收 5".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode(&wide).unwrap(), "营收 5");
        assert_eq!(decode(b"caf\xe9 au lait").unwrap(), "café au lait");
        assert_eq!(decode(b"<meta charset=\"gb2312\">\xd6\xd0").unwrap(), "<meta charset=\"gb2312\">中");
    }

    #[test]
    fn what_is_no_text_is_none() {
        assert!(decode(b"PK\x03\x04\0\0\0").is_none());
        assert!(decode(b"\x7fELF\x02\x01\x01\0\xff\xfe").is_none());
        assert_eq!(decode(b"").unwrap(), "");
    }
}
