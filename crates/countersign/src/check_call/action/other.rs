//! A tool that changes something where the user only looks, or where the user's words plainly name another tool.

use super::clause::Mood;
use super::reading::{Mention, Stance};
use super::{Judge, Weight};
use crate::contract::Finding;
use crate::contract::codes::meaning::OTHER_DEED;
use crate::localized;
use crate::text::lexicon::{DeedEffect, Deeds};

/// The finding.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    let deeds = judge.tool.deeds;
    let known = |mention: &Mention| mention.deeds.meet(&deeds);
    if !judge.acts || judge.request.may_want(deeds) || judge.request.last.mentions.iter().any(known) {
        return None;
    }
    find_looking(judge).or_else(|| find_named(judge))
}

/// Every clause of the request asks, and the tool does something that nobody spoke of.
fn find_looking(judge: &Judge<'_>) -> Option<Finding> {
    let last = &judge.request.last;
    let asks = |mood: Mood| mood == Mood::Asked;
    let told = last.clauses.iter().filter(|clause| !asks(clause.mood)).any(|clause| clause.words.len() > MAX_FILLER);
    let wanted = |mention: &Mention| mention.stance != Stance::Asked && mention.deeds.effect() >= DeedEffect::Write;
    let generic = judge.tool.deeds.meet(&Deeds::named(GENERIC));
    if told || generic || !last.clauses.iter().any(|clause| asks(clause.mood)) || last.mentions.iter().any(wanted) {
        return None;
    }
    let asked: String = last.clauses.first()?.text.trim().chars().take(MAX_QUOTE).collect();
    let (name, language) = (&judge.subject.tool.spec.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user only asked \"{asked}\", and `{name}` changes something",
        "用户只是在问“{asked}”，而 `{name}` 会做出更改"
    );
    let hint = localized!(language, "look it up with a tool that only reads, and answer", "请用只读的工具查询后回答");
    let weight = if judge.tool.deeds.effect() == DeedEffect::Lasting { Weight::Strong } else { Weight::Weak };
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), weight))
}

/// A sibling's deed was wanted, and this tool does something graver that nobody spoke of.
fn find_named(judge: &Judge<'_>) -> Option<Finding> {
    let look = Deeds::named(&["look"]);
    let wanted = |mention: &&Mention| {
        mention.stance == Stance::Wanted && !mention.deeds.acts().is_empty() && !mention.deeds.meet(&look)
    };
    let grave = judge.tool.deeds.effect() == DeedEffect::Lasting;
    let mut mentions = judge.request.last.mentions.iter().filter(wanted);
    let (mention, None) = (mentions.next()?, mentions.next()) else { return None };
    let vague = mention.deeds.meet(&Deeds::named(&["update", "create", "run"]));
    if !grave || vague || mention.deeds.acts().effect() >= DeedEffect::Lasting {
        return None;
    }
    let sibling = judge.find_sibling(mention.deeds.acts())?;
    let (name, said, language) = (&judge.subject.tool.spec.name, &mention.said, judge.subject.language);
    let evidence = localized!(
        language,
        "the user said \"{said}\", which is what `{sibling}` does and `{name}` does not",
        "用户说的是“{said}”，这是 `{sibling}` 的作用，而不是 `{name}` 的"
    );
    let hint = judge.point_to(Some(sibling));
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), Weight::Weak))
}

/// Deeds that a question may well need: a chart, an entry, a setting.
const GENERIC: &[&str] =
    &["create", "add", "update", "start", "run", "open", "book", "connect", "publish", "import", "enter"];
const MAX_QUOTE: usize = 60;
/// "Hi", "thanks".
const MAX_FILLER: usize = 2;
