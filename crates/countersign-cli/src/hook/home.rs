//! Where the guard keeps what it must remember: sessions, the journal, calls that a person let through, the modes.
//!
//! `COUNTERSIGN_HOOKS_DIR` names another folder. The modes are here and not on the command line, because an agent that
//! trusts its hooks by a hash (Codex) switches a hook off whose line changes.

use serde_json::{Map, Value};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The folder, and the home of the user it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    folder: PathBuf,
    user: Option<PathBuf>,
}

/// Whether the guard refuses or only records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It refuses.
    Enforce,
    /// It records what it would have refused.
    Observe,
}

impl Home {
    /// The folder of this user.
    pub(crate) fn of_user() -> Self {
        let text = |name: &str| std::env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
        let state = || text("XDG_STATE_HOME").or_else(|| text("LOCALAPPDATA"));
        let below = || state().or_else(|| user_home().map(|home| home.join(".local/state")));
        let folder = text("COUNTERSIGN_HOOKS_DIR").or_else(|| below().map(|state| state.join("countersign/hooks")));
        let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("countersign-hooks"));
        Self { folder, user: user_home() }
    }

    /// The user's home.
    pub(crate) fn user(&self) -> Option<&Path> {
        self.user.as_deref()
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// The mode of a project: its own, else the user's, else enforce.
    pub(crate) fn mode(&self, project: Option<&str>) -> Mode {
        let modes = self.modes();
        let of = |key: &str| modes.get(key).and_then(Value::as_str);
        match project.and_then(of).or_else(|| of(USER)) {
            Some("observe") => Mode::Observe,
            _ => Mode::Enforce,
        }
    }

    /// Sets the mode of a project, or of the user.
    pub(crate) fn set_mode(&self, project: Option<&str>, mode: Mode) -> std::io::Result<()> {
        let mut modes = self.modes();
        let word = if mode == Mode::Observe { "observe" } else { "enforce" };
        modes.insert(project.unwrap_or(USER).to_owned(), word.into());
        fs::create_dir_all(&self.folder)?;
        fs::write(self.folder.join(MODES), Value::Object(modes).to_string())
    }

    fn modes(&self) -> Map<String, Value> {
        let text = fs::read_to_string(self.folder.join(MODES)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Lets a call through once, within an hour.
    pub(crate) fn allow(&self, id: &str) -> std::io::Result<()> {
        fs::create_dir_all(self.folder.join(ALLOWED))?;
        fs::write(self.folder.join(ALLOWED).join(id), "")
    }

    /// Whether a person let this call through; asked once, it is used up.
    pub(crate) fn take_allowed(&self, id: &str) -> bool {
        let file = self.folder.join(ALLOWED).join(id);
        let Ok(about) = fs::metadata(&file) else { return false };
        let age = about.modified().ok().and_then(|then| SystemTime::now().duration_since(then).ok());
        let removed = fs::remove_file(&file).is_ok();
        removed && age.is_some_and(|age| age < ALLOWED_FOR)
    }

    /// Appends a line to a file of the folder.
    pub(crate) fn append(&self, file: &str, line: &str) -> std::io::Result<()> {
        let path = self.folder.join(file);
        let open = || fs::OpenOptions::new().create(true).append(true).open(&path);
        let mut file = match open() {
            Ok(file) => file,
            Err(_) => {
                fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
                open()?
            }
        };
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// Reads a file of the folder; a missing one is empty.
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read(self.folder.join(file)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Reads a file of the folder that nobody but this user could have written; `None` for any other.
    pub(crate) fn read_private(&self, file: &str) -> Option<String> {
        let mut file = fs::File::open(self.folder.join(file)).ok()?;
        let about = file.metadata().ok()?;
        if !is_private(&about) || about.len() > MAX_PRIVATE {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default());
        file.read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8(bytes).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()))
    }

    /// Adds to a file of the folder that nobody else may write; a file that somebody else could have written goes.
    pub(crate) fn append_private(&self, file: &str, text: &str) -> std::io::Result<()> {
        let path = self.folder.join(file);
        if fs::symlink_metadata(&path).is_ok_and(|about| !is_private(&about) || about.len() > MAX_PRIVATE) {
            fs::remove_file(&path)?;
        }
        fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?.write_all(text.as_bytes())
    }

    /// Writes such a file whole.
    pub(crate) fn write_private(&self, file: &str, text: &str) -> std::io::Result<()> {
        let _ = fs::remove_file(self.folder.join(file));
        self.append_private(file, text)
    }

    /// Writes a file of the folder whole.
    pub(crate) fn write(&self, file: &str, text: &str) -> std::io::Result<()> {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        fs::write(path, text)
    }
}

/// The user's home.
pub(crate) fn user_home() -> Option<PathBuf> {
    let text = |name: &str| std::env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    text("HOME").or_else(|| text("USERPROFILE"))
}

/// Whether a file is this user's own and no other user may write it.
#[cfg(unix)]
fn is_private(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    about.is_file() && about.uid() == rustix::process::geteuid().as_raw() && about.mode() & 0o022 == 0
}

/// Elsewhere the folder itself is the user's own.
#[cfg(not(unix))]
fn is_private(about: &fs::Metadata) -> bool {
    about.is_file()
}

const MODES: &str = "modes.json";
const ALLOWED: &str = "allowed";
const MAX_PRIVATE: u64 = 64 * 1024 * 1024;
const USER: &str = "user";
const ALLOWED_FOR: Duration = Duration::from_secs(3600);

#[cfg(test)]
impl Home {
    /// A folder by its path, for a user with this home.
    pub(crate) fn at(folder: impl Into<PathBuf>, user: &str) -> Self {
        Self { folder: folder.into(), user: Some(PathBuf::from(user)) }
    }
}
