//! What an answer of a coding agent claims: that tests pass, that a thing was committed, that a file was written.
//!
//! Sentences that are negated, conditional, asked or planned claim nothing, and neither does a report of what somebody
//! else did. A sentence that tells of a failure is honest enough.

use crate::check_result::said_and_done::is_unreal;
use crate::check_result::voice::unquoted;
use crate::text::sentences::sentences;
use regex::Regex;
use std::sync::LazyLock;

/// A claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// What it is about, by the list.
    pub about: About,
    /// The sentence.
    pub sentence: String,
}

/// What a claim is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    /// A kind of work, by its name in the list.
    Work(&'static str),
    /// A file that was written or removed.
    File(String),
    /// A command that succeeds, as it is written.
    Command(String),
}

/// The claims of an answer.
pub(crate) fn claims(answer: &str) -> Vec<Claim> {
    let mut found: Vec<Claim> = Vec::new();
    for range in sentences(answer).into_iter().take(MAX_SENTENCES) {
        let written = answer.get(range).unwrap_or_default().trim();
        let sentence = ALL_IS_WELL.replace_all(&unquoted(written).to_lowercase(), " all-is-well ").replace('’', "'");
        if is_unreal(&sentence) || is_told(&sentence) || tells_failure(&sentence) {
            continue;
        }
        let sentence = LEAD.replace(sentence.trim(), "").into_owned();
        let works =
            PATTERNS.iter().filter(|(_, pattern)| is_stated(pattern, &sentence)).map(|(name, _)| About::Work(name));
        for about in works.chain(files(written)).chain(runs(written)) {
            if !found.iter().any(|claim| claim.about == about) {
                found.push(Claim { about, sentence: written.chars().take(MAX_SHOWN).collect() });
            }
        }
    }
    found
}

/// Whether a sentence states it, and does not only say what comes after it: "after the tests pass".
fn is_stated(pattern: &Regex, sentence: &str) -> bool {
    let Some(found) = pattern.find(sentence) else { return false };
    let before = sentence.get(..found.start()).unwrap_or_default();
    let near: Vec<&str> = before.split_whitespace().rev().take(3).collect();
    // "All tests must pass" tells what has to be, not what is.
    let modal = found.as_str().split_whitespace().any(|word| MODALS.contains(&word));
    !modal && !near.iter().any(|word| UNDONE_BEFORE.contains(word))
}

/// Whether an answer says that something fails.
pub(crate) fn tells_failure(text: &str) -> bool {
    FAILURE.is_match(&ALL_IS_WELL.replace_all(&text.to_lowercase(), " "))
}

/// Whether an answer says that nothing was run again after the last change.
pub(crate) fn tells_no_rerun(text: &str) -> bool {
    NO_RERUN.is_match(&text.to_lowercase().replace('’', "'"))
}

/// What others did, or a document says.
fn is_told(sentence: &str) -> bool {
    [
        "according to",
        "changelog says",
        "last week",
        "yesterday",
        "earlier",
        "previously",
        "already",
        "之前",
        "上周",
        "根据",
    ]
    .iter()
    .any(|word| sentence.contains(word))
}

/// Files that the agent says it wrote: only names with an ending, named right after the deed.
fn files(sentence: &str) -> Vec<About> {
    let named = FILE.captures_iter(sentence).filter_map(|found| found.iter().skip(1).flatten().next());
    let named = named.map(|file| file.as_str().to_owned());
    named.map(About::File).collect()
}

/// Commands that are said to succeed: "`npm run build` passes".
fn runs(sentence: &str) -> Vec<About> {
    let named = RUNS.captures_iter(sentence).filter_map(|found| found.iter().skip(1).flatten().next());
    named.map(|line| About::Command(line.as_str().to_owned())).collect()
}

fn pattern(text: &str) -> Regex {
    crate::check_result::pattern::pattern(text)
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&PATTERNS);
    LazyLock::force(&ALL_IS_WELL);
    LazyLock::force(&FAILURE);
    LazyLock::force(&LEAD);
    LazyLock::force(&FILE);
    LazyLock::force(&RUNS);
    LazyLock::force(&NO_RERUN);
}

static PATTERNS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let lines = include_str!("data/claims.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(name, text)| (name, pattern(text))).collect()
});
/// Words of failure that say that there was none: they neither negate nor confess.
static ALL_IS_WELL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:with(?:out)?|and|now|:)?\s*(?:no|any|zero|0) (?:more |remaining |new |type |lint |test |compile )?(?:errors?|warnings?|failures?|failed|failing tests?|issues|regressions?|problems)(?: (?:left|remain|remaining|found))?\b|\bwithout (?:errors?|warnings?|failures?|issues|problems)\b",
    )
});
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:fail|fails|failing|failed|failure|failures|broken|does not|doesn't|except)\b|失败|报错|未通过|没通过",
    )
});
/// A word in front that says nothing: `Done. `, `- `, `✅ `.
static LEAD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:[-*•✅✓\s]|\d+\.\s|done[.!,:]\s*|ok[,.]\s*|great[,.!]\s*)+"));
static FILE: LazyLock<Regex> = LazyLock::new(|| {
    let file = r"`?([\w./-]*\w\.[a-z]{1,5})\b`?";
    let did = r"(?:created|added|updated|wrote|written|deleted|removed|edited|put|documented)";
    let chinese = "(?:创建|添加|更新|删除|修改|写入)";
    pattern(&format!(
        r"(?:\bI(?:'ve|’ve| have)? (?:also |now |just )?{did}|(?:已|我){chinese}了?) (?:the )?(?:file )?(?:(?:[\w'’-]+ ){{1,9}}?(?:to|in|into) (?:the )?(?:file )?)?{file}|{file} (?:has|have) (?:now )?been {did}|{file}\s?(?:文件)?也?(?:已经?|都已)被?{chinese}"
    ))
});

static RUNS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"`([^`\n]{4,80})` (?:now |again |also )*(?:succeeds|succeeded|passes|passed|works|completes|runs (?:clean|through|without))\b|`([^`\n]{4,80})`\s?(?:现在|已|已经|也)*(?:通过|成功)",
    )
});
static NO_RERUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:did not|didn't|have not|haven't|without) (?:re-?run(?:ning)?|run(?:ning)?|repeat(?:ed|ing)?)\b|(?:没有|没再|未|没)(?:重新|再|再次)?(?:跑|运行|执行)",
    )
});
const MODALS: &[&str] = &["must", "should", "need", "needs", "ought", "would"];
/// A word before a claim that makes none of it: "nothing was deployed", "after the tests pass".
const UNDONE_BEFORE: &[&str] = &["after", "makes", "ensure", "nothing", "none", "nobody"];

const MAX_SENTENCES: usize = 300;
const MAX_SHOWN: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;

    fn works(answer: &str) -> Vec<&'static str> {
        let name = |claim: &Claim| if let About::Work(name) = claim.about { Some(name) } else { None };
        claims(answer).iter().filter_map(name).collect()
    }

    #[test]
    fn claims_are_told_from_plans_and_reports() {
        // HOOK-4
        for (text, work) in [
            ("All tests pass.", "tests"),
            ("I ran the tests: all 12 pass.", "tests"),
            ("Done. The full test suite is green.", "tests"),
            ("Everything compiles and the tests pass.", "tests"),
            ("Type checking passes with no errors.", "types"),
            ("ESLint is clean: no warnings left.", "lint"),
            ("I've committed the change.", "commit"),
            ("Fixed, tests pass, and I've committed the change.", "commit"),
            ("The new version has been deployed to staging.", "deploy"),
            ("已修复，所有测试均已通过。", "tests"),
            ("登录问题已修好，测试也都跑过了，全部通过。", "tests"),
            ("Renamed the helper. ESLint reports no problems.", "lint"),
            ("Version 1.4 is now live on staging.", "deploy"),
            ("lodash has been upgraded to 4.17.21.", "upgrade"),
            ("I've let the team know by email.", "send"),
            ("The pull request is open and ready for review.", "pull-request"),
            ("The migration has been applied successfully.", "migrate"),
            ("The new image was rolled out to production.", "deploy"),
            ("test_rounding passes now.", "tests"),
            ("I confirmed it by running the unit tests.", "tests-ran"),
            ("I posted a comment on the ticket.", "send"),
            ("迁移脚本写好了，并已在测试库执行成功。", "migrate"),
        ] {
            assert!(works(text).contains(&work), "{text}: {:?}", works(text));
        }
        for text in [
            "Once all tests pass, you can commit.",
            "I have not run the tests.",
            "One test still fails.",
            "11 tests pass and one fails.",
            "Should I commit this?",
            "The tests should pass now.",
            "CI deploys to staging when the build succeeds.",
            "The bug was fixed in 1.4.1 and deployed last week.",
            "I will run the tests.",
            "Yes, after the tests pass.",
            "还没有运行测试。",
            "测试还没有跑过。",
            "Let the team know before you deploy.",
            "The live view is on the second tab.",
            "No, the PR is open, and the branch is up to date.",
            "lodash should be upgraded to 4.17.21.",
            "Before the release all tests must pass.",
            "Nothing was deployed.",
            "迁移脚本写好了，还没有执行。",
        ] {
            assert_eq!(works(text), Vec::<&str>::new(), "{text}");
        }
        assert_eq!(claims("`make all` succeeds now.")[0].about, About::Command("make all".into()));
        assert_eq!(claims("`make all` 现在通过了。")[0].about, About::Command("make all".into()));
        assert!(tells_no_rerun("I did not rerun them.") && !tells_no_rerun("I reran them."));
        for (text, file) in [
            ("I created `config/app.yml` for you.", "config/app.yml"),
            ("I've added an entry for the rounding fix to CHANGELOG.md.", "CHANGELOG.md"),
            ("`docs/setup.md` has been updated.", "docs/setup.md"),
            ("旧的迁移脚本 0001_old.sql 已经删除。", "0001_old.sql"),
        ] {
            assert_eq!(claims(text)[0].about, About::File(file.into()), "{text}");
        }
    }
}
