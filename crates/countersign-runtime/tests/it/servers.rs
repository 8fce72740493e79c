//! Real servers for the tests: redis-server and PostgreSQL on free loopback ports, in folders of their own.
//!
//! A server hangs on a pipe of this process: when the process ends, however it ends, a small shell beside the server sees
//! the end of the pipe, kills the server and removes its folder. So nothing is left behind by a test that is killed.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A server and the folder it lives in.
pub(crate) struct TestServer {
    port: u16,
    folder: PathBuf,
    kind: Kind,
    server: Option<Child>,
    keeper: Child,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Redis { appends: bool, wire: Wire },
    Postgres { fsync: bool, wire: Wire },
}

/// Whether a server speaks TLS.
#[derive(Clone, Copy, PartialEq)]
enum Wire {
    Plain,
    /// With a certificate for 127.0.0.1 of an authority of its own.
    Tls,
}

/// The Redis of all tests that harm nobody; each takes a prefix of its own.
pub(crate) fn shared_redis() -> &'static TestServer {
    static SERVER: OnceLock<TestServer> = OnceLock::new();
    SERVER.get_or_init(|| TestServer::start(Kind::Redis { appends: false, wire: Wire::Plain }))
}

/// The PostgreSQL of all tests that harm nobody; each takes a database of its own.
pub(crate) fn shared_postgres() -> &'static TestServer {
    static SERVER: OnceLock<TestServer> = OnceLock::new();
    SERVER.get_or_init(|| TestServer::start(Kind::Postgres { fsync: false, wire: Wire::Plain }))
}

/// A Redis to be killed. It writes an append-only file, so that it may come back with what it had.
pub(crate) fn own_redis() -> TestServer {
    TestServer::start(Kind::Redis { appends: true, wire: Wire::Plain })
}

/// A PostgreSQL to be killed, which loses nothing that it has acknowledged.
pub(crate) fn own_postgres() -> TestServer {
    TestServer::start(Kind::Postgres { fsync: true, wire: Wire::Plain })
}

/// A PostgreSQL to be killed in a test that is about somebody else: after a kill it need not sync its whole folder before
/// it starts, which takes seconds on a busy disk. What it acknowledged survives the kill, though not a power cut.
pub(crate) fn quick_postgres() -> TestServer {
    TestServer::start(Kind::Postgres { fsync: false, wire: Wire::Plain })
}

/// A Redis that speaks TLS and nothing else.
pub(crate) fn tls_redis() -> TestServer {
    TestServer::start(Kind::Redis { appends: false, wire: Wire::Tls })
}

/// A PostgreSQL that offers TLS.
pub(crate) fn tls_postgres() -> TestServer {
    TestServer::start(Kind::Postgres { fsync: false, wire: Wire::Tls })
}

/// A word that no other test of any process uses.
pub(crate) fn unique(word: &str) -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    format!("{word}_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

impl TestServer {
    /// Its URL. For PostgreSQL that of a database which is made now.
    pub(crate) fn url(&self) -> String {
        let port = self.port;
        match self.kind {
            Kind::Redis { wire: Wire::Plain, .. } => format!("redis://127.0.0.1:{port}/0"),
            Kind::Redis { wire: Wire::Tls, .. } => format!("rediss://127.0.0.1:{port}/0"),
            Kind::Postgres { .. } => {
                let name = unique("test");
                self.psql(&format!("CREATE DATABASE {name}"));
                format!("postgres://countersign@127.0.0.1:{port}/{name}")
            }
        }
    }

    /// What PostgreSQL answers to a question.
    pub(crate) fn psql(&self, question: &str) -> String {
        let asked = postgres_program("psql")
            .args(["-qAt", "-h", "127.0.0.1", "-U", "countersign", "-d", "postgres", "-p", &self.port.to_string()])
            .args(["-c", question])
            .output()
            .unwrap();
        assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
        String::from_utf8(asked.stdout).unwrap().trim().to_owned()
    }

    /// The certificate of whoever signed its own.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// Ends it at once, as a power cut would.
    pub(crate) fn kill(&mut self) {
        run(Command::new("kill").args(["-9", &self.pid()]));
        if let Some(mut server) = self.server.take() {
            server.wait().unwrap();
        }
    }

    /// Stops it from answering, without closing anything.
    pub(crate) fn freeze(&self) {
        run(Command::new("kill").args(["-STOP", &self.pid()]));
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        run(Command::new("kill").args(["-CONT", &self.pid()]));
    }

    /// Starts it again on the same port, with what it has on disk.
    pub(crate) fn restart(&mut self) {
        for _ in 0..50 {
            self.server = Some(spawn(self.kind, &self.folder, self.port));
            if self.answers() {
                return;
            }
            // After a kill PostgreSQL refuses to start until its last child is gone.
            sleep(Duration::from_millis(200));
        }
        panic!("the server in {} does not come back", self.folder.display());
    }

    fn start(kind: Kind) -> Self {
        let folder = std::env::temp_dir().join(unique("countersign_server"));
        fs::create_dir_all(&folder).unwrap();
        let keeper = Command::new("sh").args(["-c", KEEPER, "sh"]).arg(&folder).stdin(Stdio::piped()).spawn().unwrap();
        let mut server = Self { port: 0, folder, kind, server: None, keeper };
        if let Kind::Redis { wire: Wire::Tls, .. } | Kind::Postgres { wire: Wire::Tls, .. } = kind {
            make_certificate(&server.folder);
        }
        if let Kind::Postgres { .. } = kind {
            make_database(&server.folder);
        }
        for _ in 0..5 {
            server.port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            server.server = Some(spawn(kind, &server.folder, server.port));
            if server.answers() {
                return server;
            }
        }
        panic!("no server could be started in {}", server.folder.display());
    }

    fn pid(&self) -> String {
        let file = match self.kind {
            Kind::Redis { .. } => self.folder.join("redis.pid"),
            Kind::Postgres { .. } => self.folder.join("data/postmaster.pid"),
        };
        fs::read_to_string(file).unwrap().lines().next().unwrap().to_owned()
    }

    /// Waits until it answers; false where it has ended instead.
    fn answers(&mut self) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(20) {
            if self.server.as_mut().is_some_and(|server| server.try_wait().unwrap().is_some()) {
                return false;
            }
            if self.answers_now() {
                return true;
            }
            sleep(Duration::from_millis(20));
        }
        false
    }

    fn answers_now(&self) -> bool {
        match self.kind {
            Kind::Redis { wire: Wire::Tls, .. } => TcpStream::connect(("127.0.0.1", self.port)).is_ok(),
            Kind::Redis { .. } => {
                let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
                let mut answer = [0; 5];
                stream.write_all(b"PING\r\n").is_ok() && stream.read_exact(&mut answer).is_ok() && &answer == b"+PONG"
            }
            Kind::Postgres { .. } => postgres_program("pg_isready")
                .args(["-q", "-h", "127.0.0.1", "-U", "countersign", "-p", &self.port.to_string()])
                .status()
                .is_ok_and(|status| status.success()),
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
        if let Some(mut server) = self.server.take() {
            let _ = server.wait();
        }
    }
}

/// A certificate for 127.0.0.1, signed by an authority that nobody else knows.
fn make_certificate(folder: &Path) {
    let mut authority = rcgen::CertificateParams::new(vec![]).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().unwrap();
    fs::write(folder.join("ca.pem"), authority.self_signed(&key).unwrap().pem()).unwrap();
    let issuer = rcgen::Issuer::new(authority, key);
    let own = rcgen::KeyPair::generate().unwrap();
    let params = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    fs::write(folder.join("server.pem"), params.signed_by(&own, &issuer).unwrap().pem()).unwrap();
    let file = folder.join("server.key");
    fs::write(&file, own.serialize_pem()).unwrap();
    run(Command::new("chmod").arg("600").arg(&file));
    if is_root() {
        run(Command::new("chown").arg("postgres").arg(&file));
    }
}

fn make_database(folder: &Path) {
    let mut initdb = postgres_program("initdb");
    if is_root() {
        // initdb and postgres refuse to be root.
        run(Command::new("chown").arg("postgres").arg(folder));
        initdb = as_postgres(&initdb);
    }
    run(initdb
        .args(["-N", "-A", "trust", "-U", "countersign", "-E", "UTF8", "--no-locale", "-D"])
        .arg(folder.join("data")));
}

fn spawn(kind: Kind, folder: &Path, port: u16) -> Child {
    let mut command = match kind {
        Kind::Redis { appends, wire } => {
            let mut redis = Command::new("redis-server");
            let port = port.to_string();
            match wire {
                Wire::Plain => redis.args(["--port", &port]),
                Wire::Tls => redis
                    .args(["--port", "0", "--tls-port", &port, "--tls-auth-clients", "no", "--tls-cert-file"])
                    .arg(folder.join("server.pem"))
                    .arg("--tls-key-file")
                    .arg(folder.join("server.key"))
                    .arg("--tls-ca-cert-file")
                    .arg(folder.join("ca.pem")),
            };
            redis.args(["--bind", "127.0.0.1", "--save", "", "--dir"]).arg(folder);
            redis.args(["--appendonly", if appends { "yes" } else { "no" }]);
            redis.arg("--pidfile").arg(folder.join("redis.pid"));
            redis
        }
        Kind::Postgres { fsync, wire } => {
            let mut postgres = postgres_program("postgres");
            if is_root() {
                postgres = as_postgres(&postgres);
            }
            postgres.arg("-D").arg(folder.join("data")).args(["-p", &port.to_string(), "-k", ""]);
            for setting in ["listen_addresses=127.0.0.1", "shared_buffers=16MB", "max_connections=200"] {
                postgres.args(["-c", setting]);
            }
            postgres.args(["-c", if fsync { "fsync=on" } else { "fsync=off" }]);
            if wire == Wire::Tls {
                for (setting, file) in [("ssl_cert_file", "server.pem"), ("ssl_key_file", "server.key")] {
                    postgres.args(["-c", &format!("{setting}={}", folder.join(file).display())]);
                }
                postgres.args(["-c", "ssl=on"]);
            }
            postgres
        }
    };
    let log = fs::File::options().create(true).append(true).open(folder.join("server.log")).unwrap();
    command
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} cannot be started ({error}); run tools/test-servers"))
}

/// A program of PostgreSQL: from the PATH, or where Debian keeps them.
fn postgres_program(name: &str) -> Command {
    let mut found: Vec<_> = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().collect();
    found.sort_by_key(|entry| entry.file_name());
    let programs = found.iter().rev().map(|entry| entry.path().join("bin").join(name));
    Command::new(programs.into_iter().find(|path| path.exists()).unwrap_or_else(|| name.into()))
}

fn as_postgres(command: &Command) -> Command {
    let mut other = Command::new("runuser");
    other.args(["-u", "postgres", "--"]).arg(command.get_program()).current_dir("/");
    other
}

fn is_root() -> bool {
    static ROOT: OnceLock<bool> = OnceLock::new();
    *ROOT.get_or_init(|| Command::new("id").arg("-u").output().unwrap().stdout.trim_ascii() == b"0")
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; run tools/test-servers"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Waits for the end of the test process, then ends the server that lives in the folder and removes it.
const KEEPER: &str = r#"
cat > /dev/null
for file in "$1/redis.pid" "$1/data/postmaster.pid"; do
    pid=$(head -n 1 "$file" 2> /dev/null) || continue
    case "$(readlink "/proc/$pid/cwd")" in "$1"*) kill -9 "$pid" ;; esac
done
rm -rf "$1" 2> /dev/null || { sleep 0.5; rm -rf "$1"; }
"#;
