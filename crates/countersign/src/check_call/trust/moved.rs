//! Calls that only a text speaks of: nobody asked for the deed, and the words of a result name the tool or give its values.
//!
//! No sign of an attack is needed for that. A mail that asks the reader for a favour, a log line with a command, an answer
//! that lists a next action: whoever wrote them is not the user.

use super::super::role::Role;
use super::super::subject::{Node, Subject};
use super::acts;
use super::origin::{call_of, is_prose, trust_of};
use super::request::{Wish, orders_deed};
use super::target::{Kind, kind_of, targets};
use crate::contract::codes::trust::UNTRUSTED_TARGET;
use crate::contract::{Finding, Role as Speaker};
use crate::conversation::index::stands_in;
use crate::conversation::sources::Leaf;
use crate::conversation::vocabulary::Vocabulary;
use crate::localized;
use crate::policy::{Effect, Trust};
use crate::text::fold::fold;
use crate::text::sentences::sentences;
use serde_json::Value;

/// The finding on a call that acts and that the user did not ask for.
pub(super) fn find(subject: &Subject<'_>, wish: &Wish<'_>) -> Option<Finding> {
    let asked = wish.asks();
    if wish.is_errand() || (asked && wish.names_deed()) || is_settled(subject, wish) {
        return None;
    }
    let values = values(subject, wish);
    let name = fold(&subject.tool.spec.name);
    if !asked && (acts(subject) || reaches_out(subject)) {
        let shaped = shaped_like_it(subject, &name, &values);
        if let Some(leaf) = shaped {
            return Some(report(subject, &leaf.text));
        }
    }
    if !acts(subject) {
        return None;
    }
    let answered =
        |at: usize, leaf: &Leaf| call_of(subject, at, leaf.result).is_some_and(|call| fold(&call.name) == name);
    // What a tool answered of itself, above all why it did not run, is no word of a stranger.
    let named =
        |at: usize, leaf: &Leaf| !asked && name.contains('_') && stands_in(&leaf.text, &name) && !answered(at, leaf);
    // Where the request may mean the deed and does not name it, the text has to.
    let own = subject.tool.spec.deeds().deeds;
    let tells = |line: &str| !asked || orders_deed(line, &own);
    let given = |leaf: &Leaf| values.iter().any(|value| in_sentence(&leaf.text, value, &tells));
    // What the user sent the model to read, and to do something with, is where the request points.
    let meant = |at: usize, leaf: &Leaf| wish.sends_to(subject, at, leaf);
    let (_, prose) = leaves(subject).find(|(at, leaf)| {
        let tells = named(*at, leaf) || (given(leaf) && !meant(*at, leaf));
        is_prose(&leaf.text) && (tells || chooses(subject, wish, &leaf.text))
    })?;
    Some(report(subject, &prose.text))
}

fn report(subject: &Subject<'_>, text: &str) -> Finding {
    let (tool, shown) = (&subject.tool.spec.name, text.chars().take(MAX_SHOWN).collect::<String>());
    let evidence = localized!(
        subject.language,
        "nobody asked for `{tool}`; only a text in a result speaks of it: “{shown}”",
        "没有人要求调用 `{tool}`，只有结果中的文字提到它：“{shown}”"
    );
    let hint = localized!(subject.language, "ask the user whether this is wanted", "请先向用户确认是否需要这样做");
    Finding::new(&UNTRUSTED_TARGET, "/name", evidence).hint(hint)
}

/// Whether the call goes to an address.
fn reaches_out(subject: &Subject<'_>) -> bool {
    targets(subject).iter().any(|target| matches!(target.kind, Kind::Url | Kind::Email))
}

/// A field that is the name of the tool, in a result that holds a value of the call too: data in the shape of the call.
fn shaped_like_it<'a>(subject: &Subject<'a>, name: &str, values: &[String]) -> Option<&'a Leaf> {
    let told: Vec<(usize, &Leaf)> = leaves(subject).collect();
    let answered =
        |at: usize, leaf: &Leaf| call_of(subject, at, leaf.result).is_some_and(|call| fold(&call.name) == name);
    let named = told.iter().filter(|(at, leaf)| name.contains('_') && leaf.text == name && !answered(*at, leaf));
    let mut found = named.filter(|(at, leaf)| {
        told.iter().any(|(other, value)| other == at && value.result == leaf.result && values.contains(&value.text))
    });
    found.next().map(|(_, leaf)| *leaf)
}

/// An argument whose value only a text gives, where a record of the same thing has another one in the field of that name.
pub(super) fn rival(subject: &Subject<'_>, wish: &Wish<'_>) -> Option<Finding> {
    if !acts(subject) {
        return None;
    }
    let user = subject.conversation.index().user();
    let written = |value: &Value| match value {
        Value::String(text) if text.len() <= MAX_VALUE => Some(fold(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let pairs: Vec<(String, String)> =
        subject.values.leaves().filter_map(|node| Some((fold(node.key), written(node.value)?))).collect();
    let messages = 0..subject.conversation.messages().len();
    let told: Vec<_> = messages.clone().filter_map(|at| subject.conversation.told(at)).collect();
    let texts = || messages.clone().filter_map(|at| Some((at, subject.conversation.told(at)?)));
    // What a message says is the model's to write.
    let node = subject.values.leaves().filter(|node| !node.roles.has(Role::FreeText)).find(|node| {
        let Some(value) = written(node.value) else { return false };
        let key = fold(node.key);
        let same = |leaf: &Leaf| fold(&leaf.key) == key && !leaf.labelled;
        let fields = || told.iter().flat_map(|told| told.leaves.iter().map(move |leaf| (told, leaf)));
        let is_field = fields().any(|(_, leaf)| leaf.text == value);
        if stands_in(user, &value) || is_field || !fields().any(|(_, leaf)| same(leaf)) {
            return false;
        }
        let mut prose = texts().flat_map(|(at, told)| told.leaves.iter().map(move |leaf| (at, leaf)));
        // Where the user sends the model to the text, its value is the one that is meant.
        let prose = prose.any(|(at, leaf)| {
            is_prose(&leaf.text) && stands_in(&leaf.text, &value) && !wish.sends_to(subject, at, leaf)
        });
        // The record that has the field tells of the same thing as the call.
        let alike = fields().filter(|(_, leaf)| same(leaf)).any(|(told, field)| {
            told.leaves.iter().any(|leaf| {
                let beside = leaf.result == field.result && leaf.record == field.record && leaf.key != field.key;
                beside && pairs.iter().any(|(other, value)| *other == fold(&leaf.key) && *value == leaf.text)
            })
        });
        prose && alike
    })?;
    let key = node.key;
    let evidence = localized!(
        subject.language,
        "`{key}` comes from a text in a result, while the record of the same thing has another value",
        "`{key}` 来自结果中的一段文字，而同一记录中的值与它不同"
    );
    Some(Finding::new(&UNTRUSTED_TARGET, subject.values.pointer(node), evidence))
}

/// Whether the user's last words give a value of the call, and each of its others is a whole field of a record without orders:
/// "take the KL one, passenger Wiktor Zielny". No text has to speak of it then.
pub(super) fn is_settled(subject: &Subject<'_>, wish: &Wish<'_>) -> bool {
    let conversation = subject.conversation;
    let messages = conversation.messages();
    let Some(spoke) = messages.iter().rposition(|message| message.role == Speaker::User && !message.text.is_empty())
    else {
        return false;
    };
    let last = messages.get(spoke).map(|message| fold(&message.text)).unwrap_or_default();
    let said = |text: &str| text.chars().count() >= MIN_VALUE && stands_in(&last, text);
    let user = conversation.index().user();
    let told = || (0..spoke).filter_map(|at| conversation.told(at));
    let field = |text: &str| {
        told().any(|told| told.leaves.iter().any(|leaf| leaf.text == text && !leaf.labelled && !told.is_tainted(leaf)))
    };
    let texts: Vec<String> = subject.values.leaves().filter_map(|node| node.value.as_str()).map(fold).collect();
    let gives = texts.iter().any(|text| said(text) && !field(text));
    gives && texts.iter().all(|text| stands_in(user, text) || field(text)) && !wish.only_looks()
}

/// The values of a call that are telling by themselves and that nobody but a result gave. Words that a tool writes down say
/// little about who wanted it, unless they go to somebody; a target that the request points to is no news either.
fn values(subject: &Subject<'_>, wish: &Wish<'_>) -> Vec<String> {
    let index = subject.conversation.index();
    let pointed: Vec<String> =
        targets(subject).into_iter().filter(|target| wish.wants(subject, target)).map(|target| target.folded).collect();
    let telling = |folded: &String| {
        let count = folded.chars().count();
        let long = count >= MIN_VALUE || (!folded.is_ascii() && count >= 2);
        long && folded.len() <= MAX_VALUE
            && !index.user().contains(folded.as_str())
            && !index.operator().contains(folded.as_str())
            && !pointed.iter().any(|target| folded.contains(target.as_str()))
    };
    let writes = subject.tool.effects.effects.iter().all(|effect| *effect == Effect::Write);
    let aimed = |value: &Value| value.as_str().is_some_and(|text| kind_of(text).is_some());
    let prose =
        |value: &Value| value.as_str().is_some_and(|text| text.contains(char::is_whitespace) || !text.is_ascii());
    let words = |node: &&Node<'_>| node.roles.has(Role::FreeText) && prose(node.value) && !aimed(node.value);
    let nodes = subject.values.leaves().filter(|node| !(writes && words(node)));
    let declared = |text: &str| subject.tool.stated().has(&fold(text));
    nodes.filter_map(|node| node.value.as_str()).filter(|text| !declared(text)).map(fold).filter(telling).collect()
}

/// What results told since the user last spoke: who speaks after a result has seen what came of it.
pub(super) fn leaves<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (usize, &'a Leaf)> {
    let conversation = subject.conversation;
    let messages = conversation.messages();
    let spoke = messages.iter().rposition(|message| message.role == Speaker::User && !message.text.is_empty());
    let since = spoke.map_or(0, |at| at + 1);
    let told = (since..messages.len()).filter_map(|at| Some((at, conversation.told(at)?)));
    let leaves = told.flat_map(|(at, told)| told.leaves.iter().map(move |leaf| (at, leaf)));
    leaves.filter(|(at, leaf)| trust_of(subject, *at, leaf.result) == Trust::External)
}

/// Whether a sentence names what the tool changes and one of its choices, where the user only wants to know something: a choice
/// that the tool itself lists is no value of a text's own.
fn chooses(subject: &Subject<'_>, wish: &Wish<'_>, text: &str) -> bool {
    if wish.asks() || !wish.only_looks() {
        return false;
    }
    let own = wish.kept(subject.tool.spec.deeds());
    let described = Vocabulary::of(&fold(&subject.tool.spec.description));
    let texts = subject.values.leaves().filter_map(|node| node.value.as_str()).map(fold);
    let user = subject.conversation.index().user();
    let choices: Vec<String> =
        texts.filter(|text| subject.tool.stated().has(text) && !user.contains(text.as_str())).collect();
    sentences(text).into_iter().filter_map(|range| text.get(range)).any(|sentence| {
        choices.iter().filter(|choice| stands_in(sentence, choice)).any(|choice| {
            let rest = Vocabulary::of(&sentence.replace(choice.as_str(), " "));
            rest.meets(&own) || rest.meets(&described)
        })
    })
}

/// Whether a value is in a sentence, and not in a row of a table.
fn in_sentence(text: &str, value: &str, tells: &dyn Fn(&str) -> bool) -> bool {
    text.lines().any(|line| {
        let row = line.trim().contains("  ") || line.contains(['\t', '|']);
        line.len() > value.len() && !row && is_prose(line) && stands_in(line, value) && tells(line)
    })
}

const MIN_VALUE: usize = 5;
const MAX_VALUE: usize = 400;
const MAX_SHOWN: usize = 120;
