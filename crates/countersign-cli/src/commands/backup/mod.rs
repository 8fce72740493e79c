//! `countersign backup` and `countersign restore`: everything of a data folder in one file, and back.
//!
//! A backup needs no server and stops none: it reads beside one that runs. It holds keys and what people said, so only its owner
//! may read it. Neither command ever writes over something.

/// A backup's file.
mod archive;
/// A backup, unpacked.
mod restore;

use super::print;
use crate::args::{BackupArgs, ConfigArgs, RestoreArgs};
use crate::config::{self, DataDir};
use crate::failure::Failure;
use archive::Manifest;
use std::io;
use std::path::{Path, PathBuf};

/// Makes a backup.
pub(crate) fn back_up(args: &BackupArgs) -> Result<u8, Failure> {
    let data = data_folder(&args.config)?;
    let file = &args.file;
    let failed = |error: io::Error| Failure::file(file, "write", &error);
    if file.exists() {
        let message = format!("{} exists already", file.display());
        return Err(Failure::with_help(message, "choose another name, such as countersign-2026-11-18.zip"));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scratch = tempfile::Builder::new().prefix(".countersign-backup-").tempdir_in(folder).map_err(failed)?;
    // A temporary file is its owner's alone, and so is what it becomes.
    let mut out = tempfile::NamedTempFile::new_in(scratch.path()).map_err(failed)?;
    let manifest = archive::write(&data, scratch.path(), &mut out)?;
    out.as_file().sync_all().map_err(failed)?;
    out.persist_noclobber(file).map_err(|error| failed(error.error))?;
    say("backed up", &data, file, &manifest)
}

/// Restores a backup.
pub(crate) fn restore(args: &RestoreArgs) -> Result<u8, Failure> {
    let data = data_folder(&args.config)?;
    let manifest = restore::restore(&args.file, &data)?;
    say("restored", &args.file, &data, &manifest)
}

fn say(what: &str, from: &Path, to: &Path, manifest: &Manifest) -> Result<u8, Failure> {
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    let (from, to, count) = (from.display(), to.display(), manifest.files.len());
    let size = bytes.div_ceil(1024);
    print(&format!("{what} {from} to {to}: {count} files, {size} KiB, of {}\n", manifest.made_at)).map(|()| 0)
}

/// The folder that holds everything; what is elsewhere is backed up there.
fn data_folder(args: &ConfigArgs) -> Result<PathBuf, Failure> {
    let config = config::load(args)?;
    if config.postgres_url.is_some() {
        return Err(Failure::with_help("the data is in PostgreSQL", POSTGRES));
    }
    match config.data_dir {
        DataDir::Folder(folder) => Ok(folder),
        DataDir::Memory => Err(Failure::with_help(
            "`:memory:` keeps nothing that could be backed up",
            "name the folder of the server with --data-dir",
        )),
    }
}

const POSTGRES: &str = "back it up with `pg_dump --format=custom --file=countersign.dump \"$COUNTERSIGN_POSTGRES_URL\"` and restore it with \
`pg_restore`; copy seal.key from the data folder of each node with it";
