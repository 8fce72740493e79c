//! TLS on the listener, asked by a real client: certificates that are renewed, files that cannot be used, clients that say nothing.

use crate::serve_world::{Server, bare, folder, within};
use serde_json::json;
use std::fs::write;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const KEY: &str = "cs-tls-key-0123456789";

/// Who signs, and the files of what they signed.
struct Authority {
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = rcgen::CertificateParams::new(vec![]).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: rcgen::Issuer::new(params, key), pem }
    }

    /// Writes a certificate for loopback that holds until the first day of a year.
    fn sign(&self, files: &Files, year: i32) {
        let mut params = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        // The key first: the server looks at both together.
        write(&files.key, key.serialize_pem()).unwrap();
        write(&files.certificate, params.signed_by(&key, &self.issuer).unwrap().pem()).unwrap();
    }

    /// A client that trusts nobody else.
    fn client(&self) -> reqwest::Client {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let root = reqwest::Certificate::from_pem(self.pem.as_bytes()).unwrap();
        reqwest::Client::builder().no_proxy().tls_certs_only([root]).pool_max_idle_per_host(0).build().unwrap()
    }
}

struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    fn in_folder(folder: &Path) -> Self {
        Self { certificate: folder.join("server.pem"), key: folder.join("server.key") }
    }

    fn settings(&self) -> [String; 2] {
        [
            format!("server.tls_certificate={}", self.certificate.display()),
            format!("server.tls_key={}", self.key.display()),
        ]
    }
}

fn start(data: &Path, files: &Files) -> Server {
    let [certificate, key] = files.settings();
    Server::start(data, &["--set", &certificate, "--set", &key], &[("COUNTERSIGN_API_KEYS", KEY)])
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn status(client: &reqwest::Client, url: &str) -> Result<u16, reqwest::Error> {
    Ok(client.get(url).header("x-api-key", KEY).send().await?.status().as_u16())
}

// SERVE-1, SERVE-7: https for those who trust the certificate, words for those who come without TLS, and commands that follow.
#[test]
fn the_listener_speaks_https() {
    let data = folder("tls-speaks");
    let (authority, files) = (Authority::new(), Files::in_folder(&data));
    authority.sign(&files, 2090);
    let server = start(&data, &files);
    assert!(server.log().contains("listening on https://127.0.0.1:"), "{}", server.log());
    let url = format!("https://{}", server.address);
    let client = authority.client();
    let answer = run(async {
        assert_eq!(status(&client, &format!("{url}/health")).await.unwrap(), 200);
        assert!(status(&Authority::new().client(), &url).await.is_err(), "another authority is not trusted");
        let signed = client.post(format!("{url}/console/session")).json(&json!({ "key": KEY })).send().await.unwrap();
        let cookie = signed.headers()["set-cookie"].to_str().unwrap().to_owned();
        assert!(cookie.starts_with("__Host-countersign_console=") && cookie.ends_with("; Secure"), "{cookie}");
        let pair = cookie.split(';').next().unwrap().to_owned();
        let look = |cookie: String| client.get(format!("{url}/v1/sessions")).header("cookie", cookie).send();
        assert_eq!(look(pair.clone()).await.unwrap().status(), 200);
        // A neighbour under the same domain can set the plain name; it counts for nothing here.
        look(pair.trim_start_matches("__Host-").to_owned()).await.unwrap().status().as_u16()
    });
    assert_eq!(answer, 401);
    let plain = server.get("/livez");
    assert_eq!((plain.status, plain.error().as_str()), (400, "https_only"));
    let [certificate, key] = files.settings();
    let data = data.display().to_string();
    let asked = |command: &str| {
        let args = [command, "--listen", &server.address, "--data-dir", &data, "--set", &certificate, "--set", &key];
        let out = bare(&args, &[]).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    let (code, said) = asked("health");
    assert_eq!((code, said), (Some(0), format!("{} is ready\n", server.address)));
    let (code, said) = asked("doctor");
    assert!(code == Some(0) && said.contains("holds until 2090-01-01"), "{said}");
    assert!(said.contains("a countersign server runs on"), "{said}");
}

// SERVE-1, SERVE-3: a renewed certificate is taken without a restart, a broken one changes nothing and is reported.
#[test]
fn a_renewed_certificate_is_taken_while_it_runs() {
    let data = folder("tls-renewed");
    let files = Files::in_folder(&data);
    let (old, new) = (Authority::new(), Authority::new());
    old.sign(&files, 2090);
    let server = start(&data, &files);
    let url = format!("https://{}/health", server.address);
    let reaches = |authority: &Authority| run(status(&authority.client(), &url)).is_ok();
    assert!(reaches(&old) && !reaches(&new));
    new.sign(&files, 2090);
    server.signal("HUP");
    within(10, "the new certificate", || reaches(&new));
    assert!(!reaches(&old));
    write(&files.certificate, "-----BEGIN NONSENSE-----").unwrap();
    within(10, "the refusal", || server.log().contains("the old one stays in use"));
    let health =
        || run(async { new.client().get(&url).header("x-api-key", KEY).send().await.unwrap().text().await.unwrap() });
    within(10, "the word in /health", || health().contains("the old certificate is in use"));
}

// SERVE-1, SERVE-7: files that cannot be used end the start with a reason, and one that has expired is named.
#[test]
fn a_start_says_what_is_wrong_with_the_files() {
    let data = folder("tls-wrong");
    let (authority, files) = (Authority::new(), Files::in_folder(&data));
    let place = data.display().to_string();
    let [certificate, key] = files.settings();
    let refused = || {
        let args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", &place, "--set", &certificate, "--set", &key];
        let out = bare(&args, &[]).output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(refused().contains("cannot read"));
    authority.sign(&files, 2090);
    write(&files.key, rcgen::KeyPair::generate().unwrap().serialize_pem()).unwrap();
    assert!(refused().contains("is not the key of the certificate"));
    let out = bare(&["config", "check", "--set", &certificate], &[]).output().unwrap();
    assert!(String::from_utf8(out.stderr).unwrap().contains("`server.tls_key` is not set"));
    authority.sign(&files, 2020);
    let server = start(&data, &files);
    within(10, "the warning", || server.log().contains("expired at 2020-01-01"));
}

// SERVE-1: who connects and says nothing, or breaks off in the handshake, holds a place for seconds only.
#[test]
fn a_handshake_has_a_deadline() {
    let data = folder("tls-slow");
    let (authority, files) = (Authority::new(), Files::in_folder(&data));
    authority.sign(&files, 2090);
    let server = start(&data, &files);
    let began = Instant::now();
    let mut silent = server.connect();
    let mut half = server.connect();
    half.write_all(&[22, 3, 1, 0, 200, 1]).unwrap();
    let mut nonsense = server.connect();
    nonsense.write_all(&[22, 0xff, 0xff, 0, 1, 0]).unwrap();
    let url = format!("https://{}/livez", server.address);
    assert_eq!(run(status(&authority.client(), &url)).unwrap(), 200, "others are not held up");
    let mut rest = Vec::new();
    let _ = nonsense.read_to_end(&mut rest);
    assert!(began.elapsed() < Duration::from_secs(4), "what is no TLS is cut at once");
    for stream in [&mut silent, &mut half] {
        rest.clear();
        let _ = stream.read_to_end(&mut rest);
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
