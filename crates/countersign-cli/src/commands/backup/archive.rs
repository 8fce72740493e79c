//! A backup's file: a zip with everything that a data folder holds, and a list of it with sizes and digests.

use crate::failure::Failure;
use countersign_runtime::store::sqlite::{DATABASE, copy_database};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// What is in a backup.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// The version of this list; [`VERSION`].
    pub version: u32,
    /// Which Countersign made it.
    pub made_by: String,
    /// When.
    pub made_at: String,
    /// Everything else in it.
    pub files: Vec<Listed>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    /// Where it was in the data folder, with `/` between the parts.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

/// Writes everything of a data folder into a file that is open.
pub(super) fn write(data: &Path, scratch: &Path, out: &mut (impl Write + Seek)) -> Result<Manifest, Failure> {
    // The database first: what was acknowledged before this moment is in it.
    let copy = scratch.join(DATABASE);
    copy_database(data, &copy).map_err(|error| Failure::unusable(error.to_string()))?;
    let mut zip = ZipWriter::new(out);
    let mut files = vec![add(&mut zip, DATABASE, &copy)?];
    for path in list(data)? {
        files.push(add(&mut zip, &path, &data.join(&path))?);
    }
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        made_by: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: Timestamp::now().to_string(),
        files,
    };
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| Failure::Internal(error.to_string()))?;
    zip.start_file(MANIFEST, options()).map_err(|error| unwritable(&error))?;
    zip.write_all(text.as_bytes()).map_err(|error| unwritable(&error))?;
    zip.finish().map_err(|error| unwritable(&error))?;
    Ok(manifest)
}

fn add(zip: &mut ZipWriter<&mut (impl Write + Seek)>, path: &str, from: &Path) -> Result<Listed, Failure> {
    let mut file = File::open(from).map_err(|error| Failure::file(from, "read", &error))?;
    zip.start_file(path, options()).map_err(|error| unwritable(&error))?;
    let (bytes, sha256) = copy(&mut file, zip).map_err(|error| Failure::file(from, "back up", &error))?;
    Ok(Listed { path: path.to_owned(), bytes, sha256 })
}

/// Copies, and gives the size and the digest of what went through.
pub(super) fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<(u64, String)> {
    let (mut digest, mut bytes, mut piece) = (Sha256::new(), 0_u64, vec![0; PIECE]);
    loop {
        let read = from.read(&mut piece)?;
        let part = piece.get(..read).unwrap_or_default();
        if part.is_empty() {
            let digits = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            return Ok((bytes, digits));
        }
        digest.update(part);
        to.write_all(part)?;
        bytes += read as u64;
    }
}

/// The files of a data folder beside the database: keys, marks and pins. What only a running process needs, and what was set
/// aside as damaged, is left out.
fn list(data: &Path) -> Result<Vec<String>, Failure> {
    let (mut found, mut folders) = (Vec::new(), vec![(data.to_owned(), String::new())]);
    while let Some((folder, before)) = folders.pop() {
        let unreadable = |error: io::Error| Failure::file(&folder, "read", &error);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{before}{name}");
            if kind.is_dir() && before.matches('/').count() < DEEPEST {
                folders.push((entry.path(), format!("{path}/")));
            } else if kind.is_file() && is_kept(&name) && is_plain(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_kept(name: &str) -> bool {
    !name.starts_with('.') && !name.starts_with(DATABASE) && !name.ends_with(".lock")
}

/// Whether a path of a backup stays inside the folder that it is restored to.
pub(super) fn is_plain(path: &str) -> bool {
    let odd = |letter: char| letter.is_control() || matches!(letter, '\\' | ':');
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    !path.is_empty() && path.len() <= LONGEST_PATH && inside && !path.contains(odd) && path != MANIFEST
}

fn options() -> SimpleFileOptions {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    options.large_file(true).unix_permissions(0o600)
}

fn unwritable(error: &dyn std::fmt::Display) -> Failure {
    Failure::unusable(format!("the backup cannot be written: {error}"))
}

/// What the list calls itself.
pub(super) const FORMAT: &str = "countersign backup";
/// The version of the list.
pub(super) const VERSION: u32 = 1;
/// The name of the list in the zip.
pub(super) const MANIFEST: &str = "manifest.json";
const PIECE: usize = 128 * 1024;
const DEEPEST: usize = 4;
const LONGEST_PATH: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-5: nothing of a backup lands outside its folder.
    #[test]
    fn a_path_stays_inside() {
        for good in ["keys.json", "mcp-pins/a.json", "countersign.db"] {
            assert!(is_plain(good), "{good}");
        }
        for bad in ["", "/etc/passwd", "../x", "a/../x", "a\\b", "c:x", "a\n", "manifest.json", "./x"] {
            assert!(!is_plain(bad), "{bad}");
        }
    }
}
