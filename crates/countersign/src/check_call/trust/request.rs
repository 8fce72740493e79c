//! Whether the user asked for the deed, and where the request points.

use super::super::action::request::Request;
use super::super::request::explains;
use super::super::role::Role;
use super::super::subject::{Node, Subject};
use super::super::tool_deeds::ToolDeeds;
use super::origin::{Origin, Place, is_prose, origin_of};
use super::pointing::{is_described, is_named, speaks_of_place};
use super::target::{Kind, Target, kind_of, targets};
use crate::contract::Arguments;
use crate::contract::language::is_han;
use crate::conversation::index::stands_in;
use crate::conversation::sources::Leaf;
use crate::conversation::vocabulary::Vocabulary;
use crate::policy::Effect;
use crate::text::deeds::clause::{Clause, Mood};
use crate::text::deeds::reading::{Mention, Stance};
use crate::text::fold::fold;
use crate::text::instructions::{Sign, pattern};
use crate::text::lexicon::{DeedEffect, Deeds, Form, find_chinese, find_english};
use crate::text::lists::word_list;
use crate::text::sentences::sentences;
use crate::text::words::{identifier_words, words};
use regex::Regex;
use serde_json::Value;
use std::cell::OnceCell;
use std::sync::LazyLock;

/// What the user wants, as far as it matters here.
pub(super) struct Wish<'a> {
    subject: &'a Subject<'a>,
    asked: OnceCell<bool>,
    request: OnceCell<Option<Request<'a>>>,
}

impl<'a> Wish<'a> {
    pub(super) fn of(subject: &'a Subject<'a>) -> Self {
        Self { subject, asked: OnceCell::new(), request: OnceCell::new() }
    }

    /// What the user asked for, read once.
    fn request(&self) -> Option<&Request<'a>> {
        self.request.get_or_init(|| Request::of(self.subject.conversation)).as_ref()
    }

    /// Whether the user asked for what the tool does.
    pub(super) fn asks(&self) -> bool {
        *self.asked.get_or_init(|| self.read_asked())
    }

    fn read_asked(&self) -> bool {
        let Some(request) = self.request() else { return true };
        let tool = self.subject.tool.spec.deeds();
        let own = own_deeds(self.subject, tool);
        // A statement that changes something is asked for by what it does, and not by whatever asks a database.
        let stated = query_deeds(self.subject);
        if !stated.is_empty() {
            let any = Deeds::named(deeds_of(Effect::Write)).join(&Deeds::named(deeds_of(Effect::Delete)));
            return wants(request, stated) || wants(request, any);
        }
        // "Turn off the light" asks for `on: false`, whatever the tool is called.
        let chosen = chosen_deeds(self.subject);
        if !chosen.is_empty() && wants(request, chosen) {
            return true;
        }
        // A ticket that is created is opened.
        let own = if own.meet(&Deeds::named(&["create"])) { own.join(&Deeds::named(&["open"])) } else { own };
        // A deed of its own is asked for by its own words; what only changes something may be meant by many.
        let plain = tool.deeds.is_empty() || tool.deeds.meet(&Deeds::named(GENERIC));
        let effects = self.subject.tool.effects.effects.iter().filter(|_| plain);
        let wanted = (!own.is_empty() && wants(request, own))
            || effects.map(|effect| Deeds::named(deeds_of(*effect))).any(|deeds| wants(request, deeds))
            || self.names_tool();
        // Whoever wants something paid speaks of money, whatever it is for.
        let pays = own.meet(&Deeds::named(&["pay"])) && wants(request, Deeds::named(&["pay", "transfer"]));
        wanted && (pays || self.is_about(tool))
    }

    /// Whether the user wants something changed: then its field holds the old value.
    pub(super) fn wants_change(&self) -> bool {
        self.request().is_some_and(|request| wants(request, Deeds::named(&["update"])))
    }

    /// Whether the user spoke of what the tool keeps: "leave a note" and `add_note`.
    pub(super) fn speaks_of_kept(&self) -> bool {
        let mut own = Vocabulary::default();
        self.subject.tool.spec.deeds().things.iter().for_each(|word| own.add(word));
        self.words().meets(&own)
    }

    /// Whether a text orders what the tool does.
    pub(super) fn is_ordered_by(&self, text: &str) -> bool {
        orders_deed(text, &own_deeds(self.subject, self.subject.tool.spec.deeds()))
    }

    /// Whether the request names what the tool does; of a tool whose deed is not known nobody can tell.
    pub(super) fn names_deed(&self) -> bool {
        self.names(own_deeds(self.subject, self.subject.tool.spec.deeds()))
    }

    fn names(&self, own: Deeds) -> bool {
        let Some(request) = self.request() else { return true };
        let named = || request.last.mentions.iter().any(|mention| mention.deeds.meet(&own));
        own.is_empty() || named() || request.has_earlier(own) || self.names_tool()
    }

    /// Whether the last words want something in words that nobody reads as a deed, and speak of what the tool keeps.
    pub(super) fn may_mean(&self) -> bool {
        let Some(request) = self.request() else { return true };
        let tool = self.subject.tool.spec.deeds();
        // Words for a thing at hand reach nobody else: "say thank you under the comments" and `reply_comment`.
        let speaks = || tool.deeds.meet(&Deeds::named(&["send"])) && targets(self.subject).is_empty();
        if !tool.deeds.meet(&Deeds::named(&["create", "add", "update"])) && !speaks() {
            return false;
        }
        let acts = |mention: &&Mention| !mention.deeds.acts().is_empty();
        let read = |at: usize| request.last.mentions.iter().filter(acts).any(|mention| mention.clause == at);
        let unread = |(at, _): &(usize, &Clause)| !read(*at);
        let told = request.last.clauses.iter().enumerate().filter(unread);
        let told = told.filter(|(_, clause)| matches!(clause.mood, Mood::Told | Mood::Conditional));
        let own = self.kept(tool);
        told.map(|(_, clause)| Vocabulary::of(&clause.text)).any(|words| words.meets(&own))
    }

    /// The words for what a tool changes: those of its name, and of its description without its deeds.
    pub(super) fn kept(&self, tool: &ToolDeeds) -> Vocabulary {
        let mut own = Vocabulary::default();
        tool.things.iter().for_each(|word| own.add(word));
        let described = words(&fold(first_words(&self.subject.tool.spec.description)));
        let deed = |word: &str| !find_english(&[word]).is_empty();
        described.iter().filter(|word| !deed(&word.folded)).for_each(|word| own.add(&word.folded));
        own
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
        let mut own = self.kept(tool);
        let keys = self.subject.values.all().iter().flat_map(|node| identifier_words(node.key));
        keys.for_each(|word| own.add(&word));
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
        let told = |node: &Node<'_>| given(node.value) || explains(self.subject, node);
        several && self.gives_value() && self.subject.values.leaves().all(told)
    }

    /// Whether the user wants nothing but to know: every deed of the request looks, or it is a question.
    pub(super) fn only_looks(&self) -> bool {
        let Some(request) = self.request().filter(|_| !self.carries_out()) else {
            return false;
        };
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
        let index = self.subject.conversation.index();
        let said = index.user();
        COPIES.iter().any(|word| index.has_user_word(word)) || COPIES_ZH.iter().any(|word| said.contains(word))
    }

    /// The telling words of everything that the user said.
    pub(super) fn words(&self) -> &Vocabulary {
        self.subject.conversation.index().user_words()
    }

    /// Whether the user sends the model to do what a text says. "What requests are there?" only looks at them.
    pub(super) fn is_errand(&self) -> bool {
        let said = self.subject.conversation.index().user();
        let words = |list: &[&str]| list.iter().any(|word| self.subject.conversation.index().has_user_word(word));
        self.carries_out()
            || words(ERRAND_DEEDS)
            || (words(ERRAND) && !self.only_looks())
            || !said.is_ascii() && ERRAND_ZH.iter().any(|word| said.contains(word))
    }

    /// Whether the last words want done what is found: "look what the log recommends and do that", 照她写的设上.
    fn carries_out(&self) -> bool {
        let Some(request) = self.request() else { return false };
        request.last.clauses.iter().filter(|clause| clause.mood == Mood::Told).any(|clause| {
            if clause.chinese {
                return FOLLOWS_ZH.is_match(&clause.text);
            }
            let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
            let does = |at: usize| {
                let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
                let object = words.get(at + 1).is_some_and(|word| FOUND.contains(word));
                words.get(at) == Some(&"do") && object && !UNDONE.contains(&before)
            };
            (0..words.len()).any(does)
        })
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
        let own = own_deeds(subject, subject.tool.spec.deeds());
        let (unnamed, unsaid) = (!self.is_errand() && !self.names_deed(), !self.is_errand() && !self.names(own));
        let wished = |place: &Place<'_>| {
            let sentence = sentence_of(&place.leaf.text, &target.folded);
            let apart = || !self.words().meets(&Vocabulary::of(sentence));
            unsaid && orders_deed(sentence, &own) && (unnamed || apart())
        };
        let pointed = |place: &Place<'_>| {
            !is_ordered(subject, place, target)
                && !wished(place)
                && ((self.asks() && self.is_near(subject, target, place))
                    || named(place)
                    || self.sends_there(subject, place, target))
        };
        let passing = |place: &Place<'_>| is_beside_labelled(&place.leaf.text, &target.folded);
        let noted = || places.iter().all(|place| is_note(subject, place)) && !speaks_of_place(subject, target.kind);
        let pays = subject.tool.effects.effects.contains(&Effect::Pay);
        let rival = match target.kind {
            Kind::Account => has_rival(subject, target) || places.iter().any(passing) || (pays && noted()),
            Kind::Email => {
                has_known_address(subject, target) && !speaks_of_place(subject, target.kind) || pays && noted()
            }
            _ => false,
        };
        !names_own(subject, target.kind) && !rival && places.iter().any(pointed)
    }

    /// Whether the user says where the target stands ("the address is at the end of the memo"), or sends the model to carry out
    /// what a record holds, by its title or by who wrote it.
    fn sends_there(&self, subject: &Subject<'_>, place: &Place<'_>, target: &Target<'_>) -> bool {
        let errand = || self.is_errand() && is_described(subject, place);
        !self.only_looks() && (speaks_of_place(subject, target.kind) || errand())
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

/// Whether a text has the verb of a deed as an order has it. A Chinese verb has one form.
pub(super) fn orders_deed(text: &str, own: &Deeds) -> bool {
    if text.chars().any(is_han) && find_chinese(text).iter().any(|found| found.deeds.meet(own)) {
        return true;
    }
    let found = words(text);
    let listed: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    find_english(&listed).iter().any(|found| found.form == Form::Base && found.deeds.meet(own))
}

/// The deeds of a tool, with those that the nouns of its name tell of: `create_transfer` transfers. Whatever moves money out pays.
fn own_deeds(subject: &Subject<'_>, tool: &ToolDeeds) -> Deeds {
    let carries = tool.deeds.is_empty() || tool.deeds.meet(&Deeds::named(CARRIERS));
    let things: Vec<&str> = tool.things.iter().filter(|_| carries).map(String::as_str).collect();
    let own = find_english(&things).iter().fold(tool.deeds, |own, found| own.join(&found.deeds.acts()));
    let pays = Deeds::named(&["pay", "transfer"]);
    let other = Deeds::named(&["refund", "charge", "withdraw", "deposit", "buy", "sell"]);
    // `send_money` pays.
    let gives = own.meet(&pays) || own.meet(&Deeds::named(&["send"]));
    let moves = gives && subject.tool.effects.effects.contains(&Effect::Pay) && !own.meet(&other);
    let own = if moves { own.join(&pays) } else { own };
    own.join(&chosen_deeds(subject))
}

/// The deeds that the choices of a call name: `action: "close"`, `on: false`.
fn chosen_deeds(subject: &Subject<'_>) -> Deeds {
    let named = subject.values.leaves().filter_map(|node| match node.value {
        Value::String(text) if text.len() <= MAX_CHOICE => Some(fold(text)),
        Value::Bool(_) if identifier_words(node.key).iter().any(|word| SWITCHES.contains(&word.as_str())) => {
            Some("switch on".to_owned())
        }
        _ => None,
    });
    let read = |text: String| {
        let found = find_english(&identifier_words(&text).iter().map(String::as_str).collect::<Vec<_>>());
        let own = found.iter().filter(|found| found.form == Form::Base && found.range.start == 0);
        own.fold(Deeds::default(), |all, found| all.join(&found.deeds.acts()))
    };
    let all = named.map(read).fold(Deeds::default(), |all, deeds| all.join(&deeds));
    all.join(&all.opposites())
}

/// What the statements of a call do to a database; nothing where they only read.
pub(super) fn query_deeds(subject: &Subject<'_>) -> Deeds {
    let statements =
        subject.values.leaves().filter(|node| node.roles.has(Role::Sql)).filter_map(|node| node.value.as_str());
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let read = |text: &str| match first(text).as_str() {
        "insert" => Deeds::named(&["create", "add"]),
        "update" | "alter" | "merge" | "replace" => Deeds::named(&["update"]),
        "delete" | "drop" | "truncate" => Deeds::named(&["delete", "remove", "clear"]),
        "create" => Deeds::named(&["create"]),
        "grant" => Deeds::named(&["grant", "permit"]),
        "revoke" => Deeds::named(&["revoke"]),
        _ => Deeds::default(),
    };
    statements.flat_map(|text| text.split(';')).fold(Deeds::default(), |all, text| all.join(&read(text)))
}

/// Whether a deed is wanted, also where the wish waits for something: what comes of it is the model's to see.
fn wants(request: &Request<'_>, deeds: Deeds) -> bool {
    let waits = |mention: &Mention| mention.stance == Stance::Conditional;
    request.may_want(deeds) || request.last.of_deeds(deeds).any(waits)
}

/// The first sentence of a description, where it is short.
fn first_words(description: &str) -> &str {
    let first = sentences(description).into_iter().next().and_then(|range| description.get(range)).unwrap_or_default();
    if first.len() <= MAX_BESIDE { first } else { "" }
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

/// Whether a text is only a remark in a record with values of its own: where money goes is no remark.
fn is_note(subject: &Subject<'_>, place: &Place<'_>) -> bool {
    let told = subject.conversation.told(place.message).into_iter().flat_map(|told| &told.leaves);
    let values = told.filter(|leaf| {
        leaf.result == place.leaf.result
            && leaf.record == place.leaf.record
            && !leaf.labelled
            && leaf.key != place.leaf.key
            && leaf.text.len() <= MAX_BESIDE
    });
    !place.leaf.key.is_empty() && is_prose(&place.leaf.text) && values.count() >= NOTED_VALUES
}

/// Whether a target stands in an instruction of its result.
fn is_ordered(subject: &Subject<'_>, place: &Place<'_>, target: &Target<'_>) -> bool {
    let told = subject.conversation.told(place.message).into_iter().flat_map(|told| &told.orders);
    let plain = told.filter(|order| order.result == place.leaf.result && order.sign == Sign::Plain);
    plain.into_iter().any(|order| order.passage.contains(&target.folded))
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

/// Whether somebody whom the user named has another address in a record of the people one knows: a card, not a message.
fn has_known_address(subject: &Subject<'_>, target: &Target<'_>) -> bool {
    let said = subject.conversation.index().user();
    let told: Vec<_> =
        (0..subject.conversation.messages().len()).filter_map(|at| subject.conversation.told(at)).collect();
    let fields = || told.iter().flat_map(|told| told.leaves.iter().map(move |leaf| (told, leaf)));
    let mut known = fields().filter(|(told, leaf)| {
        kind_of(&leaf.text) == Some(Kind::Email)
            && !leaf.labelled
            && leaf.text != target.folded
            && !told.is_tainted(leaf)
    });
    known.any(|(told, address)| {
        let beside = told.leaves.iter().filter(|leaf| leaf.result == address.result && leaf.record == address.record);
        let card = beside.clone().all(|leaf| leaf.text.len() <= MAX_BESIDE);
        let is_name = |leaf: &Leaf| leaf.text.contains(' ') || leaf.text.contains(is_han);
        card && beside.clone().any(|leaf| is_name(leaf) && stands_in(said, &leaf.text))
    })
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&FOLLOWS_ZH);
}

/// A choice is one word or two.
const MAX_CHOICE: usize = 16;
/// What a switch is called.
const SWITCHES: &[&str] = &["on", "off", "power", "enabled", "active", "powered"];
const MAX_BESIDE: usize = 80;
/// So many other values make a record of it.
const NOTED_VALUES: usize = 2;
/// Words of somebody who sends the model to do what it finds.
const ERRAND: &[&str] = word_list!("check_call", "trust/request/errand");
/// What is done to things that are found.
const ERRAND_DEEDS: &[&str] = word_list!("check_call", "trust/request/errand-deeds");
/// What "do" has behind it where it means what was found.
const FOUND: &[&str] = &["that", "it", "so", "what", "whatever", "as", "this", "these", "those", "exactly"];
const UNDONE: &[&str] = &["not", "you", "i", "we", "they", "he", "she", "never", "to"];
/// 照他写的做, 照着办.
static FOLLOWS_ZH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[^护执拍关对])(?:照|按|按照|依照|根据)(?:着|[^，。；片相明顾常]{1,8}?(?:写|说|列|讲|要求|建议|安排|定|推荐|给|提示)[^，。；]{0,4})[^，。；]{0,6}(?:做|办|设|开|关|改|订|发|跑|执行|处理|来|弄|调|装)",
    )
});
const ERRAND_ZH: &[&str] = &["按照", "照着", "步骤", "里的要求", "待办", "指示", "处理", "解决", "按"];
/// Deeds that say little without the thing that they are done to.
const GENERIC: &[&str] = word_list!("check_call", "trust/request/generic");
/// Deeds that only carry the one that the noun tells: `submit_payment`.
const CARRIERS: &[&str] = &["create", "add", "start", "send", "order"];
/// Words that stand in every address.
const PROTOCOLS: &[&str] = &["http", "https", "www", "api", "mcp"];
const COPIES: &[&str] = word_list!("check_call", "trust/request/copies");
const COPIES_ZH: &[&str] = &["抄送", "也发", "所有", "大家", "每个", "全部"];
