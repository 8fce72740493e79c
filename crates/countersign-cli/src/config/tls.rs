//! The certificate of the listener: two files, or none.

use super::checks::{Invalid, Valid};
use super::raw::RawServer;
use std::path::PathBuf;

/// The files of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    /// The certificate and those that it hangs on, PEM.
    pub certificate: PathBuf,
    /// Its key, PEM.
    pub key: PathBuf,
}

impl TlsFiles {
    pub(super) fn of(raw: RawServer) -> Valid<Option<Self>> {
        let alone = |path: &'static str, missing: &str| Invalid {
            path: path.into(),
            message: format!("a certificate and its key belong together, and `{missing}` is not set"),
            help: Some("set both for https, or neither for http".to_owned()),
        };
        match (raw.tls_certificate, raw.tls_key) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => Ok(Some(Self { certificate: certificate.into(), key: key.into() })),
            (Some(_), None) => Err(alone("server.tls_certificate", "server.tls_key")),
            (None, Some(_)) => Err(alone("server.tls_key", "server.tls_certificate")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1
    #[test]
    fn a_certificate_needs_its_key() {
        let of = |certificate: Option<&str>, key: Option<&str>| {
            let (tls_certificate, tls_key) = (certificate.map(str::to_owned), key.map(str::to_owned));
            TlsFiles::of(RawServer { tls_certificate, tls_key })
        };
        assert_eq!(of(None, None).unwrap(), None);
        assert_eq!(of(Some("c.pem"), Some("k.pem")).unwrap().unwrap().key, PathBuf::from("k.pem"));
        assert_eq!(of(Some("c.pem"), None).unwrap_err().path, "server.tls_certificate");
        assert!(of(None, Some("k.pem")).unwrap_err().message.contains("`server.tls_certificate` is not set"));
    }
}
