//! TLS to servers that are no web servers: PostgreSQL, and our own on this machine.
//!
//! How much is checked is the caller's choice, in the words that PostgreSQL's own clients use; what is not checked is
//! encrypted all the same. HTTP clients begin in `http`, which always checks.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;
use std::path::Path;
use std::sync::Arc;

/// How much of a server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Nothing: whoever sits between may answer instead.
    Anyone,
    /// That somebody trusted has signed it, whatever name it is for.
    Signed,
    /// That somebody trusted has signed it for the name that was asked.
    Named,
}

/// The settings of a client. Without a file of roots the certificates of the system are trusted.
pub fn client_config(trust: Trust, roots: Option<&Path>) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let inner = match trust {
        Trust::Anyone => None,
        Trust::Signed | Trust::Named => Some(verifier(roots, &provider)?),
    };
    let verifier = Arc::new(Checked { trust, inner, provider: Arc::clone(&provider) });
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?.dangerous().with_custom_certificate_verifier(verifier);
    Ok(builder.with_no_client_auth())
}

fn verifier(roots: Option<&Path>, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, String> {
    let Some(path) = roots else {
        let system = Verifier::new(Arc::clone(provider)).map_err(|error| error.to_string())?;
        return Ok(Arc::new(system));
    };
    let text = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut store = RootCertStore::empty();
    for root in CertificateDer::pem_slice_iter(&text).flatten() {
        store.add(root).map_err(|error| format!("a certificate in {} cannot be used: {error}", path.display()))?;
    }
    if store.is_empty() {
        return Err(format!("{} holds no certificate in PEM", path.display()));
    }
    let built = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider)).build();
    built.map(|verifier| verifier as _).map_err(|error| error.to_string())
}

/// Takes a parameter out of a URL's query: what is left, and its value.
pub fn take_parameter(url: &str, name: &str) -> (String, Option<String>) {
    let Some((place, query)) = url.split_once('?') else { return (url.to_owned(), None) };
    let is_it = |pair: &&str| pair.split('=').next() == Some(name);
    let found = query.split('&').find(is_it).and_then(|pair| Some(decode(pair.split_once('=')?.1)));
    let rest: Vec<&str> = query.split('&').filter(|pair| !is_it(pair)).collect();
    if rest.is_empty() { (place.to_owned(), found) } else { (format!("{place}?{}", rest.join("&")), found) }
}

fn decode(text: &str) -> String {
    let read = reqwest::Url::parse(&format!("x:?{text}=")).ok();
    let read = read.and_then(|url| url.query_pairs().next().map(|(word, _)| word.into_owned()));
    read.unwrap_or_else(|| text.to_owned())
}

#[derive(Debug)]
struct Checked {
    trust: Trust,
    inner: Option<Arc<dyn ServerCertVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Checked {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(inner) = &self.inner else { return Ok(ServerCertVerified::assertion()) };
        match inner.verify_server_cert(certificate, chain, name, stapled, now) {
            // The chain is looked at before the name.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.trust == Trust::Signed => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-5
    #[test]
    fn a_parameter_is_taken_out_of_a_url() {
        for (url, rest, found) in [
            ("postgres://h/d", "postgres://h/d", None),
            ("postgres://h/d?sslrootcert=%2Fca%20one.pem", "postgres://h/d", Some("/ca one.pem")),
            ("rediss://h?protocol=resp3&sslrootcert=ca.pem", "rediss://h?protocol=resp3", Some("ca.pem")),
            ("postgres://a,b/d?sslrootcert=x&sslmode=require", "postgres://a,b/d?sslmode=require", Some("x")),
            ("postgres://h/d?xsslrootcert=1", "postgres://h/d?xsslrootcert=1", None),
        ] {
            assert_eq!(take_parameter(url, "sslrootcert"), (rest.to_owned(), found.map(str::to_owned)), "{url}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("roots.pem");
        assert!(client_config(Trust::Named, Some(&file)).unwrap_err().contains("cannot read"));
        std::fs::write(&file, "none").unwrap();
        assert!(client_config(Trust::Signed, Some(&file)).unwrap_err().contains("holds no certificate"));
    }
}
