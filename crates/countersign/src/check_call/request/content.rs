//! Texts that the model wrote: a message that gives another time or number than the user did, a translation into another
//! language than was asked for.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_CONTENT;
use crate::localized;
use crate::text::mentions::Reading;

/// Finds texts that say something else than was asked for.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        if let Some(said) = find_language(asked, argument) {
            slips.push(say(asked, argument, &said, argument.text().unwrap_or_default()));
            continue;
        }
        if argument.is_named(&["thought", "thoughts", "reasoning", "plan"]) {
            continue;
        }
        let Some(text) = argument
            .text()
            .filter(|text| argument.node.roles.has(Role::FreeText) && text.len() >= SHORTEST && !is_code(argument))
        else {
            continue;
        };
        let written = Reading::of(text);
        let found = find_number(asked, &written)
            .or_else(|| find_time(asked, &written))
            .or_else(|| find_day(asked, &written))
            .or_else(|| find_part_of_day(asked, &written));
        if let Some((said, wrote)) = found {
            slips.push(say(asked, argument, &said, &wrote));
        }
    }
}

fn is_code(argument: &Argument<'_>) -> bool {
    argument.is_named(&[
        "code",
        "query",
        "sql",
        "command",
        "script",
        "pattern",
        "regex",
        "expression",
        "formula",
        "config",
        "json",
        "xml",
        "html",
    ])
}

/// A number that nobody said, where one that the user said is missing.
fn find_number(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let said = |value: f64| {
        asked.numbers().any(|(_, quantity)| quantity.value == value || quantity.upper == Some(value))
            || asked.results.iter().any(|result| stands_in(&result.to_string(), &super::slip::show(value)))
    };
    let records = asked.records();
    let computed = |value: f64| super::trace::is_computed(asked, value, super::trace::Measure::Bare, records);
    let (wrote, number) = written
        .numbers()
        .find(|(_, quantity)| quantity.value > 1.0 && !said(quantity.value) && !computed(quantity.value))?;
    let kept = |value: f64| {
        written.numbers().any(|(_, quantity)| quantity.value == value || quantity.upper == Some(value))
            || asked.arguments.iter().any(|argument| argument.number() == Some(value))
    };
    let same_kind = |quantity: &&(&crate::text::mentions::Mention, &crate::text::mentions::Quantity)| {
        let dimension = |quantity: &crate::text::mentions::Quantity| quantity.unit.map(|unit| unit.dimension);
        dimension(quantity.1) == dimension(number) && quantity.1.currency == number.currency
    };
    let numbers: Vec<_> =
        asked.last.numbers().filter(|(mention, quantity)| !mention.excluded && quantity.value > 1.0).collect();
    let mut missing = numbers.iter().filter(same_kind).filter(|(_, quantity)| !kept(quantity.value));
    let (mention, _) = missing.next().filter(|_| missing.next().is_none())?;
    Some((asked.last.text(mention).to_owned(), written.text(wrote).to_owned()))
}

/// A time of day that nobody said, where one that the user said is missing.
fn find_time(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let said = |minutes: u16| asked.readings().flat_map(|reading| reading.clocks()).any(|(_, clock)| clock.is(minutes));
    let (wrote, _) = written
        .clocks()
        .find(|(_, clock)| !said(clock.minutes) && (clock.sure || !said((clock.minutes + 720) % 1440)))?;
    let kept = |minutes: u16| {
        written.clocks().any(|(_, clock)| clock.is(minutes))
            || asked
                .arguments
                .iter()
                .any(|argument| argument.moment().is_some_and(|moment| moment.minutes == Some(minutes)))
    };
    let (mention, _) = asked.last.clocks().find(|(mention, clock)| !mention.excluded && !kept(clock.minutes))?;
    Some((asked.last.text(mention).to_owned(), written.text(wrote).to_owned()))
}

/// A day that nobody said, where one that the user said is missing.
fn find_day(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    asked.today?;
    let days =
        |reading: &Reading| reading.dates().flat_map(|(_, words)| words.resolve(asked.today)).collect::<Vec<_>>();
    let said: Vec<_> = asked.readings().flat_map(days).collect();
    let own = days(written);
    let (wrote, _) = written.dates().find(|(_, words)| {
        let meant = words.resolve(asked.today);
        !meant.is_empty()
            && !meant.iter().any(|days| said.iter().any(|other| other.first <= days.last && days.first <= other.last))
    })?;
    let (mention, _) = asked.last.dates().find(|(mention, words)| {
        let meant = words.resolve(asked.today);
        !mention.excluded
            && !meant.is_empty()
            && !meant.iter().any(|days| own.iter().any(|other| other.first <= days.last && days.first <= other.last))
    })?;
    Some((asked.last.text(mention).to_owned(), written.text(wrote).to_owned()))
}

/// Another part of the day than the user said: 上午 became 晚上.
fn find_part_of_day(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let named = |text: &str| {
        PARTS_OF_DAY
            .iter()
            .filter(|(_, words)| {
                words.iter().any(|word| if word.is_ascii() { stands_in(text, word) } else { text.contains(word) })
            })
            .map(|(part, _)| *part)
            .collect::<Vec<_>>()
    };
    let wrote = named(&written.lower);
    let said: Vec<&str> = asked.readings().flat_map(|reading| named(&reading.lower)).collect();
    let last = named(&asked.last.lower);
    let greets = ["good morning", "good afternoon", "good evening", "早上好", "晚上好", "下午好"]
        .iter()
        .any(|greeting| written.lower.contains(greeting));
    let other = wrote.iter().find(|part| !said.contains(part)).filter(|_| !greets)?;
    let missing = last.iter().find(|part| !wrote.contains(part))?;
    Some(((*missing).to_owned(), (*other).to_owned()))
}

/// A language other than the one that the user named.
fn find_language(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<String> {
    let text = argument.text().filter(|_| argument.is_named(&["language", "lang", "target", "locale", "to"]))?;
    let code = text.split(['-', '_']).next().unwrap_or(text);
    let own = LANGUAGES.iter().find(|(short, names)| *short == code || names.contains(&text))?;
    let spoken = |reading: &Reading| {
        let named = |names: &[&str]| {
            names.iter().any(|name| {
                if name.is_ascii() { stands_in(&reading.lower, name) } else { reading.lower.contains(name) }
            })
        };
        LANGUAGES
            .iter()
            .filter(|(_, names)| named(names))
            .map(|(short, names)| (*short, names.first().copied().unwrap_or(short)))
            .collect::<Vec<_>>()
    };
    let said = asked.in_force().map(spoken).find(|found| !found.is_empty())?;
    let any = asked.readings().any(|reading| spoken(reading).iter().any(|(short, _)| *short == own.0));
    (!any).then(|| said.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", "))
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str, wrote: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` says \"{wrote}\"",
        "用户说的是“{said}”，而 `{key}` 写的是“{wrote}”"
    );
    let hint = localized!(asked.subject.language, "write what the user said", "请按用户所说的内容填写");
    Slip::on(asked, argument, &OTHER_CONTENT, Strength::Strong, Says { evidence, hint })
}

/// Shorter texts are labels.
const SHORTEST: usize = 12;
const PARTS_OF_DAY: &[(&str, &[&str])] = &[
    ("morning", &["morning", "上午", "早上", "早晨", "清晨"]),
    ("afternoon", &["afternoon", "下午"]),
    ("evening", &["evening", "tonight", "晚上", "今晚", "明晚", "傍晚"]),
];
const LANGUAGES: &[(&str, &[&str])] = &[
    ("en", &["english", "英语", "英文"]),
    ("de", &["german", "德语", "德文"]),
    ("fr", &["french", "法语", "法文"]),
    ("es", &["spanish", "西班牙语", "西语"]),
    ("it", &["italian", "意大利语"]),
    ("pt", &["portuguese", "葡萄牙语"]),
    ("pl", &["polish", "波兰语"]),
    ("nl", &["dutch", "荷兰语"]),
    ("ru", &["russian", "俄语", "俄文"]),
    ("zh", &["chinese", "mandarin", "中文", "汉语"]),
    ("ja", &["japanese", "日语", "日文"]),
    ("ko", &["korean", "韩语", "韩文"]),
    ("ar", &["arabic", "阿拉伯语"]),
    ("tr", &["turkish", "土耳其语"]),
    ("sv", &["swedish", "瑞典语"]),
    ("no", &["norwegian", "挪威语"]),
    ("da", &["danish", "丹麦语"]),
    ("fi", &["finnish", "芬兰语"]),
    ("cs", &["czech", "捷克语"]),
    ("hu", &["hungarian", "匈牙利语"]),
    ("ro", &["romanian", "罗马尼亚语"]),
    ("uk", &["ukrainian", "乌克兰语"]),
    ("el", &["greek", "希腊语"]),
    ("he", &["hebrew", "希伯来语"]),
    ("hi", &["hindi", "印地语"]),
    ("th", &["thai", "泰语"]),
    ("vi", &["vietnamese", "越南语"]),
    ("id", &["indonesian", "印尼语"]),
];
