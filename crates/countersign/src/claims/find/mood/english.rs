//! English orders, advice, rules, plans, questions without a mark, and what is only supposed.

use super::{Silent, past_numbering};
use crate::claims::find::lexicon::{
    ADVISE, AUX, CITE_LEAD, CITE_VERB, DETERMINER, IMPERATIVE, LEAD_IN, MARKER, NOUN_TOO, NUMERAL, PAST, PREPOSITION,
    PRODUCT, PRONOUN, SELF, SUPPOSE, UNIT,
};
use crate::claims::find::names::{name, names};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Shape};

/// Where a segment stops to state: at its beginning, or nowhere.
pub(super) fn find_start(s: &Sentence, from: usize, to: usize) -> Option<Silent> {
    let mut at = past_numbering(s, from);
    let mut asked = false;
    let gently =
        |at: usize| at == from && s.words(at).ends_with("ly") && s.at(at).length() > 4 && s.has(at + 1, IMPERATIVE);
    while at < to && (s.has(at, LEAD_IN) && !s.has(at + 1, AUX) || s.is(at, ',') || gently(at)) {
        asked |= s.one_of(at, names!["please", "don't", "never"]);
        at += 1;
    }
    if supposes(s, at) {
        return Some(Silent { start: from, supposing: true });
    }
    let silent = asked && s.has(at, IMPERATIVE)
        || opens_with_order(s, at, to)
        || turns_to(s, at)
        || opens_with_condition(s, at, to)
        || inverts(s, at)
        || plans(s, at)
        || rules(s, at, to)
        || s.seen.has(AUX) && is_unreal(s, from, to)
        || s.seen.has(SUPPOSE) && (from..to).any(|at| s.has(at, SUPPOSE) && s.entry(at).place == 2);
    silent.then(|| Silent::from(from))
}

/// "Suppose the train …", "Imagine that …", "Say you invest $1,000".
fn supposes(s: &Sentence, at: usize) -> bool {
    let clause = s.has(at + 1, DETERMINER | PRONOUN) || s.word(at + 1, name!("that")) || s.has(at + 1, NUMERAL);
    let said = s.word(at, name!("say")) && s.one_of(at + 1, names!["you", "we", "the", "there", "a", "that"])
        || s.one_of(at, names!["let's", "let’s"]) && s.one_of(at + 1, names!["say", "assume", "imagine"]);
    s.has(at, SUPPOSE) && s.entry(at).place == 1 && clause || said
}

/// "To upgrade, run the installer", "If it fails, wait 5 minutes", "If it helps, I can walk you through".
fn opens_with_condition(s: &Sentence, at: usize, to: usize) -> bool {
    if !s.one_of(
        at,
        names![
            "to", "if", "when", "before", "after", "once", "for", "then", "unless", "until", "while", "from", "at",
            "in", "on", "with"
        ],
    ) {
        return false;
    }
    let Some(comma) = (at..to.min(at + 14)).find(|at| s.is(*at, ',')) else { return false };
    let offers = s.one_of(comma + 1, names!["i'll", "we'll", "i'd", "we'd"])
        || s.one_of(comma + 1, names!["i", "we", "you"])
            && s.one_of(comma + 2, names!["can", "will", "could", "would", "should", "must", "may", "might", "need"]);
    offers || opens_with_order(s, comma + 1, to)
}

/// "Is it true that", "Had we left at six": the verb before its subject asks or supposes.
fn inverts(s: &Sentence, at: usize) -> bool {
    // "Should fewer than ten people sign up": it opens nothing else.
    if s.word(at, name!("should")) {
        return true;
    }
    s.one_of(
        at,
        names!["is", "are", "was", "were", "had", "has", "did", "does", "can", "could", "would", "will", "shall"],
    ) && (s.has(at + 1, PRONOUN | DETERMINER) && !s.one_of(at + 1, names!["that", "all", "both"])
        || s.word(at + 1, name!("you")))
}

/// What the writer will do or the reader may do: "I will", "we need", "you can", "I'd be happy to".
fn plans(s: &Sentence, at: usize) -> bool {
    s.one_of(at, names!["i'll", "we'll", "let", "let's", "let’s", "i'd", "we'd", "you'd"])
        || s.one_of(at, names!["my", "our", "your"])
            && (at + 1..at + 6).any(|at| s.word(at, name!("is")) && s.word(at + 1, name!("to")))
        || s.one_of(at, names!["i", "we"]) && s.one_of(at + 1, names!["want", "hope", "wish", "intend"])
        || s.one_of(at, names!["i", "we", "you"])
            && s.one_of(
                at + 1,
                names![
                    "will",
                    "can",
                    "could",
                    "would",
                    "suggest",
                    "recommend",
                    "propose",
                    "plan",
                    "need",
                    "should",
                    "must",
                    "may",
                    "might"
                ],
            )
            && !s.word(at + 2, name!("see"))
}

/// Advice and rules: "you should", "Adults should", "must be", "It is best to", "please".
fn rules(s: &Sentence, at: usize, to: usize) -> bool {
    let subject = if s.one_of(at, names!["it's", "it’s"]) { at + 1 } else { at + 2 };
    let advised = s.one_of(at, names!["it's", "it’s"]) || s.word(at, name!("it")) && s.has(at + 1, AUX);
    if advised && s.has(subject, ADVISE) && (subject..subject + 4).any(|at| s.word(at, name!("to"))) {
        return true;
    }
    if !s.seen.has(AUX | ADVISE | SELF) && !s.seen.upper {
        return false;
    }
    let plural = |at: usize| s.words(at).ends_with('s') && s.at(at).case == Case::Capital && at < 2;
    (at..to.min(at + 24)).any(|at| {
        let you = s.one_of(at, names!["you", "we", "everyone", "people"]) || plural(at);
        s.word(at, name!("please"))
            || you && s.one_of(at + 1, names!["should", "must", "need", "ought"])
            || s.word(at, name!("must")) && !s.word(at + 1, name!("have")) && !s.seen.has(CITE_LEAD | CITE_VERB)
    })
}

/// "If we raised prices by 10%, we would lose 200 customers": what would be is not.
fn is_unreal(s: &Sentence, from: usize, to: usize) -> bool {
    let (mut condition, mut would) = (false, false);
    for at in from..to {
        condition |= s.one_of(at, names!["if", "unless"]);
        would |= s.one_of(at, names!["would", "could", "might", "wouldn't", "couldn't", "i'd", "we'd", "you'd"]);
    }
    condition && would
}

/// Whether a verb in its base form opens the clause, and no other verb shows it to be a noun.
fn opens_with_order(s: &Sentence, at: usize, to: usize) -> bool {
    let token = s.at(at);
    if !token.has(IMPERATIVE) || token.case == Case::Upper || at >= to {
        return false;
    }
    let next = s.at(at + 1);
    if next.has(DETERMINER) && !next.has(PRONOUN) || s.word(at, name!("make")) && s.word(at + 1, name!("sure")) {
        return true;
    }
    // "Be sure to", "Feel free to"; neither opens an order otherwise.
    if s.one_of(at, names!["be", "feel"]) {
        return s.one_of(at + 1, names!["sure", "free", "careful", "aware"]);
    }
    let noun = s.word(at + 1, name!("that")) && s.one_of(at, names!["note", "notice", "remember"])
        || next.is('-') && next.glued()
        || s.one_of(at + 1, names!["than", "or"])
        || next.shape == Shape::Digits && is_past(s, at + 2)
        || next.has(AUX) && !s.one_of(at + 1, names!["do"])
        || s.one_of(at + 1, names!["of", "by"])
        || s.has(at, MARKER) && next.shape == Shape::Digits && !s.has(at + 2, PRONOUN)
        || s.has(at, PRODUCT) && next.shape == Shape::Digits && s.words(at + 1).contains('.') && !s.has(at + 2, UNIT)
        || s.word(at, name!("set")) && s.word(at + 1, name!("in"))
        || compounds(s, at, to)
        || next.shape == Shape::Word && s.words(at + 1).ends_with("ed") && next.case == Case::Lower
        || tells(s, at, to);
    !noun
}

/// "Remind me in 45 minutes": the writer as the object of the first word, whatever the verb is.
fn turns_to(s: &Sentence, at: usize) -> bool {
    let verb = s.at(at);
    let word = s.words(at);
    s.one_of(at + 1, names!["me"])
        && verb.shape == Shape::Word
        && !verb.has(PREPOSITION | PRONOUN | PAST | CITE_LEAD | CITE_VERB)
        && !(word.ends_with("ing") || word.ends_with("ed") || word.ends_with("ike"))
        && !s.divides(at + 2)
}

/// Whether the opener may be the first half of a noun: "Plant closures in the valley put 2,600 people out of work". A plural
/// right behind it and a phrase behind that tell nothing either way, so the wording of the whole sentence is weighed.
fn compounds(s: &Sentence, at: usize, to: usize) -> bool {
    let (noun, behind) = (s.at(at + 1), s.at(at + 2));
    let plural = noun.shape == Shape::Word
        && noun.case == Case::Lower
        && !noun.has(DETERMINER | PREPOSITION | PRONOUN | SELF | NUMERAL | AUX | UNIT)
        && s.words(at + 1).ends_with('s')
        && noun.length() > 3;
    let verb = |at: usize| {
        let word = s.at(at);
        word.shape == Shape::Word
            && word.case == Case::Lower
            && !word.has(DETERMINER | PREPOSITION | PRONOUN | SELF | NUMERAL | UNIT)
            && (s.has(at + 1, NUMERAL)
                || s.at(at + 1).shape == Shape::Digits
                || s.at(at + 1).shape == Shape::Sign && !s.divides(at + 1))
    };
    plural && behind.has(PREPOSITION) && (at + 4..to.min(at + 10)).any(verb)
        || s.at(at).case == Case::Lower && s.before(at).is(',') && plural && behind.has(PREPOSITION)
}

/// Whether a finite verb follows the first word of a clause: "Test coverage rose to 81%".
fn tells(s: &Sentence, opener: usize, to: usize) -> bool {
    let next = s.at(opener + 1);
    let noun = next.shape == Shape::Word
        && next.case == Case::Lower
        && !next.has(DETERMINER | PREPOSITION | PRONOUN | SELF | NUMERAL | AUX);
    let modifies = s.has(opener, NOUN_TOO) && noun;
    (opener + 1..to.min(opener + 12))
        .take_while(|at| {
            !s.divides(*at)
                && !s.one_of(
                    *at,
                    names![
                        "that", "if", "which", "who", "when", "where", "whether", "until", "how", "what", "so",
                        "before", "after"
                    ],
                )
        })
        .any(|at| {
            if s.before(at).has(PRONOUN) {
                return false;
            }
            s.one_of(at, names!["is", "are", "was", "were", "has"])
                || s.has(at, PAST) && s.entry(at).place == FINITE
                || at > opener + 1 && is_past(s, at) && (modifies || takes_object(s, at))
        })
}

/// Whether a word may be a past tense: sold, changed.
fn is_past(s: &Sentence, at: usize) -> bool {
    let token = s.at(at);
    token.has(PAST) || token.shape == Shape::Word && token.case == Case::Lower && s.words(at).ends_with("ed")
}

/// "flooded nine villages", "changed how", "dropped to 3%". A participle behind its noun ("files created in 2024") has no
/// object.
fn takes_object(s: &Sentence, at: usize) -> bool {
    let amount = |at: usize| s.at(at).shape == Shape::Digits || s.has(at, NUMERAL) || s.is(at, '$');
    let before = s.before(at);
    let behind_noun = before.shape == Shape::Word && !before.has(DETERMINER | PREPOSITION | NUMERAL | AUX);
    behind_noun
        && (s.has(at + 1, DETERMINER)
            || amount(at + 1)
            || s.one_of(at + 1, names!["how", "that"])
            || s.one_of(at + 1, names!["to", "by", "from", "in", "up", "out", "down"]) && amount(at + 2))
}

/// A form that is no participle: rose, fell.
const FINITE: u8 = 1;
