//! A tool that is too sure of itself.
//!
//! Habits, rules and plain facts use "always", "certainly" and 绝对 too. Only a tool that vouches for its own answer
//! ("I am certain", 肯定没错) is an error; any other absolute warns, and an absolute value or pure cotton is neither.

use crate::check_result::pattern::pattern;
use crate::check_result::subject::Subject;
use crate::check_result::voice::{looks_up, voices};
use crate::contract::codes::result as codes;
use crate::contract::{Finding, Severity};
use crate::localized;
use crate::text::phrases::Phrases;
use regex::Regex;
use std::sync::LazyLock;

/// Absolutes in the tool's own words.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    voices(subject)
        .into_iter()
        .filter_map(|voice| {
            let text = TERMS.replace_all(&voice.text, " ");
            let vouched = VOUCHES.find(&text).map(|found| found.as_str().to_owned());
            let vouched = vouched.or_else(|| looks_up(subject).then(|| find_assertion(&text)).flatten());
            let listed = || STRONG.find(&text).chain(WEAK.find(&text)).map(|found| found.phrase.to_owned()).next();
            let phrase = vouched.clone().or_else(listed)?;
            let evidence =
                localized!(subject.language, "the tool says “{phrase}”", "工具使用了“{phrase}”这样的绝对措辞");
            let finding = Finding::new(&codes::OVERCONFIDENT, voice.pointer, evidence);
            Some(if vouched.is_some() { finding } else { finding.graded(Severity::Warning) })
        })
        .collect()
}

/// The words by which a look-up's short answer insists: on its one statement, or twice.
fn find_assertion(text: &str) -> Option<String> {
    let mut strong: Vec<String> = STRONG.find(text).map(|found| found.phrase.to_owned()).collect();
    strong.dedup();
    let short = text.chars().count() <= MAX_ANSWER;
    let insists = strong.len() >= 2 || INSISTS.is_match(text);
    strong.into_iter().next().filter(|_| short && insists)
}

const MAX_ANSWER: usize = 300;
/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&STRONG);
    LazyLock::force(&WEAK);
    LazyLock::force(&TERMS);
    LazyLock::force(&VOUCHES);
    LazyLock::force(&INSISTS);
}

static STRONG: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/overconfident.txt")));
static WEAK: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/overconfident_weak.txt")));
/// Words that hold an absolute and mean none.
static TERMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)绝对(?:值|零度|温度|湿度|路径|误差|压力|压强|坐标|地址|定位|多数|优势|数量|贫困|星等|高度|位置|时间|引用)|(?:百分之百|百分百|100 ?%)(?:的)?(?:纯?棉|羊毛|羊绒|亚麻|真丝|控股|持股|股权|纯|回收|覆盖|cotton|wool|silk|recycled|organic)|肯定了|肯定的(?:评价|态度|作用)",
    )
});
/// The speaker vouches for its own answer.
static VOUCHES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bi(?:'m| am) (?:absolutely |completely |totally |quite |very |so |100 ?% |one hundred percent )*(?:certain|sure|positive|confident beyond)\b|\bi (?:can )?(?:absolutely |fully |personally )?guarantee\b|\b(?:trust|believe) me\b|\b(?:100 ?%|100 percent|one hundred percent|absolutely|definitely|certainly|undoubtedly|undeniably|unquestionably|indisputably) (?:correct|accurate|certain|sure|right|reliable|the (?:correct|right) answer|no other (?:value|answer))\b|\b(?:cannot|can't|can not|could not) (?:possibly )?be wrong\b|\bimpossible to be wrong\b|\bthere (?:is|can be) (?:absolutely )?no doubt (?:about|whatsoever)|(?:绝对|肯定|百分之?百|100 ?%|一定)(?:是)?(?:正确|准确|可靠|没错|不会(?:有)?错|没有错|属实|确定)|我(?:敢|可以)?(?:非常|十分|百分之?百|绝对)?(?:肯定|确信|保证)|千真万确|不可能有错|不会有错|相信我",
    )
});
/// A statement that its own verb makes absolute.
static INSISTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:it|this|that|the answer|the \w+(?: \w+)?(?: of [\w ]{1,30})?)(?:'s| is| was| are| will) (?:definitely|absolutely|undoubtedly|undeniably|unquestionably|indisputably|without (?:a|any) doubt|100% certain)\b|^\W*(?:definitely|absolutely|undoubtedly|without a doubt)\b|\b(?:without (?:a|any) doubt|beyond (?:any )?doubt|undoubtedly)\b|毫无疑问|毋庸置疑|绝对是|肯定是",
    )
});
