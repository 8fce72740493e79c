//! One claim, asked of all sources in order, until one has settled it.

use super::checkers::Checkers;
use super::evidence::{EvidenceKind, Results};
use super::guarded::Guarded;
use super::judge::{self, Judge};
use super::library::{self, Library, Read};
use super::opinion::{Opinion, Side, clipped, conclude};
use super::{Entry, Options};
use countersign::claims::arithmetic::{self, recompute};
use countersign::contract::{ClaimSource, ClaimUpdate, Language};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

type Others<'a> = (&'a Option<Guarded<dyn Library>>, &'a Option<Arc<Checkers>>, &'a Option<Guarded<dyn Judge>>);

/// Where claims are looked up.
pub(super) struct Lookup<'a> {
    options: &'a Options,
    results: &'a Results<'a>,
    library: Option<&'a Guarded<dyn Library>>,
    checkers: Option<&'a Checkers>,
    judge: Option<&'a Guarded<dyn Judge>>,
    read: Read,
    troubles: Mutex<BTreeMap<String, usize>>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(options: &'a Options, results: &'a Results<'a>, (library, checkers, judge): Others<'a>) -> Self {
        Self {
            options,
            results,
            library: library.as_ref(),
            checkers: checkers.as_deref(),
            judge: judge.as_ref(),
            read: Read::default(),
            troubles: Mutex::new(BTreeMap::new()),
        }
    }

    /// Looks a claim up; nothing where a source failed and no other could tell.
    pub(super) fn look_up(&self, entry: &Entry) -> Option<ClaimUpdate> {
        let mut failed = false;
        let opinions = self.opinions(entry, &mut failed);
        if opinions.is_empty() && failed {
            return None;
        }
        let language = entry.subject.claim.language;
        let asked = self.list_asked(language);
        Some(conclude(&entry.id, language, &opinions, self.options.least, &asked))
    }

    /// Notes what went wrong.
    pub(super) fn trouble(&self, what: String) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        if troubles.len() < TROUBLES || troubles.contains_key(&what) {
            *troubles.entry(what).or_default() += 1;
        }
    }

    pub(super) fn troubles(&self) -> BTreeMap<String, usize> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The words of the sources, in order; a source is asked only where those before it said nothing.
    fn opinions(&self, entry: &Entry, failed: &mut bool) -> Vec<Opinion> {
        let weights = &self.options.weights;
        let subject = &entry.subject;
        let mut opinions = self.results.opinions(subject, weights.tool_result);
        if opinions.is_empty() {
            let own = recompute_claim(entry, weights.arithmetic);
            opinions.extend(own.or_else(|| self.results.computed(subject, weights.arithmetic)));
        }
        let mut passages = Vec::new();
        if let Some(library) = self.library.filter(|_| opinions.is_empty()) {
            let limit = self.options.passages;
            match library::look(library, &self.read, subject, limit, weights.knowledge_base) {
                Ok(looked) => {
                    opinions.extend(looked.opinions);
                    passages.extend(looked.passages.into_iter().map(|p| (p.place, clipped(&p.text))));
                }
                Err(problem) => self.fail(problem, failed),
            }
        }
        if let Some(checkers) = self.checkers.filter(|_| opinions.is_empty()) {
            let (told, problems) = checkers.opinions(subject, weights.fact_checker);
            opinions.extend(told);
            problems.into_iter().for_each(|problem| self.fail(problem, failed));
        }
        if opinions.is_empty() {
            opinions.extend(self.ask_judge(entry, passages, failed));
        }
        opinions
    }

    fn ask_judge(&self, entry: &Entry, mut passages: Vec<(String, String)>, failed: &mut bool) -> Option<Opinion> {
        let judge = self.judge?;
        // By rank among all claims, so that neither threads nor an earlier stop change who is judged.
        if entry.rank >= self.options.judged {
            return None;
        }
        passages.extend(self.results.nearest(&entry.subject, self.options.passages));
        match judge::ask(judge, &entry.subject, passages, &self.options.weights) {
            Ok(opinion) => opinion,
            Err(problem) => {
                self.fail(problem, failed);
                None
            }
        }
    }

    fn fail(&self, problem: String, failed: &mut bool) {
        self.trouble(problem);
        *failed = true;
    }

    /// Who was asked, for people.
    fn list_asked(&self, language: Language) -> String {
        let sources = [
            (true, ("arithmetic", "算术")),
            (self.library.is_some(), ("knowledge base", "知识库")),
            (self.checkers.is_some(), ("fact checkers", "事实核查器")),
            (self.judge.is_some(), ("a model", "模型")),
        ];
        let name = |(english, chinese): (&'static str, &'static str)| match language {
            Language::English => english,
            Language::Chinese => chinese,
        };
        let evidence = self.results.kinds().into_iter().map(EvidenceKind::plural);
        let asked = sources.into_iter().filter(|(asked, _)| *asked).map(|(_, names)| names);
        let names: Vec<&str> = evidence.chain(asked).map(name).collect();
        names.join(", ")
    }
}

/// What arithmetic says of a claim.
fn recompute_claim(entry: &Entry, weight: f64) -> Option<Opinion> {
    let message = entry.message;
    let found = recompute(&message.content, &message.claims, entry.read, entry.at)?;
    let side = match found.outcome {
        arithmetic::Outcome::Holds => Side::Supports,
        arithmetic::Outcome::Fails => Side::Conflicts,
    };
    let passage = message.content.get(found.place.clone()).map(clipped);
    let place = Some(message.id.clone()).filter(|id| !id.is_empty());
    let (start, end) = (Some(found.place.start), Some(found.place.end));
    let source = ClaimSource { name: "arithmetic".into(), place, passage, start, end };
    Some(Opinion { side, weight, note: found.note, source })
}

/// So many different troubles are told apart.
const TROUBLES: usize = 64;
