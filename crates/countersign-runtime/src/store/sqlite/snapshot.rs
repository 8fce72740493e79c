//! A copy of the store while another process works on it, and whether such a copy can be used.
//!
//! A copy is one read of the whole database: it holds everything that was durable when it began, and no part of a transaction.
//! The writer is not held up by it; its log only grows longer for that time.

use super::{fault, folder, schema};
use crate::store::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Copies the database of a data folder into a file that does not exist yet.
pub fn copy_database(dir: &Path, to: &Path) -> Result<(), StoreError> {
    let file = dir.join(folder::DATABASE);
    if !file.is_file() {
        return Err(fault::broken(format!("{} holds no data of a server", dir.display())));
    }
    let target = to.to_str().ok_or_else(|| fault::broken(format!("{} is no name that can be used", to.display())))?;
    let reader =
        Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    reader.busy_timeout(schema::BUSY)?;
    schema::check_version(&reader)?;
    reader.execute("VACUUM INTO ?1", [target])?;
    Ok(())
}

/// Whether the database in a file is whole and of a version that is known here; gives its version.
pub fn check_database(file: &Path) -> Result<u32, StoreError> {
    // A copy has no other files beside it, and checking must not make some.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    let version = schema::check_version(&connection)?;
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(version) } else { Err(fault::broken(format!("its database is damaged: {found}"))) }
}
