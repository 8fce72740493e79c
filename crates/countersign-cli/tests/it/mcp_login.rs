//! `countersign mcp login`: a person signs in to an MCP server, tokens are kept, renewed and forgotten.

use crate::run::{Ran, command};
use crate::serve_world::folder;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server that wants its users to sign in.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp_login_server.py");
        let mut child = Command::new("python3").arg(script).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }

    fn seen(&self, what: &str) -> u64 {
        let (_, body) = get(&format!("http://127.0.0.1:{}/seen", self.port));
        serde_json::from_str::<Value>(&body).unwrap()[what].as_u64().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a browser gets: where it is sent on to, and the page.
fn get(address: &str) -> (Option<String>, String) {
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let location = head.lines().find_map(|line| line.strip_prefix("location: ")).map(str::to_owned);
    (location, body.to_owned())
}

struct World {
    server: Server,
    folder: PathBuf,
}

impl World {
    fn new(name: &str) -> Self {
        let (server, folder) = (Server::start(), folder(name));
        let config = format!(
            "data_dir = \"{}/data\"\n[mcp.sums]\nurl = \"http://127.0.0.1:{}/mcp\"\n",
            folder.display(),
            server.port
        );
        std::fs::write(folder.join("countersign.toml"), config).unwrap();
        Self { server, folder }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(args);
        command.current_dir(&self.folder).env("HOME", &self.folder);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        let ran = self.command(args).args(["--log-level", "trace"]).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let ran = Ran { code: ran.status.code().unwrap(), out: text(ran.stdout), err: text(ran.stderr) };
        assert!(!format!("{}{}", ran.out, ran.err).contains("secret-"), "a token is told: {} {}", ran.out, ran.err);
        ran
    }

    fn call(&self) -> Ran {
        self.run(&["tools", "--call", "sums__add", "--arguments", r#"{"a": 2, "b": 3}"#])
    }

    /// Signs in, with a browser that is sent where `leads` says.
    fn sign_in(&self, leads: impl Fn(String) -> String) -> (i32, String) {
        let mut child = self.command(&["mcp", "login", "sums"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("http"));
        if let Some(address) = address {
            get(&leads(get(&address).0.unwrap()));
        }
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        let ended = child.wait_with_output().unwrap();
        (ended.status.code().unwrap(), rest.join("\n") + &String::from_utf8(ended.stderr).unwrap())
    }

    fn tokens(&self) -> PathBuf {
        self.folder.join("data/mcp-tokens/sums.json")
    }
}

// MCP-1: a person signs in, the tokens are theirs alone and renewed, and nobody is told them.
#[test]
fn somebody_signs_in_and_out() {
    let world = World::new("mcp-login");
    let refused = world.call();
    assert!(refused.code != 0 && refused.err.contains("run `countersign mcp login sums`"), "{}", refused.err);
    let (code, said) = world.sign_in(|address| address);
    assert!(code == 0 && said.contains("Signed in to `sums`"), "{said}");
    let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((rights(&world.tokens()), rights(world.tokens().parent().unwrap())), (0o600, 0o700));
    for _ in 0..2 {
        let called = world.call();
        assert_eq!((called.code, called.out.trim()), (0, "\"The sum is 5.\""), "{}", called.err);
    }
    assert_eq!((world.server.seen("registered"), world.server.seen("codes")), (1, 1));
    assert!(world.server.seen("refreshed") >= 2, "what has ended is renewed");
    let wrong = world.run(&["tools", "--call", "sums__add", "--arguments", r#"{"a": 2}"#]);
    assert!(wrong.code == 1 && wrong.err.contains("`b`"), "it is judged like an agent's call: {}", wrong.err);
    assert_eq!(world.server.seen("calls"), 2);
    assert!(world.run(&["mcp", "logout", "sums"]).out.contains("are gone"));
    assert!(!world.tokens().exists() && world.call().err.contains("mcp login sums"));
}

// MCP-1: a code that was not asked for is not taken, and a refusal is told.
#[test]
fn a_browser_that_was_led_astray_signs_nobody_in() {
    let world = World::new("mcp-login-astray");
    let (code, said) = world.sign_in(|address| address.replace("state=", "state=x"));
    assert!(code != 0 && !said.contains("Signed in"), "{said}");
    let (code, said) = world.sign_in(|address| {
        let (place, _) = address.split_once('?').unwrap();
        format!("{place}?error=access_denied&error_description=not+today")
    });
    assert!(code != 0 && said.contains("access_denied (not today)"), "{said}");
    assert!(world.call().err.contains("mcp login sums"));
    let unknown = world.run(&["mcp", "login", "summs"]);
    assert!(unknown.code == 2 && unknown.err.contains("did you mean `sums`?"), "{}", unknown.err);
}
