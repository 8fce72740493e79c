//! TLS on the listener: the certificate and its key, read from two files and followed.
//!
//! Whoever renews a certificate writes the files and does nothing else: connections that begin from then on get the new
//! one. Files that cannot be used change nothing; the old certificate stays in use, and `/health` and the log say so. There
//! is no plain HTTP beside it, and nothing here weakens what rustls takes for safe.

use super::certificate::not_after;
use crate::config::TlsFiles;
use crate::failure::Failure;
use arc_swap::{ArcSwap, ArcSwapOption};
use jiff::{SignedDuration, Timestamp};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, ServerConfig};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_rustls::TlsAcceptor;

/// The certificate in use.
pub(crate) struct Tls {
    files: TlsFiles,
    current: ArcSwap<Loaded>,
    /// Why the newest files are not in use.
    refused: ArcSwapOption<String>,
    seen: Mutex<[u8; 32]>,
}

/// A certificate that can be used.
pub(crate) struct Loaded {
    config: Arc<ServerConfig>,
    /// Until when it holds, where that could be read.
    pub until: Option<Timestamp>,
}

/// What a look at the files came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// They are as they were.
    Same,
    /// The new ones are in use.
    Changed,
    /// The new ones cannot be used; the old ones stay.
    Refused(String),
}

impl Tls {
    /// Reads the files for the first time: here an error is one.
    pub(crate) fn open(files: &TlsFiles) -> Result<Self, Failure> {
        let seen = digest(files);
        let current = ArcSwap::from_pointee(load(files)?);
        Ok(Self { files: files.clone(), current, refused: ArcSwapOption::empty(), seen: Mutex::new(seen) })
    }

    /// What a new connection is met with.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.current.load().config))
    }

    /// Looks whether the files have changed, and reads them if so.
    pub(crate) fn follow(&self) -> Looked {
        let digest = digest(&self.files);
        let mut seen = self.lock_seen();
        if *seen == digest {
            return Looked::Same;
        }
        *seen = digest;
        match load(&self.files) {
            Ok(loaded) => {
                self.current.store(Arc::new(loaded));
                self.refused.store(None);
                Looked::Changed
            }
            Err(failure) => {
                let reason = failure.sentence();
                self.refused.store(Some(Arc::new(reason.clone())));
                Looked::Refused(reason)
            }
        }
    }

    /// What is wrong with the certificate, where something is.
    pub(crate) fn trouble(&self) -> Option<String> {
        if let Some(reason) = self.refused.load_full() {
            return Some(format!("the old certificate is in use: {reason}"));
        }
        self.current.load().age()
    }

    fn lock_seen(&self) -> MutexGuard<'_, [u8; 32]> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loaded {
    /// What people should know of its end: that it is near, or past.
    pub(crate) fn age(&self) -> Option<String> {
        let until = self.until?;
        let left = until.duration_since(Timestamp::now());
        if left.is_negative() {
            return Some(format!("the certificate expired at {until}: browsers and clients refuse it"));
        }
        (left < SOON).then(|| format!("the certificate expires at {until}"))
    }
}

/// Reads a certificate and its key, and holds them against each other.
pub(crate) fn load(files: &TlsFiles) -> Result<Loaded, Failure> {
    let chain = read_chain(&files.certificate)?;
    let until = chain.first().and_then(|first| not_after(first));
    let key = read_key(&files.key)?;
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key);
    let mut config = config.map_err(|error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => Failure::with_help(
            format!(
                "the key in {} is not the key of the certificate in {}",
                files.key.display(),
                files.certificate.display()
            ),
            "name the two files that were made together; the server's own certificate comes first in its file",
        ),
        error => Failure::with_help(
            format!("the certificate in {} cannot be used: {error}", files.certificate.display()),
            "make it again, with a key of RSA (2048 bits or more), ECDSA (P-256, P-384) or Ed25519",
        ),
    })?;
    // The listener speaks HTTP/1.1 and nothing else.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Loaded { config: Arc::new(config), until })
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::file(path, "read", &error))?;
    let chain: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&text).collect();
    match chain {
        Ok(chain) if !chain.is_empty() => Ok(chain),
        _ => Err(Failure::with_help(
            format!("{} holds no certificate in PEM", path.display()),
            "it must have a part that begins with -----BEGIN CERTIFICATE-----",
        )),
    }
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::file(path, "read", &error))?;
    // The error of the reader is not told: it may quote the file.
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| {
        Failure::with_help(
            format!("{} holds no private key in PEM that can be read", path.display()),
            "it must have a part that begins with -----BEGIN PRIVATE KEY----- (or RSA, or EC) and has no password",
        )
    })
}

/// What the files hold right now; a file that cannot be read differs from every one that can.
fn digest(files: &TlsFiles) -> [u8; 32] {
    let mut hash = Sha256::new();
    for path in [&files.certificate, &files.key] {
        let content = std::fs::read(path);
        hash.update(content.map_or_else(|error| error.to_string().into_bytes(), |text| Sha256::digest(text).to_vec()));
    }
    hash.finalize().into()
}

/// From when on people are told that a certificate must be renewed.
const SOON: SignedDuration = SignedDuration::from_hours(14 * 24);

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::write;

    struct Made {
        certificate: String,
        key: String,
    }

    fn make(year: i32) -> Made {
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        Made { certificate: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
    }

    fn refused(files: &TlsFiles) -> String {
        load(files).err().unwrap().sentence()
    }

    // SERVE-1, SERVE-3: files that cannot be used are named with the reason, and the old certificate stays.
    #[test]
    fn files_are_followed_and_refused_with_a_reason() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let files = TlsFiles { certificate: folder.path().join("c.pem"), key: folder.path().join("k.pem") };
        assert!(refused(&files).contains("cannot read"));
        let (one, two, old) = (make(2090), make(2090), make(2020));
        write(&files.certificate, &one.certificate).unwrap();
        write(&files.key, &one.certificate).unwrap();
        assert!(refused(&files).contains("holds no private key"), "{}", refused(&files));
        write(&files.key, &two.key).unwrap();
        assert!(refused(&files).contains("is not the key of the certificate"), "{}", refused(&files));
        write(&files.key, &one.key).unwrap();
        let tls = Tls::open(&files).unwrap();
        assert_eq!((tls.follow(), tls.trouble()), (Looked::Same, None));
        write(&files.certificate, "none").unwrap();
        assert!(matches!(tls.follow(), Looked::Refused(reason) if reason.contains("holds no certificate")));
        assert!(tls.trouble().unwrap().starts_with("the old certificate is in use"));
        assert_eq!(tls.follow(), Looked::Same);
        write(&files.certificate, &old.certificate).unwrap();
        write(&files.key, &old.key).unwrap();
        assert_eq!(tls.follow(), Looked::Changed);
        assert!(tls.trouble().unwrap().contains("expired at 2020-01-01"), "{:?}", tls.trouble());
    }
}
