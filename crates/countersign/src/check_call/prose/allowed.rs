//! Allowed values in words: "one of: a, b, c", "can be 'x' or 'y'", `[Enum]: USD, RMB`, "可选值：a、b".
//!
//! Only closed lists bind: "etc.", "and so on", "include" and examples leave the list open.

use super::soft::without_examples;
use regex::Regex;
use std::sync::LazyLock;

/// The values that a description allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// The values, as written.
    pub values: Vec<String>,
    /// How sure the reading is.
    pub confidence: f64,
}

impl Allowed {
    /// Whether a value is among them, whatever its case and the marks between its words.
    pub fn holds(&self, value: &str) -> bool {
        self.values.iter().any(|allowed| same(allowed, value))
    }
}

/// Reads the allowed values of a description.
pub(crate) fn read(description: &str) -> Option<Allowed> {
    let hard = without_examples(description);
    for (pattern, confidence, bare) in LEADS.iter() {
        let Some(lead) = pattern.find(&hard) else { continue };
        let rest = hard.get(lead.end()..).unwrap_or_default();
        if OPEN.as_ref().is_some_and(|open| open.is_match(sentence(rest))) {
            return None;
        }
        let values = match (read_quoted(rest), bare) {
            (Some(values), _) => values,
            (None, Bare::Taken) => plain(rest)?,
            (None, Bare::Refused) => continue,
        };
        if (2..=MAX_VALUES).contains(&values.len()) {
            return Some(Allowed { values, confidence: *confidence });
        }
    }
    None
}

/// The quoted values at the beginning of a text: `'a', "b" or 'c'`, each with a remark in brackets or after `for`.
fn read_quoted(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim_start_matches([' ', '[', '(', ':', '：', '{']);
    let mut values = Vec::new();
    while let Some(value) = QUOTED.as_ref()?.captures(rest) {
        let word = value.iter().skip(1).flatten().next()?;
        values.push(word.as_str().trim().to_owned());
        let after = rest.get(value.get(0)?.end()..).unwrap_or_default();
        let next = JOIN.as_ref()?.find(after);
        match next {
            Some(join) => rest = after.get(join.end()..).unwrap_or_default(),
            None => break,
        }
    }
    (!values.is_empty()).then_some(values)
}

/// The bare values of a list up to the end of its sentence. Any sign that they are more than values ends the reading.
fn plain(text: &str) -> Option<Vec<String>> {
    let list = sentence(text).trim().trim_matches(['[', ']', '(', ')', ':', ' ', '{', '}']);
    if list.contains([':', '(', '=', '{', '<', '"', '\'', '：', '（']) || list.contains(" - ") {
        return None;
    }
    let split = SEPARATOR.as_ref()?.split(list);
    let values: Vec<String> = split.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect();
    let short = |value: &String| value.split_whitespace().count() <= 2 && value.chars().count() <= 32;
    values.iter().all(short).then_some(values)
}

fn sentence(text: &str) -> &str {
    let end = SENTENCE.as_ref().and_then(|end| end.find(text)).map_or(text.len(), |end| end.start());
    text.get(..end).unwrap_or(text)
}

/// Whether two values are the same but for case, blanks, hyphens and underscores.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let fold = |text: &'_ str| {
        let kept = text.chars().filter(|c| !matches!(c, ' ' | '-' | '_'));
        kept.flat_map(char::to_lowercase).collect::<String>()
    };
    a.eq_ignore_ascii_case(b) || fold(a) == fold(b)
}

#[derive(Debug, Clone, Copy)]
enum Bare {
    Taken,
    Refused,
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&LEADS);
    LazyLock::force(&QUOTED);
    LazyLock::force(&JOIN);
    LazyLock::force(&SEPARATOR);
    LazyLock::force(&SENTENCE);
    LazyLock::force(&OPEN);
}

static LEADS: LazyLock<Vec<(Regex, f64, Bare)>> = LazyLock::new(|| {
    let own: &[(&str, f64, Bare)] = &[
        (r"(?i)\[enum\]\s*:?", 0.9, Bare::Taken),
        (
            r"(?i)\b(?:must|should|has to) be (?:exactly )?(?:one of|either)(?: the following(?: values)?)?\s*:?",
            0.88,
            Bare::Refused,
        ),
        (r"(?i)\bone of(?: the following(?: values)?)?\s*:", 0.88, Bare::Taken),
        (
            r"(?i)\b(?:allowed|valid|accepted|permitted|supported|possible) (?:values|options|choices)(?: are)?\s*:?\s+(?:are\s+)?",
            0.85,
            Bare::Refused,
        ),
        (r"(?i)\b(?:allowed|valid|accepted|permitted|possible) values(?: are)?\s*:", 0.85, Bare::Taken),
        (r"(?i)\boptions(?: are)?\s*:?\s+", 0.8, Bare::Refused),
        (r"(?i)\boptions(?: are)?\s*:", 0.75, Bare::Taken),
        (r"(?i)\b(?:can|may) (?:only )?be (?:either )?", 0.75, Bare::Refused),
        (r"(?i)\beither ", 0.75, Bare::Refused),
        (r"(?i)\bone of ", 0.8, Bare::Refused),
        (
            r"(?:可选值|可选项|枚举值|取值|允许的值|只能是|只能为|必须是|必须为)(?:为|是|有|包括)?[:：]?\s*",
            0.85,
            Bare::Refused,
        ),
        (r"(?:可选值|可选项|枚举值|允许的值)(?:为|是|有)?[:：]\s*", 0.8, Bare::Taken),
    ];
    own.iter().filter_map(|(pattern, sure, bare)| Some((Regex::new(pattern).ok()?, *sure, *bare))).collect()
});

static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^\s*(?:'([^']{1,60})'|"([^"]{1,60})"|`([^`]{1,60})`|‘([^’]{1,60})’|“([^”]{1,60})”)"#).ok()
});

/// What may be between two quoted values.
static JOIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\([^()]{0,80}\)|（[^（）]{0,80}）|(?:for|means|=|:|-)\s+[^,.;'\x22`，。；、]{1,60})?\s*(?:[,，、;/|]\s*(?:or|and|或|和)?|or|and|或者?|和|\|)\s*")
        .ok()
});

static SEPARATOR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s*(?:,\s*(?:or|and)\s|[,，、|/]|\s(?:or|and)\s|或者?|和)\s*").ok());

static SENTENCE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\.(?:\s|$)|[;\n。；]").ok());

static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\betc\b|\.\.\.|…|\band (?:more|others?|so on)\b|\bany other\b|\bor (?:other|another|any|a custom|custom)\b|\binclude\b|\bincluding\b|等|其他").ok()
});

const MAX_VALUES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        read(text).map(|allowed| allowed.values).unwrap_or_default()
    }

    #[test]
    fn closed_lists_are_read() {
        // CALL-4
        assert_eq!(values("Unit, one of: metric, imperial, kelvin."), ["metric", "imperial", "kelvin"]);
        assert_eq!(values("Sort order. Can be 'asc' or 'desc'. Default 'asc'."), ["asc", "desc"]);
        assert_eq!(values("Allowed values are \"a\", \"b\" and \"c\"."), ["a", "b", "c"]);
        assert_eq!(values("Target. [Enum]: USD, EUR, CNY"), ["USD", "EUR", "CNY"]);
        assert_eq!(values("Mode. [Enum]: [\"on\", \"off\"]"), ["on", "off"]);
        assert_eq!(values("Must be one of 'low' (slow), 'high' (fast)."), ["low", "high"]);
        assert_eq!(values("排序方式，可选值：升序、降序"), ["升序", "降序"]);
        assert!(read("Can be 'sea view' or 'city view'").unwrap().holds("Sea_View"));
    }

    #[test]
    fn open_lists_and_plain_words_are_not() {
        // CALL-4
        for text in [
            "Kind, one of: bug, fish, etc.",
            "Options include 'a', 'b'.",
            "Colour, e.g. one of: red, blue",
            "Can be used with caution, or not at all",
            "One of the users",
            "Either a name or an id",
            "Options to sort the results.",
            "可选值：红、蓝等",
            "It can be 'auto' or any other supported mode",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
