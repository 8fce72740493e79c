//! The built files of the console, inside the binary: no folder to install, no network to ask.
//!
//! Names stay the same from build to build, so a browser asks each time (`no-cache`) and is mostly told that nothing has
//! changed. The headers allow scripts, styles and connections of this server and nothing else, whatever a model wrote.

use crate::serve::body::Path;
use crate::serve::error::ApiError;
use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::RustEmbed;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{LazyLock, OnceLock};

/// `GET /`: the page.
pub(crate) async fn index(headers: HeaderMap) -> Result<Response, ApiError> {
    give(INDEX, &headers)
}

/// `GET /console/{file}`: what the page loads.
pub(crate) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    // The page has one address.
    if name == INDEX { Err(missing(&name)) } else { give(&name, &headers) }
}

fn give(name: &str, asked: &HeaderMap) -> Result<Response, ApiError> {
    let built = FILES.get(name).ok_or_else(|| missing(name))?;
    let shape = built.shape(asked);
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.extend(GUARDS.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(ETAG, shape.etag.clone());
    if has(asked, &shape.etag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(built.kind));
    if let Some(coding) = shape.coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    *response.body_mut() = Body::from(shape.bytes.clone());
    Ok(response)
}

fn missing(name: &str) -> ApiError {
    ApiError::not_found(format!("the console has no file {name:?}"))
}

#[derive(RustEmbed)]
#[folder = "../../console/dist"]
struct Dist;

/// A built file.
struct Built {
    kind: &'static str,
    plain: Shape,
    /// Made when the first browser asks for it; `None` where it would not be smaller.
    small: OnceLock<Option<Shape>>,
}

/// A file as it is sent.
struct Shape {
    bytes: Bytes,
    etag: HeaderValue,
    coding: Option<&'static str>,
}

impl Built {
    fn of(name: &str, data: Cow<'static, [u8]>, digest: [u8; 32]) -> Self {
        let bytes = match data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => Bytes::from(bytes),
        };
        Self { kind: kind(name), plain: Shape { bytes, etag: etag(digest), coding: None }, small: OnceLock::new() }
    }

    /// The shape that a browser takes.
    fn shape(&self, asked: &HeaderMap) -> &Shape {
        if !takes_gzip(asked) {
            return &self.plain;
        }
        self.small.get_or_init(|| self.plain.compress()).as_ref().unwrap_or(&self.plain)
    }
}

impl Shape {
    fn compress(&self) -> Option<Self> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&self.bytes).ok()?;
        let bytes = Bytes::from(encoder.finish().ok()?);
        // Other bytes are another representation: a strong tag must tell them apart.
        let etag = format!("{}-gzip\"", self.etag.to_str().ok()?.trim_end_matches('"'));
        let etag = HeaderValue::from_str(&etag).ok()?;
        (bytes.len() < self.bytes.len()).then_some(Self { bytes, etag, coding: Some("gzip") })
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&FILES);
}

static FILES: LazyLock<BTreeMap<String, Built>> = LazyLock::new(|| {
    let built = |name: Cow<'static, str>| {
        let file = Dist::get(&name)?;
        let built = Built::of(&name, file.data, file.metadata.sha256_hash());
        Some((name.into_owned(), built))
    };
    Dist::iter().filter_map(built).collect()
});

fn etag(digest: [u8; 32]) -> HeaderValue {
    let mut text = String::from("\"");
    for byte in digest.iter().take(16) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text.push('"');
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether the browser has this already. It may name several, and a proxy may have weakened them.
fn has(asked: &HeaderMap, etag: &HeaderValue) -> bool {
    let named = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    named.map(|word| word.trim().trim_start_matches("W/")).any(|word| word == "*" || word.as_bytes() == etag.as_bytes())
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    let named =
        asked.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    named.map(str::trim).any(|word| {
        let (coding, quality) = word.split_once(';').unwrap_or((word, "q=1"));
        let quality: f32 = quality.trim().strip_prefix("q=").and_then(|number| number.parse().ok()).unwrap_or(0.0);
        coding.trim().eq_ignore_ascii_case("gzip") && quality > 0.0
    })
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

const INDEX: &str = "index.html";

/// What a browser may do with our files, and what nobody may do with them.
const GUARDS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn gzip_is_sent_to_who_takes_it() {
        for (word, takes) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("deflate, gzip ; q=1.0, *", true),
            ("gzip;q=0", false),
            ("gzip;q=0.0, br", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(&asked(ACCEPT_ENCODING, word)), takes, "{word}");
        }
    }

    #[test]
    fn a_tag_is_found_among_several() {
        let tag = etag([7; 32]);
        let text = tag.to_str().unwrap();
        for (word, found) in [
            (text.to_owned(), true),
            (format!("\"x\", W/{text}"), true),
            ("*".to_owned(), true),
            (text.trim_matches('"').to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(has(&asked(IF_NONE_MATCH, &word), &tag), found, "{word}");
        }
    }

    #[test]
    fn what_does_not_shrink_is_sent_as_it_is() {
        let tiny = Built::of("a.js", Cow::Borrowed(b"x"), [1; 32]);
        assert_eq!(tiny.shape(&asked(ACCEPT_ENCODING, "gzip")).coding, None);
        let large = Built::of("a.js", Cow::Owned(b"again ".repeat(200)), [1; 32]);
        let small = large.shape(&asked(ACCEPT_ENCODING, "gzip"));
        assert_eq!((small.coding, small.etag == large.plain.etag), (Some("gzip"), false));
        assert_eq!(large.shape(&HeaderMap::new()).bytes, b"again ".repeat(200));
    }

    // SERVE-7: the page is in the binary, and the binary says what each of its files is.
    #[test]
    fn the_page_is_here_and_every_file_has_a_kind() {
        assert!(FILES.contains_key(INDEX));
        for (name, built) in FILES.iter() {
            assert_ne!(built.kind, "application/octet-stream", "{name}");
        }
    }
}
