//! The facts check: what the outside world says about a call (CALL-7).
//!
//! Known endpoints, permissions really held, existing records, and questions for checkers of the user's own. The
//! core never looks anything up: it asks [`Question`](crate::contract::Question)s and reads the answers that somebody
//! gave. A question without answer is reported as unanswered; it never passes silently.

/// One place where questions are asked and answers read.
mod questions;
/// Endpoints that a call uses.
mod endpoints;
/// Permissions that a tool requires.
mod permissions;
/// Records that a call names, and questions of the user's own.
mod records;
/// Endpoints that an answer writes down.
mod written;
/// A model that reads a call a second time.
pub(crate) mod second_reader;

use super::subject::{Check, Said, Subject};
use crate::contract::{Answers, Finding, Language, Question};
use crate::policy::Policy;
use questions::Questions;

/// The check.
pub(crate) const CHECK: Check = Check { name: "facts", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let mut questions = Questions::new(subject.answers, subject.language);
    endpoints::run(subject, &mut questions);
    permissions::run(subject, &mut questions);
    records::run(subject, &mut questions);
    questions.close(said);
    second_reader::run(subject, said);
}

/// Checks the endpoints that are in an answer's text, where a source knows their host: findings, and questions that
/// nobody has answered yet. The findings point at `/response`.
pub(crate) fn answer_endpoints(
    text: &str,
    policy: &Policy,
    answers: &Answers,
    language: Language,
) -> (Vec<Finding>, Vec<Question>) {
    written::check(text, policy, answers, language)
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    written::build_tables();
}
