//! Endpoints that an answer writes down ("the API is at example.com/api/v2"), against those that exist.
//!
//! Only URLs at a host that a source knows, and only those that look like an API's, so that a link to the same
//! company's web pages is no finding. A base URL of known endpoints is none either, nor one with a gap in it.

use super::endpoints::{reply_of, unknown};
use super::questions::{Questions, Reply};
use crate::contract::codes::fact::UNKNOWN_ENDPOINT;
use crate::contract::{Answers, Finding, Language, Question};
use crate::policy::Policy;
use crate::policy::facts::endpoints::ParsedUrl;
use crate::policy::facts::{EndpointSource, KnownEndpoints};
use regex::Regex;
use std::sync::LazyLock;

/// Checks every endpoint of a text.
pub(super) fn check(
    text: &str,
    policy: &Policy,
    answers: &Answers,
    language: Language,
) -> (Vec<Finding>, Vec<Question>) {
    let mut questions = Questions::new(answers, language);
    let sources = &policy.facts.endpoints;
    if sources.is_empty() {
        return questions.finish();
    }
    for place in urls(text) {
        let replies: Vec<Reply> = sources.iter().filter_map(|source| judge(source, &place, &mut questions)).collect();
        if replies.contains(&Reply::Holds) || replies.iter().any(|reply| matches!(reply, Reply::Unknown(_))) {
            continue;
        }
        let near = replies.into_iter().find_map(|reply| match reply {
            Reply::Fails { nearest, .. } => nearest.filter(|near| is_relative_of(&ParsedUrl::read(near), &place)),
            _ => None,
        });
        if let Some(near) = near {
            let evidence = unknown(&place.to_string(), Some(&near), language);
            questions.findings.push(Finding::new(&UNKNOWN_ENDPOINT, "/response", evidence));
        }
    }
    questions.finish()
}

/// What a source says, where it may know the host at all.
fn judge(source: &EndpointSource, place: &ParsedUrl, questions: &mut Questions<'_>) -> Option<Reply> {
    let host = place.host.as_deref()?;
    match &source.known {
        KnownEndpoints::List(list) if !list.knows_host(host) => None,
        KnownEndpoints::List(list) if list.begins(place) => Some(Reply::Holds),
        KnownEndpoints::List(list) => Some(reply_of(list.judge(None, &place.to_string()))),
        KnownEndpoints::Document(_) => Some(questions.ask(Question::Endpoint {
            source: source.source.name.clone(),
            method: None,
            url: place.to_string(),
        })),
    }
}

/// Whether an unknown URL can only mean the known API: the same host, and either an API's look or a common beginning.
fn is_relative_of(near: &ParsedUrl, place: &ParsedUrl) -> bool {
    let same_host = near.host.is_some() && near.host == place.host;
    let begins = near.segments.len() > place.segments.len() && near.segments.starts_with(&place.segments);
    let shared = !near.segments.is_empty() && near.segments.first() == place.segments.first();
    same_host && !begins && (shared || looks_like_api(place))
}

fn looks_like_api(place: &ParsedUrl) -> bool {
    let host = place.host.as_deref().unwrap_or_default();
    let version =
        |segment: &String| segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    host.split('.').any(|label| label == "api")
        || place.segments.iter().any(|segment| matches!(segment.as_str(), "api" | "rest" | "graphql"))
        || place.segments.first().is_some_and(version)
}

/// The URLs of a text, each once, in order.
fn urls(text: &str) -> Vec<ParsedUrl> {
    let Some(pattern) = URL.as_ref() else { return Vec::new() };
    let mut found: Vec<ParsedUrl> = Vec::new();
    for range in pattern.find_iter(text).map(|found| found.range()).take(MAX_URLS) {
        let before = text.get(..range.start).and_then(|before| before.chars().next_back());
        let after = text.get(range.end..).and_then(|after| after.chars().next());
        let written = text.get(range).unwrap_or_default();
        // An address (a@b.com), the inside of a longer word, or a URL with a gap (`/users/<id>`, `/users/…`).
        let inside = before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '.' | '-' | '_' | '/'));
        let gap = matches!(after, Some('<' | '…' | '$' | '[' | '@')) || written.ends_with("...");
        // People leave the scheme out or write the wrong one; that alone is no finding.
        let place = ParsedUrl { scheme: None, ..ParsedUrl::read(trim_url(written)) };
        if !inside && !gap && place.host.is_some() && !place.segments.is_empty() && !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

/// The URL without the sentence's own marks at its end.
fn trim_url(url: &str) -> &str {
    let url = url.trim_end_matches(['.', ',', ';', ':', '!', '\'', '*', '_']);
    match url.strip_suffix(')') {
        Some(inner) if !inner.contains('(') => inner.trim_end_matches(['.', ',', ';', ':']),
        _ => url,
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&URL);
}

/// A host with at least one dot and a path, with or without scheme. Chinese characters and marks end it.
static URL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:https?://)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?/[a-z0-9/._~%{}:()!*+,;=?&#'-]*").ok()
});

const MAX_URLS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Answer;

    const POLICY: &str = r#"
        [[facts.endpoints]]
        name = "api"
        known = ["https://example.com/api/v1", "https://example.com/api/v1/users/{id}", "https://api.shop.example/v1/orders"]
    "#;

    fn evidence(text: &str) -> Vec<String> {
        let policy = Policy::from_toml(POLICY).unwrap();
        let (findings, questions) = check(text, &policy, &Answers::default(), Language::of(text));
        assert!(questions.is_empty());
        findings.into_iter().map(|finding| finding.evidence).collect()
    }

    #[test]
    fn an_invented_endpoint_in_an_answer_is_found() {
        // CALL-7, T13
        let found = evidence("API 端点是 example.com/api/v2，请直接调用。");
        assert!(found.len() == 1 && found[0].contains("https://example.com/api/v1"), "{found:?}");
        assert_eq!(evidence("Send it to https://example.com/api/v1/users/7/wipe.").len(), 1);
        assert_eq!(
            evidence("Use (https://api.shop.example/v2/orders), then https://api.shop.example/v2/orders.").len(),
            1
        );
    }

    #[test]
    fn other_links_are_left_alone() {
        // CALL-7: precision before recall.
        for text in [
            "The endpoint is https://example.com/api/v1.",
            "端点是http://example.com/api/v1/。",
            "The base URL is https://example.com/api, see https://example.com/pricing and https://example.com/docs/start.",
            "GET https://example.com/api/v1/users/{id} or https://example.com/api/v1/users/<id> or example.com/api/v1/users/...",
            "Write to admin@example.com/api/v2 or read https://example.org/api/v2 and https://www.example.com/api/v2",
            "example.com is up; sub.example.com/api/v9 is another host",
            "no link at all",
        ] {
            assert_eq!(evidence(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_document_is_asked_and_foreign_hosts_do_not_count() {
        // CALL-7
        let policy = Policy::from_toml("[[facts.endpoints]]\nname = \"api\"\nopenapi = \"api.yaml\"\n").unwrap();
        let text = "Call https://api.example.com/v2/users and read https://blog.example.net/api/post";
        let (none, questions) = check(text, &policy, &Answers::default(), Language::English);
        assert_eq!((none.len(), questions.len()), (0, 2));
        let near = Answer::No { nearest: Some("https://api.example.com/v1/users".into()), note: None };
        let answers = Answers(questions.into_iter().map(|question| (question, near.clone())).collect());
        let (findings, questions) = check(text, &policy, &answers, Language::English);
        assert_eq!((findings.len(), questions.len()), (1, 0), "{findings:?}");
    }
}
