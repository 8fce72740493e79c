//! Tools whose names differ by a word or two: the word that was said decides.
//!
//! `todo_add` for a request to delete, a one-way search for a round trip. Both words said, or neither, says nothing.
//! Only a short request is read this way, because a long one asks for several things.
//! Reading before writing is how careful agents work, so a tool that reads is never held against one that writes.

use super::super::effects::by_name;
use super::super::subject::Subject;
use super::super::tool_deeds::ToolDeeds;
use crate::contract::Finding;
use crate::contract::codes::provenance::BETTER_TOOL;
use crate::conversation::index::stands_in;
use crate::conversation::vocabulary::Spoken;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::deeds::reading::{Reading, Stance};
use crate::text::lexicon::find_implied;
use crate::text::words::identifier_words;

/// The finding, where a sibling's own words were said and this tool's own were not.
pub(crate) fn meant(subject: &Subject<'_>) -> Option<Finding> {
    let registry = subject.registry.filter(|registry| (2..=MAX_TOOLS).contains(&registry.specs().len()))?;
    let asked = subject.conversation.index().asked();
    if asked.len() > MAX_ASKED || SEVERAL.iter().any(|word| stands_in(asked, word)) {
        return None;
    }
    let implied = find_implied(asked).map(|found| found.0).unwrap_or_default();
    if implied.meet(&subject.tool.spec.deeds().deeds) {
        return None;
    }
    let at = registry.find(&subject.tool.spec.name)?;
    let own = &registry.purpose(at)?.name_keys;
    // "All deals of his" are many, whatever one of them is called.
    let many = identifier_words(&subject.tool.spec.name).iter().any(|word| MANY.contains(&word.as_str()));
    if many && Cue::named("all-of-them").stands_in(asked) {
        return None;
    }
    let (spoken, request) = subject.conversation.index().request();
    if *spoken != Spoken::English {
        return None;
    }
    for other in (0..registry.specs().len()).filter(|other| *other != at) {
        let sibling = &registry.purpose(other)?.name_keys;
        let shared = own.iter().filter(|key| sibling.contains(key)).count();
        if shared * 2 < own.len().min(sibling.len()) || shared == 0 || own.len() == shared || sibling.len() == shared {
            continue;
        }
        let said = |a: &[u64], b: &[u64]| a.iter().filter(|key| !b.contains(key) && request.has(**key)).count();
        let differs = sibling.len() - shared;
        if said(own, sibling) == 0 && said(sibling, own) * 2 > differs {
            let spec = registry.spec(other)?;
            // "Start it at six and stop at eight" is one wish with two ends.
            let both = || Reading::of(asked).may_want(spec.deeds().deeds.opposites());
            if is_only_asked(asked, spec.deeds()) || both() {
                return None;
            }
            let name = &spec.name;
            return (!prepares(&subject.tool.spec.name, name)).then(|| finding(subject, name));
        }
    }
    None
}

/// "If I cancelled it, how long would I have to pay?" speaks of a deed that nobody wants.
pub(crate) fn is_only_asked(asked: &str, tool: &ToolDeeds) -> bool {
    let reading = Reading::of(asked);
    let mut mentions = reading.of_deeds(tool.deeds).peekable();
    tool.acts()
        && mentions.peek().is_some()
        && mentions.all(|mention| matches!(mention.stance, Stance::Asked | Stance::Conditional | Stance::Refused))
}

/// Whether a tool that reads was called where one that does something was meant: it may well prepare it.
pub(crate) fn prepares(name: &str, meant: &str) -> bool {
    let reads = |name: &str| by_name(name) == Some(Effect::Read);
    reads(name) && !reads(meant)
}

fn finding(subject: &Subject<'_>, other: &str) -> Finding {
    let name = &subject.tool.spec.name;
    let evidence = localized!(
        subject.language,
        "the words that set `{other}` apart from `{name}` were said, those of `{name}` were not",
        "对话中出现的是 `{other}` 区别于 `{name}` 的词，而不是 `{name}` 的"
    );
    let hint = localized!(subject.language, "look at `{other}`", "请考虑 `{other}`");
    Finding::new(&BETTER_TOOL, "/name", evidence).hint(hint)
}

const MAX_TOOLS: usize = 64;
/// Words of tools that change many things at once.
const MANY: &[&str] = &["bulk", "batch", "mass", "multiple", "multi", "all", "many"];
/// A long request asks for several things, and each call is for one of them.
const MAX_ASKED: usize = 200;
const SEVERAL: &[&str] = &["also", "then", "additionally", "finally", "lastly", "after", "both", "as well", "and how"];
