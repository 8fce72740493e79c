//! The data of a server on its hundredth day: a folder of the version before, backups made under load, sessions that move.

use crate::native_upstream::{Upstream, calls, text};
use crate::native_world::{World, delete, weather};
use crate::serve_world::{Server, bare, folder};
use serde_json::{Value, json};
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The key of the folder that is kept as a fixture; it opens nothing else.
const KEY: &str = "cs_216bd11ba5d8a1f9a14c2db482562bb301ef7918343ca4e219cbaada4100606e";

/// A command on a data folder: its exit code and all that it said.
fn run(args: &[&str]) -> (i32, String) {
    let out = bare(args, &[]).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap(), said)
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The folder that version 0.1 left behind: sessions, verdicts, a note, a file, a key, a decided review and one that waits.
fn old_folder(place: &Path) -> std::path::PathBuf {
    let data = place.join("data");
    let packed = include_bytes!("../fixtures/data-0.1.zip");
    zip::ZipArchive::new(Cursor::new(packed)).unwrap().extract(&data).unwrap();
    data
}

// SERVE-5: a folder of the version before opens, with everything in it, and what it holds can be used.
#[test]
fn a_folder_of_the_version_before_opens() {
    let data = old_folder(&folder("data-old"));
    let server = Server::start(&data, &[], &[]);
    let own = [("x-api-key", KEY)];
    let get = |path: &str| server.ask("GET", path, &own, "").json();
    assert_eq!(server.get("/v1/sessions").status, 401, "its keys still lock it");
    let sessions = get("/v1/sessions?detail=true");
    let sessions = sessions["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 4);
    let first = sessions.iter().find(|session| session["agent"] == "concierge").unwrap();
    let exported = get(&format!("/v1/sessions/{}/export?files=content", first["session_id"].as_str().unwrap()));
    assert!(exported["events"].as_array().unwrap().len() > 20, "{exported}");
    let notes = exported["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["content"] == "Call Bo on Monday."), "{notes:?}");
    assert_eq!(exported["files"][0]["content"], "QXNrIGZvciB0aGUgaW52b2ljZSBmaXJzdC4K");
    assert_eq!(get("/v1/verdicts?of=all")["verdicts"].as_array().unwrap().len(), 8);
    let reviews = get("/v1/reviews");
    let states: Vec<&str> =
        reviews["reviews"].as_array().unwrap().iter().filter_map(|item| item["state"].as_str()).collect();
    // Nobody decided on the other in time, and that is a no.
    assert!(states.contains(&"rejected") && !states.contains(&"approved"), "{states:?}");
    assert_eq!(get("/health")["status"], "healthy");
    let body = json!({"content": "How did the market do?"}).to_string();
    let turn = format!("/v1/sessions/{}/messages", first["session_id"].as_str().unwrap());
    let more = crate::native_world::Reader::open(&server, "POST", &turn, &own, &body).rest();
    assert_eq!(more.last().unwrap().kind(), "completed");
    assert!(server.end().success());
}

// SERVE-5: a folder of a newer version is left alone, and whoever starts on it is told the way out.
#[test]
fn a_folder_of_a_newer_version_is_refused() {
    let place = folder("data-newer");
    let data = old_folder(&place);
    let connection = rusqlite::Connection::open(data.join("countersign.db")).unwrap();
    connection.pragma_update(None, "user_version", 1_000).unwrap();
    drop(connection);
    let before = std::fs::read(data.join("countersign.db")).unwrap();
    for args in [
        vec!["serve", "--listen", "127.0.0.1:0", "--data-dir", path(&data)],
        vec!["backup", path(&place.join("b.zip")), "--data-dir", path(&data)],
    ] {
        let (code, said) = run(&args);
        assert!(code != 0 && said.contains("version 1000") && said.contains("run the newer one"), "{said}");
    }
    assert_eq!(std::fs::read(data.join("countersign.db")).unwrap(), before);
    assert!(!place.join("b.zip").exists());
}

// SERVE-5: a backup beside a server that works holds everything that was acknowledged before it began.
#[test]
fn a_backup_under_load_loses_nothing() {
    let place = folder("data-backup");
    let data = place.join("data");
    let upstream = Arc::new(Upstream::start());
    let world = World::again(&data, &upstream, &[], &[]);
    let (stop, session) = (AtomicBool::new(false), world.session(json!({})));
    let (before, backed_up) = std::thread::scope(|scope| {
        let write = scope.spawn(|| {
            let mut written = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                let note = json!({"name": "n", "content": format!("note {}", written.len())}).to_string();
                let made = world.server.post(&format!("/v1/sessions/{session}/notes"), &note);
                assert_eq!(made.status, 201, "{}", made.body);
                written.push(made.json()["id"].as_str().unwrap().to_owned());
            }
            written
        });
        std::thread::sleep(Duration::from_millis(600));
        let before = world.server.get(&format!("/v1/sessions/{session}/notes")).json();
        let backed_up = run(&["backup", path(&place.join("b.zip")), "--data-dir", path(&data)]);
        stop.store(true, Ordering::Relaxed);
        let written = write.join().unwrap();
        let before: Vec<String> =
            before["notes"].as_array().unwrap().iter().map(|note| note["id"].as_str().unwrap().to_owned()).collect();
        assert!(!before.is_empty() && before.iter().all(|id| written.contains(id)));
        (before, backed_up)
    });
    assert_eq!(backed_up.0, 0, "{}", backed_up.1);
    let (code, said) = run(&["restore", path(&place.join("b.zip")), "--data-dir", path(&data)]);
    assert!(code == 2 && said.contains("a server is running on"), "{said}");
    assert!(world.server.end().success());
    let other = place.join("restored/data");
    let (code, said) = run(&["restore", path(&place.join("b.zip")), "--data-dir", path(&other)]);
    assert!(code == 0 && said.starts_with("restored "), "{said}");
    let again = World::again(&other, &upstream, &[], &[]);
    let after = again.server.get(&format!("/v1/sessions/{session}/notes")).json().to_string();
    for id in &before {
        assert!(after.contains(id.as_str()), "{id} was acknowledged and is gone");
    }
    assert_eq!(again.server.get("/health").json()["status"], "healthy");
    assert_eq!(std::fs::read(data.join("seal.key")).unwrap(), std::fs::read(other.join("seal.key")).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for file in [place.join("b.zip"), other.join("seal.key"), other.join("countersign.db")] {
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{file:?}");
        }
    }
    assert!(
        std::fs::read_dir(&place).unwrap().flatten().all(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
    );
}

/// A backup in which a file was changed, added or renamed.
fn forge(from: &Path, to: &Path, change: impl Fn(&str, Vec<u8>) -> Option<(String, Vec<u8>)>) {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(from).unwrap()).unwrap();
    let mut out = zip::ZipWriter::new(std::fs::File::create(to).unwrap());
    for at in 0..zip.len() {
        let mut file = zip.by_index(at).unwrap();
        let (name, mut bytes) = (file.name().unwrap().into_owned(), Vec::new());
        file.read_to_end(&mut bytes).unwrap();
        if let Some((name, bytes)) = change(&name, bytes) {
            out.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            out.write_all(&bytes).unwrap();
        }
    }
    out.finish().unwrap();
}

// SERVE-5: nothing is written over, nothing lands elsewhere, and what is not whole leaves no folder behind.
#[test]
fn a_backup_that_is_not_whole_restores_nothing() {
    let place = folder("data-forged");
    let data = old_folder(&place);
    let good = place.join("good.zip");
    let (code, said) = run(&["backup", path(&good), "--data-dir", path(&data)]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(&["backup", path(&good), "--data-dir", path(&data)]);
    assert!(code == 2 && said.contains("exists already"), "{said}");
    let (code, said) = run(&["restore", path(&good), "--data-dir", path(&data)]);
    assert!(code == 2 && said.contains("is not empty"), "{said}");
    let swap = |name: &str, from: &str, to: &str| {
        let (name, from, to) = (name.to_owned(), from.to_owned(), to.to_owned());
        move |here: &str, bytes: Vec<u8>| match here == name {
            true => Some((here.to_owned(), String::from_utf8_lossy(&bytes).replace(&from, &to).into_bytes())),
            false => Some((here.to_owned(), bytes)),
        }
    };
    type Change = Box<dyn Fn(&str, Vec<u8>) -> Option<(String, Vec<u8>)>>;
    let forged: [(&str, Change); 6] = [
        ("is not what was backed up", Box::new(swap("keys.json", "admin", "nobody"))),
        ("no file of a data folder", Box::new(swap("manifest.json", "\"keys.json\"", "\"../keys.json\""))),
        ("it lacks", Box::new(|name, bytes| (name != "seal.key").then(|| (name.to_owned(), bytes)))),
        (
            "no backup of Countersign",
            Box::new(|name, bytes| (name != "manifest.json").then(|| (name.to_owned(), bytes))),
        ),
        ("which is newer", Box::new(swap("manifest.json", "\"version\": 1", "\"version\": 9"))),
        ("no database", Box::new(swap("manifest.json", "countersign.db", "countersign.dx"))),
    ];
    let to = place.join("restored");
    for (why, change) in forged {
        let bad = place.join("bad.zip");
        forge(&good, &bad, change);
        let (code, said) = run(&["restore", path(&bad), "--data-dir", path(&to)]);
        assert!(code == 2 && said.contains(why), "{why}: {said}");
        assert!(!to.exists() && !place.join(".restored.restoring").exists(), "{why}");
    }
    std::fs::write(place.join("bad.zip"), std::fs::read(&good).unwrap().get(..9000).unwrap()).unwrap();
    let (code, said) = run(&["restore", path(&place.join("bad.zip")), "--data-dir", path(&to)]);
    assert!(code == 2 && said.contains("cannot be restored"), "{said}");
    // What a restore left that was killed is no hindrance, and an empty folder neither.
    std::fs::create_dir_all(place.join(".restored.restoring/half")).unwrap();
    std::fs::write(place.join(".restored.restoring/countersign.db"), "half").unwrap();
    std::fs::create_dir(&to).unwrap();
    let (code, said) = run(&["restore", path(&good), "--data-dir", path(&to)]);
    assert!(code == 0 && !place.join(".restored.restoring").exists(), "{said}");
    let server = Server::start(&to, &[], &[]);
    assert_eq!(
        server.ask("GET", "/v1/sessions", &[("x-api-key", KEY)], "").json()["sessions"].as_array().unwrap().len(),
        4
    );
}

// SERVE-5: a restore that is killed leaves no folder under the name that was asked for.
#[test]
fn a_killed_restore_leaves_no_half_folder() {
    let place = folder("data-killed");
    let data = old_folder(&place);
    let good = place.join("good.zip");
    assert_eq!(run(&["backup", path(&good), "--data-dir", path(&data)]).0, 0);
    for wait in (0..60).step_by(3) {
        let to = place.join(format!("to-{wait}"));
        let mut child = bare(&["restore", path(&good), "--data-dir", path(&to)], &[]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let _ = child.kill();
        child.wait().unwrap();
        if to.exists() {
            for file in ["countersign.db", "countersign.lock", "keys.json", "keys-were-set", "seal.key"] {
                assert!(to.join(file).is_file(), "{file} after {wait} ms");
            }
        }
        let (code, said) = run(&["restore", path(&good), "--data-dir", path(&to)]);
        assert!(code == 0 || said.contains("is not empty"), "{said}");
    }
}

#[test]
fn what_cannot_be_backed_up_says_what_to_do() {
    let file = folder("data-elsewhere").join("b.zip");
    let (code, said) = run(&["backup", path(&file), "--set", "stores.postgres_url=postgres://x"]);
    assert!(code == 2 && said.contains("pg_dump"), "{said}");
    let (code, said) = run(&["backup", path(&file), "--data-dir", ":memory:"]);
    assert!(code == 2 && said.contains("keeps nothing"), "{said}");
    let (code, said) = run(&["backup", path(&file), "--data-dir", path(&file.with_extension("none"))]);
    assert!(code == 2 && said.contains("holds no data"), "{said}");
    assert!(!file.exists());
}

/// A session with a claim, a reference to a file, and a call of a tool.
fn rich_session(world: &World) -> String {
    let session = world.session(json!({"tools": [weather()], "user": "ann"}));
    let relayed = json!({"from": "a", "to": "b", "content": "Sales grew by 25% in 2024."}).to_string();
    let relayed = world.server.post(&format!("/v1/sessions/{session}/relay"), &relayed);
    assert_eq!(relayed.status, 200, "{}", relayed.body);
    let note = json!({"name": "plan", "content": "Call Bo."}).to_string();
    world.server.post(&format!("/v1/sessions/{session}/notes"), &note);
    let form = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\ncontent-type: text/plain\r\n\r\nhello\r\n--x--\r\n";
    let kind = [("content-type", "multipart/form-data; boundary=x")];
    let file = world.server.ask("POST", &format!("/v1/sessions/{session}/files"), &kind, form).json();
    let mark = world.upstream.on(vec![text(&["It says hello."])]);
    let said = json!({"content": format!("What is in it? {mark}"), "files": [file["file_id"]]});
    world.say_with(&session, said).rest();
    session
}

/// What must be the same after a session was taken out and in.
fn story(exported: &Value) -> Vec<Value> {
    let events = exported["events"].as_array().unwrap();
    events
        .iter()
        .map(|event| json!([event["event_type"], event["agent_source"], event["timestamp"], event["payload"]]))
        .collect()
}

// SERVE-5, CLAIM-2: a session that moves keeps its events with their times, its claims, its notes and its files.
#[test]
fn a_session_moves_whole() {
    let world = World::own("data-export", &[], &[]);
    let session = rich_session(&world);
    let server = format!("http://{}", world.server.address);
    let (code, exported) = run(&["session", "export", &session, "--server", &server]);
    assert_eq!(code, 0, "{exported}");
    let exported: Value = serde_json::from_str(&exported).unwrap();
    let file = folder("data-import").join("session.json");
    std::fs::write(&file, exported.to_string()).unwrap();

    // Elsewhere it keeps its names.
    let other = World::own("data-imported", &[], &[]);
    let there = format!("http://{}", other.server.address);
    let (code, said) = run(&["session", "import", path(&file), "--server", &there, "--format", "json"]);
    assert_eq!(code, 0, "{said}");
    let told: Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!((told["session_id"].as_str(), told["renamed"].as_bool()), (Some(session.as_str()), Some(false)));
    let again = other.server.get(&format!("/v1/sessions/{session}/export?files=content")).json();
    assert_eq!(story(&again), story(&exported));
    for part in ["notes", "materials", "files", "session"] {
        assert_eq!(again[part], exported[part], "{part}");
    }
    let claims: Vec<&Value> = exported["events"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|event| event["payload"]["claims"].as_array())
        .flatten()
        .collect();
    let claim = claims.iter().find(|claim| claim["text"].as_str().is_some_and(|text| text.contains("25%"))).unwrap();
    let traced = format!("/v1/sessions/{session}/claims/{}", claim["id"].as_str().unwrap());
    assert_eq!(other.server.get(&traced).json(), world.server.get(&traced).json());
    let mark = other.upstream.on(vec![text(&["Again: hello."])]);
    let more = other.say(&session, &format!("And now? {mark}")).rest();
    assert_eq!(more.last().unwrap().kind(), "completed");

    // Where its name is taken it gets another, and what it refers to goes along.
    let taken = world.server.post("/v1/sessions/import", &exported.to_string());
    assert_eq!(taken.status, 200, "{}", taken.body);
    let told = taken.json();
    assert_eq!(told["renamed"], true);
    let copy =
        world.server.get(&format!("/v1/sessions/{}/export?files=content", told["session_id"].as_str().unwrap())).json();
    let new_file = copy["files"][0]["file_id"].as_str().unwrap();
    assert_ne!(new_file, exported["files"][0]["file_id"].as_str().unwrap());
    assert!(copy["events"].to_string().contains(new_file), "the message refers to the file that came along");
    assert!(!copy["events"].to_string().contains(&session), "nothing points at the other session");
}

// SERVE-5: a file that was made to do harm, or is no session at all, is refused with the place, and nothing stays of it.
#[test]
fn a_hostile_session_is_refused() {
    let world = World::own("data-hostile", &[], &[]);
    let good = world.server.get(&format!("/v1/sessions/{}/export?files=content", rich_session(&world))).json();
    let count = || world.server.get("/v1/sessions").json()["sessions"].as_array().unwrap().len();
    let before = count();
    let with = |pointer: &str, value: Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        changed
    };
    for (bad, said) in [
        (json!({}), "session"),
        (json!([]), "cannot be used"),
        (with("/format", json!("a poem")), "no exported session"),
        (with("/version", json!(7)), "the newer one"),
        (with("/session/agent", json!("nobody")), "there is no agent"),
        (with("/events/0", json!("x")), "`events[0]` is no object"),
        (with("/events/1/event_type", json!("root_shell")), "`events[1]` has the event_type"),
        (with("/events/1/event_type", json!("reset")), "not known here"),
        (with("/events/0/timestamp", json!("yesterday")), "`timestamp`"),
        (with("/events/0/payload", json!([])), "`payload`"),
        (with("/events/0/payload/claims", json!([{"text": 7}])), "`claims`"),
        (with("/events/0/payload/content_type", json!("exe")), "`content_type`"),
        (with("/events/0/agent_source", json!("")), "`agent_source`"),
        (with("/notes/0/id", json!("../../x")), "id"),
        (with("/notes/0/content", json!(" ")), "`content`"),
        (with("/files/0/content", json!("***")), "base64"),
        (with("/files/0/name", json!("run.exe")), "programs and scripts"),
    ] {
        let refused = world.server.post("/v1/sessions/import", &bad.to_string());
        assert!((400..500).contains(&refused.status), "{said}: {} {}", refused.status, refused.body);
        let message = refused.json()["error"].to_string();
        assert!(message.contains(said), "{said}: {message}");
    }
    assert_eq!(count(), before);
    // A session that was exported in the middle of a turn ends here.
    let session = world.session(json!({"tools": [delete()]}));
    let mark = world.upstream.on(vec![calls(&[("c1", "delete_record", json!({"record_id": "rec_1"}))])]);
    world.say(&session, &format!("Please delete the record rec_1. {mark}")).until("review_required");
    let half = world.server.get(&format!("/v1/sessions/{session}/export")).json();
    let told = world.server.post("/v1/sessions/import", &half.to_string()).json();
    let log = world.log(told["session_id"].as_str().unwrap());
    assert_eq!(log.last().unwrap().kind(), "lost");
    // What waits for a person there waits for nobody here.
    assert_eq!(world.server.get("/v1/reviews").json()["reviews"].as_array().unwrap().len(), 1);
}
