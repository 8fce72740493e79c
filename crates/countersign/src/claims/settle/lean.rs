//! A sentence that leans on the one before it: "It employs 1,200 people", 其营收为38亿元.
//!
//! Who "it" is stands one sentence back. The names of that sentence are added to what the claim is about, so that a
//! passage that names somebody else does not bear it out, and one that names them can. Only one sentence back is looked,
//! and numbers are never taken over.

use crate::claims::known::Telling;
use crate::grounding::wording::{Reading, Term};
use crate::text::lists::word_list;
use crate::text::sentences::sentences;
use std::ops::Range;
use std::sync::Arc;

/// Adds to each claim what its sentence leans on.
pub fn lean(content: &str, tellings: &mut [Telling]) {
    let mut last: Option<(Range<usize>, Option<Reading>)> = None;
    for telling in tellings {
        let place = telling.around.place.clone();
        let known = last.take().filter(|(known, _)| *known == place);
        let (_, before) = last.insert(known.unwrap_or_else(|| {
            let leans_on = before(content, &place).map(Reading::clipped);
            (place, leans_on)
        }));
        if let Some(before) = before {
            take_over(telling, before);
        }
    }
}

/// The sentence that one leans on, where it does.
pub fn before<'a>(content: &'a str, place: &Range<usize>) -> Option<&'a str> {
    let sentence = content.get(place.clone())?;
    let opening: String = sentence.chars().take(OPENING).collect::<String>().to_lowercase();
    let leans = ENGLISH
        .iter()
        .any(|word| opening.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
        || CHINESE.iter().any(|word| opening.starts_with(word));
    let from = (place.start.saturating_sub(REACH)..=place.start).find(|at| content.is_char_boundary(*at))?;
    let text = content.get(from..place.start).filter(|_| leans)?;
    text.get(sentences(text).pop()?)
}

fn take_over(telling: &mut Telling, before: &Reading) {
    let names = names(before);
    let around = &mut telling.around;
    let bare = around.near.is_empty();
    let moved = |term: &Term| Term { range: 0..0, ..term.clone() };
    let mut sentence = Reading::clone(&around.sentence);
    sentence.keys.extend(before.keys.iter().copied());
    sentence.terms.extend(names.iter().map(|term| moved(term)));
    around.sentence = Arc::new(sentence);
    let taken = if bare { before.terms.iter().take(MOST).collect() } else { names };
    around.near.extend(taken.into_iter().map(moved));
}

/// The names of a sentence. Its first word is one where a name goes on from it.
fn names(reading: &Reading) -> Vec<&Term> {
    let goes_on = |pair: &[Term]| match pair {
        [first, second] => second.name && second.range.start <= first.range.end + 1,
        _ => false,
    };
    let opens = reading.terms.get(..2).is_some_and(goes_on);
    let name = |(at, term): &(usize, &Term)| term.name || (*at == 0 && opens);
    reading.terms.iter().enumerate().filter(name).map(|(_, term)| term).take(MOST).collect()
}

const ENGLISH: &[&str] = word_list!("claims", "settle/lean/english");
const CHINESE: &[&str] = &["其", "它", "他", "她", "该", "这家", "公司"];
const OPENING: usize = 14;
/// So many bytes back the sentence before is looked for.
const REACH: usize = 600;
const MOST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::find::find;
    use crate::claims::known::tellings;
    use crate::claims::settle::passage::Passage;
    use crate::claims::settle::{Finding, Subject, settle};

    fn held(content: &str, passage: &str) -> &'static str {
        let claims = find(content);
        let mut read = tellings(content, &claims);
        lean(content, &mut read);
        match settle(&Subject { claim: &claims[0], telling: &read[0], content }, &Passage::read(passage, [])) {
            Finding::Supports(_) => "supports",
            Finding::Conflicts(_) => "conflicts",
            Finding::Silent => "silent",
        }
    }

    // CLAIM-3
    #[test]
    fn a_pronoun_stands_for_the_name_before_it() {
        let text = "Halden Mills makes cloth. It employs 1,200 people.";
        assert_eq!(held(text, "Halden Mills employs 1,200 people."), "supports");
        assert_eq!(held(text, "Halden Mills employs 980 people."), "conflicts");
        assert_eq!(held(text, "Borg Mills employs 980 people."), "silent");
        assert_eq!(before("远山公司很大。其营收为38亿元。", &(21..44)), Some("远山公司很大。"));
        assert_eq!(before("A is big. Italy has 5 seas.", &(10..27)), None);
        assert_eq!(before("It has 5 seas.", &(0..14)), None);
    }
}
