//! A name for each request: ours, unless an upstream gave one. Names are told apart, not guessed: they are no secret.

use axum::http::HeaderValue;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes names that no other process makes.
#[derive(Debug)]
pub(crate) struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl RequestIds {
    /// Begins with a random number for this process.
    pub(crate) fn new() -> Self {
        let process = getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id()));
        Self { process, next: AtomicU64::new(0) }
    }

    /// The next name: `req_` and 24 hexadecimal digits, ready for a header.
    pub(crate) fn next(&self) -> HeaderValue {
        let number = u128::from(self.next.fetch_add(1, Ordering::Relaxed) & 0xffff_ffff);
        let mut rest = u128::from(self.process) << 32 | number;
        let mut name = *b"req_000000000000000000000000";
        for place in name.iter_mut().skip(4).rev() {
            // Four bits always fit; formatting would cost more than all the rest.
            let digit = (rest & 15) as u8;
            *place = if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
            rest >>= 4;
        }
        HeaderValue::from_bytes(&name).unwrap_or(HeaderValue::from_static("req_"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_hexadecimal_and_differ() {
        let ids = RequestIds { process: 0xfeed_0000_0000_beef, next: AtomicU64::new(0x1a) };
        assert_eq!(ids.next(), "req_feed00000000beef0000001a");
        assert_eq!(ids.next(), "req_feed00000000beef0000001b");
    }
}
