//! What a character stands for: blank, quote, bracket, colon or comma, in all the widths and scripts that models use.
//!
//! One table, so that a full-width brace is a brace everywhere. It never looks at what is around a character.

/// The signs that open a string, by the signs that may close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`
    Double,
    /// `'`
    Single,
    /// `` ` `` and `´`
    Tick,
    /// `“ ” „ ‟ ″`
    RoundDouble,
    /// `‘ ’ ‚ ‛ ′`
    RoundSingle,
    /// `« »`
    Angle,
    /// `‹ ›`
    SmallAngle,
    /// `「 」`
    Corner,
    /// `『 』`
    WhiteCorner,
    /// `＂`
    WideDouble,
    /// `＇`
    WideSingle,
}

impl Quote {
    /// How many kinds there are.
    pub(super) const COUNT: usize = 11;

    /// The kind of quote that `sign` opens.
    pub(super) fn opened_by(sign: char) -> Option<Self> {
        Some(match sign {
            '"' => Self::Double,
            '\'' => Self::Single,
            '`' | '´' => Self::Tick,
            '“' | '”' | '„' | '‟' | '″' | '〝' | '〞' => Self::RoundDouble,
            '‘' | '’' | '‚' | '‛' | '′' => Self::RoundSingle,
            '«' | '»' => Self::Angle,
            '‹' | '›' => Self::SmallAngle,
            '「' => Self::Corner,
            '『' => Self::WhiteCorner,
            '＂' => Self::WideDouble,
            '＇' => Self::WideSingle,
            _ => return None,
        })
    }

    /// The kind of quote that `sign` is, whether it opens or closes.
    pub(super) fn of(sign: char) -> Option<Self> {
        match sign {
            '」' => Some(Self::Corner),
            '』' => Some(Self::WhiteCorner),
            '〟' => Some(Self::RoundDouble),
            _ => Self::opened_by(sign),
        }
    }

    /// Whether `sign` may close a string of this kind.
    pub(super) fn closed_by(self, sign: char) -> bool {
        match self {
            Self::Double => sign == '"',
            Self::Single => sign == '\'',
            Self::Tick => matches!(sign, '`' | '´'),
            Self::RoundDouble => matches!(sign, '”' | '“' | '„' | '‟' | '″' | '〞' | '〟' | '"'),
            Self::RoundSingle => matches!(sign, '’' | '‘' | '‛' | '′' | '\''),
            Self::Angle => matches!(sign, '»' | '«'),
            Self::SmallAngle => matches!(sign, '›' | '‹'),
            Self::Corner => sign == '」',
            Self::WhiteCorner => sign == '』',
            Self::WideDouble => matches!(sign, '＂' | '"'),
            Self::WideSingle => matches!(sign, '＇' | '\''),
        }
    }

    /// The length of a text without a last quote that has no partner in it. Nothing where it does not end in one.
    pub(super) fn unpaired_end(text: &str) -> Option<usize> {
        let last = text.chars().next_back()?;
        let kind = Self::of(last)?;
        let signs = text.chars().filter(|sign| Self::of(*sign) == Some(kind)).count();
        (signs % 2 == 1).then_some(text.len() - last.len_utf8())
    }

    /// The one byte that closes it, where nothing else does.
    pub(super) fn byte(self) -> Option<u8> {
        match self {
            Self::Double => Some(b'"'),
            Self::Single => Some(b'\''),
            _ => None,
        }
    }
}

/// The ASCII sign of JSON's grammar that `sign` stands for.
pub(super) fn folded(sign: char) -> Option<u8> {
    Some(match sign {
        '｛' | '﹛' => b'{',
        '｝' | '﹜' => b'}',
        '［' | '【' | '〔' => b'[',
        '］' | '】' | '〕' => b']',
        '（' | '﹙' => b'(',
        '）' | '﹚' => b')',
        '：' | '﹕' | '∶' | '︰' => b':',
        '，' | '、' | '﹐' | '､' => b',',
        '；' | '﹔' => b';',
        '。' | '｡' => b'.',
        '＝' => b'=',
        _ => return None,
    })
}

/// Whether JSON itself counts the byte as blank.
pub(super) const fn is_plain_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// Whether `sign` says nothing between two tokens: every kind of space, zero-width signs, direction marks, NUL.
pub(super) fn is_blank(sign: char) -> bool {
    sign.is_whitespace()
        || matches!(
            sign,
            '\0'..='\u{1f}'
                | '\u{7f}'
                | '\u{ad}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}'
                | '\u{2066}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
        )
}

/// Whether a folded token opens a string.
pub(super) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}
