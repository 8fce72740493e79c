//! A folder that is removed afterwards, and a small HTTP server on a free port.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A folder of its own.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("countersign-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        fs::write(self.0.join(name), text).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A server that answers by path, counts its requests and lives as long as the test process.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) fn new(answer: impl Fn(&str) -> (u16, String, Duration) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let (counter, answer) = (Arc::clone(&requests), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, counter) = (Arc::clone(&answer), Arc::clone(&counter));
                thread::spawn(move || {
                    let mut reader = BufReader::new(&stream);
                    let mut first = String::new();
                    reader.read_line(&mut first).unwrap();
                    let mut line = String::from("x");
                    while line.trim() != "" {
                        line.clear();
                        reader.read_line(&mut line).unwrap();
                    }
                    counter.fetch_add(1, Ordering::SeqCst);
                    let path = first.split(' ').nth(1).unwrap_or_default();
                    let (status, body, wait) = answer(path);
                    thread::sleep(wait);
                    let head =
                        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
                    let place = if status == 302 { "location: /moved\r\n" } else { "" };
                    let _ = (&stream).write_all(format!("{head}{place}\r\n{body}").as_bytes());
                });
            }
        });
        Self { address, requests }
    }
}
