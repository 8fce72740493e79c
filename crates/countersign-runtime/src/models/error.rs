//! Why a model did not answer: who is at fault, whether trying again may help, and what a reader may know of it.

use thiserror::Error;

/// A model failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// Nobody is there.
    #[error("the model's address cannot be reached: {0}")]
    Unreachable(String),
    /// It said no.
    #[error("the model answered with status {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What it said, shortened.
        message: String,
        /// How long it asks to wait, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// It said nothing for too long.
    #[error("the model said nothing for {0} s")]
    Silent(u64),
    /// It broke off.
    #[error("the model's answer broke off: {0}")]
    Cut(String),
}

impl ModelError {
    /// The code on the wire.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "upstream_unreachable",
            Self::Status { .. } => "upstream_error",
            Self::Silent(_) => "upstream_timeout",
            Self::Cut(_) => "upstream_cut",
        }
    }

    /// Whether it says that it takes no pictures. Only worth asking where some were sent: then the same words without
    /// them may be answered.
    pub fn refuses_pictures(&self) -> bool {
        let Self::Status { status, message, .. } = self else { return false };
        let message = message.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        match status {
            415 => true,
            400 | 404 | 422 => says(&OF_PICTURES) || says(&OF_PARTS),
            // Some servers fail where they should refuse.
            500 | 501 => says(&OF_PICTURES),
            _ => false,
        }
    }

    /// Whether the same turn may succeed later.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 409 | 425 | 429 | 500..=599),
            _ => true,
        }
    }
}

/// Words about pictures in refusals of servers.
const OF_PICTURES: [&str; 7] = ["image", "picture", "vision", "multimodal", "multi-modal", "mmproj", "图"];
/// What servers say that take texts alone.
const OF_PARTS: [&str; 5] =
    ["content type", "content must be a string", "valid string", "expected a string", "unsupported media"];

/// The whole chain of causes, without the address: it may hold a key.
pub fn told(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    if causes.is_empty() { "the connection failed".to_owned() } else { causes.join(": ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    // STREAM-8
    #[test]
    fn a_refusal_of_pictures_is_told_from_others() {
        let error =
            |status, message: &str| ModelError::Status { status, message: message.to_owned(), retry_after_ms: None };
        for (status, message, refuses) in [
            (400, "Invalid content type. image_url is only supported by certain models.", true),
            (400, "messages[1].content must be a string", true),
            (400, "SmolLM2 is not a multimodal model", true),
            (404, "No endpoints found that support image input", true),
            (415, "", true),
            (422, "messages[0]: unknown variant `image_url`, expected `text`", true),
            (422, "Input should be a valid string", true),
            (
                500,
                "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
                true,
            ),
            (500, "out of memory", false),
            (400, "max_tokens is too large", false),
            (404, "the model `x` does not exist", false),
            (401, "no key for images", false),
            (429, "too many images", false),
        ] {
            assert_eq!(error(status, message).refuses_pictures(), refuses, "{status} {message}");
        }
        assert!(!ModelError::Silent(40).refuses_pictures());
    }
}
