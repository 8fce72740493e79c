//! Endpoints that a call uses, against those that exist.
//!
//! A URL passes when any source for its tool knows it. The nearest known one is proposed, never put in its place: it
//! may do something else.

use super::questions::{Questions, Reply, short, text_of, values};
use crate::check_call::subject::{Node, Subject};
use crate::contract::codes::fact::UNKNOWN_ENDPOINT;
use crate::contract::{Answer, Context, Finding, Language, PatchOp, Question};
use crate::localized;
use crate::policy::facts::endpoints::{Endpoints, ParsedUrl};
use crate::policy::facts::{Elsewhere, EndpointSource, KnownEndpoints};
use serde_json::Value;

/// Checks every endpoint of the call.
pub(super) fn run(subject: &Subject<'_>, questions: &mut Questions<'_>) {
    let tool = &subject.tool.spec.name;
    let sources: Vec<&EndpointSource> = subject.policy.facts.endpoints.iter().filter(|s| s.about.tool(tool)).collect();
    let told = read_from_context(subject.context);
    if sources.is_empty() && told.is_none() {
        return;
    }
    let arguments = arguments_of(subject, &sources);
    let method = method_of(subject);
    let seen: Vec<(&Node<'_>, String)> = values(subject, &arguments).collect();
    if let (Some((node, _)), Some(source)) = (seen.get(MAX_ENDPOINTS), sources.first()) {
        let reason = localized!(
            questions.language,
            "there are more than {MAX_ENDPOINTS} endpoints",
            "端点超过 {MAX_ENDPOINTS} 个"
        );
        questions.silent(&source.source.name, subject.values.pointer(node), reason, source.source.unanswered);
    }
    for (node, url) in seen.into_iter().take(MAX_ENDPOINTS) {
        let pointer = subject.values.pointer(node);
        let about = |source: &&&EndpointSource| {
            let named = &source.about.arguments;
            (named.is_empty() && USUAL.contains(&node.key))
                || named.iter().any(|name| name == node.key || *name == pointer)
        };
        let sources: Vec<&EndpointSource> = sources.iter().filter(about).copied().collect();
        one(questions, &sources, told.as_ref(), Seen { url: &url, method: method.as_deref(), pointer });
    }
}

struct Seen<'a> {
    url: &'a str,
    method: Option<&'a str>,
    pointer: String,
}

/// One endpoint against all sources: the first that knows it ends the question. Lists come first, so that nobody is
/// asked what is known already.
fn one(questions: &mut Questions<'_>, sources: &[&EndpointSource], told: Option<&Endpoints>, seen: Seen<'_>) {
    let mut failed: Option<(Option<String>, Option<String>)> = None;
    let mut silent: Option<(&EndpointSource, String)> = None;
    let mut fail = |nearest: Option<String>, note: Option<String>| {
        if failed.as_ref().is_none_or(|(near, _)| near.is_none()) {
            failed = Some((nearest, note));
        }
    };
    match told.map(|list| reply_of(list.judge(seen.method, seen.url))) {
        Some(Reply::Holds) => return,
        Some(Reply::Fails { nearest, note }) => fail(nearest, note),
        _ => {}
    }
    let (lists, documents): (Vec<&EndpointSource>, Vec<&EndpointSource>) =
        sources.iter().partition(|source| matches!(source.known, KnownEndpoints::List(_)));
    for source in lists.into_iter().chain(documents) {
        match judge(source, questions, &seen) {
            Some(Reply::Holds) => return,
            Some(Reply::Fails { nearest, note }) => fail(nearest, note),
            Some(Reply::Unknown(reason)) => silent = silent.or(Some((source, reason))),
            None => {}
        }
    }
    match (silent, failed) {
        (Some((source, reason)), _) => {
            questions.silent(&source.source.name, seen.pointer, reason, source.source.unanswered);
        }
        (None, Some((nearest, note))) => questions.findings.push(finding(&seen, nearest, note, questions.language)),
        (None, None) => {}
    }
}

/// What a source says; nothing about a host that is not its business.
fn judge(source: &EndpointSource, questions: &mut Questions<'_>, seen: &Seen<'_>) -> Option<Reply> {
    let place = ParsedUrl::read(seen.url);
    let reply = match &source.known {
        KnownEndpoints::List(list) => reply_of(list.judge(seen.method, seen.url)),
        KnownEndpoints::Document(_) => questions.ask(Question::Endpoint {
            source: source.source.name.clone(),
            method: seen.method.map(str::to_owned),
            // Query and user info may hold secrets, and questions are shown.
            url: place.to_string(),
        }),
    };
    let foreign = match &reply {
        Reply::Fails { nearest: Some(near), .. } => place.host.is_some() && ParsedUrl::read(near).host != place.host,
        Reply::Fails { nearest: None, .. } => place.host.is_some(),
        _ => false,
    };
    (!foreign || source.elsewhere == Elsewhere::Refuse).then_some(reply)
}

/// What a list said, as a reply.
pub(super) fn reply_of(answer: Answer) -> Reply {
    match answer {
        Answer::Yes => Reply::Holds,
        Answer::No { nearest, note } => Reply::Fails { nearest, note },
        Answer::Unknown { reason } => Reply::Unknown(reason),
        Answer::Read { .. } => Reply::Unknown("the answer fits no question".to_owned()),
    }
}

fn finding(seen: &Seen<'_>, nearest: Option<String>, note: Option<String>, language: Language) -> Finding {
    let shown = ParsedUrl::read(seen.url).to_string();
    if let (Some(near), Some(method), Some(note)) = (&nearest, seen.method, &note)
        && *near == shown
    {
        let shown = short(&shown);
        let evidence = localized!(
            language,
            "`{method}` is not known for the endpoint `{shown}` ({note})",
            "端点 `{shown}` 不支持 `{method}`（{note}）"
        );
        return Finding::new(&UNKNOWN_ENDPOINT, seen.pointer.clone(), evidence);
    }
    let finding = Finding::new(&UNKNOWN_ENDPOINT, seen.pointer.clone(), unknown(&shown, nearest.as_deref(), language));
    match nearest {
        Some(near) => {
            let note = localized!(language, "use the known endpoint `{near}`", "请使用已知端点 `{near}`");
            // A template cannot be called as it stands.
            let patch = match near.contains(['{', '*']) || near.contains("/:") {
                true => Vec::new(),
                false => vec![PatchOp::replace(seen.pointer.clone(), Value::String(near))],
            };
            finding.propose(note, patch)
        }
        None => finding,
    }
}

/// The sentence for an endpoint that nobody knows.
pub(super) fn unknown(shown: &str, nearest: Option<&str>, language: Language) -> String {
    let shown = short(shown);
    match nearest {
        Some(near) => localized!(
            language,
            "the endpoint `{shown}` is not known; the nearest known one is `{near}`",
            "端点 `{shown}` 不在已知端点中；最接近的已知端点是 `{near}`"
        ),
        None => localized!(language, "the endpoint `{shown}` is not known", "端点 `{shown}` 不在已知端点中"),
    }
}

/// Endpoints that the caller lists in `context.known_endpoints`, as an array or as the values of an object.
fn read_from_context(context: &Context) -> Option<Endpoints> {
    let listed: Vec<&str> = match context.0.get("known_endpoints")? {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::Object(map) => map.values().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    (!listed.is_empty()).then(|| Endpoints::of(listed))
}

/// The arguments that hold endpoints: those that the sources name, else the first usual name that the call has. A
/// caller's own list alone only speaks of arguments that can be nothing else.
fn arguments_of(subject: &Subject<'_>, sources: &[&EndpointSource]) -> Vec<String> {
    let mut names: Vec<String> = sources.iter().flat_map(|source| source.about.arguments.clone()).collect();
    let usual = if sources.is_empty() { CERTAIN } else { USUAL };
    if sources.is_empty() || sources.iter().any(|source| source.about.arguments.is_empty()) {
        names.extend(usual.iter().find(|name| subject.arguments.contains_key(**name)).map(|name| (*name).to_owned()));
    }
    names
}

fn method_of(subject: &Subject<'_>) -> Option<String> {
    let given = METHODS.iter().find_map(|name| subject.arguments.get(*name)).and_then(text_of)?;
    given.chars().all(|c| c.is_ascii_alphabetic()).then(|| given.to_ascii_uppercase())
}

/// How many endpoints of one call are looked at.
const MAX_ENDPOINTS: usize = 64;
const USUAL: &[&str] = &["url", "endpoint", "path"];
const CERTAIN: &[&str] = &["endpoint", "api_endpoint"];
const METHODS: &[&str] = &["method", "http_method", "verb"];
