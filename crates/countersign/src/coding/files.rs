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

fn removes_found(ran: &Ran) -> bool {
    let runs = ran.words.iter().position(|word| word == "-exec" || word == "-execdir");
    let removes = |at: usize| ran.words.get(at + 1).is_some_and(|word| word == "rm" || word.ends_with("/rm"));
    ran.words.iter().any(|word| word == "-delete") || runs.is_some_and(removes)
}

/// The folders that `find` searches: the words before its first test. Where it lets only some files through, what is changed
/// lies somewhere below.
fn searched(ran: &Ran) -> Vec<String> {
    let narrowed = ran.arguments().iter().any(|word| NARROWS.contains(&word.as_str()));
    let folders = ran.arguments().iter().take_while(|word| !word.starts_with(['-', '(', '!']));
    folders.map(|folder| if narrowed { format!("{folder}/{{}}") } else { folder.clone() }).collect()
}

/// `2>&1` writes to a stream.
fn is_stream(path: &str) -> bool {
    path == "-" || path.is_empty() || path.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::shell::commands;

    fn all(text: &str) -> Vec<String> {
        commands(text).iter().flat_map(changed).collect()
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
            ("python3 -c \"import shutil; shutil.rmtree('/home/dev')\"", vec!["/home/dev"]),
            ("rsync -a dist/ host:/srv", vec![]),
            ("sed 's/a/b/' x.rs", vec![]),
            ("git commit -m 'rm -rf ~'", vec![]),
        ] {
            assert_eq!(all(line), files, "{line}");
        }
    }
}
