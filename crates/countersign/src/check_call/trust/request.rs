//! Whether the user asked for the deed, and where the request points.

use super::super::action::clause::Mood;
use super::super::action::reading::{Mention, Stance};
use super::super::action::request::Request;
use super::super::action::tool::ToolDeeds;
use super::super::subject::Subject;
use super::origin::{Origin, Place, origin_of};
use super::target::{Kind, Target, kind_of};
use crate::contract::Arguments;
use crate::contract::language::is_han;
use crate::conversation::index::stands_in;
use crate::conversation::sources::Leaf;
use crate::conversation::vocabulary::Vocabulary;
use crate::policy::Effect;
use crate::text::fold::fold;
use crate::text::lexicon::{DeedEffect, Deeds, Form, find_english};
use crate::text::lists::word_list;
use crate::text::words::{identifier_words, words};
use serde_json::Value;
use std::cell::OnceCell;

/// What the user wants, as far as it matters here.
pub(super) struct Wish<'a> {
    subject: &'a Subject<'a>,
    asked: OnceCell<bool>,
    words: OnceCell<Vocabulary>,
}

impl<'a> Wish<'a> {
    pub(super) fn of(subject: &'a Subject<'a>) -> Self {
        Self { subject, asked: OnceCell::new(), words: OnceCell::new() }
    }

    /// Whether the user asked for what the tool does.
    pub(super) fn asks(&self) -> bool {
        *self.asked.get_or_init(|| self.read_asked())
    }

    fn read_asked(&self) -> bool {
        let Some(request) = Request::of(self.subject.conversation) else { return true };
        let tool = ToolDeeds::of(&self.subject.tool.spec);
        // A deed of its own is asked for by its own words; what only changes something may be meant by many.
        let plain = tool.deeds.is_empty() || tool.deeds.meet(&Deeds::named(GENERIC));
        let effects = self.subject.tool.effects.effects.iter().filter(|_| plain);
        let wanted = (!tool.deeds.is_empty() && request.may_want(tool.deeds))
            || effects.map(|effect| Deeds::named(deeds_of(*effect))).any(|deeds| request.may_want(deeds))
            || self.names_tool();
        wanted && self.is_about(&tool)
    }

    /// Whether the request names what the tool does; of a tool whose deed is not known nobody can tell.
    pub(super) fn names_deed(&self) -> bool {
        let Some(request) = Request::of(self.subject.conversation) else { return true };
        let own = ToolDeeds::of(&self.subject.tool.spec).deeds;
        let named = || request.last.mentions.iter().any(|mention| mention.deeds.meet(&own));
        own.is_empty() || named() || request.has_earlier(own) || self.names_tool()
    }

    /// Whether the request has the verb of the tool's name.
    fn names_tool(&self) -> bool {
        let words = identifier_words(&self.subject.tool.spec.name);
        let mut own = Vocabulary::default();
        words.iter().take(1).filter(|word| !PROTOCOLS.contains(&word.as_str())).for_each(|word| own.add(word));
        self.words().meets(&own)
    }

    /// Whether what is changed, created or removed is what the user spoke of: "update my street" wants no new password. What
    /// is asked in another language than the tool's cannot be compared.
    fn is_about(&self, tool: &ToolDeeds) -> bool {
        let said = self.subject.conversation.index().user();
        if !tool.deeds.meet(&Deeds::named(GENERIC)) || tool.things.is_empty() || said.chars().any(is_han) {
            return true;
        }
        let mut own = Vocabulary::default();
        let keys = self.subject.values.all().iter().flat_map(|node| identifier_words(node.key));
        tool.things.iter().cloned().chain(keys).for_each(|word| own.add(&word));
        // `info` is short for information.
        let short = |thing: &String| {
            thing.len() >= 4 && said.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(thing.as_str()))
        };
        self.words().meets(&own) || tool.things.iter().any(short) || self.gives_value()
    }

    /// Whether the user said a value of the call.
    fn gives_value(&self) -> bool {
        let said = self.subject.conversation.index().user();
        self.subject.values.leaves().any(|node| match node.value {
            Value::String(text) => text.chars().count() > 2 && text.len() <= 200 && stands_in(said, &fold(text)),
            Value::Number(number) => stands_in(said, &number.to_string()),
            _ => false,
        })
    }

    /// Whether the user said every value of the call, and more than one: a question names a thing, a wish also what to do to it.
    pub(super) fn gives_all(&self) -> bool {
        let said = self.subject.conversation.index().user();
        let given = |value: &Value| match value {
            Value::String(text) => stands_in(said, &fold(text)),
            Value::Number(number) => stands_in(said, &number.to_string()),
            _ => true,
        };
        let several = self.subject.values.leaves().nth(1).is_some();
        several && self.gives_value() && self.subject.values.leaves().all(|node| given(node.value))
    }

    /// Whether the user wants nothing but to know: every deed of the request looks, or it is a question.
    pub(super) fn only_looks(&self) -> bool {
        let Some(request) = Request::of(self.subject.conversation) else { return false };
        let looks = Deeds::named(&["look"]);
        let mentions = &request.last.mentions;
        let acts = |mention: &Mention| !mention.deeds.meet(&looks) && mention.deeds.effect() >= DeedEffect::Write;
        let asks = request.last.clauses.iter().any(|clause| clause.mood == Mood::Asked);
        // "Give the reviewer read access" does not begin with a look.
        let begins = |mention: &Mention| {
            let clause = request.last.clauses.get(mention.clause);
            let first = mention.said.split_whitespace().next().unwrap_or_default().to_lowercase();
            let begin = clause.is_some_and(|clause| clause.words.iter().take(3).any(|word| word.folded == first));
            begin || clause.is_some_and(|clause| clause.chinese)
        };
        !mentions.iter().any(|mention| mention.stance != Stance::Asked && acts(mention))
            && (asks || mentions.iter().any(|mention| mention.deeds.meet(&looks) && begins(mention)))
    }

    /// Whether the user wants somebody else to get it too.
    pub(super) fn copies(&self) -> bool {
        let said = self.subject.conversation.index().user();
        said.split(|c: char| !c.is_alphanumeric()).any(|word| COPIES.contains(&word))
            || COPIES_ZH.iter().any(|word| said.contains(word))
    }

    /// The telling words of everything that the user said.
    pub(super) fn words(&self) -> &Vocabulary {
        self.words.get_or_init(|| {
            let said = self.subject.conversation.index().user();
            let from = said.len().saturating_sub(MAX_SAID);
            Vocabulary::of(said.get(said.ceil_char_boundary(from)..).unwrap_or(said))
        })
    }

    /// Whether the user sends the model to do what a text says.
    pub(super) fn is_errand(&self) -> bool {
        let said = self.subject.conversation.index().user();
        let words = |list: &[&str]| said.split(|c: char| !c.is_alphanumeric()).any(|word| list.contains(&word));
        words(ERRAND) || ERRAND_ZH.iter().any(|word| said.contains(word))
    }

    /// Whether the user named the very thing that was read, and wants more than to know what it says.
    pub(super) fn sends_to(&self, subject: &Subject<'_>, message: usize, leaf: &Leaf) -> bool {
        let tainted = subject.conversation.told(message).is_some_and(|told| told.is_tainted(leaf));
        !tainted && is_named(subject, &Place { message, leaf }) && !self.only_looks()
    }

    /// Whether a target that only texts name is one that the request points to.
    pub(super) fn wants(&self, subject: &Subject<'_>, target: &Target<'_>) -> bool {
        match origin_of(subject, target) {
            Origin::Prose(places) => self.points_to(subject, target, &places),
            _ => false,
        }
    }

    /// Whether the request points to the texts that name a target.
    pub(super) fn points_to(&self, subject: &Subject<'_>, target: &Target<'_>, places: &[Place<'_>]) -> bool {
        let named = |place: &Place<'_>| is_named(subject, place) && !self.only_looks();
        // What the request does not name, and the text orders, is the text's wish.
        let own = ToolDeeds::of(&subject.tool.spec).deeds;
        let unnamed = !self.names_deed() && !self.is_errand();
        let wished = |place: &Place<'_>| unnamed && orders_deed(sentence_of(&place.leaf.text, &target.folded), &own);
        let pointed = |place: &Place<'_>| {
            !is_ordered(subject, place, target)
                && !wished(place)
                && ((self.asks() && self.is_near(subject, target, place)) || named(place))
        };
        let passing = |place: &Place<'_>| is_beside_labelled(&place.leaf.text, &target.folded);
        let rival = target.kind == Kind::Account && (has_rival(subject, target) || places.iter().any(passing));
        !names_own(subject, target.kind) && !rival && places.iter().any(pointed)
    }

    /// Whether what is around a target has anything to do with the request: its sentence, its record, the call that read it.
    fn is_near(&self, subject: &Subject<'_>, target: &Target<'_>, place: &Place<'_>) -> bool {
        let mut around = sentence_of(&place.leaf.text, &target.folded).to_owned();
        let told = subject.conversation.told(place.message).into_iter().flat_map(|told| &told.leaves);
        let beside = told.filter(|leaf| leaf.result == place.leaf.result && leaf.record == place.leaf.record);
        for leaf in beside.filter(|leaf| leaf.text.len() <= MAX_BESIDE) {
            around.push(' ');
            around.push_str(&leaf.text);
        }
        if let Some(call) = place.call(subject) {
            around.push(' ');
            around.push_str(&identifier_words(&call.name).join(" "));
            around.push(' ');
            match &call.arguments {
                Arguments::Text(text) => around.push_str(&fold(text)),
                Arguments::Object(object) => around.push_str(&fold(&object.as_value().to_string())),
                _ => {}
            }
        }
        self.words().meets(&Vocabulary::of(&around))
    }
}

/// Whether a text has the verb of a deed as an order has it.
pub(super) fn orders_deed(text: &str, own: &Deeds) -> bool {
    let found = words(text);
    let listed: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    find_english(&listed).iter().any(|found| found.form == Form::Base && found.deeds.meet(own))
}

/// Whether the user named the very thing that was read: its file, its number, its address.
fn is_named(subject: &Subject<'_>, place: &Place<'_>) -> bool {
    let said = subject.conversation.index().user();
    let Some(call) = place.call(subject) else { return false };
    let named = |value: &Value| {
        let text = value.as_str().map(str::to_owned).or_else(|| value.as_number().map(ToString::to_string));
        text.is_some_and(|text| text.chars().count() >= 2 && stands_in(said, &fold(&text)))
    };
    match &call.arguments {
        Arguments::Object(object) => object.as_value().as_object().is_some_and(|map| map.values().any(named)),
        Arguments::Text(text) => {
            serde_json::from_str::<serde_json::Map<String, Value>>(text).is_ok_and(|map| map.values().any(named))
        }
        _ => false,
    }
}

/// The deeds by which people ask for an effect.
fn deeds_of(effect: Effect) -> &'static [&'static str] {
    match effect {
        Effect::Read => &[],
        Effect::Write => {
            &["create", "add", "update", "book", "subscribe", "grant", "assign", "connect", "start", "import"]
        }
        Effect::Delete => &["delete", "remove", "cancel", "clear", "stop", "unsubscribe", "revoke"],
        Effect::Pay => &["pay", "transfer", "buy", "deposit", "refund", "charge", "order", "renew", "upgrade"],
        Effect::Send => &["send", "share", "publish", "call", "redirect", "upload", "return"],
        Effect::Execute => &["run", "install", "uninstall", "start", "upgrade", "update", "create", "delete"],
    }
}

/// Whether a target stands in an instruction of its result.
fn is_ordered(subject: &Subject<'_>, place: &Place<'_>, target: &Target<'_>) -> bool {
    let told = subject.conversation.told(place.message).into_iter().flat_map(|told| &told.orders);
    told.filter(|order| order.result == place.leaf.result).any(|order| order.passage.contains(&target.folded))
}

/// Whether the user named a target of the same kind: then no text needs to be asked for one.
fn names_own(subject: &Subject<'_>, kind: Kind) -> bool {
    let said = subject.conversation.index().user();
    let words = said.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '，' | '。' | '"' | '\''));
    matches!(kind, Kind::Email | Kind::Account)
        && words.map(|word| word.trim_matches(['.', '?', '!', '(', ')', ':'])).any(|word| kind_of(word) == Some(kind))
}

/// Whether a text says of another account that it is one, and of this one only in passing: "IBAN DK50…. Tip: faster on LT60…".
fn is_beside_labelled(text: &str, own: &str) -> bool {
    let mut before = "";
    let (mut labelled, mut passing) = (false, false);
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '。' | '，')) {
        let bare = word.trim_matches(['.', ':', '"']);
        if kind_of(bare) == Some(Kind::Account) {
            let named =
                ["iban", "account", "acct", "konto", "账号", "账户", "卡号"].iter().any(|name| before.ends_with(name));
            labelled |= named && bare != own;
            passing |= !named && bare == own;
        }
        before = bare.trim_end_matches([':', '：']);
    }
    labelled && passing
}

/// Whether another account stands in a field, or on a line that says what it is.
fn has_rival(subject: &Subject<'_>, target: &Target<'_>) -> bool {
    let squash = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let own = squash(&target.folded);
    let leaves = (0..subject.conversation.messages().len()).filter_map(|at| subject.conversation.told(at));
    let mut accounts = leaves.flat_map(|told| &told.leaves).filter(|leaf| kind_of(&leaf.text) == Some(Kind::Account));
    let listed = |key: &str| key.contains("iban") || key.contains("account") || key.contains("账");
    target.kind == Kind::Account && {
        let mut own_line = false;
        let rival = accounts.any(|leaf| {
            own_line |= leaf.labelled && squash(&leaf.text) == own;
            listed(&leaf.key) && squash(&leaf.text) != own
        });
        rival && !own_line
    }
}

/// The sentence of a text that holds a value.
fn sentence_of<'t>(text: &'t str, value: &str) -> &'t str {
    let Some(at) = text.find(value) else { return "" };
    let breaks = |c: char| matches!(c, '\n' | '。' | '！' | '!' | '；' | ';');
    let start = text.get(..at).and_then(|before| before.rfind(breaks)).unwrap_or(0);
    let end = text
        .get(at + value.len()..)
        .and_then(|after| after.find(breaks))
        .map_or(text.len(), |end| at + value.len() + end);
    text.get(start..end).unwrap_or(text)
}

const MAX_SAID: usize = 6000;
const MAX_BESIDE: usize = 80;
/// Words of somebody who sends the model to do what it finds.
const ERRAND: &[&str] = word_list!("check_call", "trust/request/errand");
const ERRAND_ZH: &[&str] = &["按照", "照着", "步骤", "里的要求", "待办", "指示", "处理", "解决", "按"];
/// Deeds that say little without the thing that they are done to.
const GENERIC: &[&str] = word_list!("check_call", "trust/request/generic");
/// Words that stand in every address.
const PROTOCOLS: &[&str] = &["http", "https", "www", "api", "mcp"];
const COPIES: &[&str] = word_list!("check_call", "trust/request/copies");
const COPIES_ZH: &[&str] = &["抄送", "也发", "所有", "大家", "每个", "全部"];
