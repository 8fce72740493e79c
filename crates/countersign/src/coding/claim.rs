//! What an answer of a coding agent claims: that tests pass, that a thing was committed, that a file was written.
//!
//! What a sentence is about is told by a pattern (`data/claims.tsv`); whether it tells of that as done, by its wording: what is
//! denied, conditional, asked, planned or somebody else's work claims nothing. See [`crate::text::wording`].

use crate::check_result::said_and_done::is_unreal;
use crate::check_result::voice::unquoted;
use crate::text::sentences::sentences;
use crate::text::wording::{Features, Sink, Weights, read_words};
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
        let written = before_plan(answer.get(range).unwrap_or_default().trim());
        let sentence = plain(written);
        if is_unreal(&sentence) || tells_failure(&sentence) {
            continue;
        }
        // Files and commands that are named with what was done to them need no more than not to be told of as another's.
        let told = TOLD.weigh(&read_sentence::<Features>(written));
        let works = topics(&sentence).filter(|_| told > 0.0).map(About::Work);
        let named = files(written).into_iter().chain(runs(written)).filter(|_| told > FOREIGN);
        for about in works.chain(named) {
            if !found.iter().any(|claim| claim.about == about) {
                found.push(Claim { about, sentence: written.chars().take(MAX_SHOWN).collect() });
            }
        }
    }
    found
}

/// A sentence without the clause at its end that tells what will come by itself: "pushed to a, the PR will follow". What the
/// first clause only supposes ("once it is merged, …") stays whole.
fn before_plan(written: &str) -> &str {
    let Some(plan) = [" will ", "'ll ", "’ll "].iter().filter_map(|word| written.find(word)).min() else {
        return written;
    };
    let Some((first, _)) = written.get(..plan).and_then(|before| before.rsplit_once(',')) else { return written };
    let word = first.split_whitespace().next().unwrap_or_default().to_lowercase();
    let supposed = SUPPOSING.contains(&word.as_str())
        || first.contains('`')
        || first.to_lowercase().split_whitespace().any(|word| word == "i'll");
    if supposed { written } else { first }
}

/// A sentence as it is looked through: in lower case, without quotations, its "no errors" as one word.
fn plain(written: &str) -> String {
    ALL_IS_WELL.replace_all(&unquoted(written).to_lowercase(), " all-is-well ").replace('’', "'")
}

fn topics(sentence: &str) -> impl Iterator<Item = &'static str> {
    TOPICS.iter().filter(|(_, pattern)| pattern.is_match(sentence)).map(|(name, _)| *name)
}

/// What is weighed in a sentence: whether it tells of work that its writer has done.
pub(crate) fn read_sentence<S: Sink>(sentence: &str) -> S {
    let mut features = S::default();
    let plain = plain(sentence);
    read_words(&plain, &mut features);
    topics(&plain).for_each(|topic| features.add(&["%about:", topic]));
    if topics(&plain).next().is_some() {
        features.add(&["%about"]);
    }
    if sentence.contains(['✅', '✓', '✔']) {
        features.add(&["%check"]);
    }
    features
}

/// Whether an answer says that something fails.
pub(crate) fn tells_failure(text: &str) -> bool {
    FAILURE.is_match(&ALL_IS_WELL.replace_all(&text.to_lowercase(), " "))
}

/// Whether an answer says that nothing was run again after the last change.
pub(crate) fn tells_no_rerun(text: &str) -> bool {
    NO_RERUN.is_match(&text.to_lowercase().replace('’', "'"))
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
    LazyLock::force(&TOPICS);
    LazyLock::force(&TOLD);
    LazyLock::force(&ALL_IS_WELL);
    LazyLock::force(&FAILURE);
    LazyLock::force(&FILE);
    LazyLock::force(&RUNS);
    LazyLock::force(&NO_RERUN);
}

static TOLD: LazyLock<Weights> = LazyLock::new(|| Weights::from_lines(include_str!("../text/data/wording/deeds.tsv")));
static TOPICS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
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
        r"\b(?:fail|fails|failing|failed|failure|failures|broken|does not|doesn't|except|mismatch(?:es)?|not yet)\b|失败|报错|未通过|没通过",
    )
});
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
const SUPPOSING: &[&str] = &[
    "once", "when", "whenever", "after", "if", "as", "before", "until", "unless", "while", "next", "next,", "then",
    "then,",
];
const FOREIGN: f32 = -3.0;
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
    fn claims_are_told_by_their_work() {
        // HOOK-4
        for (text, work) in [
            ("All tests pass.", "tests"),
            ("I ran the tests: all 12 pass.", "tests"),
            ("Done. The full test suite is green.", "tests"),
            ("Everything compiles and the tests pass.", "tests"),
            ("Type checking passes with no errors.", "types"),
            ("ESLint is clean: no warnings left.", "lint"),
            ("I've committed the change.", "commit"),
            ("Committed and pushed to fix/a, the preview will rebuild.", "push"),
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
    }

    #[test]
    fn plans_and_reports_are_no_claims() {
        // HOOK-4
        for text in [
            "Once all tests pass, you can commit.",
            "I have not run the tests.",
            "One test still fails.",
            "11 tests pass and one fails.",
            "Should I commit this?",
            "Once it is pushed, CI will run.",
            "After the branch is merged, the tag will be set.",
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
    }

    #[test]
    fn what_a_claim_is_about_is_told() {
        // HOOK-4
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
