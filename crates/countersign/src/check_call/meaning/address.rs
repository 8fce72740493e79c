//! IP addresses that cannot be one: `300.1.1.1`. Networks, ports and lists are fine; host names only doubtful.

use super::value::Held;
use crate::check_call::role::Role;
use crate::contract::codes::meaning::BAD_ADDRESS;
use crate::contract::{Finding, Severity};
use crate::localized;
use std::net::IpAddr;

/// The finding on a text that cannot be an address.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    if !held.is(Role::Address) || held.is_declared() {
        return None;
    }
    let text = held.text()?;
    if text.split([',', ' ', ';']).filter(|part| !part.is_empty()).all(is_one) || held.is_named_by_tool() {
        return None;
    }
    let value = held.quote();
    let evidence = localized!(held.language, "`{value}` is no IP address", "`{value}` 不是 IP 地址");
    let finding = held.finding(&BAD_ADDRESS, evidence);
    let numeric = text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b':' || b == b'/');
    Some(if numeric { finding } else { finding.sure(0.6).graded(Severity::Warning) })
}

/// Whether a text is an address, a network or an address with a port.
pub(crate) fn is_one(text: &str) -> bool {
    let host = text.split_once('/').map_or(text, |(host, _)| host);
    let bare = host.trim_start_matches('[').split(']').next().unwrap_or(host);
    let without_port = || host.rsplit_once(':').is_some_and(|(host, _)| host.parse::<IpAddr>().is_ok());
    let zoned = bare.split('%').next().unwrap_or(bare);
    zoned.parse::<IpAddr>().is_ok() || without_port()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told() {
        // CALL-4
        for good in ["8.8.8.8", "10.0.0.0/8", "1.2.3.4:80", "::1", "[fe80::1%eth0]:80", "2001:db8::/32"] {
            assert!(is_one(good), "{good}");
        }
        for bad in ["300.1.1.1", "1.2.3", "example.com", "1.2.3.4.5", ""] {
            assert!(!is_one(bad), "{bad}");
        }
    }
}
