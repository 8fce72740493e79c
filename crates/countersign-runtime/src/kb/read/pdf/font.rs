//! The fonts of a page: which characters its bytes are, and how wide.

use countersign::contract::language::is_han;
use encoding_rs::GB18030;
use lopdf::{Dictionary, Document, Encoding, Object};

/// A font, ready to read bytes with.
pub(super) struct Font<'p> {
    encoding: Reading<'p>,
    /// Of a font of single bytes: the first code, and the widths from there on in thousandths.
    widths: Option<(usize, Vec<f32>)>,
}

enum Reading<'p> {
    Known(Encoding<'p>),
    /// The old Chinese encodings, which name no character map of their own.
    Chinese,
}

impl<'p> Font<'p> {
    /// None where its characters cannot be known.
    pub(super) fn of(pdf: &'p Document, font: &'p Dictionary) -> Option<Self> {
        let name = font.get(b"Encoding").and_then(Object::as_name).unwrap_or_default();
        let mapped = font.has(b"ToUnicode");
        let encoding = if !mapped && name.starts_with(b"GB") {
            Reading::Chinese
        } else {
            Reading::Known(font.get_font_encoding_with_limit(pdf, MAX_STREAM).ok()?)
        };
        Some(Self { encoding, widths: widths(pdf, font) })
    }

    /// The text of some bytes.
    pub(super) fn read(&self, bytes: &[u8]) -> String {
        let text = match &self.encoding {
            Reading::Known(encoding) => encoding.bytes_to_string(bytes).unwrap_or_default(),
            Reading::Chinese => GB18030.decode_without_bom_handling(bytes).0.into_owned(),
        };
        let mut plain = String::with_capacity(text.len());
        for c in text.chars().filter(|c| !c.is_control() && *c != '\u{fffd}') {
            match LIGATURES.iter().find(|(sign, _)| *sign == c) {
                Some((_, letters)) => plain.push_str(letters),
                None => plain.push(c),
            }
        }
        plain
    }

    /// How wide the text of some bytes is, where 1 is the size of the font.
    pub(super) fn width(&self, bytes: &[u8], text: &str) -> f32 {
        match &self.widths {
            Some((first, widths)) => {
                let width = |byte: &u8| usize::from(*byte).checked_sub(*first).and_then(|at| widths.get(at));
                bytes.iter().map(|byte| width(byte).copied().unwrap_or(500.0)).sum::<f32>() / 1000.0
            }
            None => text.chars().map(|c| if is_han(c) { 1.0 } else { 0.5 }).sum(),
        }
    }
}

fn widths(pdf: &Document, font: &Dictionary) -> Option<(usize, Vec<f32>)> {
    let first = usize::try_from(font.get(b"FirstChar").and_then(Object::as_i64).ok()?).ok()?;
    let widths = font.get_deref(b"Widths", pdf).and_then(Object::as_array).ok()?;
    let widths = widths.iter().take(256).map(|width| width.as_float().unwrap_or(500.0)).collect();
    Some((first, widths))
}

/// Signs that typesetters use for letters, and under which no word is found.
const LIGATURES: &[(char, &str)] =
    &[('ﬀ', "ff"), ('ﬁ', "fi"), ('ﬂ', "fl"), ('ﬃ', "ffi"), ('ﬄ', "ffl"), ('ﬅ', "st"), ('ﬆ', "st"), ('\u{ad}', "")];

/// What one stream of a page may inflate to. Its instructions take some forty times as much memory.
pub(super) const MAX_STREAM: usize = 8 << 20;
