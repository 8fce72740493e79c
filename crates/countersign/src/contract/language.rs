//! The two languages that findings, feedback and phrase lists are written in.

use serde::{Deserialize, Serialize};

/// A language that we speak to people and models in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Language {
    /// English, also for every language that we do not know.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Chinese.
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// Reads `en`, `zh`, `zh-CN`, `english`, `中文` and the like.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        if name.starts_with("zh") || name == "chinese" || name == "中文" {
            return Some(Self::Chinese);
        }
        (name.starts_with("en")).then_some(Self::English)
    }

    /// The language of a text: Chinese where at least a fifth of its letters are Chinese characters.
    pub fn of(text: &str) -> Self {
        // Most texts have no letter beyond ASCII, and seeing that is quicker than counting.
        if text.is_ascii() {
            return Self::English;
        }
        let (mut han, mut other) = (0usize, 0usize);
        for c in text.chars().take(4096) {
            if is_han(c) {
                han += 1;
            } else if c.is_alphabetic() {
                other += 1;
            }
        }
        // A Chinese character carries about as much as a word of four letters.
        if han > 0 && han * 4 >= other { Self::Chinese } else { Self::English }
    }
}

/// Whether a character is a Chinese ideograph.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}' | '〇')
}

/// Says a sentence in the reader's language: `localized!(language, "english {x}", "中文 {x}")`.
#[macro_export]
macro_rules! localized {
    ($language:expr, $english:literal, $chinese:literal $(, $($rest:tt)*)?) => {
        match $language {
            $crate::contract::Language::English => format!($english $(, $($rest)*)?),
            $crate::contract::Language::Chinese => format!($chinese $(, $($rest)*)?),
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_follows_the_letters() {
        assert_eq!(Language::of("Please search 北京"), Language::English);
        assert_eq!(Language::of("请搜索 weather"), Language::Chinese);
        assert_eq!(Language::of(""), Language::English);
        assert_eq!(Language::from_name("zh-CN"), Some(Language::Chinese));
        assert_eq!(Language::from_name("klingon"), None);
    }
}
