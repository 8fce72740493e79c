//! A terminal that gives keys as they are pressed, and is as it was afterwards.

use std::io::Read;
use tokio::sync::mpsc::{self, Receiver};

/// The keys of a terminal. Dropped, the terminal is as it was.
pub(super) struct Keyboard {
    /// What is pressed.
    pub keys: Receiver<u8>,
    #[cfg(unix)]
    before: rustix::termios::Termios,
}

impl Keyboard {
    /// Takes the keys of the terminal at standard input; none where there is no terminal. Ctrl-C stays what it is.
    #[cfg(unix)]
    pub(super) fn open() -> Option<Self> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(std::io::stdin()).ok()?;
        let mut now = before.clone();
        now.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &now).ok()?;
        Some(Self { keys: read_keys(), before })
    }

    /// Keys come with the line that they are in.
    #[cfg(not(unix))]
    pub(super) fn open() -> Option<Self> {
        use std::io::IsTerminal;
        std::io::stdin().is_terminal().then(|| Self { keys: read_keys() })
    }
}

#[cfg(unix)]
impl Drop for Keyboard {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // A terminal that is gone needs nothing.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.before);
    }
}

fn read_keys() -> Receiver<u8> {
    let (send, keys) = mpsc::channel(MOST);
    // Reading a terminal cannot be broken off: the thread ends with the process.
    std::thread::spawn(move || {
        for key in std::io::stdin().lock().bytes().map_while(Result::ok) {
            if send.blocking_send(key).is_err() {
                return;
            }
        }
    });
    keys
}

/// Keys that nobody has taken yet; who types faster waits.
const MOST: usize = 64;
