//! The person at the terminal: the lines they type, and Ctrl-C.

use std::io::BufRead;
use tokio::sync::mpsc;

/// What a person did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Did {
    /// They typed a line.
    Typed(String),
    /// They pressed Ctrl-C.
    Interrupted,
    /// They will type nothing any more.
    Left,
}

/// What is listened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ears {
    /// Lines and Ctrl-C.
    Everything,
    /// Ctrl-C only; lines wait.
    Interrupts,
}

/// The person at the terminal.
pub(super) struct Person {
    lines: Option<mpsc::Receiver<String>>,
    interrupts: Interrupts,
}

impl Person {
    /// A person who types lines. Needs a tokio runtime.
    pub(super) fn typing() -> Self {
        let (send, lines) = mpsc::channel(MOST_LINES);
        // Reading a terminal cannot be broken off: the thread ends with the process.
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                if send.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Self { lines: Some(lines), interrupts: Interrupts::new() }
    }

    /// A person who can only press Ctrl-C. Needs a tokio runtime.
    pub(super) fn silent() -> Self {
        Self { lines: None, interrupts: Interrupts::new() }
    }

    /// Whether they can still type.
    pub(super) fn can_type(&self) -> bool {
        self.lines.is_some()
    }

    /// What they do next; a person who cannot type any more can still press Ctrl-C. It may be dropped at its await.
    pub(super) async fn next(&mut self, ears: Ears) -> Did {
        let (Some(lines), Ears::Everything) = (&mut self.lines, ears) else {
            self.interrupts.next().await;
            return Did::Interrupted;
        };
        tokio::select! {
            () = self.interrupts.next() => Did::Interrupted,
            line = lines.recv() => match line {
                Some(line) => Did::Typed(line),
                None => {
                    self.lines = None;
                    Did::Left
                }
            },
        }
    }
}

#[cfg(unix)]
struct Interrupts(Option<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Interrupts {
    fn new() -> Self {
        Self(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).ok())
    }

    async fn next(&mut self) {
        match &mut self.0 {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

/// Lines that nobody has taken yet; who types faster waits.
const MOST_LINES: usize = 64;
