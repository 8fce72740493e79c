//! A backup, unpacked: beside the place that it goes to, checked there, and moved to it whole.
//!
//! Until the last step the folder does not exist. What a process leaves behind that was killed before is removed by the next one.

use super::archive::{FORMAT, Listed, MANIFEST, Manifest, VERSION, copy, is_plain};
use crate::failure::Failure;
use countersign_runtime::store::sqlite::{DATABASE, HELD_DATA, LOCK, check_database};
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Restores a backup into a folder that does not exist or is empty.
pub(super) fn restore(from: &Path, to: &Path) -> Result<Manifest, Failure> {
    check_place(to)?;
    let file = File::open(from).map_err(|error| Failure::file(from, "read", &error))?;
    let mut zip = ZipArchive::new(file).map_err(|error| damaged(from, &error.to_string()))?;
    let manifest = read_manifest(from, &mut zip)?;
    let staging = Staging::begin(to)?;
    for listed in &manifest.files {
        unpack(from, &mut zip, listed, &staging.folder)?;
    }
    check_database(&staging.folder.join(DATABASE)).map_err(|error| {
        let help = "restore it with the Countersign that made it, or a newer one; another backup may be whole";
        Failure::with_help(format!("{}: {error}", from.display()), help)
    })?;
    staging.finish(to)?;
    Ok(manifest)
}

/// Nothing is ever restored over something.
fn check_place(to: &Path) -> Result<(), Failure> {
    let mut entries = match fs::read_dir(to) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::file(to, "read", &error)),
    };
    if entries.next().is_none() {
        return Ok(());
    }
    let held = File::open(to.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_err());
    let message = match held {
        true => format!("a server is running on {}", to.display()),
        false => format!("{} is not empty", to.display()),
    };
    Err(Failure::with_help(message, "restore into a new folder with --data-dir DIR, then start the server with it"))
}

fn read_manifest(from: &Path, zip: &mut ZipArchive<File>) -> Result<Manifest, Failure> {
    let mut text = String::new();
    let found = zip.by_name(MANIFEST).map_err(|_| damaged(from, "it is no backup of Countersign"))?;
    found.take(LONGEST_MANIFEST).read_to_string(&mut text).map_err(|error| damaged(from, &error.to_string()))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| damaged(from, &error.to_string()))?;
    if manifest.format != FORMAT {
        return Err(damaged(from, "it is no backup of Countersign"));
    }
    if manifest.version > VERSION {
        let message = format!("{} was made by Countersign {}, which is newer", from.display(), manifest.made_by);
        return Err(Failure::with_help(message, "restore it with that version"));
    }
    let mut paths = BTreeSet::new();
    if let Some(odd) = manifest.files.iter().find(|listed| !is_plain(&listed.path) || !paths.insert(&listed.path)) {
        return Err(damaged(from, &format!("it lists {:?}, which is no file of a data folder", odd.path)));
    }
    if !paths.contains(&DATABASE.to_owned()) {
        return Err(damaged(from, "it has no database"));
    }
    Ok(manifest)
}

fn unpack(from: &Path, zip: &mut ZipArchive<File>, listed: &Listed, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(&listed.path);
    let failed = |error: io::Error| Failure::file(&path, "write", &error);
    if let Some(parent) = path.parent() {
        make_private(parent).map_err(failed)?;
    }
    let packed = zip.by_name(&listed.path).map_err(|_| damaged(from, &format!("it lacks {}", listed.path)))?;
    let mut file = private_file(&path).map_err(failed)?;
    // One byte more than is listed tells that there is more.
    let mut packed = packed.take(listed.bytes.saturating_add(1));
    let (bytes, sha256) = copy(&mut packed, &mut file).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => damaged(from, &format!("{}: {error}", listed.path)),
        _ => failed(error),
    })?;
    if bytes != listed.bytes || sha256 != listed.sha256 {
        return Err(damaged(from, &format!("{} is not what was backed up", listed.path)));
    }
    file.sync_all().map_err(failed)
}

/// The folder beside the one that it becomes. Dropped before its end, it is gone.
struct Staging {
    folder: PathBuf,
    /// Held for as long as somebody works here.
    lock: File,
    done: bool,
}

impl Staging {
    fn begin(to: &Path) -> Result<Self, Failure> {
        let name = to.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.ok_or_else(|| Failure::unusable(format!("{} is no folder that can be made", to.display())))?;
        let folder = parent(to).join(format!(".{name}.restoring"));
        let failed = |error: io::Error| Failure::file(&folder, "write", &error);
        make_private(&folder).map_err(failed)?;
        let lock = private_file(&folder.join(LOCK)).map_err(failed)?;
        if lock.try_lock().is_err() {
            let message = format!("another restore is working in {}", folder.display());
            return Err(Failure::with_help(message, "wait for it, or restore into another folder"));
        }
        // What somebody left who was killed.
        for entry in fs::read_dir(&folder).map_err(failed)?.flatten().filter(|entry| entry.file_name() != LOCK) {
            let path = entry.path();
            let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            gone.map_err(failed)?;
        }
        Ok(Self { folder, lock, done: false })
    }

    /// Gives the folder its name, whole.
    fn finish(mut self, to: &Path) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::file(to, "write", &error);
        self.lock.set_len(0).and_then(|()| self.lock.write_all(HELD_DATA)).map_err(failed)?;
        self.lock.sync_all().map_err(failed)?;
        sync_folder(&self.folder).map_err(failed)?;
        // An empty folder makes room for it; anything else keeps it out.
        fs::rename(&self.folder, to).map_err(failed)?;
        self.done = true;
        sync_folder(&parent(to)).map_err(failed)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.done {
            // The next restore removes what stays.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn damaged(from: &Path, why: &str) -> Failure {
    Failure::with_help(
        format!("{} cannot be restored: {why}", from.display()),
        "nothing was changed; use another backup",
    )
}

/// More than any list has.
const LONGEST_MANIFEST: u64 = 16 * 1024 * 1024;
