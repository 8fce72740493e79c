//! A server that is a program: started with our environment, because it stands where the client would have started it,
//! and ended with all that it has started.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// A server that runs. What it says on standard error goes to ours.
pub(super) struct Program {
    child: Child,
    group: Option<rustix::process::Pid>,
}

impl Program {
    /// Starts a program.
    pub(super) fn start(command: &str, args: &[String]) -> std::io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut starting = Command::new(command);
        starting.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
        // A group of its own: what it starts is in it, and is told when it shall end.
        starting.process_group(0);
        let mut child = starting.spawn()?;
        let group = child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err(std::io::Error::other("it has no pipes")) };
        Ok((Self { child, group }, input, output))
    }

    /// Waits for its end.
    pub(super) async fn ended(&mut self) -> std::io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Lets it end by itself for a while, then tells it to, then ends it.
    pub(super) async fn end(mut self, patience: Duration) {
        for signal in [None, Some(rustix::process::Signal::TERM), Some(rustix::process::Signal::KILL)] {
            if let Some(signal) = signal {
                self.tell(signal);
            }
            if tokio::time::timeout(patience, self.child.wait()).await.is_ok() {
                return;
            }
        }
    }

    /// Passes a signal on.
    pub(super) fn tell(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.group {
            // It may be gone already.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.tell(rustix::process::Signal::KILL);
    }
}
