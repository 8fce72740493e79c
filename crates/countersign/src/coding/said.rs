//! Said and not done, for coding agents: each claim of the last message is held against the ledger. (HOOK-4)
//!
//! "All tests pass" needs a test run that passed after the last change of code. Where a command might have done it (a
//! script, a target of a runner), the agent is believed: a false accusation costs more than a missed boast.

use super::claim::{About, Claim, claims, tells_failure, tells_no_rerun};
use super::kind::Kind;
use super::ledger::{End, Entry};
use crate::contract::codes::answer::NOT_DONE;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::lists::word_list;

/// What the last message claims and the ledger does not show, with what was looked for.
pub fn not_done(answer: &str, ledger: &[Entry], language: Language) -> Vec<Finding> {
    let record = Record::of(ledger);
    let admits = tells_failure(answer);
    let stale = tells_no_rerun(answer);
    let told = |claim: &Claim| stale && matches!(claim.about, About::Work("tests" | "build" | "types" | "lint"));
    let unproven = claims(answer).into_iter().filter(|claim| !told(claim)).filter_map(|claim| {
        let wanted = record.lacks(&claim, admits, language)?;
        let sentence = &claim.sentence;
        let evidence = localized!(language, "you said “{sentence}”; {wanted}", "你说“{sentence}”；{wanted}");
        Some(Finding::new(&NOT_DONE, "", evidence))
    });
    unproven.take(MAX_FINDINGS).collect()
}

/// The ledger, read once.
struct Record<'a> {
    all: &'a [Entry],
    /// What came after the last change of code.
    since_edit: &'a [Entry],
    /// What came after the last prompt.
    turn: &'a [Entry],
    /// Whether the ledger has the whole session.
    whole: bool,
}

impl<'a> Record<'a> {
    fn of(all: &'a [Entry]) -> Self {
        let prompt = all.iter().rposition(Entry::is_prompt).map_or(0, |at| at + 1);
        let whole = all.first() == Some(&Entry::Start);
        Self { all, since_edit: since_edit(all), turn: all.get(prompt..).unwrap_or_default(), whole }
    }

    /// What is missing for a claim, in words; nothing where it is borne out or cannot be judged.
    fn lacks(&self, claim: &Claim, admits: bool, language: Language) -> Option<String> {
        let work = match &claim.about {
            About::File(path) => return self.lacks_file(path, language),
            About::Command(line) => return self.lacks_command(line, language),
            About::Work(work) => *work,
        };
        match work {
            "tests" if self.ran_a_part(claim) => Some(localized!(
                language,
                "the last test run left tests out and ran a part of them",
                "最近一次测试只运行了一部分用例"
            )),
            "tests" => self.lacks_run(&[Kind::Test], admits, language, "a test run that passed", "通过的测试"),
            "tests-ran" => self.lacks_attempt(Kind::Test, language),
            "build" => self.lacks_run(
                &[Kind::Build, Kind::Test, Kind::Types],
                admits,
                language,
                "a build that succeeded",
                "成功的构建",
            ),
            "types" => self.lacks_run(
                &[Kind::Types, Kind::Build],
                admits,
                language,
                "a type check that passed",
                "通过的类型检查",
            ),
            "lint" => {
                self.lacks_run(&[Kind::Lint, Kind::Build], admits, language, "a linter's run that passed", "通过的检查")
            }
            "fixed" => self.lacks_fix(admits, language),
            "browser" => self.lacks_look(language),
            deed if self.was_looked_up(deed, claim) => None,
            deed => self.last_failed(deed, admits, language).or_else(|| self.lacks_deed(deed, language)),
        }
    }

    /// Work that must have succeeded after the last change of code.
    fn lacks_run(&self, kinds: &[Kind], admits: bool, language: Language, what: &str, chinese: &str) -> Option<String> {
        let is_it = |found: &[Kind]| found.iter().any(|kind| kinds.contains(kind));
        let runs = self.since_edit.iter().filter_map(as_run);
        // The last word counts: what passed and then failed does not pass.
        // A script that says that its tests passed may have done the rest as well; a plain run of tests has not.
        let may = |run: &Run<'_>| run.end == End::Passed && (kinds.contains(&Kind::Test) || run.kinds != [Kind::Test]);
        let last = runs.clone().rfind(|run| is_it(run.kinds) || may(run));
        if last.is_some_and(|run| run.end != End::Failed) {
            return None;
        }
        // An answer that tells of a failure itself may speak of an earlier run: "Julia passes, R does not".
        if admits && runs.clone().any(|run| is_it(run.kinds) && run.end != End::Failed) {
            return None;
        }
        let script = runs.clone().any(|run| run.end != End::Failed && run.kinds.contains(&Kind::Script));
        if last.is_none() && (script || !self.can_judge()) {
            return None;
        }
        let edit = self.last_edit().say(language);
        Some(match last {
            Some(Run { command, .. }) => say_failed(command, language),
            None => localized!(language, "looked for {what}{edit}, and found none", "查找{edit}{chinese}，没有找到"),
        })
    }

    /// Whether a sentence speaks of the whole of the tests, or of more than passed, and every run since the last change says
    /// itself that it left some out.
    fn ran_a_part(&self, claim: &Claim) -> bool {
        let tests = || {
            self.since_edit.iter().filter(|entry| matches!(entry, Entry::Run { kinds, .. } if kinds.iter().any(|kind| [Kind::Test, Kind::Script].contains(kind))))
        };
        let parts: Vec<u32> =
            tests().filter_map(|entry| if let Entry::Run { part, .. } = entry { *part } else { None }).collect();
        let sentence = claim.sentence.to_lowercase();
        let whole = WHOLE.iter().any(|word| sentence.contains(word));
        let numbers = sentence.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<u32>().ok());
        let passed = parts.iter().fold(0_u32, |sum, part| sum.saturating_add(*part));
        !parts.is_empty()
            && parts.len() == tests().count()
            && (whole || numbers.max().is_some_and(|most| most > passed))
            && !LEFT_OUT.iter().any(|word| sentence.contains(word))
    }

    /// Whether a sentence tells of a state that a command of this session looked up and did not bring about: "both were merged"
    /// after `git branch --merged`.
    fn was_looked_up(&self, deed: &str, claim: &Claim) -> bool {
        let sentence = claim.sentence.to_lowercase();
        let words: Vec<&str> =
            sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
        let passive =
            words.windows(2).any(|pair| matches!(pair, [be, done] if BEING.contains(be) && done.starts_with(deed)));
        let again = words
            .windows(3)
            .any(|three| matches!(three, [be, _, done] if BEING.contains(be) && done.starts_with(deed)));
        let asked = |entry: &Entry| matches!(entry, Entry::Run { command, kinds, end, .. } if kinds.contains(&Kind::Read) && *end != End::Failed && command.contains(deed));
        (passive || again) && self.all.iter().any(asked)
    }

    /// A command that is said to succeed, and whose last run failed.
    fn lacks_command(&self, line: &str, language: Language) -> Option<String> {
        let last = self.all.iter().filter_map(as_run).rfind(|run| run.command.contains(line))?;
        (last.end == End::Failed).then(|| say_failed(last.command, language))
    }

    /// Work that must have been tried in this session.
    fn lacks_attempt(&self, kind: Kind, language: Language) -> Option<String> {
        let tried =
            |run: Run<'_>| run.kinds.contains(&kind) || run.kinds.contains(&Kind::Script) || run.end == End::Passed;
        if !self.can_judge() || self.all.iter().filter_map(as_run).any(tried) {
            return None;
        }
        Some(localized!(
            language,
            "looked for a test run in this session, and found none",
            "在本次会话中查找测试命令，没有找到"
        ))
    }

    fn lacks_fix(&self, admits: bool, language: Language) -> Option<String> {
        let shows = |run: &Run<'_>| run.kinds.iter().any(|kind| SHOWS_A_FIX.contains(kind));
        let last = self.since_edit.iter().filter_map(as_run).rfind(shows);
        if let Some(Run { command, end: End::Failed, .. }) = last.filter(|_| !admits) {
            return Some(say_failed(command, language));
        }
        if !self.whole || self.all.iter().any(changes_something) {
            return None;
        }
        Some(localized!(
            language,
            "looked for a change in this session, and found none",
            "在本次会话中查找修改，没有找到"
        ))
    }

    /// A look at the running program: by a browser's tool, or by whatever command may have started or asked it.
    fn lacks_look(&self, language: Language) -> Option<String> {
        let looked = |entry: &Entry| match entry {
            Entry::Run { kinds, .. } => kinds.is_empty() || kinds.iter().any(|kind| !CANNOT_LOOK.contains(kind)),
            Entry::Call { ok, name } => *ok && !OWN_TOOLS.contains(&name.to_ascii_lowercase().as_str()),
            _ => false,
        };
        if !self.whole || self.all.iter().any(looked) {
            return None;
        }
        Some(localized!(
            language,
            "looked for a command or a tool that opened it in this session, and found none",
            "在本次会话中查找打开它的命令或工具，没有找到"
        ))
    }

    /// A deed whose last command failed, whatever went well before it: a rollout that never became ready.
    fn last_failed(&self, deed: &str, admits: bool, language: Language) -> Option<String> {
        let kind: Kind = serde_json::from_value(deed.into()).ok()?;
        if admits || !ENDS_WITH_ITS_LAST.contains(&kind) {
            return None;
        }
        let last = self.turn.iter().filter_map(as_run).rfind(|run| run.kinds.contains(&kind))?;
        (last.end == End::Failed).then(|| say_failed(last.command, language))
    }

    /// A deed that some command or tool must have done.
    fn lacks_deed(&self, deed: &str, language: Language) -> Option<String> {
        // A version is raised by an installer, or by an edit of whatever file names it.
        let (kind, edited) = match deed {
            "upgrade" => (Some(Kind::Install), true),
            _ => (serde_json::from_value(deed.into()).ok(), false),
        };
        let stem = deed.split('-').next().unwrap_or(deed);
        let did = |entry: &Entry| match entry {
            Entry::Run { kinds, end, command, .. } => {
                let named = command.to_ascii_lowercase().contains(stem)
                    && !kinds.contains(&Kind::Read)
                    && !command.contains("--dry-run");
                let might = kinds.contains(&Kind::Script) && deed != "commit" && deed != "push";
                *end != End::Failed && (kind.is_some_and(|kind| kinds.contains(&kind)) || named || might)
            }
            // A tool of another program may do anything.
            Entry::Call { name, ok } => *ok && name.starts_with("mcp"),
            Entry::Edit { .. } => edited,
            _ => false,
        };
        if !self.whole || self.all.iter().any(did) {
            return None;
        }
        Some(localized!(
            language,
            "looked for a command that did it in this session ({deed}), and found none that succeeded",
            "在本次会话中查找完成此事的命令（{deed}），没有找到成功的"
        ))
    }

    fn lacks_file(&self, path: &str, language: Language) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let wrote = |entry: &Entry| match entry {
            Entry::Edit { path } => path.rsplit('/').next() == Some(name),
            Entry::Run { kinds, end, .. } => *end != End::Failed && !kinds.contains(&Kind::Read),
            Entry::Call { ok, .. } => *ok,
            _ => false,
        };
        if !self.whole || self.turn.is_empty() && self.all.len() > 2 || self.all.iter().any(wrote) {
            return None;
        }
        Some(localized!(
            language,
            "looked for a change of `{name}` in this session, and found none",
            "在本次会话中查找对 `{name}` 的修改，没有找到"
        ))
    }

    /// Whether the ledger has everything since the last change of code.
    fn can_judge(&self) -> bool {
        self.whole || self.all.iter().any(Entry::edits_code)
    }

    fn last_edit(&self) -> LastEdit<'_> {
        LastEdit(self.all.iter().rev().find_map(|entry| match entry {
            Entry::Edit { path } if entry.edits_code() => path.rsplit('/').next(),
            Entry::Run { edits: true, .. } => Some("`"),
            _ => None,
        }))
    }
}

/// What came after the last change of code. A line that changes code and then tests it is its own test.
fn since_edit(all: &[Entry]) -> &[Entry] {
    // What a line says last it does last: `rm -rf build && make` builds what is there now.
    let tests_itself = |entry: &Entry| match entry {
        Entry::Run { end, kinds, .. } => {
            *end == End::Passed || (*end == End::Well && kinds.last().is_some_and(|kind| SHOWS_A_FIX.contains(kind)))
        }
        _ => false,
    };
    let from = all.iter().rposition(Entry::edits_code);
    let from = from.map_or(0, |at| at + usize::from(!all.get(at).is_some_and(tests_itself)));
    all.get(from..).unwrap_or_default()
}

struct LastEdit<'a>(Option<&'a str>);

impl LastEdit<'_> {
    fn say(&self, language: Language) -> String {
        match self.0 {
            None => String::new(),
            Some("`") => localized!(language, " after the last change of code", "最后一次修改代码之后"),
            Some(name) => localized!(language, " after the last edit (`{name}`)", "最后一次修改（`{name}`）之后"),
        }
    }
}

#[derive(Clone, Copy)]
struct Run<'a> {
    command: &'a str,
    kinds: &'a [Kind],
    end: End,
}

fn as_run(entry: &Entry) -> Option<Run<'_>> {
    match entry {
        Entry::Run { command, kinds, end, .. } => Some(Run { command, kinds, end: *end }),
        _ => None,
    }
}

fn say_failed(command: &str, language: Language) -> String {
    localized!(
        language,
        "the last run that could show it, `{command}`, failed",
        "最近一次能证明它的命令 `{command}` 失败了"
    )
}

fn changes_something(entry: &Entry) -> bool {
    match entry {
        Entry::Edit { .. } => true,
        Entry::Run { kinds, .. } => !kinds.contains(&Kind::Read),
        Entry::Call { ok, .. } => *ok,
        _ => false,
    }
}

/// Deeds that are not done where their last command failed. Whoever restarts or installs may well try what fails first.
const ENDS_WITH_ITS_LAST: &[Kind] =
    &[Kind::Commit, Kind::Push, Kind::Merge, Kind::PullRequest, Kind::Tag, Kind::Publish, Kind::Deploy, Kind::Migrate];
/// Runs that fail as long as a thing is broken.
const SHOWS_A_FIX: &[Kind] = &[Kind::Test, Kind::Build, Kind::Types];
/// Work that shows nobody how a program looks.
const CANNOT_LOOK: &[Kind] =
    &[Kind::Read, Kind::Lint, Kind::Types, Kind::Commit, Kind::Push, Kind::Test, Kind::Tag, Kind::Merge];
/// The agents' own tools for files and plans.
const OWN_TOOLS: &[&str] = word_list!("coding", "said/own-tools");
/// Words for all of the tests.
const WHOLE: &[&str] = &["entire", "whole", "full ", "complete ", "every test", "全部", "所有", "完整"];
/// Words of somebody who says that some were left out.
const LEFT_OUT: &[&str] =
    &["deselected", "filtered", "skipped", "left out", "only", "relevant", "related", "matching", "跳过", "只", "相关"];
const BEING: &[&str] = &["was", "were", "is", "are", "been"];
const MAX_FINDINGS: usize = 4;
