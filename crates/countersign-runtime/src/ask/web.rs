//! One bounded HTTP look-up: a deadline over everything, no redirects, a small body.

use super::AskError;
use std::time::Duration;
use ureq::Agent;

/// An address with variables in it.
#[derive(Debug)]
pub(super) struct Address {
    agent: Agent,
    template: String,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Page {
    /// The HTTP status.
    pub(super) status: u16,
    /// The body, at most [`MAX_BODY`] bytes.
    pub(super) body: Vec<u8>,
}

impl Address {
    pub(super) fn new(template: &str, deadline: Duration) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(deadline))
            .http_status_as_error(false)
            // A redirect would leave the place that the operator named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent("countersign")
            .accept("application/json")
            .build()
            .new_agent();
        Self { agent, template: template.to_owned() }
    }

    /// Fetches the address with these values in place of `{name}`.
    pub(super) fn fetch(&self, values: &[(&str, &str)]) -> Result<Page, AskError> {
        let mut url = self.template.clone();
        for (name, value) in values {
            url = url.replace(&format!("{{{name}}}"), &encode(value));
        }
        let failed = |error: ureq::Error| AskError::Service { problem: format!("the look-up failed: {error}") };
        let mut response = self.agent.get(&url).call().map_err(failed)?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MAX_BODY).read_to_vec().map_err(failed)?;
        Ok(Page { status, body })
    }

    /// Whether the address has a variable.
    pub(super) fn has(&self, name: &str) -> bool {
        self.template.contains(&format!("{{{name}}}"))
    }
}

/// A value that can be in a URL and can never end the part that it is in.
fn encode(value: &str) -> String {
    // A path of dots alone would climb.
    let climbs = !value.is_empty() && value.chars().all(|c| c == '.');
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~') || (byte == b'.' && !climbs);
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The status of a service that did not say yes or no.
pub(super) fn odd_status(status: u16) -> AskError {
    AskError::Service { problem: format!("the service answered with status {status}") }
}

/// The most that is read of a body.
const MAX_BODY: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_leave_its_place() {
        // CALL-7
        assert_eq!(encode("C-17_a~b.c"), "C-17_a~b.c");
        assert_eq!(encode("../admin?x=1#y"), "..%2Fadmin%3Fx%3D1%23y");
        assert_eq!(encode(".."), "%2E%2E");
        assert_eq!(encode("张三"), "%E5%BC%A0%E4%B8%89");
    }
}
