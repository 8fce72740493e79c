//! The program as a container starts it: no shell, no curl, and perhaps no certificates.

use crate::serve_world::{Server, bare, folder, within};
use std::net::TcpListener;

// SERVE-3
#[test]
fn a_server_that_is_ready_is_told_from_one_that_is_not() {
    let server =
        Server::start(&folder("health-command"), &[], &[("COUNTERSIGN_API_KEYS", "a-key-of-the-health-check-91")]);
    let port = server.address.rsplit(':').next().unwrap().to_owned();
    let all = format!("0.0.0.0:{port}");
    for listen in [server.address.as_str(), &all] {
        let asked = bare(&["health"], &[("COUNTERSIGN_LISTEN", listen)]).output().unwrap();
        let said = String::from_utf8(asked.stdout).unwrap();
        assert_eq!((asked.status.code(), said), (Some(0), format!("127.0.0.1:{port} is ready\n")));
    }
    drop(server);
    let asked = bare(&["health", "--listen", &all], &[]).output().unwrap();
    let said = String::from_utf8(asked.stderr).unwrap();
    assert_eq!(asked.status.code(), Some(1));
    assert!(said.starts_with(&format!("countersign: no server answers at 127.0.0.1:{port}: ")), "{said}");
}

// SERVE-3: a socket that takes connections and says nothing is no server that is ready.
#[test]
fn a_program_that_does_not_answer_is_not_ready() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let asked = bare(&["health", "--listen", &address], &[]).output().unwrap();
    assert_eq!(asked.status.code(), Some(1), "{asked:?}");
}

// SERVE-7: a small container has no certificates, and the demo model needs none.
#[test]
fn a_system_without_certificates_is_no_reason_not_to_start() {
    let nowhere = [("SSL_CERT_FILE", "/nonexistent"), ("SSL_CERT_DIR", "/nonexistent")];
    let collector = ["--set", "telemetry.otlp_endpoint=http://127.0.0.1:9"];
    let server = Server::start(&folder("no-certificates"), &collector, &nowhere);
    assert_eq!(server.get("/livez").status, 200);
    within(5, "a warning", || server.log().contains("no certificates were found on this system"));
    let doctor = bare(&["doctor", "--data-dir", ":memory:", "--listen", "127.0.0.1:0"], &nowhere).output().unwrap();
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert!(said.contains(r#""name":"certificates","status":"warning""#) && said.contains("SSL_CERT_FILE"), "{said}");
}
