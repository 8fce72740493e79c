//! Whether a tag that is never closed was used or only spoken of: `the <web_search> tag`, `“<confirm1>”`,
//! `使用<web_search>来查`.
//!
//! Only asked where no closing was found; a closed tag is always meant.

/// Whether the words around an opening tag speak of it.
pub(super) fn is_mention(before: &str, after: &str) -> bool {
    is_quoted(before, after) || is_named(after) || is_in_sentence(before, after) || is_listed(after)
}

/// Whether what follows does nothing but lead to the next tag: "<a> or <b>".
pub(super) fn is_listed(after: &str) -> bool {
    let word = after.trim().to_ascii_lowercase();
    CONJUNCTIONS.contains(&word.as_str())
}

/// Quotation marks directly around the tag.
fn is_quoted(before: &str, after: &str) -> bool {
    let (Some(open), Some(close)) = (before.chars().next_back(), after.chars().next()) else { return false };
    QUOTES.contains(&(open, close))
}

/// "… tag", … 标签.
fn is_named(after: &str) -> bool {
    let after = after.trim_start();
    if EXPLAINED.iter().any(|words| after.starts_with(words)) {
        return true;
    }
    if NAMED_CHINESE.iter().any(|word| after.starts_with(word)) {
        return true;
    }
    let word: String = after.chars().take_while(|c| c.is_ascii_alphabetic()).take(12).collect();
    NAMED_ENGLISH.contains(&word.to_ascii_lowercase().as_str())
}

/// A word of the same sentence before it and the sentence going on after it.
fn is_in_sentence(before: &str, after: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let words = line.trim_end();
    if words.is_empty() {
        return false;
    }
    let follows = after.chars().next();
    let punctuation = follows.filter(|c| GOES_ON.contains(c));
    let then = after.chars().nth(1);
    if punctuation.is_some_and(|c| !c.is_ascii() || then.is_none_or(char::is_whitespace)) {
        return true;
    }
    if INTRODUCED.iter().any(|word| words.ends_with(word)) {
        return true;
    }
    let blank_between = line.len() > words.len();
    let latin = words.ends_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = follows == Some(' ') && after.trim_start().starts_with(|c: char| c.is_ascii_lowercase());
    if blank_between && latin && goes_on {
        return true;
    }
    let apart = blank_between && follows == Some(' ');
    USING_CHINESE.iter().any(|word| words.ends_with(word))
        && (apart || THEREBY_CHINESE.iter().any(|word| after.trim_start().starts_with(word)))
}

/// Words that say what a tag is for.
const EXPLAINED: [&str; 16] = [
    "用于",
    "用来",
    "表示",
    "代表",
    "负责",
    "是指",
    "指的是",
    "的作用",
    "is used",
    "is for",
    "is the",
    "is a tag",
    "means",
    "stands for",
    "refers to",
    "lets you",
];

/// Words that a name follows.
const INTRODUCED: [&str; 8] = ["标签", "标签是", "标记", "名为", "叫做", " tag", " tag is", " element"];

const QUOTES: [(char, char); 10] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('(', ')'),
    ('（', '）'),
    ('《', '》'),
    ('【', '】'),
];

const CONJUNCTIONS: [&str; 16] =
    ["and", "or", "and/or", "nor", "then", "to", "/", ",", "、", "，", "和", "或", "与", "及", "以及", "或者"];

const NAMED_ENGLISH: [&str; 10] =
    ["tag", "tags", "element", "elements", "block", "blocks", "syntax", "markup", "command", "tool"];

const NAMED_CHINESE: [&str; 9] = ["标签", "标记", "元素", "指令", "命令", "语法", "功能", "工具", "这个标签"];

/// What no content begins with, and a sentence goes on with.
const GOES_ON: [char; 12] = ['，', '。', '、', '；', '！', '？', '）', ',', '.', ';', '?', ')'];

const USING_CHINESE: [&str; 7] = ["用", "通过", "借助", "写", "输出", "叫", "在"];

const THEREBY_CHINESE: [&str; 12] = ["来", "进行", "去", "即可", "就", "可以", "这个", "这样", "的", "中", "里", "内"];

#[cfg(test)]
mod tests {
    use super::is_mention;

    // PARSE-1
    #[test]
    fn a_tag_is_spoken_of_or_used() {
        for (before, after) in [
            ("The ", " tag finds news."),
            ("请使用", "标签"),
            ("写成“", "”即可"),
            ("I could use ", " here, or just answer."),
            ("Should I use ", ", or not?"),
            ("可以通过", "来查询"),
            ("Use ", " or "),
            ("支持", "、"),
            ("我先用 ", " 查一下。"),
            ("会使用", "功能搜索"),
            ("请在 ", " 中填写"),
        ] {
            assert!(is_mention(before, after), "{before}<tag>{after}");
        }
        for (before, after) in [
            ("", "tea prices"),
            ("Let me look. ", "tea prices"),
            ("Searching: ", " tea prices"),
            ("我查一下最新政策。\n", "个人养老金"),
            ("开始执行：", "生成文案"),
            ("I will search ", "Tea prices in May"),
            ("", "\n<id>3</id>"),
        ] {
            assert!(!is_mention(before, after), "{before}<tag>{after}");
        }
    }
}
