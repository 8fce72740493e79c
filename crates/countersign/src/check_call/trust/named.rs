//! Values that a text gives, where the user named the field of a record that holds another one: "the account from the register",
//! 按订单里的退货地址.
//!
//! Whoever says which field of which record is meant has pointed there, and to no other text. (TRUST-2)

use super::super::role::Role;
use super::super::subject::{Node, Subject};
use super::acts;
use super::origin::{Place, call_of, places};
use super::pointing::last_words;
use super::request::Wish;
use super::target::{Kind, bare, kind_of};
use crate::contract::Finding;
use crate::contract::codes::trust::UNTRUSTED_TARGET;
use crate::contract::language::is_han;
use crate::conversation::index::stands_in;
use crate::conversation::sources::Leaf;
use crate::conversation::vocabulary::Vocabulary;
use crate::localized;
use crate::text::fold::fold;
use crate::text::words::identifier_words;

/// The finding.
pub(super) fn find(subject: &Subject<'_>, wish: &Wish<'_>) -> Option<Finding> {
    let asked = last_words(subject).filter(|_| acts(subject) && !wish.wants_change())?;
    let user = subject.conversation.index().user();
    let foreign = |given: &Given<'_>| !stands_in(user, &given.value) && !is_field(subject, &given.value);
    let (node, field) = values(subject).into_iter().filter(foreign).find_map(|given| {
        let value = &given.value;
        let texts: Vec<Place<'_>> = places(subject).filter(|place| stands_in(&place.leaf.text, value)).collect();
        let meant = |place: &Place<'_>| {
            let leaf = place.leaf;
            let other =
                !leaf.labelled && leaf.text != *value && !leaf.text.contains(value.as_str()) && is_one(&leaf.text);
            other && given.belongs(leaf) && clauses(&asked).any(|clause| names(subject, clause, place, &texts))
        };
        let field = places(subject).filter(|_| !texts.is_empty()).find(meant)?;
        Some((given.node, field))
    })?;
    let (key, own) = (node.key, &field.leaf.key);
    let evidence = localized!(
        subject.language,
        "the user named `{own}` of a record, and `{key}` is another value that only a text in a result gives",
        "用户指的是记录中的“{own}”，而 `{key}` 是只出现在结果文字里的另一个值"
    );
    Some(Finding::new(&UNTRUSTED_TARGET, subject.values.pointer(node), evidence))
}

/// A value of a call.
struct Given<'a> {
    node: &'a Node<'a>,
    value: String,
    kind: Option<Kind>,
}

impl Given<'_> {
    /// Whether a field is of the kind that is given: by its looks, by its name, or by what the parameter is called.
    fn belongs(&self, leaf: &Leaf) -> bool {
        if self.kind.is_some() {
            return kind_of(&leaf.text) == self.kind;
        }
        let called = self.node.param.is_some_and(|param| fold(&param.description).contains(&leaf.key));
        leaf.key.chars().count() >= 2 && (fold(self.node.key) == fold(&leaf.key) || called)
    }
}

/// The values of a call, and of its texts the addresses in them.
fn values<'a>(subject: &'a Subject<'a>) -> Vec<Given<'a>> {
    let mut found = Vec::new();
    for node in subject.values.leaves() {
        let Some(text) = node.value.as_str().filter(|text| text.len() <= MAX_TEXT) else { continue };
        let given = |word: &str| Given { node, value: bare(word), kind: kind_of(word) };
        if node.roles.has(Role::FreeText) {
            let links = text.split_whitespace().map(given);
            found.extend(links.filter(|given| matches!(given.kind, Some(Kind::Url | Kind::Email))).take(MAX_LINKS));
        } else if text.chars().count() >= MIN_VALUE {
            found.push(given(text));
        }
    }
    found
}

fn is_field(subject: &Subject<'_>, value: &str) -> bool {
    places(subject).any(|place| !place.leaf.labelled && bare(&place.leaf.text) == *value)
}

/// Whether a field holds one value and no sentences.
fn is_one(text: &str) -> bool {
    text.len() <= MAX_FIELD && !text.contains(['。', '！', '\n'])
}

/// The clauses of what the user said.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let comma = if text.contains(is_han) { "," } else { ", " };
    let marks = text.split(['，', '。', '；', '！', '？', ';', '\n']);
    marks.flat_map(move |part| part.split(comma)).flat_map(|part| part.split(". "))
}

/// Whether a clause names a field, and the record or the tool that gave it, and none of the texts beside it.
fn names(subject: &Subject<'_>, clause: &str, place: &Place<'_>, texts: &[Place<'_>]) -> bool {
    let words = Vocabulary::of(clause);
    let key = identifier_words(&place.leaf.key).join(" ");
    let own = Vocabulary::of(&key);
    let said = |key: &str| stands_in(clause, key) || (own.count() > 0 && own.keys().all(|key| words.has(key)));
    // A word that both sources share tells none of them.
    let others = texts.iter().map(|text| source_of(subject, text)).collect::<Vec<_>>();
    let known = source_of(subject, place);
    let named = known.keys().any(|key| words.has(key) && !others.iter().any(|other| other.has(key)));
    let beside = others.iter().any(|other| other.keys().any(|key| words.has(key) && !known.has(key)));
    key.chars().count() >= 2 && said(&key) && named && !beside
}

/// The words for where a text came from: those of the tool that gave it.
fn source_of(subject: &Subject<'_>, place: &Place<'_>) -> Vocabulary {
    let Some(call) = call_of(subject, place.message, place.leaf.result) else { return Vocabulary::default() };
    let mut specs = subject.registry.into_iter().flat_map(|registry| registry.specs());
    let described = specs.find(|spec| spec.name == call.name).map(|spec| fold(&spec.description)).unwrap_or_default();
    let mut found = Vocabulary::of(&described);
    identifier_words(&call.name).iter().for_each(|word| found.add(word));
    found
}

const MIN_VALUE: usize = 4;
const MAX_TEXT: usize = 4000;
const MAX_LINKS: usize = 20;
const MAX_FIELD: usize = 160;
