//! Where a path lies: in the project, among temporary files, or elsewhere. Nothing is looked up on the disk.

use crate::policy::Policy;
use crate::text::lists::word_list;

/// Where an agent works.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The folder that commands run in.
    pub cwd: String,
    /// The folders of the project.
    pub roots: Vec<String>,
    /// The user's home.
    pub home: Option<String>,
    /// Files and folders that guard the agent: settings with hooks, the policy.
    pub guarded: Vec<String>,
}

impl Place {
    /// A path as an absolute one without steps that lead nowhere; none where a variable in it is not known.
    pub fn resolve(&self, path: &str) -> Option<String> {
        let home = self.home.as_deref().unwrap_or("/nowhere");
        let path = path.replace('\\', "/");
        let known = [("${HOME}", home), ("$HOME", home), ("${PWD}", &self.cwd), ("$PWD", &self.cwd)];
        let mut known =
            known.into_iter().chain([("${TMPDIR:-/tmp}", "/tmp"), ("${TMPDIR}", "/tmp"), ("$TMPDIR", "/tmp")]);
        let found = known.find_map(|(name, value)| Some(format!("{value}{}", path.strip_prefix(name)?)));
        let path = found.unwrap_or(path);
        let path = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ => path,
        };
        if path.contains('$') || path.is_empty() {
            return None;
        }
        let drive = path.as_bytes().get(1) == Some(&b':');
        Some(shorten(&if path.starts_with('/') || drive { path } else { format!("{}/{path}", self.cwd) }))
    }

    /// Whether an absolute path is in the project, or in a folder where everybody may write.
    pub fn is_free(&self, path: &str, policy: &Policy) -> bool {
        let in_root = self.roots.iter().chain([&self.cwd]).any(|root| is_below(path, root) && path != root.as_str());
        in_root || self.is_temporary(path) || policy.allow.paths.iter().any(|pattern| pattern.matches(path))
    }

    /// Whether an absolute path is among temporary files, caches or the agents' own notes.
    pub fn is_temporary(&self, path: &str) -> bool {
        let temporary = TEMPORARY.iter().any(|folder| is_below(path, folder) && path != *folder);
        let own = |folder: &&str| self.home.as_deref().is_some_and(|home| is_below(path, &format!("{home}/{folder}")));
        temporary || DEVICES.iter().any(|device| path.starts_with(device)) || OWN.iter().any(own)
    }

    /// Whether a change of this path changes what guards the agent: one of its files, or a folder around one.
    pub fn is_guarded(&self, path: &str) -> bool {
        let path = path.trim_end_matches('*').trim_end_matches('/');
        !path.is_empty() && self.guarded.iter().any(|guarded| is_below(guarded, path) || is_below(path, guarded))
    }
}

/// Whether a path is a folder or below it.
pub fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    !folder.is_empty() && path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn shorten(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", steps.join("/"))
}

const TEMPORARY: &[&str] = &["/tmp", "/private/tmp", "/var/tmp", "/private/var/folders", "/var/folders", "/dev/shm"];
const DEVICES: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/"];
/// Below the home: caches, and what the agents keep for themselves.
const OWN: &[&str] = word_list!("coding", "place/own");

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        let text = |text: &str| text.to_owned();
        Place {
            cwd: text("/home/dev/shop/api"),
            roots: vec![text("/home/dev/shop")],
            home: Some(text("/home/dev")),
            guarded: vec![text("/home/dev/shop/.claude/settings.json")],
        }
    }

    #[test]
    fn paths_are_placed() {
        // HOOK-1
        let (place, policy) = (place(), Policy::standard());
        let free = |path: &str| place.resolve(path).map(|path| place.is_free(&path, &policy));
        for inside in ["src/a.rs", "../web/a.ts", "/home/dev/shop/x", "$PWD/x", "/tmp/x", "$TMPDIR/x", "/dev/null"] {
            assert_eq!(free(inside), Some(true), "{inside}");
        }
        for outside in ["~/.bashrc", "../..", "../../other/x", "/etc/hosts", "$HOME/x", "~", "/tmp", "../"] {
            assert_eq!(free(outside), Some(false), "{outside}");
        }
        assert_eq!(free("$BUILD/x"), None);
    }

    #[test]
    fn what_guards_is_known_with_the_folders_around_it() {
        // HOOK-1
        let place = place();
        for path in ["../.claude/settings.json", "../.claude", "../.claude/*"] {
            assert!(place.is_guarded(&place.resolve(path).unwrap()), "{path}");
        }
        assert!(!place.is_guarded("/home/dev/shop/.claude/commands/a.md"));
        assert!(!place.is_guarded("/home/dev/shop/settings.json"));
    }
}
