//! An answer read a second time: which of its sentences do the sources contradict, and with which words?
//!
//! Asked only where the policy names a model and the answer rests on something. A doubt counts where it quotes a source and
//! names words of the answer; it advises, and so holds the status back to a caution.

use crate::check_call::facts::second_reader::{contains_words, cut, is_quoted, silence};
use crate::contract::codes::fact::SECOND_READER;
use crate::contract::{Answer, Answers, Doubt, Finding, Language, Mode, Passage, Question, Reading, ReadingOf};
use crate::localized;
use crate::policy::Policy;

/// What was found, and what should be asked.
#[derive(Debug, Default)]
pub(super) struct SecondReading {
    pub findings: Vec<Finding>,
    pub questions: Vec<Question>,
}

/// Reads an answer on what it was asked and made from.
pub(super) fn read(
    policy: &Policy,
    response: &str,
    (question, sources): (&str, &[String]),
    answers: Option<&Answers>,
    language: Language,
) -> SecondReading {
    let mut read = SecondReading::default();
    let wanted = policy.judge.as_ref().is_some_and(|judge| judge.answers);
    if !wanted || sources.is_empty() || response.trim().is_empty() {
        return read;
    }
    let reading =
        Reading { of: ReadingOf::Answer, text: cut(response, MAX_ANSWER), material: material(question, sources) };
    let asked = Question::Reading(reading.clone());
    match answers.and_then(|answers| answers.to(&asked)) {
        None => read.questions.push(asked),
        Some(Answer::Read { doubts, .. }) => {
            let stands = |doubt: &&Doubt| is_quoted(doubt, &reading) && contains_words(response, &doubt.words);
            read.findings.extend(doubts.iter().filter(stands).map(|doubt| finding(doubt, language)));
        }
        Some(Answer::Unknown { reason }) => read.findings.push(silence(reason, language)),
        Some(_) => {}
    }
    read
}

fn material(question: &str, sources: &[String]) -> Vec<Passage> {
    let mut room = MAX_MATERIAL;
    let mut take = |from: &str, words: &str| {
        let words = cut(words, room.min(MAX_PASSAGE));
        room = room.saturating_sub(words.len());
        Passage { from: from.to_owned(), words }
    };
    let asked = take("user", question);
    let mut passages: Vec<Passage> = sources.iter().map(|source| take("source", source)).collect();
    passages.retain(|passage| passage.words.len() > '…'.len_utf8());
    passages.insert(0, asked);
    passages
}

fn finding(doubt: &Doubt, language: Language) -> Finding {
    let [words, quote, reason] = [&doubt.words, &doubt.quote, &doubt.reason].map(|text| cut(text, MAX_SHOWN));
    let evidence = localized!(
        language,
        "a second reader holds “{words}” against “{quote}”: {reason}",
        "第二读者认为“{words}”与“{quote}”不符：{reason}"
    );
    Finding { mode: Mode::Advise, ..Finding::new(&SECOND_READER, "", evidence) }
}

/// So much of an answer is read, in bytes.
const MAX_ANSWER: usize = 8_000;
/// So much of one source is read.
const MAX_PASSAGE: usize = 8_000;
/// So much of all sources is read.
const MAX_MATERIAL: usize = 24_000;
/// So much of each part is repeated.
const MAX_SHOWN: usize = 160;
