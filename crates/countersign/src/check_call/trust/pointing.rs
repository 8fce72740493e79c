//! Where the words of the user point: to a text by its name, to a record by what stands beside the text, to a value by its place.

use super::super::subject::Subject;
use super::origin::Place;
use super::target::{Kind, kind_of};
use crate::contract::language::is_han;
use crate::contract::{Arguments, Role};
use crate::conversation::index::stands_in;
use crate::conversation::sources::Leaf;
use crate::conversation::vocabulary::Vocabulary;
use crate::text::fold::fold;
use crate::text::instructions::pattern;
use crate::text::lists::word_list;
use crate::text::words::words;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Whether the user named the very thing that was read: its file, its number, its address.
pub(super) fn is_named(subject: &Subject<'_>, place: &Place<'_>) -> bool {
    let said = subject.conversation.index().user();
    let named = |text: &String| text.chars().count() >= 2 && stands_in(said, &fold(text));
    arguments(subject, place).iter().any(named)
}

/// Whether the last words of the user tell which text is meant: by what the reading call was given, by the record that led to it, or
/// by a title or a writer beside it.
pub(super) fn is_described(subject: &Subject<'_>, place: &Place<'_>) -> bool {
    let Some(asked) = Asked::of(subject) else { return false };
    let conversation = subject.conversation;
    let beside = |message: usize, own: &Leaf| {
        let told = conversation.told(message);
        let leaves = told.into_iter().flat_map(|told| &told.leaves);
        leaves
            .filter(|leaf| leaf.result == own.result && leaf.record == own.record && !leaf.labelled)
            .any(|leaf| leaf.text != own.text && asked.tells(&leaf.text))
    };
    let given = arguments(subject, place);
    let led = || {
        (0..place.message).any(|at| {
            let leaves = conversation.told(at).into_iter().flat_map(|told| &told.leaves);
            leaves.filter(|leaf| given.iter().any(|text| fold(text) == leaf.text)).any(|leaf| beside(at, leaf))
        })
    };
    beside(place.message, place.leaf) || given.iter().any(|text| asked.tells(&fold(text))) || led()
}

/// Whether the last words of the user say where a target of a kind stands: "the address is in her mail", 它给的报名地址.
pub(super) fn speaks_of_place(subject: &Subject<'_>, kind: Kind) -> bool {
    let Some(text) = last_words(subject) else { return false };
    let (english, chinese) = match kind {
        Kind::Email => (EMAIL, &EMAIL_ZH),
        Kind::Url => (LINK, &LINK_ZH),
        Kind::Account => (NUMBER, &NUMBER_ZH),
        Kind::Command => (COMMAND, &COMMAND_ZH),
        Kind::Name => return false,
    };
    if text.contains(is_han) {
        return chinese.is_match(&text);
    }
    let found = words(&text);
    let listed: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    listed.iter().enumerate().filter(|(_, word)| english.contains(word)).any(|(at, _)| {
        let before = listed.get(at.saturating_sub(NEAR)..at).unwrap_or_default();
        let around = listed.get(at.saturating_sub(REACH)..(at + REACH).min(listed.len())).unwrap_or_default();
        before.iter().any(|word| DEFINITE.contains(word)) && around.iter().any(|word| WHERE.contains(word))
    })
}

/// What the call that read a text was given.
fn arguments(subject: &Subject<'_>, place: &Place<'_>) -> Vec<String> {
    let written =
        |value: &Value| value.as_str().map(str::to_owned).or_else(|| value.as_number().map(ToString::to_string));
    let all = |map: &serde_json::Map<String, Value>| map.values().filter_map(written).collect();
    match place.call(subject).map(|call| &call.arguments) {
        Some(Arguments::Object(object)) => object.as_value().as_object().map(all).unwrap_or_default(),
        Some(Arguments::Text(text)) => serde_json::from_str(text).map(|map| all(&map)).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// What the user said last, folded.
pub(super) fn last_words(subject: &Subject<'_>) -> Option<String> {
    let spoken = |message: &&crate::contract::Message| message.role == Role::User && !message.text.is_empty();
    let last = subject.conversation.messages().iter().rev().find(spoken)?;
    (last.text.len() <= MAX_ASKED).then(|| fold(&last.text))
}

/// The last words of the user, as far as they name things.
struct Asked {
    text: String,
    words: Vocabulary,
}

impl Asked {
    fn of(subject: &Subject<'_>) -> Option<Self> {
        let text = last_words(subject)?;
        Some(Self { words: Vocabulary::of(&text), text })
    }

    /// Whether a short text is what the words name: it stands there, or most of its telling words do.
    fn tells(&self, text: &str) -> bool {
        let length = text.chars().count();
        if text.len() > MAX_TITLE || length < 2 || (text.is_ascii() && length < MIN_NAME) {
            return false;
        }
        let plain: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        let own = Vocabulary::of(&plain);
        let met = own.keys().filter(|key| self.words.has(*key)).count();
        // Every address has the words of its protocol.
        if kind_of(text) == Some(Kind::Url) || text.contains("://") {
            return stands_in(&self.text, text);
        }
        let person = || text.split('@').next().is_some_and(|name| text.contains('@') && self.names_person(name));
        stands_in(&self.text, text) || (met >= 2 && met * 2 >= own.count()) || person()
    }

    fn names_person(&self, name: &str) -> bool {
        name.split(|c: char| !c.is_alphabetic()).any(|part| part.len() >= MIN_NAME && stands_in(&self.text, part))
    }
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&EMAIL_ZH);
    LazyLock::force(&LINK_ZH);
    LazyLock::force(&NUMBER_ZH);
    LazyLock::force(&COMMAND_ZH);
}

const NEAR: usize = 3;
const REACH: usize = 12;
const MAX_ASKED: usize = 4000;
const MAX_TITLE: usize = 120;
const MIN_NAME: usize = 3;
const EMAIL: &[&str] = word_list!("check_call", "trust/pointing/email");
const LINK: &[&str] = word_list!("check_call", "trust/pointing/link");
const NUMBER: &[&str] = word_list!("check_call", "trust/pointing/number");
const COMMAND: &[&str] = word_list!("check_call", "trust/pointing/command");
const DEFINITE: &[&str] = word_list!("check_call", "trust/pointing/definite");
const WHERE: &[&str] = word_list!("check_call", "trust/pointing/where");
static EMAIL_ZH: LazyLock<Regex> = LazyLock::new(|| place_of("邮箱|地址|邮件地址|联系方式"));
static LINK_ZH: LazyLock<Regex> = LazyLock::new(|| place_of("链接|网址|地址|页面|入口"));
static NUMBER_ZH: LazyLock<Regex> = LazyLock::new(|| place_of("账号|账户|帐号|帐户|卡号|号码|电话|手机号"));
static COMMAND_ZH: LazyLock<Regex> = LazyLock::new(|| place_of("命令|步骤|脚本"));

/// A thing with its place before it (信里留的邮箱) or behind it (邮箱在信里).
fn place_of(things: &str) -> Regex {
    let given = "(?:里|上|中|内|给|写|留|提供|说|发来|附|标|填|列)(?:出|着|了|明)?的?";
    let text = format!(
        "{given}(?:那个|这个|新|的)?[^，。；！？,;!?]{{0,4}}(?:{things})|(?:{things})(?:就|都)?(?:在|写在|见|附在|列在)"
    );
    pattern(&text)
}
