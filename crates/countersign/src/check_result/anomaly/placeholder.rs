//! A template that nobody filled in.

use crate::check_result::fields::Object;
use crate::check_result::pattern::{pattern, wide_pattern};
use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::phrases::Phrases;
use regex::Regex;
use std::sync::LazyLock;

/// Placeholder values, and fields that hold the name of their type.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for text in &subject.parts.texts {
        // A file may well be a template, and its words are not the tool's.
        let carried = !text.key.is_empty() && subject.kind == ToolKind::Carries;
        let own = subject.kind == ToolKind::Carries || subject.kind == ToolKind::Runs;
        let template = if own { !carried && is_whole(text.text) } else { is_placeholder(text.text) };
        // Who asks for a template gets its places to fill in.
        let template = template && (is_whole(text.text) || !asks_template(subject));
        let echoed = || subject.argument_texts().any(|argument| argument.contains(text.text.trim()));
        let named =
            matches!(text.key, "state" | "status" | "title" | "name" | "tag" | "label" | "list" | "column" | "type");
        if template && !echoed() && !(named && text.text.chars().count() < 12) {
            found.push(report(subject, text.pointer.clone(), text.text));
        }
    }
    for object in &subject.parts.objects {
        if let Some((pointer, value)) = find_unfilled(object) {
            found.push(report(subject, pointer, value));
        }
    }
    found.truncate(3);
    found
}

fn asks_template(subject: &Subject) -> bool {
    subject.is_about(&["template", "templates", "snippet", "prompt", "模板", "话术"])
        || subject.argument_texts().any(|text| text.contains("template") || text.contains("模板"))
}

fn report(subject: &Subject, pointer: String, text: &str) -> Finding {
    let text: String = text.trim().chars().take(60).collect();
    let evidence = localized!(subject.language, "placeholder text: “{text}”", "占位文字：“{text}”");
    Finding::new(&codes::PLACEHOLDER, pointer, evidence)
}

/// A value that is a placeholder, or holds a template's mark.
fn is_placeholder(text: &str) -> bool {
    is_whole(text) || (text.len() < 2000 && (may_hold_mark(text) && MARKS.is_match(text) || PHRASES.any(text)))
}

/// Whether a text has what every mark has: a bracket, a format's sign, or the nothing that somebody is greeted as.
fn may_hold_mark(text: &str) -> bool {
    let opens = |byte: u8| matches!(byte, b'{' | b'[' | b'<' | b'(' | b'%');
    let wide = || !text.is_ascii() && text.contains(['【', '（']);
    let nothing = || {
        let lower = text.to_ascii_lowercase();
        ["null", "undefined", "none", "nan"].iter().any(|word| lower.contains(word))
    };
    text.bytes().any(opens) || wide() || nothing()
}

/// A value that is nothing but a placeholder.
fn is_whole(text: &str) -> bool {
    let text = text.trim();
    text.chars().count() <= 160
        && !MARKUP.is_match(text)
        && !is_address(text)
        && (WHOLE.is_match(text)
            || (BRACKETED.is_match(text) && !is_list(text) && INSIDE.any(text) && !HONEST.any(text)))
}

/// A mail address or the id of a mail in its brackets: `<a@b.example>`.
fn is_address(text: &str) -> bool {
    let inside = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inside.is_some_and(|inside| inside.contains('@') && !inside.contains(char::is_whitespace))
}

/// Whether brackets hold values as a program prints them: `[{'name': 'orders'}]`, `['a', 'b']`.
fn is_list(text: &str) -> bool {
    let inside = text.strip_prefix(['[', '(']).map(str::trim_start);
    inside.is_some_and(|inside| {
        inside.starts_with(['{', '[', '(', '\'', '"']) || inside.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Fields that hold the name of their type or their own name.
fn find_unfilled<'a>(object: &'a Object) -> Option<(String, &'a str)> {
    let texts: Vec<_> = object.entries.iter().filter_map(|entry| Some((entry, entry.value.as_str()?))).collect();
    let types = texts.iter().filter(|(_, text)| matches!(text.trim(), "string" | "<string>" | "String" | "str"));
    let names = texts.iter().filter(|(entry, text)| text.trim().len() > 1 && text.trim() == entry.key);
    let hit = |found: Vec<&(&'a crate::check_result::fields::Entry<'a>, &'a str)>| {
        let many = found.len() >= 2 || (found.len() == 1 && texts.len() == 1);
        found.first().filter(|_| many).map(|(entry, text)| (object.at(entry), *text))
    };
    let is_schema = object.find(&["type"]).is_some() && object.entries.len() <= 3;
    if is_schema { None } else { hit(types.collect()).or_else(|| hit(names.collect())) }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&PHRASES);
    LazyLock::force(&INSIDE);
    LazyLock::force(&HONEST);
    LazyLock::force(&WHOLE);
    LazyLock::force(&MARKUP);
    LazyLock::force(&MARKS);
    LazyLock::force(&BRACKETED);
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/placeholders.txt")));
static INSIDE: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/placeholder_words.txt")));
/// Words by which a bracket says that there is nothing, which is an honest answer.
static HONEST: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(["no", "not", "none", "empty", "redacted", "withheld", "无", "没有", "为空"]));
static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:\[?todo\]?:?.{0,60}|fixme|xxx+|<placeholder>|placeholder|\.\.\.|…|foo ?bar|待补充|待填写|占位符?|\[object Object\]|undefined|<[a-z_ ]{4,}>)$",
    )
});
/// A page, whose tags are no brackets to fill in.
static MARKUP: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^<(?:!doctype|\?xml|html|head|body)|</[a-z][a-z0-9:-]*\s*>"));
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    wide_pattern(
        r"(?i)\{\{\s*[\p{L}_][\p{L}\p{N}_. -]{0,40}\}\}|\$\{[\p{L}_][\p{L}\p{N}_.]{0,40}\}|\[object Object\]|(?:\b(?:dear|hello|hi)\s|尊敬的|亲爱的)(?:null|undefined|None|NaN)\b|(?:^|[\s，,、：])\{[\p{L}_]{3,30}\}(?:$|[\s，,。.！!？?、；;])|<%=?.{1,40}%>|\[(?:insert|your|enter|add|fill in|put)\b[^\]]{1,60}\]|<(?:insert|your|enter)\b[^>]{1,60}>|[【\[（(<](?:此处|这里|请在此|请填写|待填)[^】\]）)>]{0,40}[】\]）)>]|%\([a-z_]+\)s",
    )
});
static BRACKETED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\[【<(（].{1,150}[\]】>)）][.。]?$"));

#[cfg(test)]
mod tests {
    use super::*;

    // RESULT-5
    #[test]
    fn no_mark_is_overlooked_by_the_quick_look() {
        let cases = [
            include_str!("../../../../../conformance/cases/seed.jsonl"),
            include_str!("../../../../../conformance/cases/calls.jsonl"),
            include_str!("../data/placeholders.txt"),
        ];
        let marked = "{{ name }}|${total}|[object Object]|Dear undefined,|hello NaN|亲爱的null|hi None|问候 {name} 。|<%= x %>\
            |[insert date]|[YOUR NAME here]|<enter a code>|【此处填写】|（请填写姓名）|(待填)|<这里>|%(name)s";
        let texts = cases.iter().flat_map(|rows| rows.split(['"', '\n'])).chain(marked.split('|'));
        let seen = texts.filter(|text| MARKS.is_match(text)).inspect(|text| assert!(may_hold_mark(text), "{text}"));
        assert!(seen.count() >= 15);
    }

    // RESULT-5
    #[test]
    fn a_printed_list_is_no_placeholder() {
        for text in ["[{'name': 'customers'}, {'name': 'orders'}]", "['name', 'title']", "[(1, 'name')]"] {
            assert!(!is_whole(text), "{text}");
        }
        for text in ["[name]", "[Your name here]", "<your name>", "TODO: name"] {
            assert!(is_whole(text), "{text}");
        }
    }
}
