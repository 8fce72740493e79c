//! Aliases of git: `git -c alias.x=…`, `git config alias.x '!…'`, and what a later `git x` becomes.

/// The aliases that a line has set so far.
#[derive(Debug, Default)]
pub(crate) struct Aliases {
    known: Vec<(String, String)>,
}

impl Aliases {
    /// What git with these arguments runs by an alias, as a line; an alias that it sets is remembered.
    pub(crate) fn read(&mut self, words: &[String]) -> Option<String> {
        let mut at = 0;
        let mut own = Vec::new();
        // The options of git itself come before its command.
        while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
            let takes = VALUED.contains(&option.as_str());
            if option == "-c" {
                own.extend(words.get(at + 1).and_then(|set| read_setting(set)));
            }
            at += 1 + usize::from(takes);
        }
        let (command, rest) = words.get(at..)?.split_first()?;
        if command == "config" {
            let room = MAX_ALIASES.saturating_sub(self.known.len());
            self.known.extend(set_by(rest).take(room));
            return None;
        }
        let mut all = own.iter().rev().chain(self.known.iter().rev());
        let (_, value) = all.find(|(name, _)| name == command)?;
        Some(expand(value, rest))
    }
}

/// What an alias stands for, with the words behind it. What begins with `!` is a line of the shell.
pub(crate) fn expand(value: &str, rest: &[String]) -> String {
    let start = value.strip_prefix('!').map_or_else(|| format!("git {value}"), str::to_owned);
    rest.iter().fold(start, |line, word| format!("{line} '{}'", word.replace('\'', "'\\''")))
}

/// The alias that `git config` sets, with its value.
pub(crate) fn set_by(words: &[String]) -> impl Iterator<Item = (String, String)> {
    let mut plain = words.iter().filter(|word| !word.starts_with('-') && word.as_str() != "set");
    let name = plain.next().and_then(|name| name.strip_prefix("alias."));
    name.zip(plain.next()).map(|(name, value)| (name.to_owned(), value.clone())).into_iter()
}

fn read_setting(text: &str) -> Option<(String, String)> {
    let (name, value) = text.strip_prefix("alias.")?.split_once('=')?;
    Some((name.to_owned(), value.to_owned()))
}

/// Options of git that take the next word.
const VALUED: &[&str] = &["-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env"];
const MAX_ALIASES: usize = 50;

#[cfg(test)]
mod tests {
    use crate::coding::shell::commands;

    fn last(line: &str) -> String {
        commands(line).last().unwrap().words.join(" ")
    }

    #[test]
    fn aliases_are_read_as_what_they_stand_for() {
        // HOOK-1
        assert_eq!(last("git -c alias.p='push -f' p origin main"), "git push -f origin main");
        assert_eq!(last("git config --global alias.w '!rm -rf ~/x' && git w"), "rm -rf ~/x");
        assert_eq!(last("git config alias.lg 'log --oneline' && git lg -2"), "git log --oneline -2");
        assert_eq!(last("git config alias.w '!rm -rf ~/x'"), "git config alias.w !rm -rf ~/x");
        assert_eq!(last("git config alias.a 'a' && git a"), "git a", "an alias of itself ends");
    }
}
