//! A translation is in the language that was asked for.
//!
//! Told by script, and between languages of one script by their commonest words. Names and short texts say nothing.

use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::lists::word_list;
use crate::text::words::words;
use serde_json::Value;

/// The translation against the target language, and the language that a result names against the one that was asked for.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    find_mismatch(subject).or_else(|| other_language(subject)).into_iter().collect()
}

/// A result that says itself that it is in another language. One that tells why (a fallback, what there is) is honest.
fn other_language(subject: &Subject) -> Option<Finding> {
    let object = subject.parts.objects.first().filter(|object| object.depth == 0)?;
    let explained = object.entries.iter().any(|entry| entry.has_any(EXPLAINED));
    TARGETS.iter().filter(|key| key.contains("lang")).find_map(|key| {
        let asked = subject.arguments.get(*key)?.as_str()?;
        let entry = object.find(&[key])?;
        let (own, seen) = (code_of(asked)?, code_of(entry.value.as_str()?)?);
        let one = MACROS.iter().any(|group| group.contains(&own.as_str()) && group.contains(&seen.as_str()));
        (own != seen && !one && !explained).then(|| {
            let evidence = localized!(
                subject.language,
                "asked for `{own}`, the result says that it is in `{seen}`",
                "要求的语言是 `{own}`，结果却写明是 `{seen}`"
            );
            Finding::new(&codes::LANGUAGE, object.at(entry), evidence)
        })
    })
}

/// The code of a language, from its name or from a tag such as `pt-BR`.
fn code_of(name: &str) -> Option<String> {
    let lower = name.trim().to_lowercase();
    let tag = lower.split(['-', '_']).next().unwrap_or_default();
    let known = Tongue::of(name).map(|tongue| tongue.0.to_owned());
    let code = (2..=3).contains(&tag.len()) && tag.chars().all(|c| c.is_ascii_lowercase());
    known.or_else(|| code.then(|| tag.to_owned()))
}

fn find_mismatch(subject: &Subject) -> Option<Finding> {
    if subject.kind != ToolKind::Translates {
        return None;
    }
    let target = TARGETS.iter().find_map(|key| subject.arguments.get(*key)?.as_str()).and_then(Tongue::of)?;
    let (pointer, text) = translation(subject)?;
    let name = target.0;
    if target.refuses(text) {
        let evidence = localized!(subject.language, "the text is not in `{name}`", "文字不是 `{name}`");
        return Some(Finding::new(&codes::LANGUAGE, pointer, evidence));
    }
    let source = SOURCES.iter().find_map(|key| subject.arguments.get(*key)?.as_str())?;
    let unchanged = source.trim() == text.trim() && words(source).len() >= 4 && target.refuses(source);
    unchanged.then(|| {
        let evidence = localized!(subject.language, "the text was not translated", "文字没有被翻译");
        Finding::new(&codes::LANGUAGE, pointer, evidence)
    })
}

fn translation<'a>(subject: &'a Subject) -> Option<(String, &'a str)> {
    if let Value::String(text) = &subject.result.content {
        return Some((String::new(), text));
    }
    let keys = ["translation", "translated_text", "translated", "text", "result", "output", "target_text"];
    let object = subject.parts.objects.first().filter(|object| object.depth == 0)?;
    let entry = object.find(&keys)?;
    Some((object.at(entry), entry.value.as_str()?))
}

/// A language that can be told.
#[derive(Clone, Copy)]
struct Tongue(&'static str);

impl Tongue {
    fn of(name: &str) -> Option<Self> {
        let lower = name.trim().to_lowercase();
        let code = lower.split(['-', '_']).next().unwrap_or_default();
        NAMES.iter().find(|names| names.contains(&code)).and_then(|names| names.first()).map(|code| Self(code))
    }

    /// Whether a text is certainly in another language.
    fn refuses(self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).collect();
        let share = |test: fn(char) -> bool| {
            let own = letters.iter().filter(|c| test(**c)).count();
            own * 10 >= letters.len() * 3
        };
        if letters.len() < 4 {
            return false;
        }
        let latin: fn(char) -> bool = |c| matches!(c, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}');
        match self.0 {
            "zh" => !share(is_han) || text.chars().any(is_kana),
            "ja" => !share(|c| is_han(c) || is_kana(c)) || (letters.len() > 12 && !text.chars().any(is_kana)),
            "ko" => !share(|c| matches!(c, '\u{ac00}'..='\u{d7af}')),
            "ru" => !share(|c| matches!(c, '\u{400}'..='\u{4ff}')),
            "ar" => !share(|c| matches!(c, '\u{600}'..='\u{6ff}')),
            "th" => !share(|c| matches!(c, '\u{e00}'..='\u{e7f}')),
            "el" => !share(|c| matches!(c, '\u{370}'..='\u{3ff}')),
            _ if !share(latin) => true,
            code => is_other_latin(code, text),
        }
    }
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

/// Whether the commonest words of another Latin language stand in a text, and none of its own.
fn is_other_latin(code: &str, text: &str) -> bool {
    let words = words(text);
    let hits = |list: &[&str]| words.iter().filter(|word| list.contains(&word.folded.as_str())).count();
    let own = COMMON.iter().find(|(own, _)| *own == code).map_or(0, |(_, list)| hits(list));
    let best = COMMON.iter().filter(|(other, _)| *other != code).map(|(_, list)| hits(list)).max().unwrap_or(0);
    own == 0 && best >= 2 && COMMON.iter().any(|(known, _)| *known == code)
}

const TARGETS: &[&str] =
    &["target_language", "target_lang", "target", "to", "to_language", "language", "lang", "to_lang"];
const SOURCES: &[&str] = &["text", "content", "source_text", "input", "sentence"];
/// Words by which a result says why it is in the language that it is in.
const EXPLAINED: &[&str] = &["fallback", "available", "original", "requested", "detected", "source", "default"];
/// Codes of one language.
const MACROS: &[&[&str]] =
    &[&["no", "nb", "nn"], &["he", "iw"], &["id", "in"], &["fil", "tl"], &["zh", "yue", "cmn"], &["ro", "mo"]];
const NAMES: &[&[&str]] = &[
    &["zh", "chinese", "中文", "汉语", "cn", "mandarin"],
    &["en", "english", "英文", "英语"],
    &["ja", "japanese", "日文", "日语", "jp"],
    &["ko", "korean", "韩文", "韩语"],
    &["ru", "russian", "俄文", "俄语"],
    &["ar", "arabic", "阿拉伯语"],
    &["th", "thai", "泰语"],
    &["el", "greek"],
    &["fr", "french", "法文", "法语"],
    &["de", "german", "德文", "德语"],
    &["es", "spanish", "西班牙语"],
    &["it", "italian", "意大利语"],
    &["pt", "portuguese", "葡萄牙语"],
    &["nl", "dutch"],
];
const COMMON: &[(&str, &[&str])] = &[
    ("en", word_list!("check_result", "consistency/translation/common/en")),
    ("fr", word_list!("check_result", "consistency/translation/common/fr")),
    ("de", word_list!("check_result", "consistency/translation/common/de")),
    ("es", word_list!("check_result", "consistency/translation/common/es")),
    ("it", word_list!("check_result", "consistency/translation/common/it")),
    ("pt", word_list!("check_result", "consistency/translation/common/pt")),
    (
        "nl",
        &["de", "het", "een", "is", "en", "van", "niet", "ik", "je", "wij", "voor", "met", "zijn", "op", "dat", "u"],
    ),
];
