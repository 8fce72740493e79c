//! The engine's fact checkers, where they know what a claim is about: endpoints for links, and checkers of the user's own
//! that were named for claims.
//!
//! A source of endpoints knows its own hosts alone: a link elsewhere is none of its business.

use super::opinion::{Opinion, Side};
use crate::Asker;
use countersign::claims::settle::Subject;
use countersign::contract::{Answer, ClaimKind, ClaimSource, Question};
use countersign::localized;
use countersign::policy::Policy;
use countersign::policy::facts::KnownEndpoints;
use std::sync::Arc;

/// Fact checkers that are asked about claims.
pub struct Checkers {
    asker: Arc<Asker>,
    policy: Arc<Policy>,
    own: Vec<String>,
}

impl Checkers {
    /// The checkers of a policy.
    pub fn new(asker: Arc<Asker>, policy: Arc<Policy>) -> Self {
        Self { asker, policy, own: Vec::new() }
    }

    /// Names a `[[facts.custom]]` source that answers about claims: it is asked with the claim's sentence.
    #[must_use]
    pub fn with_own(mut self, name: &str) -> Self {
        self.own.push(name.to_owned());
        self
    }

    /// What the checkers say of a claim. A checker that did not answer is a trouble.
    pub(super) fn opinions(&self, subject: &Subject, weight: f64) -> (Vec<Opinion>, Vec<String>) {
        let (mut opinions, mut troubles) = (Vec::new(), Vec::new());
        for (name, answer) in self.answers(subject) {
            let told = match answer {
                Answer::Yes => Some((Side::Supports, None)),
                Answer::No { nearest, note } => Some((Side::Conflicts, note.or(nearest))),
                Answer::Unknown { reason } => {
                    troubles.push(reason);
                    None
                }
                _ => None,
            };
            opinions.extend(told.map(|(side, said)| opinion(subject, side, &name, said.as_deref(), weight)));
        }
        (opinions, troubles)
    }

    /// The answers of all checkers whom a claim concerns.
    fn answers(&self, subject: &Subject) -> Vec<(String, Answer)> {
        let url = address(&subject.claim.text);
        let mut answers = Vec::new();
        let mut questions = Vec::new();
        for source in self.policy.facts.endpoints.iter().filter(|_| subject.claim.kind == ClaimKind::Url) {
            let name = source.source.name.clone();
            match &source.known {
                KnownEndpoints::List(endpoints) => answers.push((name, endpoints.judge(None, &url))),
                KnownEndpoints::Document(_) => {
                    questions.push(Question::Endpoint { source: name, method: None, url: url.clone() });
                }
            }
        }
        let sentence: String = subject.sentence().chars().take(SENTENCE).collect();
        let own = self.own.iter().map(|name| Question::Custom { source: name.clone(), question: sentence.clone() });
        questions.extend(own);
        if !questions.is_empty() {
            let told = self.asker.answer_all(&questions);
            let name = |question: &Question| match question {
                Question::Endpoint { source, .. } | Question::Custom { source, .. } => source.clone(),
                _ => String::new(),
            };
            answers.extend(told.0.into_iter().map(|(question, answer)| (name(&question), answer)));
        }
        let own_host = |answer: &Answer| match answer {
            Answer::No { nearest: Some(nearest), .. } => host(nearest).is_some_and(|near| Some(near) == host(&url)),
            Answer::No { nearest: None, .. } => false,
            _ => true,
        };
        let link = subject.claim.kind == ClaimKind::Url;
        answers.retain(|(name, answer)| !link || self.own.contains(name) || own_host(answer));
        answers
    }
}

fn opinion(subject: &Subject, side: Side, name: &str, said: Option<&str>, weight: f64) -> Opinion {
    let language = subject.claim.language;
    let said = said.map(|said| format!(" ({said})")).unwrap_or_default();
    let note = match side {
        Side::Supports => localized!(language, "`{name}` knows it", "`{name}` 已确认"),
        Side::Conflicts => localized!(language, "`{name}` does not know it{said}", "`{name}` 中不存在{said}"),
    };
    let place = Some(name.to_owned());
    let source = ClaimSource { name: "fact_checker".into(), place, passage: None, start: None, end: None };
    Opinion { side, weight, note, source }
}

/// A link without query and fragment, which may hold secrets.
fn address(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or(url).trim_end_matches(['.', ',', ')']).to_owned()
}

fn host(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).trim_start_matches('/');
    let host = rest.split('/').next()?.to_lowercase();
    host.contains('.').then_some(host)
}

const SENTENCE: usize = 400;
