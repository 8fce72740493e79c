//! The index on disk: a file of data, and a manifest that says which data belong to it.
//!
//! The manifest is written last and put in place by a rename, so that whoever is killed leaves the old index. It carries
//! the number of the format and a checksum of itself; it names the file of data with its length and checksum. So an
//! index that was cut short, mixed up or altered is seen when it is opened. Nothing that is not ours is ever removed.

use super::error::KbError;
use super::index::Index;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What an index was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The file of data, its length and checksum.
    pub(super) data: Data,
    pub(super) passages: usize,
    /// Every file that was read.
    pub(super) sources: BTreeMap<String, Source>,
    /// Every file that was not, and why.
    pub(super) skipped: BTreeMap<String, String>,
}

/// A file that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Source {
    pub(super) hash: String,
    pub(super) passages: usize,
    /// Why nothing could be read from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

/// The file of data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Data {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) hash: String,
}

/// The checksum of some bytes.
pub(super) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Whether a folder is an index, sound or not.
pub(super) fn is_index(folder: &Path) -> bool {
    [LOCK, MANIFEST].iter().all(|file| folder.join(file).is_file())
}

/// Reads the manifest of an index.
pub(super) fn manifest(index: &Path) -> Result<Manifest, KbError> {
    let bytes = match fs::read(index.join(MANIFEST)) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            // Data without a manifest are what a killed first build leaves: no index was ever finished.
            return Err(KbError::Absent { index: index.display().to_string() });
        }
        Err(error) => return Err(KbError::corrupted(index, error)),
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| KbError::corrupted(index, "the manifest is no text"))?;
    let (head, body) = text.split_once('\n').unwrap_or_default();
    let mut head = head.split(' ');
    if head.next() != Some(MAGIC) {
        return Err(KbError::corrupted(index, "the manifest is not ours"));
    }
    if head.next() != Some(FORMAT) {
        return Err(KbError::corrupted(index, "it was written by another version"));
    }
    if head.next() != Some(hash(body.as_bytes()).as_str()) {
        return Err(KbError::corrupted(index, "the manifest does not match its checksum"));
    }
    serde_json::from_str(body).map_err(|error| KbError::corrupted(index, error))
}

/// Reads the manifest and the index, both checked.
pub(super) fn load(index: &Path) -> Result<(Manifest, Index), KbError> {
    for _ in 0..ATTEMPTS {
        let manifest = manifest(index)?;
        match data(index, &manifest.data) {
            Ok(read) => return Ok((manifest, read)),
            // A build that ended in between has removed the data of this manifest.
            Err(_) if self::manifest(index).is_ok_and(|now| now.data != manifest.data) => {}
            Err(problem) => return Err(KbError::corrupted(index, problem)),
        }
    }
    Err(KbError::Busy { index: index.display().to_string() })
}

fn data(index: &Path, data: &Data) -> Result<Index, String> {
    let plain = data.name.starts_with(DATA) && !data.name.contains(['/', '\\']);
    let path = plain.then(|| index.join(&data.name)).ok_or("the manifest names a strange file")?;
    let bytes = fs::read(path).map_err(|error| format!("its data cannot be read: {error}"))?;
    if bytes.len() as u64 != data.bytes || hash(&bytes) != data.hash {
        return Err("its data do not match their checksum".to_owned());
    }
    Index::decode(&bytes).ok_or_else(|| "its data cannot be read".to_owned())
}

/// An index that only we write to.
#[derive(Debug)]
pub(super) struct Locked {
    index: PathBuf,
    /// Let go when it is closed, also by a process that is killed.
    _lock: File,
}

impl Locked {
    /// Makes the folder and waits for whoever builds there.
    pub(super) fn take(index: &Path) -> Result<Self, KbError> {
        let failed = |error: io::Error| KbError::unwritable(index, error);
        fs::create_dir_all(index).map_err(failed)?;
        let lock = index.join(LOCK);
        let other = !lock.exists() && fs::read_dir(index).map_err(failed)?.next().is_some();
        // Whoever builds here makes the lock first, perhaps between the two looks above.
        if other && !lock.exists() {
            return Err(KbError::Foreign { index: index.display().to_string() });
        }
        let file = File::options().create(true).truncate(false).write(true).open(lock).map_err(failed)?;
        let end = Instant::now() + WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { index: index.to_owned(), _lock: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(KbError::Busy { index: index.display().to_string() }),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    /// Writes the data, then the manifest that names them, then removes what was there before.
    pub(super) fn save(&self, data: &[u8], manifest: &mut Manifest) -> Result<(), KbError> {
        self.write(data, manifest).map_err(|error| KbError::unwritable(&self.index, error))
    }

    fn write(&self, data: &[u8], manifest: &mut Manifest) -> io::Result<()> {
        let draft = self.index.join(format!("{DATA}new"));
        let mut file = File::create(&draft)?;
        file.write_all(data)?;
        file.sync_all()?;
        let hash = hash(data);
        let name = format!("{DATA}{}", hash.get(..16).unwrap_or(&hash));
        fs::rename(&draft, self.index.join(&name))?;
        manifest.data = Data { name, bytes: data.len() as u64, hash };
        let body = serde_json::to_string(manifest)?;
        let draft = self.index.join(format!("{MANIFEST}.new"));
        let mut file = File::create(&draft)?;
        file.write_all(format!("{MAGIC} {FORMAT} {}\n{body}", self::hash(body.as_bytes())).as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, self.index.join(MANIFEST))?;
        // A folder cannot be synced everywhere; where it can, the rename survives a power cut.
        let _ = File::open(&self.index).and_then(|folder| folder.sync_all());
        self.tidy(&manifest.data.name);
        Ok(())
    }

    /// Removes data that no manifest names. What cannot be removed does no harm.
    fn tidy(&self, kept: &str) {
        for entry in fs::read_dir(&self.index).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(DATA) && name != kept {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |text, byte| text + &format!("{byte:02x}"))
}

const MAGIC: &str = "countersign-kb";
/// Changes with the fields, the words, the passages or the files.
const FORMAT: &str = "2";
const MANIFEST: &str = "manifest";
const DATA: &str = "data-";
const LOCK: &str = "lock";
const WAIT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(20);
const ATTEMPTS: usize = 5;
