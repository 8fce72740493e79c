//! A list of known endpoints, and whether a URL is one of them.
//!
//! Two spellings of one place are one place: the case of scheme and host, a default port, a trailing slash, user
//! info and the query do not count. `{id}` and `:id` stand for one segment. What a URL leaves open (scheme, host) is
//! not held against it. Nothing is ever fetched.

use crate::contract::Answer;
use crate::policy::pattern::Pattern;
use std::fmt::Write as _;

/// Known endpoints.
#[derive(Debug, Clone, Default)]
pub struct Endpoints {
    list: Vec<Endpoint>,
}

#[derive(Debug, Clone)]
struct Endpoint {
    /// Upper-case methods; empty where any will do.
    methods: Vec<String>,
    place: ParsedUrl,
    segments: Vec<Segment>,
    /// How many segments belong to the server's base: a relative path may leave them out.
    base: usize,
}

/// A URL or path, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedUrl {
    /// In lower case.
    pub scheme: Option<String>,
    /// In lower case, with the port unless it is the scheme's own.
    pub host: Option<String>,
    /// The parts of the path, dot segments resolved.
    pub segments: Vec<String>,
}

#[derive(Debug, Clone)]
enum Segment {
    Is(String),
    Like(Pattern),
    Rest,
}

impl Endpoints {
    /// Reads a list such as `https://example.com/api/v1`, `/users/{id}` or `GET /users`.
    pub fn of<'a>(list: impl IntoIterator<Item = &'a str>) -> Self {
        let mut endpoints = Self::default();
        for entry in list {
            match entry.trim().split_once(char::is_whitespace) {
                Some((method, url)) => endpoints.add(Some(method), "", url.trim()),
                None => endpoints.add(None, "", entry.trim()),
            }
        }
        endpoints
    }

    /// Adds an endpoint: a path under a server's base URL, which may be empty.
    pub fn add(&mut self, method: Option<&str>, base: &str, path: &str) {
        let server = if base.is_empty() { ParsedUrl::default() } else { ParsedUrl::read(base) };
        let own = ParsedUrl::read(path);
        let mut segments = server.segments.clone();
        segments.extend(own.segments);
        let place = ParsedUrl { scheme: own.scheme.or(server.scheme), host: own.host.or(server.host), segments };
        let method = method.map(str::to_ascii_uppercase);
        // Operations of one path follow each other, so that looking at the last one is enough to join them.
        if let (Some(last), Some(method)) = (self.list.last_mut(), &method)
            && last.place == place
            && !last.methods.is_empty()
        {
            return last.methods.push(method.clone());
        }
        let segments = place.segments.iter().map(|segment| Segment::read(segment)).collect();
        let methods = method.into_iter().collect();
        self.list.push(Endpoint { methods, place, segments, base: server.segments.len() });
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any known endpoint is at this host. One without a host of its own is at none.
    pub fn knows_host(&self, host: &str) -> bool {
        self.list.iter().any(|endpoint| endpoint.place.host.as_deref().is_some_and(|known| like(known, host)))
    }

    /// Whether the URL is only the beginning of known endpoints, as a base URL is.
    pub fn begins(&self, place: &ParsedUrl) -> bool {
        self.list.iter().any(|endpoint| {
            endpoint.fits_host(place)
                && place.segments.len() < endpoint.segments.len()
                && place.segments.iter().zip(&endpoint.segments).all(|(seen, known)| known.fits(seen))
        })
    }

    /// Whether a URL or path is known. If not, the nearest known one is named; if only the method is not, the note
    /// says which are.
    pub fn judge(&self, method: Option<&str>, url: &str) -> Answer {
        let place = ParsedUrl::read(url);
        let mut methods: Vec<&str> = Vec::new();
        let mut meant = None;
        for endpoint in self.list.iter().filter(|endpoint| endpoint.fits(&place)) {
            if endpoint.allows(method) {
                return Answer::Yes;
            }
            meant = meant.or(Some(endpoint));
            methods.extend(endpoint.methods.iter().map(String::as_str));
        }
        match meant {
            Some(_) => {
                Answer::No { nearest: Some(place.to_string()), note: Some(format!("methods: {}", methods.join(", "))) }
            }
            None => Answer::No { nearest: self.nearest(&place).map(|endpoint| endpoint.place.to_string()), note: None },
        }
    }

    /// The nearest by equal segments first, which costs little, and by spelling among the best of those.
    fn nearest(&self, place: &ParsedUrl) -> Option<&Endpoint> {
        let mut best: Vec<(usize, &Endpoint)> = Vec::with_capacity(MAX_NEAR + 1);
        for endpoint in &self.list {
            let score = endpoint.kinship(place);
            if best.len() == MAX_NEAR && best.last().is_some_and(|(least, _)| score <= *least) {
                continue;
            }
            let at = best.partition_point(|(other, _)| *other >= score);
            best.insert(at, (score, endpoint));
            best.truncate(MAX_NEAR);
        }
        let wanted: String = place.to_string().chars().take(MAX_COMPARED).collect();
        let mut nearest: Option<(f64, &Endpoint)> = None;
        for (score, endpoint) in best {
            let known: String = endpoint.place.to_string().chars().take(MAX_COMPARED).collect();
            let likeness = score as f64 + strsim::normalized_levenshtein(&wanted, &known) * SPELLING;
            if nearest.is_none_or(|(highest, _)| likeness > highest) {
                nearest = Some((likeness, endpoint));
            }
        }
        nearest.map(|(_, endpoint)| endpoint)
    }
}

impl Endpoint {
    fn fits(&self, place: &ParsedUrl) -> bool {
        let whole = fits_path(&self.segments, &place.segments);
        // A path without host may be written relative to the server's base.
        let under =
            || place.host.is_none() && fits_path(self.segments.get(self.base..).unwrap_or(&[]), &place.segments);
        self.fits_host(place) && (whole || under())
    }

    fn fits_host(&self, place: &ParsedUrl) -> bool {
        let same = |known: &Option<String>, seen: &Option<String>| match (known, seen) {
            (Some(known), Some(seen)) => like(known, seen),
            _ => true,
        };
        same(&self.place.host, &place.host) && same(&self.place.scheme, &place.scheme)
    }

    fn allows(&self, method: Option<&str>) -> bool {
        self.methods.is_empty()
            || method.is_none_or(|method| self.methods.iter().any(|m| m.eq_ignore_ascii_case(method)))
    }

    /// How many parts are the same: the host, and segments from the front and from the back.
    fn kinship(&self, place: &ParsedUrl) -> usize {
        let host = usize::from(self.place.host.is_some() && self.place.host == place.host) * 2;
        // A star that stands for everything is like nothing.
        let same = |(known, seen): &(&Segment, &String)| !matches!(known, Segment::Rest) && known.fits(seen);
        let front = self.segments.iter().zip(&place.segments).take_while(same).count();
        let most = self.segments.len().min(place.segments.len()) - front;
        let back = self.segments.iter().rev().zip(place.segments.iter().rev()).take(most).take_while(same).count();
        host + front + back
    }
}

impl Segment {
    fn read(text: &str) -> Self {
        let variable = text.starts_with(':') && text.len() > 1;
        match text {
            "**" | "*" => Self::Rest,
            _ if variable => Self::Like(Pattern::new("*")),
            _ if text.contains('{') || text.contains('*') => Self::Like(Pattern::new(stars(text))),
            _ => Self::Is(text.to_owned()),
        }
    }

    fn fits(&self, seen: &str) -> bool {
        match self {
            Self::Is(known) => known == seen,
            Self::Like(pattern) => !seen.is_empty() && pattern.matches(seen),
            Self::Rest => true,
        }
    }
}

/// A star at the end stands for everything below.
fn fits_path(known: &[Segment], seen: &[String]) -> bool {
    match known.split_last() {
        Some((Segment::Rest, front)) => {
            seen.len() >= front.len() && front.iter().zip(seen).all(|(known, seen)| known.fits(seen))
        }
        _ => known.len() == seen.len() && known.iter().zip(seen).all(|(known, seen)| known.fits(seen)),
    }
}

/// Whether a known host, which may have variables, is this one.
fn like(known: &str, seen: &str) -> bool {
    known == seen || ((known.contains('{') || known.contains('*')) && Pattern::new(stars(known)).matches(seen))
}

/// `{name}.json` as `*.json`.
fn stars(template: &str) -> String {
    let mut out = String::with_capacity(template.len());
    let mut inside = false;
    for c in template.chars() {
        match c {
            '{' if !inside => {
                inside = true;
                out.push('*');
            }
            '}' => inside = false,
            _ if inside => {}
            other => out.push(other),
        }
    }
    out
}

impl ParsedUrl {
    /// Takes a URL, a host with a path, or a path apart. Never fails: what cannot be told is a path.
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        let text = text.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text.strip_prefix("//").unwrap_or(text)),
        };
        let (first, path) = rest.split_once('/').unwrap_or((rest, ""));
        let has_host = scheme.is_some() || text.starts_with("//") || looks_like_host(first);
        let (host, path) = if has_host { (Some(read_host(first, scheme.as_deref())), path) } else { (None, rest) };
        Self { scheme, host, segments: read_path(path) }
    }
}

impl std::fmt::Display for ParsedUrl {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(out, "{scheme}://")?;
        }
        out.write_str(self.host.as_deref().unwrap_or_default())?;
        if self.host.is_none() && self.segments.is_empty() {
            return out.write_char('/');
        }
        self.segments.iter().try_for_each(|segment| write!(out, "/{segment}"))
    }
}

/// Whether the first part of a text without scheme is a host: `example.com`, `localhost:80`, `10.0.0.1`; not `v1.0`.
fn looks_like_host(first: &str) -> bool {
    let name = first.split(':').next().unwrap_or_default();
    let label = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let numeric = |part: &str| part.parse::<u8>().is_ok();
    let Some((rest, last)) = name.rsplit_once('.') else { return name.eq_ignore_ascii_case("localhost") };
    let named = last.len() >= 2 && last.chars().all(|c| c.is_ascii_alphabetic()) && rest.split('.').all(label);
    named || (name.split('.').count() == 4 && name.split('.').all(numeric))
}

fn read_host(first: &str, scheme: Option<&str>) -> String {
    // User info may hold a password and is no part of the place.
    let host = first.rsplit('@').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let own_port = match scheme {
        Some("https" | "wss") => ":443",
        Some("http" | "ws") => ":80",
        _ => "",
    };
    host.strip_suffix(own_port).map(str::to_owned).unwrap_or(host)
}

fn read_path(path: &str) -> Vec<String> {
    let mut segments: Vec<String> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            part => segments.push(part.to_owned()),
        }
    }
    segments
}

/// How many near endpoints are compared letter by letter.
const MAX_NEAR: usize = 8;
/// How much of a URL is compared letter by letter.
const MAX_COMPARED: usize = 128;
/// What a perfect spelling weighs against one equal segment.
const SPELLING: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(list: &[&str], url: &str) -> Option<String> {
        match Endpoints::of(list.iter().copied()).judge(None, url) {
            Answer::Yes => None,
            Answer::No { nearest, .. } => Some(nearest.unwrap_or_default()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_place_has_many_spellings() {
        // CALL-7
        let known = ["https://Example.com/api/v1", "https://example.com:443/users/{id}", "/files/{name}.json"];
        for url in [
            "https://example.com/api/v1",
            "HTTPS://EXAMPLE.COM/api/v1/",
            "https://example.com:443/api/v1?page=2#top",
            "https://user:secret@example.com/api/v1",
            "example.com/api/v1",
            "//example.com/api/v1",
            "/api/v1",
            "api/v1",
            "https://example.com/api/v2/../v1",
            "https://example.com/users/42",
            "/users/{id}",
            "/files/report.json",
        ] {
            assert_eq!(nearest(&known, url), None, "{url}");
        }
        for url in ["https://example.com/api/v2", "http://example.com/api/v1", "https://example.com/api/V1"] {
            assert_eq!(nearest(&known, url).as_deref(), Some("https://example.com/api/v1"), "{url}");
        }
        for url in ["https://example.com/users", "https://example.com/users/1/orders", "https://example.org/users/1"] {
            assert_eq!(nearest(&known, url).as_deref(), Some("https://example.com/users/{id}"), "{url}");
        }
    }

    #[test]
    fn stars_variables_and_methods() {
        // CALL-7
        let known = Endpoints::of(["GET /users/:id", "POST /users", "https://*.example.com/v1/*"]);
        assert_eq!(known.judge(Some("get"), "/users/7"), Answer::Yes);
        assert_eq!(known.judge(None, "/users/7"), Answer::Yes);
        let Answer::No { nearest, note } = known.judge(Some("DELETE"), "/users/7") else { panic!() };
        assert_eq!((nearest.as_deref(), note.as_deref()), (Some("/users/7"), Some("methods: GET")));
        assert_eq!(known.judge(None, "https://eu.example.com/v1/a/b"), Answer::Yes);
        assert_ne!(known.judge(None, "https://eu.example.com/v2/a"), Answer::Yes);
        assert!(known.knows_host("eu.example.com") && !known.knows_host("example.org"));
    }

    #[test]
    fn a_path_may_be_relative_to_its_server() {
        // CALL-7
        let mut known = Endpoints::default();
        known.add(Some("get"), "https://api.example.com/v1", "/users/{id}");
        known.add(Some("delete"), "https://api.example.com/v1", "/users/{id}");
        for url in ["https://api.example.com/v1/users/3", "/v1/users/3", "/users/3", "users/3"] {
            assert_eq!(known.judge(Some("DELETE"), url), Answer::Yes, "{url}");
        }
        assert_ne!(known.judge(None, "https://api.example.com/users/3"), Answer::Yes);
        assert!(known.begins(&ParsedUrl::read("https://api.example.com/v1")));
    }

    #[test]
    fn the_nearest_is_the_one_that_shares_most() {
        // CALL-7
        let known = ["https://a.example/api/v1", "https://a.example/api/v1/users", "https://a.example/api/v1/orders"];
        assert_eq!(
            nearest(&known, "https://a.example/api/v2/users").as_deref(),
            Some("https://a.example/api/v1/users")
        );
        assert_eq!(
            nearest(&known, "https://a.example/api/v1/ordres").as_deref(),
            Some("https://a.example/api/v1/orders")
        );
        assert_eq!(nearest(&[], "https://a.example/api").as_deref(), Some(""));
    }

    proptest::proptest! {
        #[test]
        fn hostile_text_is_read_and_what_is_listed_is_known(text in "\\PC{0,60}", path in "(/[a-z0-9.-]{1,6}x){1,4}") {
            // CALL-7
            let _ = Endpoints::of([text.as_str()]).judge(None, &text);
            proptest::prop_assert_eq!(Endpoints::of([path.as_str()]).judge(None, &format!("{path}/?{text}")), Answer::Yes);
        }
    }
}
