//! Code on a command line (`python3 -c "…"`, `perl -e`, `node -e`): whether it removes everything, or runs what does.
//!
//! No language is parsed. The strings of the code are read, with what is before each: a call that removes a tree
//! with the root in it, a call that starts a program with a command that destroys, a decoder inside an `exec`.

use super::program::Runs;
use super::simple::is_everything;
use regex::Regex;
use std::sync::LazyLock;

/// What a piece of code does.
#[derive(Debug, PartialEq)]
pub(crate) enum Does {
    /// It removes everything, or runs what nobody can read.
    Destroys,
    /// It starts these commands, or none.
    Starts(Vec<Runs>),
}

/// Reads a piece of code.
pub(crate) fn read(code: &str) -> Does {
    let end = code.floor_char_boundary(MAX_CODE);
    let code = code.get(..end).unwrap_or(code);
    let is = |pattern: &LazyLock<Option<Regex>>, text: &str| pattern.as_ref().is_some_and(|p| p.is_match(text));
    if is(&DECODED, code) || is(&HOME_REMOVED, code) {
        return Does::Destroys;
    }
    let strings = strings(code);
    if strings.iter().any(|string| is_everything(&string.text) && is(&REMOVES, string.before)) {
        return Does::Destroys;
    }
    if !is(&STARTS, code) {
        return Does::Starts(Vec::new());
    }
    let lines = strings.iter().map(|string| Runs::Shell(string.text.clone()));
    Does::Starts(lines.chain(lists(&strings).map(Runs::Words)).collect())
}

/// The paths that a piece of code removes with all that is in them.
pub(crate) fn removed(code: &str) -> Vec<String> {
    let end = code.floor_char_boundary(MAX_CODE);
    let removes = |string: &Text<'_>| REMOVES.as_ref().is_some_and(|removes| removes.is_match(string.before));
    let strings = strings(code.get(..end).unwrap_or(code));
    strings.into_iter().filter(removes).map(|string| string.text).collect()
}

/// A string of the code.
struct Text<'a> {
    text: String,
    /// What stands shortly before it.
    before: &'a str,
    /// Whether it follows the string before it in a list.
    continues: bool,
}

/// The strings of a piece of code, in any of its quotes.
fn strings(code: &str) -> Vec<Text<'_>> {
    let (mut found, mut open): (Vec<Text<'_>>, Option<(char, usize, String)>) = (Vec::new(), None);
    let (mut escaped, mut last) = (false, 0);
    for (at, c) in code.char_indices() {
        match open.as_mut() {
            Some((_, _, text)) if escaped => {
                text.push(c);
                escaped = false;
            }
            Some(_) if c == '\\' => escaped = true,
            Some((quote, start, text)) if *quote == c => {
                let gap = code.get(last..*start).unwrap_or_default();
                let continues = !found.is_empty() && gap.chars().all(|c| c.is_whitespace() || c == ',');
                let before = code.get(..*start).unwrap_or_default();
                let near =
                    before.get(before.ceil_char_boundary(before.len().saturating_sub(MAX_BEFORE))..).unwrap_or(before);
                found.push(Text { text: std::mem::take(text), before: near, continues });
                last = at + c.len_utf8();
                open = None;
            }
            Some((_, _, text)) => text.push(c),
            None if "'\"`".contains(c) && found.len() < MAX_STRINGS => open = Some((c, at, String::new())),
            None => {}
        }
    }
    found
}

/// The lists of strings that stand beside each other: `["rm", "-rf", "/"]`.
fn lists<'a>(strings: &'a [Text<'_>]) -> impl Iterator<Item = Vec<String>> + 'a {
    let begins = strings.iter().enumerate().filter(|(_, string)| !string.continues).map(|(at, _)| at);
    begins.map(|from| {
        let rest = strings.get(from + 1..).unwrap_or_default().iter().take_while(|string| string.continues);
        strings.get(from).into_iter().chain(rest).map(|string| string.text.clone()).collect()
    })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&REMOVES);
    LazyLock::force(&HOME_REMOVED);
    LazyLock::force(&STARTS);
    LazyLock::force(&DECODED);
}

/// A call that removes a tree, up to its first argument; the path may be wrapped once (`Path("/")`, `expanduser("~")`).
static REMOVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:rmtree|remove_?tree|removedirs|rm_?rf|rm_r|\brm|rm_?sync|rmdir\w*|rimraf\w*|empty_?dir\w*|remove_?all|delete_?tree)(?:\.sync)?\s*\(?\s*(?:[\w.:]+\(\s*)?$").ok()
});

static HOME_REMOVED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:rmtree|rmSync|rmdirSync|rimraf|rm_rf)\s*\(\s*(?:[\w.]*Path\.home\(\)|os\.homedir\(\)|Dir\.home|os\.environ\[.HOME.\])\s*[,)]").ok()
});

/// A call that starts a program or a shell.
static STARTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:system|popen\w*|Popen|exec\w*|spawn\w*|subprocess|check_call|check_output|qx|shell_exec|passthru|child_process)\b|`").ok()
});

/// Code that is decoded or fetched, and run.
static DECODED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:exec|eval|Function)\s*\(?[^\n]*(?:b64decode|base64|fromhex|unhexlify|\batob\b|fromCharCode|decompress|decode_base64|urlopen|requests\.get|file_get_contents\s*\(\s*.https?:)").ok()
});

const MAX_CODE: usize = 20_000;
const MAX_STRINGS: usize = 500;
const MAX_BEFORE: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_destroys_is_told_from_work() {
        // CALL-6
        for bad in [
            "import shutil; shutil.rmtree('/')",
            "import shutil,os; shutil.rmtree(os.path.expanduser(\"~\"))",
            "from pathlib import Path; import shutil; shutil.rmtree(Path('/etc'), ignore_errors=True)",
            "require('fs').rmSync('/', {recursive: true, force: true})",
            "use File::Path; remove_tree('/home')",
            "FileUtils.rm_rf('/')",
            "import base64; exec(base64.b64decode('cHJpbnQoMSk='))",
            "shutil.rmtree(Path.home())",
        ] {
            assert_eq!(read(bad), Does::Destroys, "{bad}");
        }
        for good in [
            "import shutil; shutil.rmtree('build', ignore_errors=True)",
            "print('rm -rf /')",
            "require('fs').rmSync('dist', {recursive: true})",
            "import base64; print(base64.b64decode('aGk='))",
            "import os; print(os.listdir('/'))",
            "s/rm -rf \\//x/",
            "import json,sys; print(json.load(sys.stdin)['a'])",
            "puts Dir.glob('/etc/*')",
        ] {
            assert_eq!(read(good), Does::Starts(Vec::new()), "{good}");
        }
    }

    #[test]
    fn commands_in_code_are_found() {
        // CALL-6
        let Does::Starts(lines) = read("import os; os.system('rm -rf /')") else { panic!() };
        assert_eq!(lines.first(), Some(&Runs::Shell("rm -rf /".into())));
        let Does::Starts(lists) = read("import subprocess; subprocess.run([\"rm\", \"-rf\", \"/\"])") else { panic!() };
        assert!(lists.contains(&Runs::Words(["rm", "-rf", "/"].map(str::to_owned).to_vec())));
    }
}
