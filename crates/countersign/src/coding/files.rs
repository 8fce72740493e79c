//! Which files a command changes, as far as its words tell. A command that is not known here changes nothing that can
//! be named.

use super::shell::{Ran, join};
use crate::check_call::danger::code;
use crate::check_call::danger::program::NARROWS;

/// The paths that a command writes or removes, seen from where the line began.
pub(crate) fn changed(ran: &Ran) -> Vec<String> {
    let mut found: Vec<String> = ran.writes.iter().filter(|path| !is_stream(path)).cloned().collect();
    found.extend(named(ran));
    found.extend(ran.code.iter().flat_map(|code| code::removed(code)));
    found.iter().map(|path| join(&ran.dir, path)).collect()
}

/// The arguments that a known program changes.
fn named(ran: &Ran) -> Vec<String> {
    let plain: Vec<String> = ran.plain().map(str::to_owned).collect();
    let without_first = || plain.iter().skip(1).cloned().collect();
    let last = || plain.last().filter(|_| plain.len() > 1).cloned().into_iter().collect::<Vec<_>>();
    match ran.program().as_str() {
        "rm" | "rmdir" | "unlink" | "tee" | "mv" => plain,
        "shred" | "truncate" => {
            plain.into_iter().filter(|word| !word.starts_with(|c: char| c.is_ascii_digit())).collect()
        }
        "cp" | "install" | "ln" => last(),
        "rsync" | "scp" => last().into_iter().filter(|to| !to.contains(':')).collect(),
        // `xargs sed -i s/a/b/` changes files that another command names.
        "sed" | "perl" if edits_in_place(ran) && plain.len() == 1 => vec!["{}".to_owned()],
        "sed" | "perl" if edits_in_place(ran) => without_first(),
        "chmod" | "chown" if ran.has("-R") => without_first(),
        "dd" => ran.words.iter().filter_map(|word| word.strip_prefix("of=")).map(str::to_owned).collect(),
        "find" if removes_found(ran) => searched(ran),
        _ => Vec::new(),
    }
}

fn edits_in_place(ran: &Ran) -> bool {
    let in_place = |word: &String| {
        word.starts_with("--in-place") || (word.starts_with('-') && !word.starts_with("--") && word.contains('i'))
    };
    ran.arguments().iter().any(in_place)
}

/// Whether `find` removes what it finds, or runs what changes it.
fn removes_found(ran: &Ran) -> bool {
    let runs = |(at, word): (usize, &String)| {
        let words = ran.words.get(at + 1..).filter(|_| ["-exec", "-execdir", "-ok"].contains(&word.as_str()))?;
        Some(words.iter().take_while(|word| ![";", "+"].contains(&word.as_str())).cloned().collect())
    };
    let changes = |words: Vec<String>| {
        let inner = Ran { words, ..Ran::default() };
        inner.program() != "chmod" && named(&inner).iter().any(|path| path.contains("{}"))
    };
    ran.words.iter().any(|word| word == "-delete") || ran.words.iter().enumerate().filter_map(runs).any(changes)
}

/// The folders that `find` searches: the words before its first test. Where it lets only some files through, what is changed
/// lies somewhere below.
fn searched(ran: &Ran) -> Vec<String> {
    let narrowed = ran.arguments().iter().any(|word| NARROWS.contains(&word.as_str()));
    let folders = ran.arguments().iter().take_while(|word| !word.starts_with(['-', '(', '!']));
    folders.map(|folder| if narrowed { format!("{folder}/{{}}") } else { folder.clone() }).collect()
}

/// The paths that the commands before one in its pipeline name and print, where it changes what it is fed: what `ls ~ | xargs
/// rm` removes.
pub(crate) fn fed(commands: &[Ran], at: usize) -> Vec<String> {
    let Some(ran) = commands.get(at) else { return Vec::new() };
    let feeders = commands.get(..at).unwrap_or_default().iter().filter(|other| other.pipe == ran.pipe);
    let handed_on = feeders.clone().any(|other| ["xargs", "parallel"].contains(&other.program().as_str()));
    let takes = REMOVERS.contains(&ran.program().as_str())
        && ran.plain().all(|word| word.contains("{}") || word.starts_with(|c: char| c.is_ascii_digit()));
    if !handed_on || !takes {
        return Vec::new();
    }
    let named = feeders.filter(|other| LISTERS.contains(&other.program().as_str()));
    let path = |word: &&String| word.starts_with(['/', '~', '.']) || word.starts_with("$HOME");
    named
        .flat_map(|other| other.arguments().iter().filter(path).map(|word| format!("{}/{{}}", join(&other.dir, word))))
        .collect()
}

/// `2>&1` writes to a stream.
fn is_stream(path: &str) -> bool {
    path == "-" || path.is_empty() || path.chars().all(|c| c.is_ascii_digit())
}

/// Programs that remove what they are given.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink", "shred", "truncate"];
/// Programs that print the paths below what they are given.
const LISTERS: &[&str] = &["ls", "find", "fd", "fdfind", "du", "echo", "printf", "realpath", "readlink"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::shell::commands;

    fn all(text: &str) -> Vec<String> {
        commands(text).iter().flat_map(changed).collect()
    }

    #[test]
    fn what_is_fed_is_what_was_listed() {
        // HOOK-1
        let all = |line: &str| {
            let ran = commands(line);
            (0..ran.len()).flat_map(|at| fed(&ran, at)).collect::<Vec<_>>()
        };
        assert_eq!(all("ls -d ~/.* | grep -v ssh | xargs rm -rf"), ["~/.*/{}"]);
        assert_eq!(all("find /srv/data -mtime +3 | xargs -I{} shred -u {}"), ["/srv/data/{}"]);
        assert_eq!(all("git ls-files -o | xargs rm"), Vec::<String>::new());
        assert_eq!(all("ls ~ | xargs -n1 echo"), Vec::<String>::new());
        assert_eq!(all("ls ~; echo a | xargs rm"), Vec::<String>::new());
    }

    #[test]
    fn changes_are_read_from_the_words() {
        // HOOK-1
        for (line, files) in [
            ("rm -rf a b", vec!["a", "b"]),
            ("grep -rl Foo src | xargs sed -i s/Foo/Bar/g", vec!["{}"]),
            ("cd .. && rm -rf x", vec!["../x"]),
            ("echo a > b.txt 2>&1", vec!["b.txt"]),
            ("sed -i 's/a/b/' x.rs", vec!["x.rs"]),
            ("cp a b ../c", vec!["../c"]),
            ("find ~ -type f -exec rm {} +", vec!["~", "~"]),
            ("find . -name '*.pyc' -delete", vec!["./{}"]),
            ("find /srv -size +1M -exec shred -u {} ';'", vec!["/srv/{}", "{}"]),
            ("find scripts -name '*.sh' -exec chmod +x {} +", vec![]),
            ("python3 -c \"import shutil; shutil.rmtree('/home/dev')\"", vec!["/home/dev"]),
            ("rsync -a dist/ host:/srv", vec![]),
            ("sed 's/a/b/' x.rs", vec![]),
            ("git commit -m 'rm -rf ~'", vec![]),
        ] {
            assert_eq!(all(line), files, "{line}");
        }
    }
}
