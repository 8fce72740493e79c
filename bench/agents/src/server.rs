//! A server in a new folder on a free port, and what it takes of the machine.

use crate::Fallible;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server, killed when it is dropped, and its folder removed.
pub struct Server {
    child: Child,
    folder: PathBuf,
    pub address: String,
}

/// Where it keeps its log.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// SQLite in a folder, every commit on the disk.
    Disk,
    /// Nowhere.
    Memory,
}

impl Server {
    /// Starts one with a configuration, which may be empty.
    pub fn start(binary: &str, store: Store, configuration: &str) -> Fallible<Self> {
        // Under the target folder and not under /tmp, which may be no disk at all.
        let folder = Path::new("target").join(format!("bench-agents-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("countersign.toml");
        std::fs::write(&file, configuration)?;
        let data = if store == Store::Disk { folder.join("data") } else { PathBuf::from(":memory:") };
        let mut child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--set", "limits.connections=50000"])
            .arg("--data-dir")
            .arg(data)
            .arg("--config")
            .arg(file)
            .stderr(Stdio::piped())
            .spawn()?;
        let mut lines = std::io::BufReader::new(child.stderr.take().ok_or("no stderr")?);
        let mut line = String::new();
        while std::io::BufRead::read_line(&mut lines, &mut line)? > 0 {
            if let Some(address) = line.trim().strip_prefix("countersign: listening on http://") {
                let address = address.to_owned();
                std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::stderr()));
                return Ok(Self { child, folder, address });
            }
            eprint!("{line}");
            line.clear();
        }
        Err("the server did not start".into())
    }

    /// Seconds that a page of its store takes to the disk by itself: written over an old one in the server's folder, as a
    /// log that is used again is, and synced.
    pub fn bare_sync(&self, number: usize) -> Fallible<f64> {
        let path = self.folder.join("bare");
        let mut file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        if file.metadata()?.len() == 0 {
            std::io::Write::write_all(&mut file, &vec![7; PAGES * PAGE])?;
            file.sync_all()?;
        }
        let begun = std::time::Instant::now();
        std::os::unix::fs::FileExt::write_all_at(&file, &[8; PAGE], (number % PAGES * PAGE) as u64)?;
        file.sync_data()?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Seconds of processor time so far, of all its threads, by the scheduler's own count where there is one.
    pub fn cpu(&self) -> Fallible<f64> {
        let mut nanos = 0.0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let told = std::fs::read_to_string(thread?.path().join("schedstat")).unwrap_or_default();
            nanos += told.split_whitespace().next().and_then(|first| first.parse::<f64>().ok()).unwrap_or(0.0);
        }
        // A thread that has ended is in the process's ticks only; those are coarse, and never less.
        Ok((nanos / 1e9).max(self.ticks()?))
    }

    fn ticks(&self) -> Fallible<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit_once(')').ok_or("no stat")?.1.split_whitespace().collect();
        let field = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
        Ok((field(11) + field(12)) / 100.0)
    }

    /// Memory in MiB: now, and at most.
    pub fn memory(&self) -> Fallible<(u64, u64)> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) / 1024
        };
        Ok((field("VmRSS:"), field("VmHWM:")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const PAGE: usize = 16 * 1024;
const PAGES: usize = 256;
