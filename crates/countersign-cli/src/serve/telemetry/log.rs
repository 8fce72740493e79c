//! The queue and the thread of the log.

use countersign_runtime::redact::Redactor;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// Takes log lines and never waits. Cloning is cheap.
#[derive(Clone)]
pub(super) struct LogQueue {
    queue: SyncSender<Word>,
    lost: Arc<AtomicU64>,
}

enum Word {
    Line(Vec<u8>),
    /// Answered once everything before it is written.
    Flush(SyncSender<()>),
}

impl LogQueue {
    /// Starts the thread that writes to standard error.
    pub(super) fn start(redactor: Redactor) -> Self {
        Self::to(redactor, io::stderr())
    }

    /// The same to any place.
    fn to(redactor: Redactor, out: impl Write + Send + 'static) -> Self {
        let (queue, waiting) = sync_channel(ROOM);
        let lost = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&lost);
        // Without the thread there is no log; the server goes on without.
        let _ = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all(&waiting, &redactor, &counted, out));
        Self { queue, lost }
    }

    /// Waits until what was said so far is written, at most for a moment.
    pub(super) fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.queue.try_send(Word::Flush(done)).is_ok() {
            let _ = written.recv_timeout(Duration::from_secs(1));
        }
    }
}

fn write_all(waiting: &Receiver<Word>, redactor: &Redactor, lost: &AtomicU64, mut out: impl Write) {
    while let Ok(word) = waiting.recv() {
        // A standard error that is closed is no reason to fail.
        let _ = match word {
            Word::Line(line) => out.write_all(redactor.redact(&String::from_utf8_lossy(&line)).as_bytes()),
            Word::Flush(done) => out.flush().map(|()| {
                let _ = done.try_send(());
            }),
        };
        let count = lost.swap(0, Ordering::Relaxed);
        if count > 0 {
            let _ = writeln!(out, "countersign: {count} log lines were left out: they could not be written in time");
        }
    }
}

impl<'a> MakeWriter<'a> for LogQueue {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { queue: self, text: Vec::new() }
    }
}

/// One line, queued when it is whole.
pub(super) struct Line<'a> {
    queue: &'a LogQueue,
    text: Vec<u8>,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let line = Word::Line(std::mem::take(&mut self.text));
        if self.queue.queue.try_send(line).is_err() {
            self.queue.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// How many lines may wait.
const ROOM: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use tracing_subscriber::layer::SubscriberExt;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    // SERVE-4: structured logs with secrets redacted.
    #[test]
    fn lines_are_json_and_hold_no_secret() {
        let page = Page::default();
        let queue = LogQueue::to(Redactor::new(["very-own-key".to_owned()]), page.clone());
        let layer = tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(queue.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::info!(
                authorization = "Bearer abc.def",
                key = "very-own-key",
                url = "redis://:pw12@h",
                "sk-abcdefgh1"
            );
        });
        queue.flush();
        let text = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
        for hidden in ["abc.def", "very-own-key", "pw12", "abcdefgh1"] {
            assert!(!text.contains(hidden), "{text}");
        }
        let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!(line["level"], "INFO");
    }
}
