//! A tool that does the opposite of what the user said.

use super::super::tool_deeds::does_both;
use super::{Judge, Weight};
use crate::contract::Finding;
use crate::contract::codes::meaning::OPPOSITE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::clause::Clause;
use crate::text::deeds::reading::{Mention, Stance};
use crate::text::fold::fold;
use crate::text::lexicon::Deeds;

/// The finding, where the opposite of the tool's deed was wanted and the deed itself was not.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    let deeds = judge.tool.deeds;
    let opposites = deeds.opposites();
    if !judge.acts || opposites.is_empty() || judge.request.may_want(deeds) {
        return None;
    }
    let about_others = |mention: &Mention| is_about_others(judge, mention);
    // "Start it at one and stop at five": who wants both ends of something speaks of no opposite.
    let both = |mention: &Mention| judge.request.last.may_want(mention.deeds.acts().opposites());
    let plain = |mention: &&Mention| {
        is_plain(mention, deeds) && !both(mention) && !about_others(mention) && !judge.is_done(mention.deeds.acts())
    };
    let Some(mention) = judge.request.last.of_deeds(opposites).find(plain) else {
        return find_implied_opposite(judge);
    };
    if does_both(&judge.subject.tool.spec, deeds) {
        return None;
    }
    let sibling = judge.find_sibling(mention.deeds.acts());
    // Where no tool does what was said, the model may have had a reason of its own.
    if sibling.is_none()
        && (judge.request.last.count_words() > MAX_WORDS || mention.deeds.meet(&Deeds::named(&["draft"])))
    {
        return None;
    }
    let weight = if sibling.is_some() { Weight::Strong } else { Weight::Weak };
    let (name, said) = (&judge.subject.tool.spec.name, &mention.said);
    let language = judge.subject.language;
    let evidence = localized!(
        language,
        "the user said \"{said}\", and `{name}` does the opposite",
        "用户说的是“{said}”，而 `{name}` 的作用正好相反"
    );
    let hint = judge.point_to(sibling);
    Some(judge.weigh(Finding::new(&OPPOSITE, "/name", evidence).hint(hint), weight))
}

/// The opposite is what the user's words come down to: "we can't spare him" and `approve_leave`.
fn find_implied_opposite(judge: &Judge<'_>) -> Option<Finding> {
    let deeds = judge.tool.deeds;
    let (implied, said) = judge.request.implied()?;
    let spoken = judge.request.last.of_deeds(deeds).next().is_some();
    let sibling = judge.find_sibling(implied.acts());
    if spoken || implied.meet(&deeds) || !deeds.opposites().meet(&implied) || does_both(&judge.subject.tool.spec, deeds)
    {
        return None;
    }
    let weight = if sibling.is_some() { Weight::Strong } else { Weight::Weak };
    let (name, language) = (&judge.subject.tool.spec.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user said \"{said}\", and `{name}` does the opposite of what that asks for",
        "用户说的是“{said}”，而 `{name}` 的作用与此相反"
    );
    let hint = judge.point_to(sibling);
    Some(judge.weigh(Finding::new(&OPPOSITE, "/name", evidence).hint(hint), weight))
}

/// "Login-v1 can go, we keep the release": the clause speaks of others, and another one has what the call has.
fn is_about_others(judge: &Judge<'_>, mention: &Mention) -> bool {
    let has = |text: &str| {
        judge.subject.values.leaves().filter_map(|node| node.value.as_str()).any(|value| {
            let tail = value.rsplit(['/', '\\', ' ']).next().unwrap_or(value);
            tail.chars().count() >= 3 && crate::conversation::index::stands_in(text, &fold(tail))
        })
    };
    let clauses = &judge.request.last.clauses;
    // "Keep these two, the rest can go".
    if clauses
        .iter()
        .enumerate()
        .any(|(at, clause)| at != mention.clause && Cue::named("by-and-large").stands_in(&clause.text))
    {
        return true;
    }
    // "Found my card, you can unfreeze it".
    let refers = |clause: &Clause| {
        let words = clause.words.iter().map(|word| word.folded.as_str());
        words
            .into_iter()
            .any(|word| matches!(word, "it" | "that" | "this" | "them" | "these" | "those" | "him" | "her"))
            || clause.text.contains(['它', '这', '那'])
            || clause.chinese && clause.text.chars().count() <= SHORT
    };
    let own = clauses.get(mention.clause).is_some_and(|clause| has(&clause.text) || refers(clause));
    !own && clauses.iter().enumerate().any(|(at, clause)| at != mention.clause && has(&clause.text))
}

/// Whether a mention wants the opposite and nothing that the tool does; what looks is never an opposite.
fn is_plain(mention: &Mention, deeds: Deeds) -> bool {
    mention.stance == Stance::Wanted && !mention.deeds.meet(&deeds) && !mention.deeds.meet(&Deeds::named(&["look"]))
}

/// A shorter Chinese clause goes on about what stands before it.
const SHORT: usize = 6;
/// A longer request may want more than one deed.
const MAX_WORDS: usize = 24;
