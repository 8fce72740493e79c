//! Where every HTTP client begins, so that TLS is set up in one place.
//!
//! Servers are checked against the certificates of the system. A machine without any, such as a small container, gets
//! clients that reach plain HTTP and trust nobody over TLS, instead of no server at all. Nothing here ever skips a check.

use reqwest::{Client, ClientBuilder};
use std::sync::OnceLock;

/// A client to be finished by whoever needs it.
pub fn client() -> ClientBuilder {
    // The provider is the process's; where another part has chosen one already, that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if has_certificates() { Client::builder() } else { Client::builder().tls_certs_only([]) }
}

/// Whether the system has certificates to check servers against; looked up once.
pub fn has_certificates() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder().no_proxy().build().is_ok()
    })
}

/// What is wrong where there are none.
pub const NO_CERTIFICATES: &str = "no certificates were found on this system, so no server can be reached over https";
/// What to do about it.
pub const ADD_CERTIFICATES: &str = "install ca-certificates, or name a file of certificates in SSL_CERT_FILE";
