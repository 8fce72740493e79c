//! What a path means to a server that reads it leniently.
//!
//! One path can be written in many ways, and servers differ in which of them they take for the same: percent-encoding
//! once or twice, doubled and trailing slashes, backslashes, parameters after a semicolon, capitals. Whoever decides by
//! a path whether a request is guarded must therefore decide by the most lenient reading of it.

/// The path in its plainest form, in small letters and without a slash at its end; `None` where it has `.` or `..`
/// segments or escapes that are none, which no client needs and two servers read differently.
pub(super) fn meaning(path: &str) -> Option<String> {
    if !has_whole_escapes(path) {
        return None;
    }
    let mut read = path.as_bytes().to_vec();
    for _ in 0..MOST_DECODINGS {
        let decoded = decode(&read);
        if decoded == read {
            return segments(&String::from_utf8_lossy(&read));
        }
        read = decoded;
    }
    None
}

/// The first segment behind `/v1`, of a path in its plainest form.
pub(super) fn first_segment(meaning: &str) -> Option<&str> {
    meaning.strip_prefix("/v1/").map(|rest| rest.split('/').next().unwrap_or_default())
}

/// Whether two hexadecimal digits follow every percent sign.
fn has_whole_escapes(path: &str) -> bool {
    path.split('%')
        .skip(1)
        .all(|rest| rest.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit)))
}

/// Decodes every escape once; what is no escape stays.
fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first() {
        let escaped = behind.get(..2).filter(|_| *first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        match escaped.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = behind;
            }
        }
    }
    out
}

/// The segments that a lenient server sees: without empty ones, blanks around them and what follows a
/// semicolon, or a question mark that was encoded.
fn segments(path: &str) -> Option<String> {
    let mut meaning = String::with_capacity(path.len());
    for segment in path.split(['/', '\\']) {
        let name = segment.split([';', '?', '#']).next().unwrap_or_default();
        let name = name.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control());
        match name {
            "" => {}
            "." | ".." => return None,
            name => {
                meaning.push('/');
                meaning.push_str(&name.to_lowercase());
            }
        }
    }
    Some(meaning)
}

/// Who encodes a path more often than this hides something.
const MOST_DECODINGS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-6
    #[test]
    fn one_path_written_in_many_ways_means_one_thing() {
        for path in [
            "/v1/chat/completions",
            "//v1//chat/completions//",
            "/v1/%63hat/completions",
            "/v1/chat%2Fcompletions",
            "/v1/chat%252fcompletions",
            "/v1/chat%5ccompletions",
            "/v1\\chat\\completions",
            "/v1/chat;a=b/completions;c",
            "/v1/chat/completions%3fa=b",
            "/V1/Chat/COMPLETIONS",
            "/v1/chat/completions%20",
            "/v1/chat/completions%00",
        ] {
            assert_eq!(meaning(path).as_deref(), Some("/v1/chat/completions"), "{path}");
        }
        for path in [
            "/v1/x/../chat",
            "/v1/./chat",
            "/v1/x/%2e%2e/chat",
            "/v1/x%2f..%2fchat",
            "/v1/x/%252e%252E/chat",
            "/v1/x/..;a/chat",
            "/v1/x\\..\\chat",
            "/v1/%zz",
            "/v1/%6",
            "/v1/%2525252525252563hat",
        ] {
            assert_eq!(meaning(path), None, "{path}");
        }
        for (path, plain) in [
            ("/v1/models/org%2Fname", "/v1/models/org/name"),
            ("/v1/models/ft:gpt-4o::7p", "/v1/models/ft:gpt-4o::7p"),
            ("/v1/models/a%25zz", "/v1/models/a%zz"),
            ("/v1/files/..x", "/v1/files/..x"),
            ("/", ""),
        ] {
            assert_eq!(meaning(path).as_deref(), Some(plain), "{path}");
        }
        assert_eq!(first_segment("/v1/models/x"), Some("models"));
        assert_eq!(first_segment("/health"), None);
    }

    // SERVE-6: reading a plain form again changes nothing, so there is no second meaning after the first.
    #[test]
    fn law_a_plain_form_is_its_own_meaning() {
        let mut seed: u64 = 5;
        let letters = ["/", "%", "2", "f", "5", "c", "a", ".", ";", "\\", "%2e", "%25", "%2F", "é", "A"];
        for _ in 0..20_000 {
            let mut path = String::from("/");
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                path.push_str(letters[(seed >> 33) as usize % letters.len()]);
            }
            if let Some(plain) = meaning(&path)
                && has_whole_escapes(&plain)
            {
                assert_eq!(meaning(&plain).as_deref(), Some(plain.as_str()), "{path}");
            }
        }
    }
}
