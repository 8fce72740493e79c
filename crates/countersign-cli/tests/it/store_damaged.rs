//! Damage on the disk under the real binary: said in `/health` and in the log, set aside, and never taken for emptiness.

use crate::serve_world::{Server, bare, folder, within};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn store_layer(server: &Server) -> Value {
    server.get("/health").json()["layers"]["store"].clone()
}

fn sessions(server: &Server) -> usize {
    server.get("/v1/sessions?limit=1000").json()["sessions"].as_array().unwrap().len()
}

/// A folder with so many sessions, whose server was killed.
fn killed(name: &str, count: usize) -> std::path::PathBuf {
    let data = folder(name);
    let server = Server::start(&data, &[], &[]);
    for _ in 0..count {
        assert_eq!(server.post("/v1/sessions", "{}").status, 201);
    }
    server.signal("KILL");
    drop(server);
    data
}

fn damaged_copies(data: &Path) -> usize {
    let names = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains(".damaged-")).count()
}

// SERVE-3, SERVE-5: one flipped byte in the write-ahead log.
#[test]
fn a_flipped_byte_in_the_log_is_said() {
    let data = killed("damaged-log", 30);
    let log = data.join("countersign.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    let frame = 24 + 16_384;
    assert!(bytes.len() > 40 * frame, "the log holds the sessions: {}", bytes.len());
    let at = 32 + (bytes.len() / frame / 3) * frame + 3_000;
    bytes[at] ^= 1;
    fs::write(&log, bytes).unwrap();
    let server = Server::start(&data, &[], &[]);
    let left = sessions(&server);
    assert!(left < 30, "the byte was in a page that counts: {left}");
    within(10, "health says so", || store_layer(&server)["status"] == "degraded");
    let layer = store_layer(&server);
    assert!(layer["note"].as_str().unwrap().contains("countersign.db-wal is damaged"), "{layer}");
    assert!(server.log().contains("countersign.db-wal is damaged"), "{}", server.log());
    assert_eq!(damaged_copies(&data), 2);
    // It goes on with what is left, and the next start is a clean one.
    assert_eq!(server.post("/v1/sessions", "{}").status, 201);
    assert!(server.end().success());
    assert_eq!(fs::metadata(&log).map_or(0, |found| found.len()), 0, "a clean end empties the log");
    let again = Server::start(&data, &[], &[]);
    assert_eq!(sessions(&again), left + 1);
    within(10, "healthy", || store_layer(&again)["status"] == "healthy");
}

// SERVE-3: the look-alike: a server that was killed, and nothing else.
#[test]
fn a_kill_alone_is_no_damage() {
    let data = killed("damaged-not", 12);
    let server = Server::start(&data, &[], &[]);
    assert_eq!((sessions(&server), damaged_copies(&data)), (12, 0));
    within(10, "healthy", || store_layer(&server)["status"] == "healthy");
    // What was written is in the main file soon, so that little can be lost with the log.
    within(25, "the log is emptied while the server runs", || {
        let file = rusqlite::Connection::open_with_flags(
            format!("file:{}?immutable=1", data.join("countersign.db").display()),
            rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI,
        );
        let count = file.and_then(|file| {
            file.query_row("SELECT count(*) FROM records WHERE kind = 'session'", [], |row| row.get::<_, i64>(0))
        });
        count == Ok(12)
    });
}

/// What a start says that is refused.
fn refusal(data: &Path) -> String {
    let data = data.display().to_string();
    let out = bare(&["serve", "--listen", "127.0.0.1:0", "--data-dir", &data], &[]).output().unwrap();
    assert!(!out.status.success());
    String::from_utf8_lossy(&out.stderr).into_owned()
}

// SERVE-5: a file that is empty, is no database, a damaged key or list of keys: refused by name, and nothing is changed.
#[test]
fn a_start_that_would_destroy_data_is_refused() {
    let data = killed("damaged-refused", 3);
    assert!(Server::start(&data, &[], &[]).end().success());
    for (name, content, said) in [
        ("countersign.db", &b""[..], "held data before"),
        (
            "countersign.db",
            &b"not a database, but long enough to look like one".repeat(9)[..],
            "does not begin as a database",
        ),
        ("seal.key", &b"short"[..], "a key has 32"),
        ("seal.key", &b""[..], "a key has 32"),
        ("keys.json", &b""[..], "is damaged"),
        ("keys.json", &b"{\"keys\": ["[..], "is damaged"),
    ] {
        let file = data.join(name);
        let before = fs::read(&file).ok();
        fs::write(&file, content).unwrap();
        let refused = refusal(&data);
        assert!(refused.contains(said) && refused.contains(name), "{name}: {refused}");
        assert_eq!(fs::read(&file).unwrap(), content, "{name} was not touched");
        match before {
            Some(before) => fs::write(&file, before).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
    }
    let server = Server::start(&data, &[], &[]);
    assert_eq!(sessions(&server), 3);
    assert_eq!(json!(damaged_copies(&data)), json!(0));
}
