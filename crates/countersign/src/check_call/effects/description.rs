//! What a description says that the tool itself does.
//!
//! Only the main verbs count, those of which the tool is the doer: "Deletes everything", "Fetches mail and removes it from
//! the server". What is denied ("does not delete anything"), past ("returns deleted items") or somebody else's ("messages
//! you send") is nothing that the tool does.

use super::lexicon::{Form, RECORDS, Verb, chinese, inflected};
use crate::contract::language::is_han;
use crate::policy::Effect;
use crate::text::lists::word_list;
use crate::text::sentences::sentences;
use crate::text::words::{Word, words};

/// The effects that a description tells of, those of its main verbs.
pub(crate) fn effects(description: &str) -> Vec<Effect> {
    let end = description.floor_char_boundary(MAX_READ);
    let text = description.get(..end).unwrap_or(description);
    let mut found = Vec::new();
    for (at, range) in sentences(text).into_iter().take(MAX_SENTENCES).enumerate() {
        let sentence = text.get(range).unwrap_or_default();
        if sentence.contains(is_han) {
            found.extend(in_chinese(sentence));
        } else {
            let place = if at == 0 { Position::First } else { Position::Later };
            found.extend(Sentence { words: words(sentence), text: sentence }.effects(place));
        }
    }
    found
}

/// Where a sentence is. Later ones often tell the model what to do: "Send the result to the user."
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    First,
    Later,
}

struct Sentence<'a> {
    words: Vec<Word>,
    text: &'a str,
}

impl Sentence<'_> {
    fn effects(&self, place: Position) -> Vec<Effect> {
        let at = self.words.iter().position(|word| !leads(&word.folded)).unwrap_or(self.words.len());
        let lead = self.words.get(..at).unwrap_or_default();
        // "To delete memories, give an empty text" tells how, not what.
        let how = self.word(0) == Some("to");
        if how || lead.iter().any(|word| denies(&word.folded)) || self.word(at).is_some_and(denies) {
            return Vec::new();
        }
        let gerunds = lead.iter().any(|word| ["for", "by"].contains(&word.folded.as_str()));
        let main = self.word(at).and_then(inflected).filter(|verb| verb.form != Form::Gerund || gerunds);
        let imperative = main.is_some_and(|verb| verb.form == Form::Base);
        if place == Position::Later && imperative && lead.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        // "Preview of an e-mail", "Status of a payment": what is given back, without a verb.
        if self.word(at).is_some_and(|word| RECORDS.contains(&word)) && self.word(at + 1) == Some("of") {
            found.push(Effect::Read);
        }
        if let Some(verb) = main.filter(|verb| self.is_deed(at, *verb)) {
            found.extend(self.deeds(at, verb.effect));
        } else if self.word(at).is_some_and(handles) && self.is_paid(at) {
            found.push(Effect::Pay);
        }
        // "a property to rent or buy": after a "to" a base form belongs to it.
        let purpose = (at + 1..self.words.len()).find(|at| self.word(*at) == Some("to")).unwrap_or(usize::MAX);
        for joined in self.join_clauses(at) {
            let verb = self.word(joined).and_then(inflected);
            let fits =
                |verb: &Verb| verb.form == Form::Third || (imperative && verb.form == Form::Base && joined < purpose);
            if let Some(verb) = verb.filter(fits).filter(|verb| self.is_deed(joined, *verb)) {
                found.extend(self.deeds(joined, verb.effect));
            }
        }
        found
    }

    fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(|word| word.folded.as_str())
    }

    /// The places after an "and" or a "then", as long as the tool is still the doer.
    fn join_clauses(&self, from: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for at in from + 1..self.words.len() {
            let Some(word) = self.word(at) else { break };
            if turns(word) || denies(word) {
                break;
            }
            let list = at.checked_sub(1).and_then(|before| self.words.get(before)).is_some_and(|before| {
                let gap = self.words.get(at).and_then(|here| self.text.get(before.range.end..here.range.start));
                gap.is_some_and(|gap| gap.contains([',', ';', '/', '&']))
            });
            if ["and", "then", "or", "also"].contains(&word) {
                found.push(self.past_adverbs(at + 1));
            } else if list {
                found.push(self.past_adverbs(at));
            }
        }
        found
    }

    fn past_adverbs(&self, mut at: usize) -> usize {
        while self
            .word(at)
            .is_some_and(|word| word.ends_with("ly") && word != "reply" || ["then", "also"].contains(&word))
        {
            at += 1;
        }
        at
    }

    /// Whether a verb is a deed in its place: a word that is a thing too must have an object after it.
    fn is_deed(&self, at: usize, verb: Verb) -> bool {
        let Some(next) = self.word(at + 1) else { return !verb.thing };
        // A request that is sent reads; a chat that is transferred costs nothing.
        let request = verb.effect == Effect::Send && self.near(at, REQUESTS);
        let free = verb.effect == Effect::Pay && self.word(at).is_some_and(moves) && !self.has_money();
        if RECORDS.contains(&next) || request || free {
            return false;
        }
        !verb.thing || verb.effect == Effect::Read || DETERMINERS.contains(&next) || MONEY.contains(&next)
    }

    /// What a verb does with its object: money that is sent is paid.
    fn deeds(&self, at: usize, effect: Effect) -> Vec<Effect> {
        let moves = matches!(effect, Effect::Send | Effect::Write | Effect::Execute);
        let handled = || effect != Effect::Send && self.word(at).is_some_and(handles) && self.is_paid(at);
        let paid = moves && (self.near(at, MONEY) || handled());
        paid.then_some(Effect::Pay).into_iter().chain([effect]).collect()
    }

    /// Whether the object of the verb here is paid for.
    fn is_paid(&self, at: usize) -> bool {
        self.near(at, PAID) || (self.near(at, &["transfer", "transfers"]) && self.has_money())
    }

    fn has_money(&self) -> bool {
        let money = |word: &str| {
            MONEY.contains(&word) || ["bank", "wire", "account", "accounts", "amount", "payment"].contains(&word)
        };
        self.words.iter().any(|word| money(&word.folded))
    }

    /// Whether one of some words is the object of the verb here.
    fn near(&self, at: usize, objects: &[&str]) -> bool {
        let object = (at + 1..at + 6).map_while(|at| self.word(at)).take_while(|word| !turns(word) && *word != "to");
        let mut last = None;
        for word in object {
            if objects.contains(&word) {
                last = Some(word);
            } else if last.is_some() && RECORDS.contains(&word) {
                // "the payment status"
                return false;
            }
        }
        last.is_some()
    }
}

/// Words before the main verb: who does it, and that it can be done.
fn leads(word: &str) -> bool {
    LEAD.contains(&word) || (word.ends_with("ly") && word != "reply")
}

fn denies(word: &str) -> bool {
    ["not", "never", "cannot", "without", "no", "nor"].contains(&word) || word.ends_with("n't") || word.ends_with("n’t")
}

/// Words after which somebody else is the doer.
fn turns(word: &str) -> bool {
    TURNS.contains(&word)
}

/// Verbs that carry out what their object names: "processes a payment".
fn handles(word: &str) -> bool {
    let base = word.strip_suffix("es").unwrap_or(word);
    let short = word.strip_suffix('s').unwrap_or(word);
    [word, base, short].iter().any(|word| HANDLES.contains(word))
}

/// Verbs of which only the object says whether money moves.
fn moves(word: &str) -> bool {
    word.starts_with("transfer") || word.starts_with("wire")
}

/// The effects that a Chinese sentence tells of.
fn in_chinese(sentence: &str) -> Vec<Effect> {
    let mut found = Vec::new();
    let mut joint = "";
    let mut rest = sentence;
    loop {
        let next = JOINTS
            .iter()
            .filter_map(|mark| rest.find(mark).map(|at| (at, *mark)))
            .min_by_key(|(at, mark)| (*at, usize::MAX - mark.len()));
        let clause = next.and_then(|(at, _)| rest.get(..at)).unwrap_or(rest);
        found.extend(clause_effect(clause, joint));
        let Some((at, mark)) = next else { return found };
        joint = mark;
        rest = rest.get(at + mark.len()..).unwrap_or_default();
    }
}

fn clause_effect(clause: &str, joint: &str) -> Option<Effect> {
    let mut text = clause.trim_matches(|c: char| c.is_whitespace() || "：:「」“”【】".contains(c));
    while let Some(rest) = LEAD_ZH.iter().find_map(|lead| text.strip_prefix(lead)) {
        text = rest.trim_start();
    }
    let (verb, rest) = chinese(text)?;
    let record = NOUNS_ZH.iter().any(|noun| rest.starts_with(noun));
    // "订单和退款" names two things; "并退款" is done.
    let listed = ["和", "、", "或", "及", "以及", "与"].contains(&joint);
    let noun = record || (listed && (verb.thing || rest.is_empty()));
    (!noun).then_some(verb.effect)
}

const LEAD: &[&str] = word_list!("check_call", "effects/description/lead");
const TURNS: &[&str] = word_list!("check_call", "effects/description/turns");
const DETERMINERS: &[&str] = word_list!("check_call", "effects/description/determiners");
const MONEY: &[&str] = &["money", "funds", "fund", "cash", "dollars", "euros", "bitcoin", "crypto", "usd"];
/// What is paid where somebody carries it out.
const PAID: &[&str] = &["payment", "payments", "purchase", "refund", "refunds", "donation", "order", "orders", "trade"];
/// What is sent to a machine.
const REQUESTS: &[&str] =
    &["request", "requests", "query", "queries", "command", "commands", "signal", "ping", "packet"];
const HANDLES: &[&str] = &["make", "process", "issue", "initiate", "place", "submit", "execute", "perform", "complete"];

const JOINTS: &[&str] = word_list!("check_call", "effects/description/joints");
const LEAD_ZH: &[&str] = word_list!("check_call", "effects/description/lead-zh");
const NOUNS_ZH: &[&str] = word_list!("check_call", "effects/description/nouns-zh");
const MAX_READ: usize = 1_500;
const MAX_SENTENCES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn acts(description: &str) -> Vec<Effect> {
        let mut found = effects(description);
        found.retain(|effect| matches!(effect, Effect::Delete | Effect::Pay | Effect::Send));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn what_the_tool_does_is_told() {
        // CALL-6, MEANING-4
        for (description, effect) in [
            ("Deletes everything", Effect::Delete),
            ("This tool permanently deletes a record.", Effect::Delete),
            ("Fetches all messages and then deletes them from the server.", Effect::Delete),
            ("Use this tool to remove a user.", Effect::Delete),
            ("Read, update and delete records", Effect::Delete),
            ("Obliterates the account and erases all of its data.", Effect::Delete),
            ("Gets the inbox. Deletes each message after reading.", Effect::Delete),
            ("Tool for deleting files", Effect::Delete),
            ("Sends an e-mail", Effect::Send),
            ("Create an event and send the invitations", Effect::Send),
            ("Email the customer", Effect::Send),
            ("Posts a message to a channel", Effect::Send),
            ("Transfer funds between accounts", Effect::Pay),
            ("Processes a payment", Effect::Pay),
            ("Moves money to another account", Effect::Pay),
            ("Place an order for a product", Effect::Pay),
            ("Initiates a bank transfer", Effect::Pay),
            ("Transfers an amount to another account", Effect::Pay),
            ("删除指定的文件", Effect::Delete),
            ("该工具用于永久删除用户数据", Effect::Delete),
            ("查询记录并删除", Effect::Delete),
            ("获取邮件内容，然后将其删除", Effect::Delete),
            ("向用户发送通知", Effect::Send),
            ("发送邮件给客户", Effect::Send),
            ("可以转账给他人", Effect::Pay),
        ] {
            assert!(acts(description).contains(&effect), "{description}: {:?}", acts(description));
        }
    }

    #[test]
    fn what_is_denied_past_or_anothers_is_not() {
        // CALL-6, MEANING-4
        for description in [
            "Does not delete anything",
            "This tool never sends e-mail.",
            "Returns deleted items",
            "List payments",
            "Get the send status",
            "Preview of an e-mail",
            "Lists the messages you send and delete",
            "Get order and refund status",
            "Send status of a message",
            "Email address validator",
            "Transfer history of an account",
            "Search contacts. Send the result to the user.",
            "Reads a file without deleting it",
            "Shows how to cancel an order",
            "Checks whether a user can delete and send",
            "Get the payment details and the shipping address",
            "List emails, messages and posts of a user",
            "Retrieves records that were removed",
            "Orders placed by the customer",
            "Returns the order status. Does not cancel or refund it.",
            "查询已删除的文件",
            "获取支付状态",
            "查询订单和退款记录",
            "不会删除任何数据",
            "返回发送记录列表",
            "查看转账和充值限额",
            "预览邮件内容",
            "支付状态查询",
            "Sends an HTTP GET request to the specified URL",
            "Transfers the chat to a human agent",
            "Search for a property to rent or buy",
            "To delete memories, provide an empty string.",
        ] {
            assert_eq!(acts(description), [], "{description}");
        }
    }
}
