//! What was asked comes back: an argument and the field of the same name agree.
//!
//! Only fields that name what the call is about are compared. Two values agree also where one holds the other,
//! where they differ in case and marks, or where they are written in different scripts.

use super::places;
use crate::check_call::effects::by_name;
use crate::check_result::fields::{Entry, Object, number};
use crate::check_result::format::brief;
use crate::check_result::moment::Moment;
use crate::check_result::subject::Subject;
use crate::contract::codes::result as codes;
use crate::contract::language::is_han;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::policy::Effect;
use crate::text::lists::word_list;
use crate::text::words::{identifier_words, terms};
use serde_json::Value;

/// Every argument against the fields that echo it.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, asked) in subject.arguments.iter().take(100) {
        found.extend(check_choice(subject, key, asked));
        let words = identifier_words(key);
        let name = words.join("_");
        if matches!(name.as_str(), "title" | "name") {
            found.extend(other_name(subject, &name, asked));
        }
        // `order` is how something is sorted, or the number of one.
        let numbered = name == "order" && asked.as_str().is_some_and(is_code);
        if (IGNORED.contains(&name.as_str()) && !numbered) || words.iter().any(|word| BOUNDING.contains(&word.as_str()))
        {
            continue;
        }
        if bounds_search(subject, &words, asked) {
            continue;
        }
        found.extend(check_echo(subject, key, &words, asked));
    }
    found.extend(other_query(subject));
    found
}

/// A date that only says where a search begins or ends: what is found lies between.
fn bounds_search(subject: &Subject, words: &[String], asked: &Value) -> bool {
    let ends = words.iter().any(|word| matches!(word.as_str(), "start" | "end" | "from" | "to" | "begin"));
    ends && by_name(&subject.call.name) == Some(Effect::Read) && Moment::of(asked).is_some()
}

/// The first field that echoes an argument otherwise. In a list one other id is wrong; of other values, which may
/// be those of a neighbourhood or of the following days, all must differ.
fn check_echo(subject: &Subject, key: &str, words: &[String], asked: &Value) -> Option<Finding> {
    let answers = subject.parts.objects.iter().filter(|object| is_answer(subject, object));
    let echoes: Vec<_> = answers
        .filter_map(|object| Some((object, echo_of(subject, object, words).or_else(|| code_of(object, words, asked))?)))
        .collect();
    let wrong: Vec<_> = echoes.iter().filter(|(_, entry)| !agrees(words, asked, entry.value)).collect();
    let looks = identifier_words(&subject.call.name)
        .first()
        .is_some_and(|verb| verb == "list" || LOOKS.contains(&verb.as_str()));
    let is_id = looks && words.last().is_some_and(|word| is_id_word(word));
    let listed = |pair: &&&(&Object, &Entry)| pair.0.listed > 0;
    let outer = wrong.iter().find(|pair| pair.0.listed == 0);
    let all = echoes.iter().all(|(object, entry)| object.listed == 0 || !agrees(words, asked, entry.value));
    let (object, entry) = outer.or_else(|| wrong.iter().find(listed).filter(|_| is_id || all))?;
    // A name that was resolved to a code stands beside it.
    let coded = |value: &Value| value.as_str().is_some_and(is_code);
    let resolved = coded(entry.value) != coded(asked) && object.entries.iter().any(|other| other.value == asked);
    (!resolved).then(|| differs(subject, object, entry, key, asked))
}

/// A thing that was looked up by its name or title and comes back under a wholly different one.
fn other_name(subject: &Subject, name: &str, asked: &Value) -> Option<Finding> {
    let looks = identifier_words(&subject.call.name).first().is_some_and(|verb| LOOKS.contains(&verb.as_str()));
    let object = subject.parts.objects.first().filter(|object| object.depth == 0 && looks)?;
    let entry = object.find(&[name])?;
    let (own, seen) = (asked.as_str()?, entry.value.as_str()?);
    // A nickname is short; a name is compared where it can be told from one.
    let long = own.chars().count() >= if own.is_ascii() { 5 } else { 2 };
    // Another field may have the name that was asked for: an alias, a former name.
    let also = |value: &Value| value == asked || value.as_array().is_some_and(|list| list.contains(asked));
    let alias = object.entries.iter().any(|entry| also(entry.value));
    (long && !alias && !similar(own, seen)).then(|| differs(subject, object, entry, name, asked))
}

/// A query that comes back as another one, without a common word.
fn other_query(subject: &Subject) -> Option<Finding> {
    let (key, asked) = ["query", "q"].iter().find_map(|key| Some((*key, subject.arguments.get(*key)?)))?;
    let object = subject.parts.objects.first().filter(|object| object.depth == 0)?;
    let entry = object.find(&["query", "q", "search_query"])?;
    let (own, seen) = (terms(asked.as_str()?), terms(entry.value.as_str()?));
    let strange = own.len() >= 2 && seen.len() >= 2 && !own.iter().any(|term| seen.contains(term));
    let same = Language::of(asked.as_str()?) == Language::of(entry.value.as_str()?);
    (strange && same).then(|| differs(subject, object, entry, key, asked))
}

/// Whether an object is the answer itself or an item of its list, and not something deep inside.
fn is_answer(subject: &Subject, object: &Object) -> bool {
    object.depth == 0
        || (object.depth == 1 && (WRAPPERS.contains(&object.key) || names_thing(subject, object.key)))
        || (object.listed == 1 && object.depth <= 2)
}

/// Whether a key is the thing that the tool is about: `shipment` of `track_shipment`.
fn names_thing(subject: &Subject, key: &str) -> bool {
    let tool = identifier_words(&subject.call.name);
    tool.iter().any(|word| word == key || word.strip_suffix('s') == Some(key))
}

/// The entry that echoes an argument.
fn echo_of<'a>(subject: &Subject, object: &'a Object<'a>, words: &[String]) -> Option<&'a Entry<'a>> {
    let same = object.entries.iter().find(|entry| entry.words == *words && !is_list(entry.value));
    if same.is_some() {
        return same;
    }
    if object.listed > 0 {
        return None;
    }
    let name = words.join("_");
    let mut aliases = ALIASES.iter().filter(|group| group.contains(&name.as_str())).peekable();
    if aliases.peek().is_some() {
        return aliases.find_map(|group| object.find(group)).filter(|entry| !is_list(entry.value));
    }
    // `order_id` of `get_order` comes back as `id`, and `id` as `order_id`.
    let tool = identifier_words(&subject.call.name);
    let about = |noun: &String| tool.iter().any(|word| word == noun || word.strip_suffix('s') == Some(noun));
    // In `account`, `id` is the id of an account.
    let inside = |noun: &str| object.depth == 0 || object.key == noun || CARRIERS.contains(&object.key);
    match words {
        [noun, id] if is_id_word(id) && about(noun) && inside(noun) => object.find(&[id, "id"]),
        [id] if is_id_word(id) => object.entries.iter().find(|entry| match entry.words.as_slice() {
            [noun, own] => own == id && about(noun),
            _ => false,
        }),
        _ => None,
    }
}

/// `order` comes back as `order_no`: a code of the same form under the same noun.
fn code_of<'a>(object: &'a Object<'a>, words: &[String], asked: &Value) -> Option<&'a Entry<'a>> {
    let noun = |words: &[String]| words.iter().filter(|word| !is_id_word(word)).cloned().collect::<Vec<_>>();
    let (own, asked) = (noun(words), asked.as_str().filter(|asked| is_code(asked))?);
    let same = |entry: &&Entry| {
        let alike = entry.value.as_str().is_some_and(|seen| is_code(seen) && form(seen) == form(asked));
        alike && noun(&entry.words) == own
    };
    object.entries.iter().take(MAX_ENTRIES).find(same).filter(|_| !own.is_empty() && object.listed == 0)
}

fn is_list(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_) | Value::Null | Value::Bool(_))
}

fn is_id_word(word: &str) -> bool {
    matches!(word, "id" | "number" | "no" | "code" | "sku" | "key" | "uuid" | "isbn" | "ref" | "reference")
}

/// Whether two values may mean the same.
fn agrees(words: &[String], asked: &Value, seen: &Value) -> bool {
    // A number in `code` is how it went, and a program in it is no id.
    if matches!(words, [code] if code == "code") && (seen.is_number() || !is_short_code(asked)) {
        return true;
    }
    if let (Value::Number(_), Some(seen)) = (asked, number(seen)) {
        let asked = number(asked).unwrap_or(seen);
        let degrees =
            words.iter().any(|word| matches!(word.as_str(), "lat" | "latitude" | "lon" | "lng" | "longitude"));
        let slack = if degrees { 0.5 } else { asked.abs() * 1e-6 };
        return (asked - seen).abs() <= slack;
    }
    let (Some(asked), Some(seen)) = (scalar(asked), scalar(seen)) else { return true };
    if asked.chars().count() > 80 || asked.trim().is_empty() || seen.trim().is_empty() {
        return true;
    }
    if asked.contains('@') && seen.contains('@') {
        let (asked, seen) = (asked.to_lowercase(), seen.to_lowercase());
        return asked.contains(&seen) || seen.contains(&asked);
    }
    let is_id = words.last().is_some_and(|word| is_id_word(word));
    if is_id {
        return same_id(&asked, &seen);
    }
    if let (Some(asked), Some(seen)) = (Moment::read(&asked), Moment::read(&seen)) {
        return asked.may_be(&seen);
    }
    if words.iter().any(|word| word == "timezone") && !(asked.contains('/') && seen.contains('/')) {
        return true;
    }
    // A date in a form that we do not read may be the same one.
    if Moment::read(&asked).is_some() || Moment::read(&seen).is_some() {
        return true;
    }
    if words.iter().any(|word| PATHS.contains(&word.as_str())) {
        return same_path(&asked, &seen);
    }
    // A waybill or a registration is an id by its form, and two of them are not alike because they look so.
    if is_code(&asked) && is_code(&seen) {
        return same_id(&asked, &seen);
    }
    similar(&asked, &seen) && !is_sibling(&asked, &seen)
}

/// Whether two names call two things of one kind: `Tokyo Stock Exchange` and `London Stock Exchange` share only what they are.
/// A person's nickname before the same family name is none: there one word is shared.
fn is_sibling(asked: &str, seen: &str) -> bool {
    let names = |text: &str| {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let named = words.iter().all(|word| word.chars().next().is_some_and(char::is_uppercase));
        (named && words.len() >= 3).then_some(words)
    };
    let (Some(first), Some(second)) = (names(asked), names(seen)) else { return false };
    let ([own, kind @ ..], [other, same @ ..]) = (first.as_slice(), second.as_slice()) else { return false };
    let article = |word: &str| word.eq_ignore_ascii_case("the");
    let (own, other) = (places::fold(own), places::fold(other));
    let one_place = places::group(&own).is_some_and(|group| Some(group) == places::group(&other));
    kind == same
        && !article(&own)
        && !article(&other)
        && own.chars().count() > 3
        && other.chars().count() > 3
        && own.chars().next() != other.chars().next()
        && strsim::jaro_winkler(&own, &other) < 0.8
        && !one_place
}

/// Whether a text has the form of an id: no blanks, at least four signs, and several digits among them.
fn is_code(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '#'));
    plain && text.len() >= 4 && digits >= 2
}

/// Letters and marks of an id, with one sign for every digit.
fn form(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_digit() { '0' } else { c.to_ascii_lowercase() }).collect()
}

fn is_short_code(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() <= 16 && !text.contains(|c: char| c.is_whitespace() || c == '('))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether two ids are the same, apart from case, marks and a prefix. Ids of different kinds (a name and a number)
/// are two ids of one thing and say nothing.
fn same_id(asked: &str, seen: &str) -> bool {
    let plain = |id: &str| id.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let (a, b) = (plain(asked), plain(seen));
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    if a == b
        || (a.len() >= 2 && b.ends_with(a))
        || (b.len() >= 2 && a.ends_with(b))
        || b.starts_with(a)
        || a.starts_with(b)
    {
        return true;
    }
    shape(asked) != shape(seen)
}

/// Whether two paths may lead to one place: the end of one is in the other.
fn same_path(asked: &str, seen: &str) -> bool {
    let parts = |path: &str| {
        let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".." | "~"));
        parts.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let (own, other) = (parts(asked), parts(seen));
    let (Some(last), Some(end)) = (own.last(), other.last()) else { return true };
    asked.contains('*') || other.contains(last) || own.contains(end)
}

/// What an id is made of: its letters before the first digit, and its length roughly.
fn shape(id: &str) -> (bool, usize, bool) {
    let letters = id.chars().any(char::is_alphabetic);
    let digits = id.chars().any(|c| c.is_ascii_digit());
    (letters, id.chars().count() / 12, digits)
}

/// Whether two names may mean the same thing.
pub(crate) fn similar(asked: &str, seen: &str) -> bool {
    let (a, b) = (places::fold(asked), places::fold(seen));
    if a == b || a.is_empty() || b.is_empty() || a.contains(&b) || b.contains(&a) {
        return true;
    }
    match (places::group(&a), places::group(&b)) {
        (Some(first), Some(second)) => return first == second,
        _ if a.chars().any(is_han) != b.chars().any(is_han) => return true,
        _ => {}
    }
    let tokens = |text: &str| {
        let long = text.split(|c: char| !c.is_alphanumeric()).filter(|token| token.chars().count() > 2);
        long.map(str::to_owned).collect::<Vec<_>>()
    };
    let (first, second) = (tokens(&a), tokens(&b));
    if shortens(&a, &b) || shortens(&b, &a) {
        return true;
    }
    if first.iter().any(|token| second.contains(token)) || initials(&first) == b || initials(&second) == a {
        return true;
    }
    let code = |text: &str| text.len() <= 3 && text.chars().all(|c| c.is_ascii_alphanumeric());
    if code(&a) != code(&b) {
        return true;
    }
    strsim::jaro_winkler(&a, &b) > 0.9
}

/// Whether every word of one text begins the word of the other in its place: `sci-fi` and `science fiction`.
fn shortens(short: &str, long: &str) -> bool {
    let parts = |text: &str| {
        let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    let (short, long) = (parts(short), parts(long));
    let begins = |(own, whole): (&String, &String)| own.chars().count() > 1 && whole.starts_with(own.as_str());
    short.len() >= 2 && short.len() == long.len() && short.iter().zip(&long).all(begins)
}

fn initials(tokens: &[String]) -> String {
    tokens.iter().filter_map(|token| token.chars().next()).collect()
}

/// A label that was not among those offered.
fn check_choice(subject: &Subject, key: &str, offered: &Value) -> Option<Finding> {
    let list = offered.as_array().filter(|_| OFFERS.contains(&key))?;
    let texts: Vec<String> = list.iter().filter_map(Value::as_str).map(places::fold).collect();
    let object = subject.parts.objects.first().filter(|object| object.depth == 0 && texts.len() >= 2)?;
    let entry =
        object.find(&["label", "category", "class", "choice", "selected", "prediction", "top_label", "intent"])?;
    let seen = entry.value.as_str().filter(|seen| !texts.contains(&places::fold(seen)))?;
    let evidence = localized!(
        subject.language,
        "`{seen}` is none of the {key} that were offered",
        "`{seen}` 不在给定的 {key} 之中"
    );
    Some(Finding::new(&codes::OTHER_SUBJECT, object.at(entry), evidence))
}

fn differs(subject: &Subject, object: &Object, entry: &Entry, key: &str, asked: &Value) -> Finding {
    let (own, asked, seen) = (entry.key, brief(asked), brief(entry.value));
    let evidence = localized!(
        subject.language,
        "asked for `{key}` {asked}, the result has `{own}` {seen}",
        "请求的 `{key}` 为 {asked}，结果的 `{own}` 却是 {seen}"
    );
    Finding::new(&codes::OTHER_SUBJECT, object.at(entry), evidence)
}

const MAX_ENTRIES: usize = 100;
const CARRIERS: &[&str] = &["data", "result", "response", "item", "record"];
const WRAPPERS: &[&str] = word_list!("check_result", "consistency/echo/wrappers");
const ALIASES: &[&[&str]] = &[
    &["city", "location", "place", "town"],
    &["symbol", "ticker", "stock"],
    &["from", "from_currency", "base", "base_currency", "source_currency"],
    &["to", "to_currency", "target", "target_currency", "quote_currency"],
    &["date", "day"],
    &["path", "file", "file_path", "filepath"],
    &["username", "user_name", "login"],
    &["email", "email_address"],
    &["to", "recipient", "sent_to"],
    &["recipient", "to"],
    &["amount", "from_amount"],
    &["from_city", "origin", "departure_city"],
    &["to_city", "destination", "arrival_city"],
];
const IGNORED: &[&str] = word_list!("check_result", "consistency/echo/ignored");
const BOUNDING: &[&str] = word_list!("check_result", "consistency/echo/bounding");
const PATHS: &[&str] = &["path", "file", "folder", "directory", "filename", "filepath", "dir"];
const LOOKS: &[&str] = &["get", "lookup", "fetch", "describe", "show", "read"];
const OFFERS: &[&str] = &["labels", "categories", "classes", "options", "choices", "candidates", "intents"];
