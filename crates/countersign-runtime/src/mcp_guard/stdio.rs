//! The client on our standard input and output; the server a program that we start, or a service.

use super::audit::log_line;
use super::child::Program;
use super::lines::LineCutter;
use super::passage::{Passage, Waiting};
use super::relay::{Outgoing, Relay, SessionBooks};
use super::service::Service;
use super::settings::McpGuardSettings;
use super::upstream::McpUpstream;
use crate::gateway::ledger::Entry;
use std::io::{Read, Write};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// How it ended.
#[derive(Debug)]
pub enum StdioEnd {
    /// The client closed its side, or we were told to end.
    ClientLeft,
    /// The server ended by itself.
    ServerEnded(ExitStatus),
    /// The server closed its output and runs on.
    ServerSilent,
}

/// Why it did not begin, or broke off.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The program cannot be started.
    #[error("cannot start `{0}`: {1}")]
    Start(String, std::io::Error),
    /// A pipe or a signal cannot be used.
    #[error("{0}")]
    Pipe(#[from] std::io::Error),
}

/// Stands between our standard input and output and a program, until one of them ends.
pub async fn guard_program(
    settings: McpGuardSettings,
    log: Option<std::fs::File>,
    command: &str,
    args: &[String],
) -> Result<StdioEnd, StdioError> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let started = Program::start(command, args).map_err(|error| StdioError::Start(command.to_owned(), error))?;
    let (mut program, input, output) = started;
    let (client, server) = (standard_pipe(), program_pipe(input, output));
    let told = async {
        tokio::select! {
            _ = terminate.recv() => rustix::process::Signal::TERM,
            _ = interrupt.recv() => rustix::process::Signal::INT,
        }
    };
    let (end, to_client) = tokio::select! {
        ended = pump(Passage::new(Relay::new(settings)), log, client, server) => ended,
        signal = told => {
            program.tell(signal);
            (Ended::ByClient, None)
        }
    };
    let end = match end {
        Ended::ByServer => match tokio::time::timeout(GRACE, program.ended()).await {
            Ok(status) => StdioEnd::ServerEnded(status?),
            Err(_) => StdioEnd::ServerSilent,
        },
        Ended::ByClient => StdioEnd::ClientLeft,
    };
    program.end(GRACE).await;
    if let Some(to_client) = to_client {
        to_client.finish();
    }
    Ok(end)
}

/// Stands between our standard input and output and a service.
pub async fn guard_service(
    settings: McpGuardSettings,
    log: Option<std::fs::File>,
    upstream: McpUpstream,
) -> Result<StdioEnd, StdioError> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let books = SessionBooks::default();
    let knowing = Relay::in_session(settings.clone(), books.clone());
    let (lines, from_server) = mpsc::channel(MOST_READ);
    let (to_server, written) = Writer::new();
    let waiting = Arc::clone(&to_server.waiting);
    let sent = move || {
        waiting.fetch_sub(1, Ordering::Relaxed);
    };
    let service = tokio::spawn(Service::new(upstream, knowing, lines).run(written, sent));
    let passage = Passage::new(Relay::in_session(settings, books));
    tokio::select! {
        (_, to_client) = pump(passage, log, standard_pipe(), (from_server, to_server)) => {
            let _ = tokio::time::timeout(GRACE, service).await;
            if let Some(to_client) = to_client {
                to_client.finish();
            }
        }
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(StdioEnd::ClientLeft)
}

/// Which side ended.
enum Ended {
    ByClient,
    ByServer,
}

type Pipe = (mpsc::Receiver<Vec<u8>>, Writer);

/// Carries lines both ways until one side ends. Gives back what is still to be written to the client.
async fn pump(mut passage: Passage, log: Option<std::fs::File>, client: Pipe, server: Pipe) -> (Ended, Option<Writer>) {
    let ((mut client, to_client), (mut server, to_server)) = (client, server);
    let patience = tokio::time::sleep(PATIENCE);
    tokio::pin!(patience);
    let mut waited_for = None;
    let end = loop {
        let out = tokio::select! {
            line = client.recv(), if to_server.has_room() => match line {
                Some(line) => passage.from_client(&line),
                None => break Ended::ByClient,
            },
            line = server.recv(), if to_client.has_room() => match line {
                Some(line) => passage.from_server(&line),
                None => break Ended::ByServer,
            },
            () = &mut patience, if matches!(waited_for, Some(Waiting::Era | Waiting::Tools)) => {
                if waited_for == Some(Waiting::Tools) {
                    tracing::warn!("the MCP server does not say what tools it has; calls are checked without their schemas");
                }
                waited_for = None;
                passage.give_up()
            }
        };
        if passage.waiting() != waited_for {
            waited_for = passage.waiting();
            let most = if waited_for == Some(Waiting::Era) { PROBE } else { PATIENCE };
            patience.as_mut().reset(tokio::time::Instant::now() + most);
        }
        write_down(log.as_ref(), &passage.take_verdicts());
        pass(out, &to_client, Some(&to_server));
    };
    if matches!(end, Ended::ByClient) {
        // The server may still answer what it was asked before the client left.
        drain(&mut passage, log.as_ref(), &mut server, &to_client, to_server).await;
    }
    (end, Some(to_client))
}

/// Writes verdicts into a log, one a line, before the calls go on.
fn write_down(log: Option<&std::fs::File>, verdicts: &[Entry]) {
    let Some(mut log) = log.filter(|_| !verdicts.is_empty()) else { return };
    let lines: String = verdicts.iter().map(|entry| log_line(entry) + "\n").collect();
    if let Err(error) = log.write_all(lines.as_bytes()) {
        tracing::warn!(%error, "a verdict cannot be written into the log");
    }
}

/// Passes on what the server still says.
async fn drain(
    passage: &mut Passage,
    log: Option<&std::fs::File>,
    server: &mut mpsc::Receiver<Vec<u8>>,
    to_client: &Writer,
    mut to_server: Writer,
) {
    let last_words = async {
        // Its input ends once everything has gone there that was held back.
        while passage.waiting().is_some() {
            let Some(line) = server.recv().await else { break };
            let out = passage.from_server(&line);
            write_down(log, &passage.take_verdicts());
            pass(out, to_client, Some(&to_server));
        }
        to_server.close();
        while passage.open_requests() > 0 {
            let Some(line) = server.recv().await else { break };
            pass(passage.from_server(&line), to_client, None);
        }
    };
    // Whoever has not ended by then is told to.
    let _ = tokio::time::timeout(GRACE, last_words).await;
}

fn pass(out: Vec<Outgoing>, to_client: &Writer, to_server: Option<&Writer>) {
    for line in out {
        match (line, to_server) {
            (Outgoing::ToClient(line), _) => to_client.send(line),
            (Outgoing::ToServer(line), Some(to_server)) => to_server.send(line),
            (Outgoing::ToServer(_), None) => {}
        }
    }
}

/// Lines that wait to be written.
struct Writer {
    lines: Option<mpsc::UnboundedSender<String>>,
    waiting: Arc<AtomicUsize>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Writer {
    /// Where lines wait, and where they are taken from.
    fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (lines, written) = mpsc::unbounded_channel();
        (Self { lines: Some(lines), waiting: Arc::default(), thread: None }, written)
    }

    /// Whether the reader keeps up. Where it does not, the other side is not read.
    fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < MOST_WAITING
    }

    fn send(&self, line: String) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if let Some(lines) = &self.lines {
            // Whoever does not read any more has closed its side too, which is seen there.
            let _ = lines.send(line);
        }
    }

    fn close(&mut self) {
        self.lines = None;
    }

    /// Waits until everything is written.
    fn finish(mut self) {
        self.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Our standard input and output. They block, so each has a thread.
fn standard_pipe() -> Pipe {
    let (sender, receiver) = mpsc::channel(MOST_READ);
    std::thread::spawn(move || read_standard_input(&sender));
    let (mut writer, mut written) = Writer::new();
    let left = Arc::clone(&writer.waiting);
    let thread = std::thread::spawn(move || {
        let mut out = std::io::stdout();
        while let Some(line) = written.blocking_recv() {
            left.fetch_sub(1, Ordering::Relaxed);
            if out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).is_err() {
                return;
            }
        }
    });
    writer.thread = Some(thread);
    (receiver, writer)
}

fn read_standard_input(sender: &mpsc::Sender<Vec<u8>>) {
    let (mut input, mut cutter, mut chunk) = (std::io::stdin().lock(), LineCutter::default(), vec![0; CHUNK]);
    let mut open = true;
    while open {
        let read = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        cutter.take(chunk.get(..read).unwrap_or_default(), |line| open &= sender.blocking_send(line).is_ok());
    }
    if let Some(line) = cutter.rest() {
        let _ = sender.blocking_send(line);
    }
}

/// The pipes of a program.
fn program_pipe(mut input: ChildStdin, mut output: ChildStdout) -> Pipe {
    let (sender, receiver) = mpsc::channel(MOST_READ);
    tokio::spawn(async move {
        let (mut cutter, mut chunk) = (LineCutter::default(), vec![0; CHUNK]);
        while let Ok(read @ 1..) = output.read(&mut chunk).await {
            let mut lines = Vec::new();
            cutter.take(chunk.get(..read).unwrap_or_default(), |line| lines.push(line));
            for line in lines {
                if sender.send(line).await.is_err() {
                    return;
                }
            }
        }
        if let Some(line) = cutter.rest() {
            let _ = sender.send(line).await;
        }
    });
    let (writer, mut written) = Writer::new();
    let left = Arc::clone(&writer.waiting);
    tokio::spawn(async move {
        while let Some(mut line) = written.recv().await {
            left.fetch_sub(1, Ordering::Relaxed);
            line.push('\n');
            if input.write_all(line.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    (receiver, writer)
}

/// How long calls wait for a server to say what tools it has.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long lines wait for a server to say which era it is of.
const PROBE: Duration = Duration::from_secs(5);
/// How long a server may take to end by itself, and again after it was told to.
const GRACE: Duration = Duration::from_secs(3);
/// So many lines may wait to be written before the other side is not read any more.
const MOST_WAITING: usize = 1024;
const MOST_READ: usize = 64;
const CHUNK: usize = 64 * 1024;
