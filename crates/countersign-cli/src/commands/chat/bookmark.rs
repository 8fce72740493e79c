//! Where the reader of a conversation is: the newest event that was shown, kept in a small file between two runs.
//!
//! A bookmark that cannot be kept costs a replay, never an event.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// The newest event that was shown.
#[derive(Debug, Default)]
pub(super) struct Bookmark {
    file: Option<PathBuf>,
    last: Option<String>,
    kept: Option<Instant>,
}

impl Bookmark {
    /// The bookmark of a session, as the last run left it.
    pub(super) fn open(session: &str) -> Self {
        let file = folder().map(|folder| folder.join(plain(session)));
        let known = file.as_ref().and_then(|file| fs::read_to_string(file).ok());
        let known = known.map(|text| text.trim().to_owned()).filter(|text| number(text).is_some());
        Self { file, last: known, kept: None }
    }

    /// One that is forgotten with the process.
    pub(super) fn in_memory() -> Self {
        Self::default()
    }

    /// The newest event that was shown.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// How many events of the session came up to it.
    pub(super) fn count(&self) -> u64 {
        self.last.as_deref().and_then(number).unwrap_or_default()
    }

    /// Moves on to an event. `false` for one that was shown already.
    pub(super) fn advance(&mut self, id: &str) -> bool {
        if number(id).is_some_and(|number| number <= self.count()) {
            return false;
        }
        self.last = Some(id.to_owned());
        if self.kept.is_none_or(|kept| kept.elapsed() > EVERY) {
            self.keep();
        }
        true
    }

    /// Forgets where it was.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// Writes it down.
    pub(super) fn keep(&mut self) {
        self.kept = Some(Instant::now());
        let (Some(file), Some(last)) = (&self.file, &self.last) else { return };
        let written = file.parent().map(fs::create_dir_all).transpose().and_then(|_| fs::write(file, last));
        if written.is_ok() {
            tidy(file);
        }
    }
}

/// The `seq` of `epoch.seq`: dense over the whole session.
fn number(id: &str) -> Option<u64> {
    id.split_once('.')?.1.parse().ok()
}

/// Where small things of a user lie that are no data.
fn folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")?
    } else {
        variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))?
    };
    Some(base.join("countersign").join("chat"))
}

/// A session's id as the name of a file.
fn plain(session: &str) -> String {
    session.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).take(120).collect()
}

/// Keeps the newest bookmarks only.
fn tidy(file: &std::path::Path) {
    let Some(Ok(files)) = file.parent().map(fs::read_dir) else { return };
    let mut found: Vec<(SystemTime, PathBuf)> =
        files.flatten().filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path()))).collect();
    found.sort();
    let many = found.len().saturating_sub(MOST);
    for (_, old) in found.into_iter().take(many) {
        // One that another process has removed is gone as well.
        let _ = fs::remove_file(old);
    }
}

const EVERY: Duration = Duration::from_millis(500);
const MOST: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    // STREAM-3: nothing is shown twice, over epochs too.
    #[test]
    fn an_event_is_new_once() {
        let mut bookmark = Bookmark::in_memory();
        assert!(bookmark.advance("1.1") && bookmark.advance("1.2"));
        assert!(!bookmark.advance("1.2") && !bookmark.advance("1.1"));
        assert!(bookmark.advance("2.3") && !bookmark.advance("2.3"));
        assert_eq!(bookmark.last(), Some("2.3"));
    }
}
