//! TLS to the server, with the meaning that PostgreSQL's own clients give to `sslmode` and `sslrootcert`.

use super::fault::broken;
use crate::store::StoreError;
use crate::tls::{Trust, client_config, take_parameter};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rustls::ClientConfig;
use rustls::pki_types::{InvalidDnsNameError, ServerName};
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// What the URL says about TLS.
pub(super) struct Wanted {
    /// The URL in words that the driver knows.
    pub url: String,
    /// Whether a plain connection will do.
    pub mode: SslMode,
    /// How TLS is spoken; `None` where it is not.
    pub tls: Option<Tls>,
}

impl Wanted {
    /// Reads `sslmode` and `sslrootcert`. Without any, TLS is spoken where the server offers it, and nothing is checked.
    pub(super) fn of(url: &str) -> Result<Self, StoreError> {
        let (url, mode) = take_parameter(url, "sslmode");
        let (url, roots) = take_parameter(&url, "sslrootcert");
        let roots = roots.map(PathBuf::from);
        let (mode, trust) = match (mode.as_deref(), &roots) {
            (Some("disable"), _) => return Ok(Self { url, mode: SslMode::Disable, tls: None }),
            (Some("verify-full"), _) => (SslMode::Require, Trust::Named),
            (Some("verify-ca"), _) | (Some("require"), Some(_)) => (SslMode::Require, Trust::Signed),
            (Some("require"), None) => (SslMode::Require, Trust::Anyone),
            (Some("prefer" | "allow") | None, _) => (SslMode::Prefer, Trust::Anyone),
            (Some(_), _) => return Err(broken(MODES)),
        };
        let config = client_config(trust, roots.as_deref()).map_err(|why| broken(format!("sslrootcert: {why}")))?;
        Ok(Self { url, mode, tls: Some(Tls(Arc::new(config))) })
    }
}

/// Begins TLS on connections.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

/// Begins it on one.
pub(super) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Handshake;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, InvalidDnsNameError> {
        let name = ServerName::try_from(if host.is_empty() { NO_NAME } else { host }.to_owned())?;
        Ok(Handshake { connector: TlsConnector::from(Arc::clone(&self.0)), name })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Encrypted<S>>>;

    fn connect(self, stream: S) -> Self::Future {
        async move { self.connector.connect(self.name, stream).await.map(Encrypted) }.boxed()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// A socket of this machine, or a number alone, has no name that a certificate could be for.
const NO_NAME: &str = "no-name.invalid";
const MODES: &str = "sslmode must be disable, prefer, require, verify-ca or verify-full";
