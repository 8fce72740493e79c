//! The program as a container starts it: perhaps without certificates.

use crate::serve_world::{Server, bare, folder, within};

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
