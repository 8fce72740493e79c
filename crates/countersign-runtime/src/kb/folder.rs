//! What lies in a folder: the files that we can read, and why the others are left out.
//!
//! Hidden files and folders, links and the index itself are passed over, so that a walk always ends and never leaves
//! the folder.

use super::error::KbError;
use super::read::Kind;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<Found>,
    /// The files that are not read, and why.
    pub(super) skipped: BTreeMap<String, String>,
}

/// A file that we can read.
#[derive(Debug)]
pub(super) struct Found {
    /// Relative to the folder, with `/` between its parts.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

/// Walks a folder. Files come in the order of their names.
pub(super) fn list(folder: &Path, index: &Path) -> Result<Listing, KbError> {
    if !fs::metadata(folder).map_err(|error| KbError::folder(folder, error))?.is_dir() {
        return Err(KbError::folder(folder, "it is no folder"));
    }
    let index = fs::canonicalize(index).ok();
    let mut listing = Listing::default();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((path, name)) = open.pop() {
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if name.is_empty() => return Err(KbError::folder(folder, error)),
            Err(error) => {
                listing.skipped.insert(name, format!("the folder cannot be read: {error}"));
                continue;
            }
        };
        for entry in entries.flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            // Two such names may look the same.
            let odd = entry.file_name().to_str().is_none();
            let same =
                |index: &PathBuf| index.ends_with(&file) && fs::canonicalize(entry.path()).is_ok_and(|p| p == *index);
            if file.starts_with('.') || index.as_ref().is_some_and(same) {
                continue;
            }
            let name = if name.is_empty() { file } else { format!("{name}/{file}") };
            match entry.file_type() {
                _ if odd => drop(listing.skipped.insert(name, "its name is no text".to_owned())),
                Ok(kind) if kind.is_dir() => open.push((entry.path(), name)),
                Ok(kind) => sort(&mut listing, &entry, name, kind),
                Err(error) => drop(listing.skipped.insert(name, error.to_string())),
            }
        }
    }
    listing.files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(listing)
}

/// Puts a file among those to read or those to skip.
fn sort(listing: &mut Listing, entry: &fs::DirEntry, name: String, kind: fs::FileType) {
    let path = entry.path();
    let bytes = entry.metadata().map_or(0, |meta| meta.len());
    let reason = match Kind::of(&path) {
        _ if kind.is_symlink() => "links are not followed".to_owned(),
        _ if !kind.is_file() => "it is no ordinary file".to_owned(),
        None => "unknown kind of file".to_owned(),
        Some(_) if bytes > MAX_BYTES => format!("it is larger than {} MiB", MAX_BYTES >> 20),
        Some(kind) => return listing.files.push(Found { name, path, kind }),
    };
    listing.skipped.insert(name, reason);
}

/// The bytes of a file. It may have grown since it was listed.
pub(super) fn bytes(file: &Found) -> Result<Vec<u8>, String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let open = fs::File::open(&file.path).map_err(|error| error.to_string())?;
    open.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it is larger than {} MiB", MAX_BYTES >> 20));
    }
    Ok(bytes)
}

/// Larger files are no documents.
const MAX_BYTES: u64 = 64 << 20;
