//! Where every HTTP client begins, so that TLS is set up in one place.
//!
//! Servers are checked against the certificates of the system. A machine without any, such as a small container, gets
//! clients that reach plain HTTP and trust nobody over TLS, instead of no server at all. Nothing here ever skips a check.

use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::OnceLock;
use std::time::Duration;

/// A client to be finished by whoever needs it.
pub fn client() -> ClientBuilder {
    // The provider is the process's; where another part has chosen one already, that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if has_certificates() { Client::builder() } else { Client::builder().tls_certs_only([]) }
}

/// Opens connections, with TLS where the address asks for it.
pub type Connector = HttpsConnector<HttpConnector>;

/// A connector that offers these protocols over TLS, the one it likes best first. It trusts whom `client` trusts.
pub fn connector(protocols: &[&str]) -> Result<Connector, rustls::Error> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = ClientConfig::builder();
    let builder = match has_certificates() {
        true => builder.with_platform_verifier()?,
        false => builder.with_root_certificates(RootCertStore::empty()),
    };
    let mut tls = builder.with_no_client_auth();
    tls.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(KEEPALIVE));
    tcp.set_keepalive_interval(Some(KEEPALIVE));
    tcp.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(KEEPALIVE * 2));
    Ok(HttpsConnector::from((tcp, tls)))
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
/// How soon a peer that went away without a word is noticed.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;
