//! The keys that results of tools are sealed with and that links to reviews are signed with: each made once, kept in the data
//! directory, readable by its owner only.
//!
//! They never leave the process, and they are in no log. Whoever loses a file loses the proof of old seals, or the links
//! that were sent, and nothing else.

use crate::config::DataDir;
use crate::failure::Failure;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

/// The key of seals.
pub(super) fn seal_key(place: &DataDir) -> Result<Arc<[u8]>, Failure> {
    kept_key(place, SEALS)
}

/// The key of links to reviews.
pub(super) fn link_key(place: &DataDir) -> Result<Arc<[u8]>, Failure> {
    kept_key(place, LINKS)
}

/// A key of a data directory; a new one where everything is kept in memory.
fn kept_key(place: &DataDir, name: &str) -> Result<Arc<[u8]>, Failure> {
    let DataDir::Folder(folder) = place else { return new_key() };
    let file = folder.join(name);
    let unusable = |doing: &str, error: &io::Error| Failure::file(&file, doing, error);
    let found = match fs::read(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let made = new_key()?;
            keep(folder, name, &made).map_err(|error| unusable("write", &error))?;
            // Whoever was faster has made the key.
            fs::read(&file)
        }
        found => found,
    };
    let key = found.map_err(|error| unusable("read", &error))?;
    if key.len() != LENGTH {
        let message = format!("{} has {} bytes; a key has {LENGTH}", file.display(), key.len());
        return Err(Failure::with_help(message, "restore it from a backup, or remove it: a new one is made"));
    }
    warn_if_open(&file);
    Ok(key.into())
}

fn new_key() -> Result<Arc<[u8]>, Failure> {
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(|error| Failure::Internal(format!("no randomness: {error}")))?;
    Ok(Arc::new(key))
}

/// Written whole or not at all, and never over another one. Temporary files are their owner's alone from the beginning.
fn keep(folder: &Path, name: &str, key: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(folder.join(name)) {
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
        Ok(_) => Ok(()),
    }
}

#[cfg(unix)]
fn warn_if_open(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(file).map_or(0, |meta| meta.permissions().mode());
    if mode & 0o077 != 0 {
        tracing::warn!(file = %file.display(), "others may read this key: `chmod 600` it");
    }
}

#[cfg(not(unix))]
fn warn_if_open(_: &Path) {}

const SEALS: &str = "seal.key";
const LINKS: &str = "links.key";
const LENGTH: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = DataDir::Folder(folder.path().join("data"));
        let key = seal_key(&place).unwrap();
        assert_eq!((key.len(), seal_key(&place).unwrap()), (LENGTH, Arc::clone(&key)));
        assert_ne!(seal_key(&DataDir::Memory).unwrap(), key);
        let file = folder.path().join("data").join(SEALS);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&file, b"short").unwrap();
        assert!(seal_key(&place).unwrap_err().sentence().contains("a key has 32"));
    }
}
