//! Texts that the model wrote: a message that gives another time or number than the user did, a translation into another
//! language than was asked for.

use super::argument::Argument;
use super::asked::{Asked, find_whole, stands_in};
use super::slip::{Says, Slip, Strength};
use super::{languages, place, same_place};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_CONTENT;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lexicon::{Deeds, find_chinese, find_english, find_implied};
use crate::text::lists::word_list;
use crate::text::mentions::date::DateWords;
use crate::text::mentions::role::Bound;
use crate::text::mentions::{Quantity, Reading};
use crate::text::words::{Word, words};

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
        let Some(text) =
            argument.text().filter(|text| is_prose(argument) && text.len() >= SHORTEST && !is_code(argument))
        else {
            continue;
        };
        let written = Reading::of(text);
        let found = find_number(asked, &written)
            .or_else(|| same_place::find(asked, &written))
            .or_else(|| find_dose(asked, &written))
            .or_else(|| find_time(asked, &written))
            .or_else(|| find_day(asked, &written))
            .or_else(|| find_written_day(asked, &written))
            .or_else(|| find_ordinal(asked, &written))
            .or_else(|| find_part_of_day(asked, &written))
            .or_else(|| place::find_other(asked, &written))
            .or_else(|| find_contrary(asked, &written))
            .or_else(|| find_turned(asked, &written))
            .or_else(|| find_opposite(asked, &written));
        if let Some((said, wrote)) = found {
            slips.push(say(asked, argument, &said, &wrote));
        }
    }
}

fn is_prose(argument: &Argument<'_>) -> bool {
    argument.node.roles.has(Role::FreeText) || argument.is_named(&["script"])
}

fn is_code(argument: &Argument<'_>) -> bool {
    // The script of a presenter is read aloud.
    let signs = ["{", "}", "=", "#!", "import ", "()", "echo ", "$", "<?"];
    let is_spoken = |text: &str| !signs.iter().any(|sign| text.contains(sign));
    if argument.is_named(&["script"]) && argument.text().is_some_and(is_spoken) {
        return false;
    }
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
    // What a text replaces explains no number of the new one.
    let replaces = asked.subject.tool.spec.deeds().deeds.meet(&Deeds::named(&["update"]));
    let said = |value: f64| {
        asked.numbers().any(|(_, quantity)| quantity.value == value || quantity.upper == Some(value))
            || asked.readings().any(|reading| tells_hour(reading, value))
            || !replaces && asked.results.iter().any(|result| stands_in(&result.to_string(), &super::slip::show(value)))
    };
    let records = asked.records();
    let computed = |value: f64| super::trace::is_computed(asked, value, super::trace::Measure::Bare, records);
    let (wrote, number) = written
        .numbers()
        .find(|(_, quantity)| quantity.value > 1.0 && !said(quantity.value) && !computed(quantity.value))?;
    let kept = |value: f64| {
        written.numbers().any(|(_, quantity)| quantity.value == value || quantity.upper == Some(value))
            || tells_hour(written, value)
            || asked.arguments.iter().any(|argument| argument.number() == Some(value))
    };
    let same_kind = |quantity: &&(&crate::text::mentions::Mention, &crate::text::mentions::Quantity)| {
        let dimension = |quantity: &crate::text::mentions::Quantity| quantity.unit.map(|unit| unit.dimension);
        // 每人两百 is money where the text says 2000元.
        let paid = quantity.1.currency == number.currency
            || quantity.1.currency.is_none() && !quantity.1.counts && quantity.1.unit.is_none();
        dimension(quantity.1) == dimension(number) && paid
    };
    let numbers: Vec<_> =
        asked.last.numbers().filter(|(mention, quantity)| !mention.excluded && quantity.value > 1.0).collect();
    let mut missing = numbers.iter().filter(same_kind).filter(|(_, quantity)| !kept(quantity.value));
    let (mention, _) = missing.next().filter(|_| missing.next().is_none())?;
    Some((asked.last.text(mention).to_owned(), written.text(wrote).to_owned()))
}

/// A number of the same things that nobody said, where one that the user said is missing: 50 mg for 5 mg. What follows from
/// other numbers of these things, or from how often they are, is right.
fn find_dose(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let same = |one: (&Reading, &Quantity), other: (&Reading, &Quantity)| match (one.1.unit, other.1.unit) {
        (Some(unit), Some(own)) => std::ptr::eq(unit, own) && unit.dimension != "time",
        (None, None) => {
            let noun = |side: (&Reading, &Quantity)| {
                side.0.lower.get(side.1.noun.clone()).map(|noun| head_of(noun).to_owned())
            };
            one.1.currency.is_none()
                && other.1.currency.is_none()
                && noun(one).is_some_and(|own| !own.is_empty() && noun(other) == Some(own))
        }
        _ => false,
    };
    let counted = |quantity: &&Quantity| quantity.upper.is_none() && quantity.bound == Bound::Exact;
    written.numbers().filter(|(_, own)| counted(own)).find_map(|(wrote, own)| {
        let group = |reading: &'_ Reading| -> Vec<f64> {
            reading
                .numbers()
                .filter(|(_, other)| same((written, own), (reading, other)))
                .map(|(_, other)| other.value)
                .collect()
        };
        let (said, text) = (group(asked.last), group(written));
        let all: Vec<f64> = asked.readings().flat_map(group).collect();
        let mut missing = said.iter().filter(|value| !text.contains(value));
        let lost = *missing.next().filter(|_| said.len() == text.len() && missing.next().is_none())?;
        let times = |value: f64| {
            asked
                .numbers()
                .any(|(_, other)| other.unit.is_none() && value * other.value == own.value && other.value > 1.0)
        };
        let sums =
            said.iter().any(|one| said.iter().any(|two| one + two == own.value || (one - two).abs() == own.value));
        let a_day = in_all(&written.lower) && (2..=4).any(|often| lost * f64::from(often) == own.value);
        let known =
            a_day || all.contains(&own.value) || said.iter().any(|value| times(*value)) || sums && said.len() > 1;
        let shown = asked.results.iter().any(|result| stands_in(&result.to_string(), &super::slip::show(own.value)));
        let (mention, _) =
            asked.last.numbers().find(|(_, other)| other.value == lost && same((written, own), (asked.last, other)))?;
        (!known && !shown).then(|| (asked.last.text(mention).to_owned(), written.text(wrote).to_owned()))
    })
}

/// Whether a number is an hour that a text tells: the 7 of "before 7 tonight".
fn tells_hour(reading: &Reading, value: f64) -> bool {
    let full = |minutes: u16| minutes.is_multiple_of(60) && (f64::from(minutes / 60) - value).abs() % 12.0 == 0.0;
    reading.clocks().any(|(_, clock)| value <= 24.0 && full(clock.minutes))
}

/// Whether a text tells a sum: so much a day, so much altogether.
fn in_all(lower: &str) -> bool {
    IN_ALL.iter().any(|word| if word.is_ascii() { stands_in(lower, word) } else { lower.contains(word) })
}

/// The last word of what a number counts, in the singular.
fn head_of(noun: &str) -> &str {
    let head = noun.rsplit(' ').next().unwrap_or(noun);
    head.strip_suffix('s').filter(|stem| stem.len() >= 3).unwrap_or(head)
}

/// A time of day that nobody said, where one that the user said is missing.
fn find_time(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    // "From 5" may be an hour, and is one where the text makes it one.
    let bare = |reading: &Reading, minutes: u16| {
        let hour = f64::from(minutes / 60);
        minutes.is_multiple_of(60)
            && reading.numbers().any(|(_, number)| number.value == hour || number.value + 12.0 == hour)
    };
    let said = |minutes: u16| {
        asked.readings().flat_map(|reading| reading.clocks()).any(|(_, clock)| clock.is(minutes))
            || asked.readings().any(|reading| bare(reading, minutes))
    };
    let (wrote, _) = written
        .clocks()
        .find(|(_, clock)| !said(clock.minutes) && (clock.sure || !said((clock.minutes + 720) % 1440)))?;
    let kept = |minutes: u16| {
        written.clocks().any(|(_, clock)| clock.is(minutes))
            || bare(written, minutes)
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

/// A day of a month that nobody said, where one of the same month that the user said is missing: 4 April for 14 April.
fn find_written_day(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let days = |reading: &Reading| -> Vec<(i8, i8)> {
        let words = reading.dates().map(|(_, words)| words);
        let full = words.filter_map(|words| match words {
            DateWords::Written { month, day: Some(day), .. } => Some((month, day)),
            _ => None,
        });
        full.collect()
    };
    let said: Vec<(i8, i8)> = asked.readings().flat_map(days).collect();
    let (own, last) = (days(written), days(asked.last));
    let wrote = own.iter().find(|day| !said.contains(day))?;
    let missing = last.iter().find(|day| day.0 == wrote.0 && !own.contains(day))?;
    let text = |reading: &Reading, wanted: &(i8, i8)| {
        let found = reading.dates().find(
            |(_, words)| matches!(words, DateWords::Written { month, day: Some(day), .. } if (*month, *day) == *wanted),
        );
        found.map(|(mention, _)| reading.text(mention).to_owned())
    };
    Some((text(asked.last, missing)?, text(written, wrote)?))
}

/// An ordinal that nobody said, where the one that the user said is missing: "Happy 50th" for "Happy 60th".
fn find_ordinal(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let wrote = ordinals(&written.lower).find(|own| !asked.readings().any(|reading| stands_in(&reading.lower, own)))?;
    let mut said = ordinals(&asked.last.lower);
    let missing = said.next().filter(|_| said.next().is_none()).filter(|own| !stands_in(&written.lower, own))?;
    Some((missing.to_owned(), wrote.to_owned()))
}

fn ordinals(lower: &str) -> impl Iterator<Item = &str> {
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        (1..=3).contains(&digits) && matches!(word.get(digits..), Some("st" | "nd" | "rd" | "th"))
    })
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

/// What the user wants without, and the text has it; or the other way round.
fn find_turned(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let (left_out, taken_in) = (Cue::named("left-out"), Cue::named("taken-in"));
    let things = |cue: &'static Cue| {
        cue.places_in(&asked.last.lower).filter_map(|(word, at)| thing_behind(&asked.last.lower, word, at))
    };
    let find = |thing: &str| {
        let place = if thing.is_ascii() { find_whole(&written.lower, thing) } else { written.lower.find(thing) };
        place.map(|at| clause_before(&written.lower, at))
    };
    // 没有发票 tells what is missing, and a text may well ask for it.
    for (said, thing) in things(left_out).filter(|(said, _)| !said.starts_with("没有")) {
        let denied = |clause: &str| Cue::named("negation").stands_in(clause);
        let behind = |thing: &str| written.lower.split(thing).nth(1).is_some_and(|rest| denied(first_words(rest)));
        if let Some(clause) = find(thing).filter(|clause| !denied(clause)).filter(|_| !behind(thing)) {
            return Some((said.to_owned(), format!("{clause}{thing}").trim().to_owned()));
        }
    }
    things(taken_in).find_map(|(said, thing)| {
        let clause = find(thing).filter(|clause| left_out.ends(without_article(clause)))?;
        Some((said.to_owned(), format!("{clause}{thing}").trim().to_owned()))
    })
}

/// One of several that exclude each other, where the user said another of them: 东门 became 西门.
fn find_contrary(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let stands = |lower: &str, word: &str| if word.is_ascii() { stands_in(lower, word) } else { lower.contains(word) };
    CONTRARIES.lines().skip(1).flat_map(|line| line.split('\t')).find_map(|set| {
        let set: Vec<&str> = set.split('|').collect();
        let said: Vec<&&str> = set.iter().filter(|word| stands(&asked.last.lower, word)).collect();
        let [said] = said.as_slice() else { return None };
        let known = |word: &str| asked.readings().any(|reading| stands(&reading.lower, word));
        let wrote = set.iter().find(|word| stands(&written.lower, word) && !known(word))?;
        (!stands(&written.lower, said)).then(|| ((**said).to_owned(), (*wrote).to_owned()))
    })
}

/// The opposite of what the user wants to be said: "we accept" and a mail that declines.
fn find_opposite(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    if let (Some((wanted, said)), Some((told, wrote))) = (find_implied(&asked.last.lower), find_implied(&written.lower))
        && wanted.opposites().meet(&told)
        && !wanted.meet(&told)
    {
        return Some((said.to_owned(), wrote.to_owned()));
    }
    let (wanted, told) = (answers_in(&asked.last.lower), answers_in(&written.lower));
    let all = |found: &[(Deeds, String)]| found.iter().fold(Deeds::default(), |all, (deeds, _)| all.join(deeds));
    let (asked_for, written_down) = (all(&wanted), all(&told));
    let clear = |lower: &str| !Cue::named("negation").stands_in(lower);
    let (deeds, said) = wanted.iter().find(|(deeds, _)| !deeds.meet(&written_down))?;
    let (_, wrote) = told.iter().find(|(other, _)| deeds.opposites().meet(other) && !other.meet(&asked_for))?;
    (clear(&asked.last.lower) && clear(&written.lower)).then(|| (said.clone(), wrote.clone()))
}

/// The answers that a text gives: accepted or declined, confirmed or cancelled, earlier or later.
fn answers_in(lower: &str) -> Vec<(Deeds, String)> {
    let answers = Deeds::named(&[
        "accept", "decline", "approve", "reject", "confirm", "cancel", "keep", "buy", "sell", "later", "earlier",
        "renew", "increase", "decrease", "open", "close",
    ]);
    let spoken: Vec<Word> = words(lower);
    let list: Vec<&str> = spoken.iter().map(|word| word.folded.as_str()).collect();
    let english =
        find_english(&list).into_iter().map(|found| (found.deeds, list.get(found.range).unwrap_or_default().join(" ")));
    let chinese = find_chinese(lower)
        .into_iter()
        .map(|found| (found.deeds, lower.get(found.range).unwrap_or_default().to_owned()));
    english.chain(chinese).filter(|(deeds, _)| deeds.meet(&answers)).collect()
}

/// The thing right behind a word, of one or two words or two to four Chinese signs, and both together.
fn thing_behind<'t>(lower: &'t str, word: &str, at: usize) -> Option<(&'t str, &'t str)> {
    let rest = lower.get(at + word.len()..)?;
    if !word.is_ascii() {
        let end = rest.find(|c: char| !is_han(c) || "的了吧，和".contains(c)).unwrap_or(rest.len());
        let thing = rest.get(..end).filter(|thing| (2..=4).contains(&thing.chars().count()))?;
        return lower.get(at..at + word.len() + end).map(|said| (said, thing));
    }
    let trimmed = ["the ", "a ", "an ", "any ", "my ", "our "]
        .iter()
        .fold(rest.trim_start(), |rest, article| rest.strip_prefix(article).unwrap_or(rest));
    let end = trimmed.find(|c: char| !c.is_ascii_alphabetic() && c != ' ' && c != '-').unwrap_or(trimmed.len());
    let words: Vec<&str> = trimmed.get(..end)?.split(' ').filter(|word| !word.is_empty()).take(2).collect();
    let telling = |word: &&&str| word.len() >= 4 && !Cue::named("denies-nothing").has(word);
    let (first, second) = (words.first().filter(telling)?, words.get(1));
    let pair = second.filter(|second| second.len() >= 4).map_or(first.len(), |second| first.len() + 1 + second.len());
    let thing = trimmed.get(..pair)?;
    let from = lower.len() - trimmed.len();
    lower.get(at..from + pair).map(|said| (said, thing))
}

/// The words of a clause before a place.
fn clause_before(lower: &str, at: usize) -> &str {
    let before = lower.get(..at).unwrap_or_default();
    before.rsplit(['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？']).next().unwrap_or_default()
}

fn first_words(rest: &str) -> &str {
    let end = rest.find(['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？']).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

fn without_article(clause: &str) -> &str {
    let clause = clause.trim_end();
    ["the", "a", "an", "any"].iter().find_map(|article| clause.strip_suffix(article)).unwrap_or(clause)
}

/// A language other than the one that the user named.
fn find_language(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<String> {
    let language =
        |text: &str| languages::find(text.split(['-', '_']).next().unwrap_or(text)).or(languages::find(text));
    let named = |argument: &Argument<'_>| argument.is_named(&["language", "lang", "target", "locale", "to"]);
    let own = language(argument.text().filter(|_| named(argument))?)?;
    let spoken = |reading: &Reading| languages::spoken_in(&reading.lower);
    let said = asked.in_force().map(spoken).find(|found| !found.is_empty())?;
    let any = asked.readings().any(|reading| spoken(reading).iter().any(|language| std::ptr::eq(*language, own)));
    // The language that was named may be the other one of the call: from English into German.
    let mut others = asked.arguments.iter().filter(|other| !std::ptr::eq(other.node, argument.node) && named(other));
    let carried = others.any(|other| {
        other.text().and_then(language).is_some_and(|own| said.iter().any(|said| std::ptr::eq(*said, own)))
    });
    (!any && !carried).then(|| said.iter().map(|language| language.name()).collect::<Vec<_>>().join(", "))
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

const IN_ALL: &[&str] = word_list!("check_call", "request/content/in-all");
const CONTRARIES: &str = include_str!("../../text/data/contraries.tsv");
/// Shorter texts are labels.
const SHORTEST: usize = 12;
const PARTS_OF_DAY: &[(&str, &[&str])] = &[
    ("morning", &["morning", "上午", "早上", "早晨", "清晨"]),
    ("afternoon", &["afternoon", "下午"]),
    ("evening", &["evening", "tonight", "晚上", "今晚", "明晚", "傍晚"]),
];
