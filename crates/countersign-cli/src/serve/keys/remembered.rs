//! That a server had keys, remembered beside its data: keys that are gone afterwards are a loss and never an open door.
//!
//! The mark is a file of its own, so that whoever empties or loses the file of keys, the record of several nodes or the
//! variable does not open the server by it. Only who removes the mark says that it shall be open.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Whether there were keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remembered {
    path: Option<PathBuf>,
}

impl Remembered {
    /// In a data directory.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { path: Some(folder.join(FILE)) }
    }

    /// Nowhere: what is kept in memory ends with the process.
    pub(crate) fn nowhere() -> Self {
        Self::default()
    }

    /// The file that holds the mark.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether there were keys. What cannot be looked at counts as a yes.
    pub(crate) fn is_set(&self) -> bool {
        let Some(path) = &self.path else { return false };
        !matches!(std::fs::symlink_metadata(path), Err(error) if error.kind() == ErrorKind::NotFound)
    }

    /// Remembers it.
    pub(crate) fn set(&self) -> io::Result<()> {
        let Some(path) = self.path.as_ref().filter(|_| !self.is_set()) else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = std::fs::File::create(path)?;
        file.write_all(TEXT.as_bytes())?;
        file.sync_all()
    }
}

const FILE: &str = "keys-were-set";
const TEXT: &str =
    "This server had API keys. While it finds none, it refuses everybody. Remove this file to open it.\n";

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1
    #[test]
    fn a_mark_stays_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mark = Remembered::in_folder(&folder.path().join("data"));
        assert!(!mark.is_set());
        mark.set().unwrap();
        mark.set().unwrap();
        assert!(mark.is_set() && Remembered::in_folder(&folder.path().join("data")).is_set());
        std::fs::remove_file(mark.path().unwrap()).unwrap();
        assert!(!mark.is_set());
        let nowhere = Remembered::nowhere();
        nowhere.set().unwrap();
        assert!(!nowhere.is_set());
    }
}
