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
    /// It said in its answer that it failed, and nothing before.
    #[error("{0}")]
    Reported(String),
}

impl ModelError {
    /// The code on the wire.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "upstream_unreachable",
            Self::Status { .. } | Self::Reported(_) => "upstream_error",
            Self::Silent(_) => "upstream_timeout",
            Self::Cut(_) => "upstream_cut",
        }
    }

    /// Whether it refuses the pictures that it was sent: it takes none, or not these. Only worth asking where some were
    /// sent: then the same words without them may be answered.
    pub fn refuses_pictures(&self) -> bool {
        let (status, message) = match self {
            Self::Status { status, message, .. } => (*status, message.to_lowercase()),
            Self::Reported(message) => (REPORTED, message.to_lowercase()),
            _ => return false,
        };
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        if says(&OF_HEADERS) {
            return false;
        }
        let of_pictures = speaks_of_pictures(&message);
        match status {
            415 => true,
            // The pictures are the largest part by far, unless it counts words.
            413 => of_pictures || !says(&OF_WORDS),
            400 | 422 => of_pictures || says(&OF_PARTS),
            // A model whose name speaks of pictures may be missing; some servers fail where they should refuse.
            404 | 500 | 501 => of_pictures && says(&REFUSING),
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

/// Whether a message has a word about pictures. Names of models do not count: they have digits in them.
fn speaks_of_pictures(message: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let words = message.split(|c: char| !is_part(c)).filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    let mut parts = words.flat_map(|word| word.split(['_', '-']));
    parts.any(|part| OF_PICTURES.contains(&part)) || OF_PICTURES_ANYWHERE.iter().any(|word| message.contains(word))
}

/// Words about pictures in refusals of servers.
const OF_PICTURES: [&str; 7] = ["image", "images", "picture", "pictures", "vision", "multimodal", "mmproj"];
/// The same where words are not apart.
const OF_PICTURES_ANYWHERE: [&str; 4] = ["multi-modal", "图片", "图像", "多模态"];
/// What servers say that take texts alone.
const OF_PARTS: [&str; 6] = [
    "content type",
    "content must be a string",
    "must be a string",
    "valid string",
    "expected a string",
    "unsupported media",
];
/// What is said of headers, and not of what was sent.
const OF_HEADERS: [&str; 2] = ["application/json", "content-type header"];
/// What is said of words, and not of pictures.
const OF_WORDS: [&str; 2] = ["token", "context"];
/// How a refusal sounds.
const REFUSING: [&str; 14] = [
    "support",
    "accept",
    "allow",
    "capab",
    "only",
    "invalid",
    "unable",
    "cannot",
    "could not",
    "failed to",
    "missing",
    "exceed",
    "不支持",
    "无法",
];
/// What an error in an answer counts as: it comes with no status.
const REPORTED: u16 = 500;

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
            (400, "image_url is only supported by certain models", true),
            (400, "this model is missing data required for image input", true),
            (400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum", true),
            (400, "该模型不支持图片输入", true),
            (413, "Request Entity Too Large", true),
            (413, "Request too large for model `x` on tokens per minute (TPM)", false),
            (501, "vision is not supported", true),
            // Look-alikes: names of models, other words, other faults.
            (404, "model 'llama3.2-vision' not found, try pulling it first", false),
            (404, "The model `gpt-image-1` does not exist or you do not have access to it.", false),
            (404, "model 'llava-vision' not found", false),
            (400, "the model revision is invalid", false),
            (400, "无法识别您的意图", false),
            (400, "temperature must be between 0 and 2", false),
            (415, "expected content-type application/json", false),
            (400, "Invalid content type: expected application/json", false),
            (503, "the image service is down", false),
        ] {
            assert_eq!(error(status, message).refuses_pictures(), refuses, "{status} {message}");
        }
        assert!(!ModelError::Silent(40).refuses_pictures());
        let reported = |message: &str| ModelError::Reported(message.to_owned()).refuses_pictures();
        assert!(reported("the server reports an error: image input is not supported"));
        assert!(!reported("the server reports an error: the GPU is gone"));
    }
}
