//! The disk under the data directory: is there room, and does a write really arrive.

use super::{Look, Probe};
use crate::config::DataDir;
use futures_util::future::BoxFuture;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Looks at the disk.
pub(crate) struct Disk {
    folder: Option<PathBuf>,
    /// A disk that hangs holds one thread, not one a look.
    one: Arc<Semaphore>,
}

impl Disk {
    /// The disk of a data directory.
    pub(crate) fn new(place: &DataDir) -> Self {
        let folder = match place {
            DataDir::Folder(folder) => Some(folder.clone()),
            DataDir::Memory => None,
        };
        Self { folder, one: Arc::new(Semaphore::new(1)) }
    }
}

impl Probe for Disk {
    fn name(&self) -> &'static str {
        "disk"
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            let Some(folder) = self.folder.clone() else { return Look::healthy().noting("nothing is kept on disk") };
            let Ok(permit) = Arc::clone(&self.one).try_acquire_owned() else {
                return Look::unhealthy("a write has not come back yet");
            };
            let looked = tokio::task::spawn_blocking(move || {
                let look = look(&folder);
                drop(permit);
                look
            });
            looked.await.unwrap_or_else(|_| Look::unhealthy("the disk could not be looked at"))
        })
    }
}

/// Room on a disk, and a small write.
pub(crate) fn look(folder: &Path) -> Look {
    let (free, total) = match (fs4::available_space(folder), fs4::total_space(folder)) {
        (Ok(free), Ok(total)) => (free, total),
        (Err(error), _) | (_, Err(error)) => return Look::unhealthy(format!("{}: {error}", folder.display())),
    };
    let look = match write(folder) {
        Err(error) => Look::unhealthy(format!("a small write failed: {error}")),
        Ok(()) if free < (total / 20).min(LITTLE) => Look::degraded("little room is left; free some space"),
        Ok(()) => Look::healthy(),
    };
    look.with("free_bytes", free).with("total_bytes", total)
}

/// Writes a little, down to the disk, and takes it away again.
fn write(folder: &Path) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".health-").tempfile_in(folder)?;
    file.write_all(&[0; SMALL])?;
    file.as_file().sync_data()?;
    file.close()
}

/// Below that much room, or a twentieth of a smaller disk, people should know.
const LITTLE: u64 = 256 * 1024 * 1024;
/// As much as a burst of events.
const SMALL: usize = 64 * 1024;
