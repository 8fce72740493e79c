//! Two parts of a result that cannot both be true: flags and fields, or two sentences.
//!
//! Only what is in one record is compared: a list of jobs may hold one that runs and one that does not.

use crate::check_result::fields::{Object, Parts};
use crate::check_result::records::{Record, records};
use crate::check_result::subject::Subject;
use crate::check_result::voice::{own_texts, unquoted};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::phrases::Phrases;
use crate::text::sentences::sentences;
use crate::text::words::{Word, words};
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::sync::LazyLock;

/// Flags against fields, texts against lists, sentences against sentences.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found: Vec<Finding> = subject.parts.objects.iter().flat_map(|object| in_object(subject, object)).collect();
    for text in own_texts(subject) {
        found.extend(records(text.text).into_iter().flat_map(|record| in_record(subject, &text.pointer, record)));
    }
    found.truncate(3);
    found
}

/// What one record of a text says against itself.
fn in_record(subject: &Subject, pointer: &str, record: Record) -> Vec<Finding> {
    let sentences = sentences_clash(&unquoted(&record.text)).map(|(a, b)| clash(subject, pointer.to_owned(), &a, &b));
    let fields = Value::Object(record.fields);
    let fields = Parts::of(&fields, None).objects.iter().flat_map(|object| in_object(subject, object)).collect();
    let placed = |found: Vec<Finding>| found.into_iter().map(|finding| Finding { pointer: pointer.into(), ..finding });
    sentences.into_iter().chain(placed(fields)).collect()
}

fn clash(subject: &Subject, pointer: String, first: &str, second: &str) -> Finding {
    let evidence =
        localized!(subject.language, "{first} and {second} cannot both be true", "{first} 与 {second} 不能同时成立");
    Finding::new(&codes::CONTRADICTION, pointer, evidence)
}

fn in_object(subject: &Subject, object: &Object) -> Vec<Finding> {
    let flag =
        |names: &[&str]| object.find(names).and_then(|entry| Some((entry.key.to_owned(), entry.value.as_bool()?)));
    let mut found = Vec::new();
    let mut push = |first: String, second: String| found.push(clash(subject, object.pointer.clone(), &first, &second));
    let stock = object.number(&[
        "quantity",
        "stock",
        "stock_quantity",
        "inventory",
        "available_quantity",
        "qty",
        "stock_level",
        "seats_left",
        "seats_available",
        "available_seats",
        "rooms_available",
    ]);
    if let (Some((key, value)), Some(left)) = (flag(&["in_stock", "available", "is_available", "sold_out"]), stock) {
        let has = if key.contains("sold") { !value } else { value };
        let reserved =
            object.entries.iter().any(|entry| entry.has_any(&["reserved", "backorder", "preorder", "discontinued"]));
        if !reserved && has == (left == 0.0) {
            push(format!("`{key}` {value}"), format!("{left}"));
        }
    }
    for (flags, states, negative) in STATES {
        let Some((key, value)) = flag(flags) else { continue };
        let says = |words: &[&str]| object.says(&["status", "state", "payment_status"], words);
        if (value && says(negative)) || (!value && says(states)) {
            push(format!("`{key}` {value}"), "`status`".to_owned());
        }
    }
    for (first, second) in OPPOSITES {
        let is = |name: &str| flag(&[name, &format!("is_{name}")]);
        if let (Some((a, true)), Some((b, true))) = (is(first), is(second)) {
            push(format!("`{a}`"), format!("`{b}`"));
        }
    }
    found.extend(check_dates(subject, object));
    found.extend(check_list(subject, object));
    found.extend(check_tests(subject, object));
    found.extend(snow(subject, object));
    found.extend(sentiment(subject, object));
    found
}

/// A status and the time at which it was reached.
fn check_dates(subject: &Subject, object: &Object) -> Option<Finding> {
    let time = |name: &str| object.find(&[&format!("{name}_at"), &format!("{name}_date"), &format!("{name}_on")]);
    let unreached = object
        .says(&["status", "state"], &["pending", "unpaid", "processing", "待发货", "待付款", "未发货", "created"]);
    if let Some(entry) =
        ["delivered", "shipped"].iter().find_map(|name| time(name)).filter(|e| e.value.is_string() && unreached)
    {
        return Some(clash(subject, object.pointer.clone(), "`status`", &format!("`{}`", entry.key)));
    }
    for reached in ["delivered", "shipped", "closed", "completed", "resolved"] {
        let missing = time(reached).filter(|entry| entry.value.is_null());
        if let Some(entry) = missing.filter(|_| object.says(&["status", "state"], &[reached])) {
            return Some(clash(
                subject,
                object.pointer.clone(),
                &format!("`status` {reached}"),
                &format!("`{}` null", entry.key),
            ));
        }
    }
    None
}

/// Nothing found, and yet there is something, or the other way round.
fn check_list(subject: &Subject, object: &Object) -> Option<Finding> {
    let list =
        object.find(&["results", "items", "data", "matches", "records", "flights", "hotels", "events", "hits"])?;
    let items = list.value.as_array()?;
    let (key, length) = (list.key, items.len());
    let message =
        object.find(&["message", "summary", "note", "status", "info", "answer"]).and_then(|e| e.value.as_str());
    let nothing = message.is_some_and(|text| NOTHING.any(text) && text.chars().count() < 80);
    let flag = |names: &[&str]| object.find(names).and_then(|entry| entry.value.as_bool());
    let denied = flag(&["found", "has_results"]) == Some(false) || flag(&["empty", "is_empty"]) == Some(true);
    let claimed = flag(&["found", "has_results"]) == Some(true) && length == 0;
    let wrong = (length > 0 && (nothing || denied)) || claimed;
    wrong.then(|| {
        let said = message.unwrap_or("the flag").to_owned();
        clash(subject, object.at(list), &format!("“{said}”"), &format!("`{key}` ({length})"))
    })
}

/// A run that passed, with failures.
fn check_tests(subject: &Subject, object: &Object) -> Option<Finding> {
    let failed = object.find(&["failed", "failures", "errors", "error_count", "failed_count"])?;
    let some = match failed.value {
        Value::Array(items) => !items.is_empty(),
        other => other.as_f64().is_some_and(|count| count > 0.0),
    };
    let flag = |names: &[&str]| object.find(names).and_then(|entry| entry.value.as_bool());
    let passes = flag(&["all_passed", "passed", "success", "valid", "is_valid", "ok"]) == Some(true)
        || object.says(
            &["status", "result", "conclusion", "outcome"],
            &["passed", "success", "green", "all passed", "ok", "通过"],
        );
    (some && passes).then(|| clash(subject, object.at(failed), "`passed`", &format!("`{}`", failed.key)))
}

/// Snow on a hot day.
fn snow(subject: &Subject, object: &Object) -> Option<Finding> {
    let condition = object.find(&["condition", "conditions", "weather", "description", "天气"])?;
    let text = condition.value.as_str()?.to_lowercase();
    let snows = ["snow", "snowing", "heavy snow", "light snow", "blizzard", "雪", "小雪", "大雪", "中雪", "暴雪"]
        .contains(&text.trim());
    let degrees = object.number(&["temperature", "temp", "temperature_c", "temp_c"])?;
    let unit =
        object.find(&["unit", "units"]).and_then(|entry| entry.value.as_str()).unwrap_or("celsius").to_lowercase();
    let hot = if unit.starts_with('f') || unit.contains("°f") || unit == "imperial" { 60.0 } else { 15.0 };
    (snows && degrees > hot).then(|| clash(subject, object.at(condition), &format!("“{text}”"), &format!("{degrees}°")))
}

/// A sentiment whose score has the other sign.
fn sentiment(subject: &Subject, object: &Object) -> Option<Finding> {
    let label = object.find(&["sentiment", "polarity", "label"])?.value.as_str()?.to_lowercase();
    let entry = object.find(&["score", "polarity_score", "compound", "sentiment_score"])?;
    let (score, signed) = (entry.number()?, entry.note.contains("-1") || entry.note.contains("−1"));
    let wrong = (label == "positive" && score < -0.3) || (label == "negative" && score > 0.3 && signed);
    wrong.then(|| clash(subject, object.at(entry), &format!("“{label}”"), &format!("{score}")))
}

/// Two sentences that say the opposite of each other, or give one thing two numbers.
fn sentences_clash(text: &str) -> Option<(String, String)> {
    let cut = sentences(text).into_iter().filter_map(|range| text.get(range));
    // Chinese joins whole statements by commas.
    let cut: Vec<&str> = cut.flat_map(|sentence| sentence.split('，')).filter(|s| s.len() < 600).take(60).collect();
    let read: Vec<Statement> = cut.iter().map(|sentence| Statement::of(sentence)).collect();
    // Three sentences of one form are a list, whatever numbers they hold.
    let listed = |one: &Statement| read.iter().filter(|other| other.template == one.template).count() > 2;
    for (at, first) in read.iter().enumerate() {
        for (later, second) in read.iter().enumerate().skip(at + 1).take(12) {
            let twice = first.twice(second) && !listed(first);
            if twice || first.opposes(second) || (later == at + 1 && first.is_taken_back(second)) {
                let shown = |at: usize| cut.get(at).map(|s| format!("“{s}”")).unwrap_or_default();
                return Some((shown(at), shown(later)));
            }
        }
    }
    None
}

/// A sentence as its content words, its pole, and its numbers.
struct Statement {
    content: FxHashSet<String>,
    negated: bool,
    poles: Vec<(usize, bool)>,
    numbers: Vec<String>,
    asks: bool,
    /// What tells one thing from others of its kind: the A of "gate A", the C12 of "seat C12".
    labels: Vec<String>,
    /// The words with every number left open.
    template: Vec<String>,
}

impl Statement {
    fn of(sentence: &str) -> Self {
        let lower = sentence.to_lowercase();
        let template = template(&lower);
        let mut poles = Vec::new();
        let mut rest = stem_words(&lower);
        for (at, (up, down)) in POLES.iter().enumerate() {
            for (words, is_up) in [(up, true), (down, false)] {
                if let Some(word) = words.iter().find(|word| crate::check_result::subject::has_word(&rest, word)) {
                    poles.push((at, is_up));
                    rest = rest.replace(word, " ");
                    break;
                }
            }
        }
        for (words, kept) in QUANTIFIERS {
            rest = rest.replace(words, kept);
        }
        let negated = NEGATIONS.find(&rest).count() % 2 == 1;
        for found in NEGATIONS.find(&rest.clone()) {
            rest = rest.replacen(found.phrase, " ", 1);
        }
        let (numbers, content): (Vec<String>, Vec<String>) = words(&rest)
            .into_iter()
            .map(|word| word.folded)
            .filter(|word| !FUNCTION.contains(&word.as_str()))
            .partition(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let asks = sentence.contains(['?', '？']) || CONDITIONS.any(&lower);
        let labels = labels(sentence);
        Self { content: content.into_iter().collect(), negated, poles, numbers, asks, labels, template }
    }

    fn opposes(&self, other: &Self) -> bool {
        let han = self.content.iter().filter(|word| word.starts_with(is_han)).count();
        let least = match han * 2 > self.content.len() {
            true if self.content == other.content => 3,
            true => 4,
            false => 2,
        };
        let (small, large) = if self.content.len() <= other.content.len() { (self, other) } else { (other, self) };
        let shared = small.content.intersection(&large.content).count();
        if self.asks
            || other.asks
            || self.labels != other.labels
            || small.content.len() < least
            || shared < small.content.len()
        {
            return false;
        }
        let alike = small.content.len() * 10 >= large.content.len() * 6;
        let same_numbers = self.numbers == other.numbers || self.numbers.is_empty() || other.numbers.is_empty();
        let pole =
            self.poles.iter().any(|(at, up)| other.poles.contains(&(*at, !up)) && !other.poles.contains(&(*at, *up)));
        let flips = pole != (self.negated != other.negated);
        let same_poles = self.poles == other.poles || pole;
        alike && same_numbers && flips && same_poles
    }

    /// The next sentence says of the same thing, by its name or a pronoun, that it is not so.
    fn is_taken_back(&self, next: &Self) -> bool {
        if self.asks || next.asks || self.numbers != next.numbers || self.labels != next.labels {
            return false;
        }
        let plain = |statement: &Self| -> Vec<String> {
            let words = statement.template.iter().filter(|word| word.as_str() != "not");
            words.map(|word| word.strip_suffix("n't").unwrap_or(word).to_owned()).collect()
        };
        let (mine, theirs) = (plain(self), plain(next));
        let pronoun = theirs.first().is_some_and(|word| matches!(word.as_str(), "it" | "they" | "he" | "she"));
        let same = theirs.get(1..).is_some_and(|rest| rest.len() >= 3 && mine.ends_with(rest));
        let turned = self.template.len() + next.template.len() == mine.len() + theirs.len() + 1;
        let copula = |statement: &Self| statement.template.iter().any(|word| word == "is" || word == "are");
        let opposite = self.poles.len() == 1
            && next.poles.iter().any(|(at, up)| self.poles.contains(&(*at, !up)))
            && self.content == next.content
            && !self.content.is_empty()
            && self.negated == next.negated
            && self.template.len() == next.template.len();
        (pronoun && same && turned) || (opposite && copula(self) && copula(next))
    }

    /// The same sentence with another number.
    fn twice(&self, other: &Self) -> bool {
        self.template.len() >= 4
            && self.template == other.template
            && self.numbers.len() == 1
            && self.numbers != other.numbers
            && self.labels == other.labels
            && !self.counts_things()
            && !(self.asks || other.asks)
    }

    /// Whether the number says which thing the sentence is about, as in "Job 3 is running".
    fn counts_things(&self) -> bool {
        let Some(number) = self.template.iter().position(|word| word == "#") else { return false };
        let verb = self.template.iter().position(|word| VERBS.contains(&word.as_str()));
        verb.map_or(number == 1, |verb| number < verb) && number + 1 < self.template.len()
    }
}

/// Single capital letters and words of letters and digits: names of things that are else alike.
fn labels(sentence: &str) -> Vec<String> {
    let named = |word: &Word| {
        let written = sentence.get(word.range.clone()).unwrap_or_default();
        let letter = written.chars().count() == 1 && written.starts_with(|c: char| c.is_ascii_uppercase());
        let coded =
            written.contains(|c: char| c.is_ascii_digit()) && written.contains(|c: char| c.is_ascii_alphabetic());
        (letter && (word.range.start > 0 || !matches!(written, "A" | "I"))) || coded
    };
    words(sentence).into_iter().filter(named).map(|word| word.folded).collect()
}

/// English words without their endings, so that "approved" and "approve" are one.
fn stem_words(lower: &str) -> String {
    let mut out = String::with_capacity(lower.len());
    let mut word = String::new();
    for c in lower.chars().chain([' ']) {
        if c.is_ascii_alphabetic() || c == '\'' {
            word.push(c);
            continue;
        }
        let cut =
            ["ing", "ed", "es", "s", "e"].iter().find_map(|end| word.strip_suffix(end).filter(|stem| stem.len() >= 4));
        out.push_str(cut.unwrap_or(&word));
        word.clear();
        out.push(c);
    }
    out
}

/// The words of a sentence with numbers left open.
fn template(lower: &str) -> Vec<String> {
    let open = |word: String| if word.starts_with(|c: char| c.is_ascii_digit()) { "#".to_owned() } else { word };
    words(lower).into_iter().map(|word| open(word.folded)).collect()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&NEGATIONS);
    LazyLock::force(&NOTHING);
    LazyLock::force(&CONDITIONS);
}

static NEGATIONS: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/negations.txt")));
static NOTHING: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/nothing_found.txt")));
static CONDITIONS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new([
        "if",
        "unless",
        "whether",
        "before",
        "after",
        "until",
        "previously",
        "formerly",
        "initially",
        "originally",
        "later",
        "then",
        "however",
        "but",
        "now",
        "again",
        "once",
        "except",
        "not all",
        "some",
        "others",
        "partly",
        "部分",
        "有的",
        "有些",
        "一些",
        "并非所有",
        "不是所有",
        "如果",
        "除非",
        "是否",
        "之前",
        "之后",
        "后来",
        "原先",
        "曾",
        "但",
        "现在",
        "直到",
        "起初",
    ])
});
const FUNCTION: &[&str] = &[
    "the", "a", "an", "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "will",
    "would", "it", "its", "this", "that", "of", "to", "in", "on", "at", "by", "for", "and", "with", "as", "also",
    "all", "any", "very", "的", "了", "是", "在", "和", "与", "也", "都", "已", "这", "该", "将", "会", "就", "并",
    "于",
];
/// Verbs between what a sentence is about and what it says of it.
const VERBS: &[&str] = &["is", "are", "was", "were", "has", "have", "had", "will", "does", "did", "can", "could"];
const POLES: &[(&[&str], &[&str])] = &[
    (&["open"], &["clos"]),
    (&["approv", "accept"], &["reject", "declin", "deni"]),
    (
        &["increas", "rose", "grew", "higher", "rise", "went up"],
        &["decreas", "fell", "dropp", "shrank", "lower", "went down"],
    ),
    (&["aliv"], &["dead"]),
    (&["pass", "succeed", "successful"], &["fail", "unsuccessful"]),
    (&["true", "correct"], &["false", "fals", "incorrect"]),
    (&["alway"], &["never"]),
    (&["safe"], &["unsaf", "dangerou"]),
    (&["profitabl", "a profit"], &["unprofitabl", "a loss"]),
    (&["availabl"], &["unavailabl", "sold out"]),
    (&["support"], &["unsupport", "oppos"]),
    (&["legal"], &["illegal"]),
    (&["possibl"], &["impossibl"]),
    (&["上涨", "增长", "增加", "上升", "提高"], &["下跌", "下降", "减少", "下滑", "降低"]),
    (&["同意", "赞成", "批准", "通过"], &["反对", "拒绝", "否决", "驳回"]),
    (&["开放", "营业"], &["关闭", "停业"]),
    (&["成功"], &["失败"]),
    (&["盈利"], &["亏损"]),
    (&["安全"], &["危险"]),
    (&["有货"], &["缺货", "无货", "售罄"]),
];
/// Words of Chinese that say how many or since when, and what is left of them.
const QUANTIFIERS: &[(&str, &str)] = &[
    ("所有", " "),
    ("全部", " "),
    ("任何", " "),
    ("已经", " "),
    ("至今", " "),
    ("目前", " "),
    ("尚未", "未"),
    ("仍未", "未"),
    ("完毕", " "),
    ("一家", " "),
    ("一份", " "),
    ("一个", " "),
    ("一项", " "),
    ("一名", " "),
    ("一台", " "),
    ("一间", " "),
    ("一位", " "),
    ("没有一", "没有"),
    ("无一", "无"),
    ("均", " "),
];
const STATES: &[(&[&str], &[&str], &[&str])] = &[
    (&["is_open", "open", "open_now"], &["open", "营业中"], &["closed", "已关闭", "休息中", "closed permanently"]),
    (
        &["active", "is_active", "enabled"],
        &["active", "enabled"],
        &["inactive", "disabled", "suspended", "deleted", "terminated"],
    ),
    (&["online", "is_online"], &["online", "在线"], &["offline", "down", "离线"]),
    (&["paid", "is_paid"], &["paid", "已付款", "已支付"], &["unpaid", "未付款", "待付款"]),
    (&["delivered", "is_delivered"], &["delivered", "已送达"], &["pending", "lost", "未送达"]),
    (&["success", "ok", "succeeded"], &["success", "succeeded"], &["failed", "failure", "error", "失败"]),
    (&["cancelled", "is_cancelled"], &["cancelled", "canceled"], &["confirmed", "active", "delivered"]),
    (&["verified", "is_verified"], &["verified"], &["unverified", "rejected"]),
];
const OPPOSITES: &[(&str, &str)] = &[
    ("open", "closed"),
    ("enabled", "disabled"),
    ("online", "offline"),
    ("available", "unavailable"),
    ("public", "private"),
    ("read", "unread"),
    ("success", "failure"),
    ("success", "failed"),
    ("active", "inactive"),
    ("valid", "invalid"),
    ("in_stock", "sold_out"),
    ("in_stock", "out_of_stock"),
    ("active", "deleted"),
    ("passed", "failed"),
];
