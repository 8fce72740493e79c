//! A server that is a program: started with little of our environment, and ended with all that it has started.

use super::lines::Lines;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A program that runs.
pub(super) struct Program {
    /// What it writes.
    pub(super) output: Lines<ChildStdout>,
    /// What it reads.
    pub(super) input: ChildStdin,
    /// As long as this is kept, it runs.
    pub(super) leash: Leash,
}

/// Ends a program, and the programs it has started, when it is dropped.
pub(super) struct Leash {
    child: Child,
    group: Option<rustix::process::Pid>,
    listening: Option<JoinHandle<()>>,
}

/// Starts a program. `ended` is said when it writes nothing more.
pub(super) fn start(
    name: &str,
    (command, args): (&str, &[String]),
    env: &BTreeMap<String, String>,
    cwd: Option<&Path>,
    ended: CancellationToken,
) -> Result<Program, String> {
    let mut starting = Command::new(command);
    starting.args(args).env_clear();
    starting.envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(|name| INHERITED.contains(&name))));
    starting.envs(env).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // A group of its own: what it starts is in it, and a Ctrl-C of ours is not for it.
    starting.process_group(0);
    if let Some(cwd) = cwd {
        starting.current_dir(cwd);
    }
    let mut child = starting.spawn().map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    let group = child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
    let secrets = env.values().filter(|value| value.len() >= SECRET).cloned().collect();
    let words = child.stderr.take().map(|words| tokio::spawn(listen(name.to_owned(), words, secrets)));
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let leash = Leash { child, group, listening: words };
    let (Some(input), Some(output)) = (input, output) else { return Err(format!("{command:?} has no pipes")) };
    Ok(Program { output: Lines::new(output, ended), input, leash })
}

impl Leash {
    /// Waits for its end, and says how it ended.
    pub(super) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => format!("the server ended by itself ({status})"),
            Err(error) => format!("it is unknown whether the server still runs: {error}"),
        }
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // It may be gone already.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

/// Passes what a program says on its standard error on to the log, for whoever looks for faults.
async fn listen(name: String, mut words: impl AsyncRead + Unpin, secrets: Vec<String>) {
    let (mut chunk, mut line) = (vec![0; 4_096], Vec::new());
    while let Ok(read) = words.read(&mut chunk).await {
        let heard = chunk.get(..read).unwrap_or_default();
        for byte in heard {
            match byte {
                b'\n' => say(&name, &mut line, &secrets),
                _ if line.len() < LONGEST_WORD => line.push(*byte),
                _ => {}
            }
        }
        if read == 0 {
            say(&name, &mut line, &secrets);
            break;
        }
    }
}

fn say(name: &str, line: &mut Vec<u8>, secrets: &[String]) {
    if !line.is_empty() {
        let text = String::from_utf8_lossy(line);
        let text = secrets.iter().fold(text.trim_end().to_owned(), |text, secret| text.replace(secret.as_str(), "***"));
        tracing::debug!(server = name, "{text}");
        line.clear();
    }
}

/// What a program gets of our environment: enough to find its files, and nothing that opens a door.
const INHERITED: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "NODE_PATH",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];
/// How much of a line on standard error is kept.
const LONGEST_WORD: usize = 2_000;
/// A configured value of this length may be a key; shorter ones are words.
const SECRET: usize = 8;
