//! `countersign chat`, run as a person or a program runs it; and a wire that can be cut.

use crate::serve_world::{bare, within};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// A chat that runs.
pub(crate) struct Chat {
    child: Child,
    out: Arc<Mutex<Vec<u8>>>,
    err: Arc<Mutex<Vec<u8>>>,
    keys: Option<Box<dyn Write + Send>>,
}

impl Chat {
    /// Starts one with pipes.
    pub(crate) fn start(args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = command(args, variables).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let keys: Box<dyn Write + Send> = Box::new(child.stdin.take().unwrap());
        let out = kept(child.stdout.take().unwrap());
        let err = kept(child.stderr.take().unwrap());
        Self { child, out, err, keys: Some(keys) }
    }

    /// Starts one on a terminal of 100 columns and 40 rows.
    #[cfg(unix)]
    pub(crate) fn on_a_terminal(args: &[&str], variables: &[(&str, &str)]) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = std::fs::File::options().read(true).write(true).open(name).unwrap();
        let size = rustix::termios::Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&theirs, size).unwrap();
        let ours = std::fs::File::from(ours);
        let mut child = command(args, variables).stdin(theirs.try_clone().unwrap()).stdout(theirs).spawn().unwrap();
        let err = kept(child.stderr.take().unwrap());
        Self { child, out: kept(ours.try_clone().unwrap()), err, keys: Some(Box::new(ours)) }
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        self.keys.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Presses keys, without a line's end.
    pub(crate) fn presses(&mut self, keys: &str) {
        self.keys.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Types nothing any more.
    pub(crate) fn hands_off(&mut self) {
        self.keys = None;
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.out.lock().unwrap()).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.err.lock().unwrap()).into_owned()
    }

    /// Waits until it has said something, on either side.
    pub(crate) fn until(&self, words: &str) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while !(self.out().contains(words) || self.err().contains(words)) {
            assert!(std::time::Instant::now() < deadline, "{words:?} in\n{}\n{}", self.out(), self.err());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for its end; gives its exit code and what it said.
    pub(crate) fn end(mut self) -> (i32, String, String) {
        let mut code = None;
        within(30, "the chat ends", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        // The threads read to the end.
        std::thread::sleep(std::time::Duration::from_millis(100));
        (code.unwrap().code().unwrap_or(-1), self.out(), self.err())
    }
}

impl Drop for Chat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(args: &[&str], variables: &[(&str, &str)]) -> Command {
    // The other command that a person follows on a terminal brings its own name.
    let mut all = if args.first() == Some(&"review") { vec![] } else { vec!["chat"] };
    all.extend(args);
    let mut command = bare(&all, variables);
    command.stderr(Stdio::piped());
    command
}

fn kept(mut from: impl Read + Send + 'static) -> Arc<Mutex<Vec<u8>>> {
    let all = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&all);
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read) = from.read(&mut piece) {
            if read == 0 {
                return;
            }
            kept.lock().unwrap().extend_from_slice(&piece[..read]);
        }
    });
    all
}

/// A wire to a server that can be cut; the server does not notice.
pub(crate) struct Wire {
    pub address: String,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    pub(crate) fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let open = Arc::new(Mutex::new(Vec::new()));
        let (server, kept) = (server.to_owned(), Arc::clone(&open));
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&server) else { continue };
                kept.lock().unwrap().extend([near.try_clone().unwrap(), far.try_clone().unwrap()]);
                for (from, to) in [(near.try_clone(), far.try_clone()), (far.try_clone(), near.try_clone())] {
                    let (mut from, mut to) = (from.unwrap(), to.unwrap());
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Write);
                    });
                }
            }
        });
        Self { address, open }
    }

    /// Cuts every connection there is.
    pub(crate) fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}
