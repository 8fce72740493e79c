//! `countersign health`: whether the server on this machine takes requests.
//!
//! For health checks of containers and services, in whose image there is no shell and no curl. It asks `/readyz`, which
//! needs no key, and looks at nothing else: a store or an upstream that is unavailable is no reason to restart the server.

use super::print;
use crate::args::ConfigArgs;
use crate::config;
use crate::failure::{Failure, complain};
use crate::serve::neighbour::{ask, ask_over_tls};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Asks the server; exit code 0 where it is ready, else 1.
pub(crate) fn run(args: &ConfigArgs) -> Result<u8, Failure> {
    let config = config::load(args)?;
    let address = reachable(config.listen);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(error.to_string()))?;
    let question = b"GET /readyz HTTP/1.0\r\n\r\n";
    let answer = match config.tls {
        None => runtime.block_on(ask(&address.to_string(), question)),
        Some(_) => runtime.block_on(ask_over_tls(address, question)),
    };
    let problem = match answer {
        Ok(answer) if answer.contains("\"status\":\"ready\"") => {
            return print(&format!("{address} is ready\n")).map(|()| 0);
        }
        Ok(answer) if answer.contains("\"status\":\"not ready\"") => format!("{address} is not ready"),
        Ok(_) => format!("another program answers at {address}"),
        Err(error) => format!("no server answers at {address}: {error}"),
    };
    complain(&problem);
    Ok(1)
}

/// Where a program on this machine reaches a server that listens there.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-3
    #[test]
    fn an_address_that_stands_for_all_is_asked_on_loopback() {
        for (listen, asked) in
            [("0.0.0.0:7420", "127.0.0.1:7420"), ("[::]:80", "[::1]:80"), ("10.0.0.5:7420", "10.0.0.5:7420")]
        {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), asked);
        }
    }
}
