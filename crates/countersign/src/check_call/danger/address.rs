//! URLs into the private network, at a metadata service, or with a scheme that reads files (SSRF).
//!
//! Addresses are understood as the network understands them: `http://2130706433`, `http://0x7f.1` and
//! `http://[::ffff:127.0.0.1]` are all the machine itself.

use super::path::NormalizedPath;
use super::text::{Marks, Text};
use crate::check_call::role::Role;
use crate::contract::Finding;
use crate::contract::codes::danger::PRIVATE_ADDRESS;
use crate::localized;
use crate::text::words::narrow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The finding on a URL that leads inside.
pub(crate) fn find(text: &Text<'_>) -> Option<Finding> {
    if !text.marks.any(Marks::COLON) && !text.is(Role::Url)
        || text.marks.any(Marks::BLANK)
        || text.is_words() && !text.is(Role::Url)
    {
        return None;
    }
    let (scheme, rest) = match text.text.split_once("://").or_else(|| sloppy(text.text)) {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None if text.is(Role::Url) => (String::new(), text.text),
        None => return None,
    };
    if scheme.contains(|c: char| !c.is_ascii_alphanumeric() && !"+.-".contains(c)) {
        return None;
    }
    if LOCAL_SCHEMES.contains(&scheme.as_str()) {
        return reads_files(text, &scheme, rest);
    }
    // A database or a queue on the own machine is what a connection string is for.
    if !WEB_SCHEMES.contains(&scheme.as_str()) || text.is(Role::Secret) {
        return None;
    }
    let host = host_of(rest);
    let let_pass = text.policy().allow.hosts.iter().any(|pattern| pattern.matches(&host));
    if host.is_empty() || let_pass || !is_inside(&host) {
        return None;
    }
    let evidence = localized!(
        text.language,
        "`{host}` lies in the private network or is a metadata service",
        "`{host}` 位于内部网络，或是云元数据服务"
    );
    Some(text.finding(&PRIVATE_ADDRESS, evidence))
}

/// A scheme of the web with other slashes after it, which clients take as well: `http:/10.0.0.1`, `http:\\\\10.0.0.1`.
fn sloppy(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let web = ["http", "https", "ws", "wss", "ftp"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    (web && rest.starts_with(['/', '\\'])).then_some((scheme, rest))
}

/// `file:` and its kin, where a URL is due.
fn reads_files(text: &Text<'_>, scheme: &str, rest: &str) -> Option<Finding> {
    let place = NormalizedPath::of(rest);
    let allowed = text.policy().allow.paths.iter().any(|pattern| pattern.matches(rest) || pattern.matches(&place.path));
    let file = scheme == "file" && (text.is(Role::Path) || text.key().to_ascii_lowercase().contains("file"));
    if !text.is(Role::Url) || allowed || file {
        return None;
    }
    let evidence = localized!(
        text.language,
        "the scheme `{scheme}:` reaches past the web",
        "协议 `{scheme}:` 可访问网络之外的资源"
    );
    Some(text.finding(&PRIVATE_ADDRESS, evidence).sure(0.85))
}

/// The host of what follows a scheme: without user, port and path, in lower case.
fn host_of(rest: &str) -> String {
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let authority = plain(authority);
    let host = authority.rsplit_once('@').map_or(authority.as_str(), |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host.trim_end_matches('.').to_lowercase()
}

/// A host as a resolver gets it: `127。0。0。1`, `①②⑦.⓪.⓪.①`, `%6c%6fcalhost` and full-width letters are mapped to plain ones.
fn plain(host: &str) -> String {
    if host.is_ascii() && !host.contains('%') {
        return host.to_owned();
    }
    let mut out = String::new();
    for c in decode(host).chars().map(narrow) {
        let code = c as u32;
        let letter = |first: u8, by: u32| char::from_u32(u32::from(first) + by);
        match c {
            '\u{3002}' | '\u{ff61}' => out.push('.'),
            // Characters without width are dropped on the way.
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            '\u{2460}'..='\u{2473}' => out.push_str(&(code - 0x245f).to_string()),
            '\u{24ea}' => out.push('0'),
            '\u{24b6}'..='\u{24cf}' => out.extend(letter(b'a', code - 0x24b6)),
            '\u{24d0}'..='\u{24e9}' => out.extend(letter(b'a', code - 0x24d0)),
            '\u{b9}' => out.push('1'),
            '\u{b2}' | '\u{b3}' => out.extend(letter(b'2', code - 0xb2)),
            '\u{2070}' | '\u{2074}'..='\u{2079}' => out.extend(letter(b'0', code - 0x2070)),
            '\u{2080}'..='\u{2089}' => out.extend(letter(b'0', code - 0x2080)),
            '\u{1d7ce}'..='\u{1d7ff}' => out.extend(letter(b'0', (code - 0x1d7ce) % 10)),
            '\u{1d400}'..='\u{1d6a3}' => out.extend(letter(b'a', (code - 0x1d400) % 26)),
            c => out.push(c),
        }
    }
    out
}

/// Percent-encoded bytes decoded, where they are text.
fn decode(host: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), host.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| host.to_owned())
}

/// Whether a host lies inside.
fn is_inside(host: &str) -> bool {
    let named = INSIDE.contains(&host)
        || [".localhost", ".local", ".internal", ".localdomain"].iter().any(|end| host.ends_with(end));
    let embedded = || {
        let address = ["nip.io", "sslip.io", "xip.io"].iter().find_map(|end| host.strip_suffix(end));
        address.is_some_and(|address| {
            let dotted = address.trim_end_matches('.').replace('-', ".");
            let parts: Vec<&str> = dotted.rsplit('.').take(4).collect();
            let last: Vec<&str> = parts.into_iter().rev().collect();
            ipv4(&last.join(".")).is_some_and(is_private)
        })
    };
    named
        || ipv4(host).is_some_and(is_private)
        || ipv6(host).is_some_and(is_private_six)
        || host == "localtest.me"
        || host.ends_with(".localtest.me")
        || embedded()
}

/// An IPv4 address in any writing that the network takes: one to four parts, decimal, octal or hexadecimal.
fn ipv4(host: &str) -> Option<Ipv4Addr> {
    if !host.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let parts: Vec<u64> = host.split('.').map(part).collect::<Option<_>>()?;
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() <= 3)?;
    let mut address: u64 = 0;
    for part in first {
        address = (address << 8) | Some(*part).filter(|part| *part <= 255)?;
    }
    let room = 8 * (4 - u32::try_from(first.len()).ok()?);
    let whole = (address << room) | Some(*last).filter(|last| *last < 1u64 << room)?;
    u32::try_from(whole).ok().map(Ipv4Addr::from)
}

fn part(text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    if text.len() > 1 && text.starts_with('0') {
        return u64::from_str_radix(text, 8).ok();
    }
    text.parse().ok()
}

fn ipv6(host: &str) -> Option<Ipv6Addr> {
    match host.split('%').next()?.parse().ok()? {
        IpAddr::V6(address) => Some(address),
        IpAddr::V4(_) => None,
    }
}

fn is_private(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || first == 0
        || (first == 100 && (64..128).contains(&second))
        || address.octets() == [168, 63, 129, 16]
}

fn is_private_six(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [first, second, ..] = segments;
    let [.., seventh, eighth] = segments;
    let embedded = || Ipv4Addr::from((u32::from(seventh) << 16) | u32::from(eighth));
    // The old form `::127.0.0.1` leads to the same place.
    let mapped = address.to_ipv4().is_some() || (first == 0x64 && second == 0xff9b);
    address.is_loopback()
        || address.is_unspecified()
        || (first & 0xfe00) == 0xfc00
        || (first & 0xffc0) == 0xfe80
        || (mapped && is_private(embedded()))
}

const WEB_SCHEMES: &[&str] = &["", "http", "https", "ws", "wss", "ftp", "ftps"];
const LOCAL_SCHEMES: &[&str] = &["file", "gopher", "dict", "ldap", "tftp", "jar", "netdoc", "php", "expect", "phar"];
const INSIDE: &[&str] = &[
    "localhost",
    "ip6-localhost",
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "host.docker.internal",
    "kubernetes.default.svc",
    "kubernetes.default",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_hosts_are_known_in_every_writing() {
        // CALL-6
        for url in [
            "127.0.0.1",
            "localhost:3000/x",
            "10.1.2.3",
            "192.168.0.1",
            "172.16.9.9",
            "169.254.169.254/latest",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "127.1",
            "0x7f.1",
            "[::1]:80",
            "[::ffff:127.0.0.1]",
            "[fe80::1]",
            "[fd00::1]",
            "0.0.0.0",
            "user@127.0.0.1/",
            "metadata.google.internal/computeMetadata",
            "127.0.0.1.nip.io",
            "LOCALHOST.",
            "[64:ff9b::a00:1]",
            "100.100.100.200",
            "db.internal",
            "127。0。0。1",
            "127．0．0．1:80/x",
            "１２７.０.０.１",
            "①②⑦.⓪.⓪.①",
            "⑩.0.0.1",
            "𝟏𝟐𝟕.0.0.1",
            "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
            "ｌｏｃａｌｈｏｓｔ",
            "%31%32%37.0.0.1",
            "127.0.0\u{200b}.1",
            "0X7F000001",
            "017700000001",
            "[::127.0.0.1]",
            "//127.0.0.1/x",
        ] {
            assert!(is_inside(&host_of(url)), "{url}");
        }
    }

    #[test]
    fn public_hosts_are_not() {
        // CALL-6
        for url in [
            "example.com",
            "8.8.8.8",
            "172.32.0.1",
            "127.0.0.1.example.com",
            "[2606:4700::1111]",
            "10.example.com",
            "1e100.net",
            "134744072",
            "localhost.run",
            "192.com",
            "８.８.８.８",
            "例え。テスト",
            "①.example",
            "shop。example。com",
            "%77%77%77.example.com",
            "",
        ] {
            assert!(!is_inside(&host_of(url)), "{url}");
        }
    }
}
