//! An irreversible effect that nobody spoke of.
//!
//! To delete, to pay or to send is always somebody's wish, and people have words for it. Where none of these words
//! fell in the whole conversation, the call is not what was asked for.

use super::super::effects::all_by_name;
use super::super::request;
use super::super::subject::Subject;
use super::grounded;
use crate::contract::codes::provenance::UNASKED;
use crate::contract::{Finding, Role as Speaker};
use crate::conversation::tokens::Tokens;
use crate::conversation::vocabulary::Spoken;
use crate::localized;
use crate::policy::{Effect, ToolPolicy};
use crate::text::deeds::reading::{Mention, Reading as ActionReading, Stance};
use crate::text::fold::fold;
use crate::text::lexicon::{Deeds, find_implied};
use crate::text::lists::word_list;
use crate::text::words::identifier_words;

/// The finding, where an irreversible tool is called and its effect was never spoken of.
pub(crate) fn unspoken(subject: &Subject<'_>) -> Option<Finding> {
    let reads = || identifier_words(&subject.tool.spec.name).iter().any(|word| READS.contains(&word.as_str()));
    if !subject.tool.effects.irreversible || reads() || !is_plain(subject) {
        return None;
    }
    let index = subject.conversation.index();
    let lists = subject.tool.effects.effects.iter().filter_map(|effect| words_for(*effect));
    let lists: Vec<Words> = lists.collect();
    let spoken = || lists.iter().any(|list| list.stand_in(index.tokens(), index.text()));
    let context = subject.context.told().any(|value| value.as_str().is_some_and(|text| text.contains(' ')));
    if lists.is_empty() || context || index.request().0 == Spoken::Unknown {
        return None;
    }
    let implied = find_implied(index.asked()).map(|found| found.0).unwrap_or_default();
    if implied.meet(&subject.tool.spec.deeds().deeds) {
        return None;
    }
    // A wish in words that the lexicon does not know ("nudge them") may well be this one; so may an answer to a question.
    let request = ActionReading::of(index.asked());
    let tool = subject.tool.spec.deeds().deeds;
    let asks_for_it = |mention: &Mention| mention.stance == Stance::Wanted && mention.deeds.meet(&tool);
    if request.mentions.iter().any(asks_for_it) {
        return None;
    }
    let vague = Deeds::named(&["hand-out"]);
    let knows = request.mentions.iter().any(|mention| mention.stance == Stance::Wanted && !mention.deeds.meet(&vague));
    // An answer to what the assistant proposed carries the proposal's deed.
    let messages = subject.conversation.messages();
    let proposal = messages.iter().rev().find(|message| message.role == Speaker::Assistant && !message.text.is_empty());
    if !knows && proposal.is_some_and(|proposal| proposal.text.ends_with(['?', '？'])) {
        return None;
    }
    if !knows && !grounded::is_question(index.asked()) && subject.conversation.answered_calls().next().is_some() {
        return None;
    }
    // A question wants an answer. What tools wrote is no wish either, so that only people and models are listened to.
    let idle = grounded::is_question(index.asked()) && !was_said(&lists, subject);
    if !idle && (spoken() || grounded::object(subject) || request::names_object(subject)) {
        return None;
    }
    let name = &subject.tool.spec.name;
    let evidence = localized!(
        subject.language,
        "`{name}` cannot be undone, and nobody spoke of anything that it does",
        "`{name}` 的操作无法撤销，而对话中没有人提出过这样的要求"
    );
    let hint = localized!(subject.language, "ask the user before you call it", "请先征得用户同意");
    Some(Finding::new(&UNASKED, "/name", evidence).hint(hint))
}

/// Whether the effect stands in the tool's name, or the operator or an annotation told it. What only a description tells is a
/// reason for care and none to doubt the call: the user spoke of what the tool is for, in other words.
fn is_plain(subject: &Subject<'_>) -> bool {
    let spec = &subject.tool.spec;
    let lasting = |effect: &Effect| matches!(effect, Effect::Delete | Effect::Pay | Effect::Send);
    let told = |tool: &ToolPolicy| tool.effects.is_some() || tool.irreversible.is_some();
    all_by_name(&spec.name).iter().any(lasting)
        || spec.annotations.destructive == Some(true)
        || subject.policy.tool(&spec.name).any(told)
}

/// Whether anybody spoke of an effect in words of their own, not in results or arguments.
fn was_said(lists: &[Words], subject: &Subject<'_>) -> bool {
    subject.conversation.messages().iter().filter(|message| message.role != Speaker::Tool).any(|message| {
        let text = fold(&message.text);
        let mut tokens = Tokens::default();
        tokens.add(&text);
        lists.iter().any(|list| list.stand_in(&tokens, &text))
    })
}

/// The words of an effect, in both languages.
struct Words {
    english: &'static [&'static str],
    chinese: &'static [&'static str],
}

impl Words {
    fn stand_in(&self, tokens: &Tokens, text: &str) -> bool {
        tokens.has_any(self.english) || self.chinese.iter().any(|word| text.contains(word))
    }
}

fn words_for(effect: Effect) -> Option<Words> {
    match effect {
        Effect::Delete => Some(Words { english: DELETE, chinese: DELETE_ZH }),
        Effect::Pay => Some(Words { english: PAY, chinese: PAY_ZH }),
        Effect::Send => Some(Words { english: SEND, chinese: SEND_ZH }),
        _ => None,
    }
}

/// Words of names such as `send_get_request`, which change nothing however they begin.
const READS: &[&str] = word_list!("check_call", "relevance/effect/reads");

const DELETE: &[&str] = word_list!("check_call", "relevance/effect/delete");
const DELETE_ZH: &[&str] = word_list!("check_call", "relevance/effect/delete-zh");
const PAY: &[&str] = word_list!("check_call", "relevance/effect/pay");
const PAY_ZH: &[&str] = word_list!("check_call", "relevance/effect/pay-zh");
const SEND: &[&str] = word_list!("check_call", "relevance/effect/send");
const SEND_ZH: &[&str] = word_list!("check_call", "relevance/effect/send-zh");
