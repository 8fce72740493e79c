//! The models behind: can their hosts be reached. An upstream that is unavailable degrades; the server itself is well.

use super::{Look, Probe};
use futures_util::future::BoxFuture;
use std::time::Duration;
use tokio::net::TcpStream;

/// Looks at the upstreams.
pub(crate) struct UpstreamProbe {
    addresses: Vec<String>,
}

impl UpstreamProbe {
    /// The upstreams of a configuration.
    pub(crate) fn new(addresses: impl IntoIterator<Item = String>) -> Self {
        Self { addresses: addresses.into_iter().collect() }
    }
}

impl Probe for UpstreamProbe {
    fn name(&self) -> &'static str {
        "upstream"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(4)
    }

    fn look(&self) -> BoxFuture<'_, Look> {
        Box::pin(async {
            if self.addresses.is_empty() {
                return Look::healthy().noting("none is configured: the built-in demo model answers");
            }
            for address in &self.addresses {
                if let Err(reason) = reach(address).await {
                    return Look::degraded(reason);
                }
            }
            Look::healthy()
        })
    }
}

/// Opens a connection and closes it again; gives the host and port.
pub(crate) async fn reach(address: &str) -> Result<String, String> {
    let authority = authority(address).ok_or_else(|| "the address of an upstream cannot be read".to_owned())?;
    match tokio::time::timeout(DEADLINE, TcpStream::connect(&authority)).await {
        Ok(Ok(_)) => Ok(authority),
        Ok(Err(error)) => Err(format!("{authority} cannot be reached: {error}")),
        Err(_) => Err(format!("{authority} does not answer")),
    }
}

/// The host and port of an address; never a login in it.
fn authority(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port_of = host.rsplit_once(':').filter(|(name, _)| !name.starts_with('[') || name.ends_with(']'));
    let has_port = port_of.is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let port = if scheme == "https" { 443 } else { 80 };
    if has_port { Some(host.to_owned()) } else { Some(format!("{host}:{port}")) }
}

const DEADLINE: Duration = Duration::from_millis(1200);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_are_read_from_addresses() {
        for (address, read) in [
            ("http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
            ("https://api.example.com/v1", "api.example.com:443"),
            ("http://[::1]/v1", "[::1]:80"),
            ("http://[::1]:9/v1", "[::1]:9"),
            ("https://user:pw@api.example.com", "api.example.com:443"),
        ] {
            assert_eq!(authority(address).as_deref(), Some(read), "{address}");
        }
    }
}
