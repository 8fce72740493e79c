//! What a request says that a field may hold: quotations, addresses, paths, ids, dates, times, numbers and names, each with
//! the words beside it.
//!
//! Only what is written counts. A number inside an id is no number, and a date that is not whole is no date of a calendar.

use super::words::{Placed, is_chinese, is_common, placed, quoted};
use super::zones::zone_of;
use countersign::check_result::consistency::places::{fold, group};
use countersign::text::numbers::clocks::clocks;
use countersign::text::numbers::dates::Date;
use countersign::text::numbers::numbers;
use std::ops::Range;

/// One thing that a request says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention<'a> {
    /// What it is.
    pub(super) kind: Kind,
    /// As it is written.
    pub(super) text: &'a str,
    /// Where it is, in bytes.
    pub(super) at: Range<usize>,
    /// The words before it in its clause, the nearest first, in lower case.
    pub(super) before: Vec<String>,
    /// The words after it in its clause, in lower case.
    pub(super) after: Vec<String>,
}

/// What a mention is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Words in quotes.
    Quoted,
    /// An e-mail address.
    Email,
    /// A URL.
    Url,
    /// A path or a file's name.
    Path,
    /// A date; in ISO form where all of it is said.
    Date(Option<String>),
    /// A time of day, in minutes since midnight.
    Clock(u16),
    /// An id, such as `A-2207`.
    Id,
    /// A number and its unit.
    Number(f64, Option<&'static str>),
    /// A name with capitals, or a place.
    Name,
    /// The words after a preposition.
    Phrase,
}

/// What a request says, in order.
pub(super) fn mentions(request: &str) -> Vec<Mention<'_>> {
    let words = placed(request);
    let mut found = Found { request, list: Vec::new() };
    found.add(quoted(request).into_iter().map(|at| (Kind::Quoted, at)));
    found.add(words.iter().filter_map(address));
    let read = numbers(request);
    found.add(read.dates.iter().map(|date| (Kind::Date(iso(date)), date.range.clone())));
    found.add(clocks(request).into_iter().map(|clock| (Kind::Clock(clock.minutes), clock.range)));
    found.add(words.iter().filter(|placed| is_id(placed.word)).map(|placed| (Kind::Id, placed.at.clone())));
    let numbers = read.quantities.into_iter().filter(|number| !(number.spelled && number.raw <= 1.0));
    found.add(numbers.map(|number| (Kind::Number(number.raw, number.unit), number.range)));
    found.add(relative_days(request, &words).into_iter());
    found.add(names(request, &words).into_iter().map(|at| (Kind::Name, at)));
    found.add(phrases(request, &words).into_iter().map(|at| (Kind::Phrase, at)));
    found.into_mentions(&words)
}

struct Found<'a> {
    request: &'a str,
    list: Vec<(Kind, Range<usize>)>,
}

impl<'a> Found<'a> {
    /// Adds what does not overlap with what is there.
    fn add(&mut self, more: impl Iterator<Item = (Kind, Range<usize>)>) {
        for (kind, at) in more.take(MOST) {
            let free = self.list.iter().all(|(_, known)| at.end <= known.start || known.end <= at.start);
            if free && !at.is_empty() {
                self.list.push((kind, at));
            }
        }
    }

    fn into_mentions(mut self, words: &[Placed<'_>]) -> Vec<Mention<'a>> {
        self.list.sort_by_key(|(_, at)| at.start);
        let request = self.request;
        let told = self.list.into_iter().filter_map(|(kind, at)| {
            let text = request.get(at.clone())?.trim().trim_start_matches('#');
            let (before, after) = (before(request, words, &at), after(request, words, &at));
            Some(Mention { kind, text, at, before, after })
        });
        told.filter(|mention| !mention.text.is_empty()).take(MOST).collect()
    }
}

/// The words before a place, in its clause.
fn before(request: &str, words: &[Placed<'_>], at: &Range<usize>) -> Vec<String> {
    let front = request.get(..at.start).unwrap_or_default();
    let start = front.rfind(ends_clause).map_or(0, |end| end + 1);
    let in_clause = words.iter().rev().filter(|word| word.at.end <= at.start && word.at.start >= start);
    let mut found: Vec<String> = in_clause.take(BESIDE).map(|word| word.word.to_lowercase()).collect();
    let near: Vec<char> = front.chars().rev().skip_while(|c| QUOTING.contains(*c)).take(2).collect();
    found.extend(chinese(near.iter().rev()).filter(|_| near.first().is_some_and(|c| is_chinese(*c))));
    found.extend(near.first().filter(|c| is_chinese(**c)).map(char::to_string));
    found
}

/// The words after a place, in its clause.
fn after(request: &str, words: &[Placed<'_>], at: &Range<usize>) -> Vec<String> {
    let rest = request.get(at.end..).unwrap_or_default();
    let end = rest.find(ends_clause).map_or(request.len(), |end| at.end + end);
    let in_clause = words.iter().filter(|word| word.at.start >= at.end && word.at.end <= end);
    let mut found: Vec<String> = in_clause.take(BESIDE).map(|word| word.word.to_lowercase()).collect();
    let near: Vec<char> = rest.chars().skip_while(|c| QUOTING.contains(*c)).take(2).collect();
    found.extend(chinese(near.iter()).filter(|_| near.first().is_some_and(|c| is_chinese(*c))));
    found
}

fn chinese<'c>(pair: impl Iterator<Item = &'c char>) -> Option<String> {
    let pair: String = pair.collect();
    (pair.chars().count() == 2 && pair.chars().all(is_chinese)).then_some(pair)
}

fn ends_clause(c: char) -> bool {
    CLAUSE_ENDS.contains(c)
}

/// An e-mail address, a URL or a path.
fn address(placed: &Placed<'_>) -> Option<(Kind, Range<usize>)> {
    let word = placed.word;
    let mail = |(name, host): (&str, &str)| !name.is_empty() && host.contains('.');
    let kind = if word.contains("://") {
        Kind::Url
    } else if word.split_once('@').is_some_and(mail) {
        Kind::Email
    } else if is_path(word) {
        Kind::Path
    } else {
        return None;
    };
    Some((kind, placed.at.clone()))
}

fn is_path(word: &str) -> bool {
    let rooted = ["/", "./", "../", "~/", "**/", "*."].iter().any(|start| word.starts_with(start)) && word.len() > 1;
    let named = word.rsplit_once('.').is_some_and(|(stem, end)| {
        let is_end = (1..=5).contains(&end.len()) && end.starts_with(|c: char| c.is_ascii_alphabetic());
        let letters = stem.chars().filter(|c| c.is_alphabetic()).count();
        // `e.g` and `a.m` are no files.
        is_end && letters > 0 && letters + end.len() > 2 && end.chars().all(|c| c.is_ascii_alphanumeric())
    });
    rooted || named
}

/// Letters and digits together, or signs between digits: `A-2207`, `ord_1`, `#4521`. `3rd` and `30km` are none.
fn is_id(word: &str) -> bool {
    let letters = word.chars().any(char::is_alphabetic);
    let digits = word.chars().any(|c| c.is_ascii_digit());
    let tail = word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,".contains(c));
    let counted = tail.len() < word.len() && tail.chars().all(|c| c.is_alphabetic() || c == '%');
    let signs = word.contains(['-', '_']) && word.chars().filter(|c| c.is_ascii_digit()).count() > 3;
    digits && !counted && !word.contains("://") && (letters || word.starts_with('#') || signs)
}

fn iso(date: &Date) -> Option<String> {
    let (year, month, day) = (date.year?, date.month?, date.day?);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// Days that are told from today: the model has no clock, so they stay words.
fn relative_days(request: &str, words: &[Placed<'_>]) -> Vec<(Kind, Range<usize>)> {
    let is_day = |word: &&Placed<'_>| DAYS.contains(&word.word.to_lowercase().as_str());
    let latin = words.iter().filter(is_day).map(|word| word.at.clone());
    let han = CHINESE_DAYS.iter().filter_map(|day| request.find(day).map(|at| at..at + day.len()));
    latin.chain(han).map(|at| (Kind::Date(None), at)).collect()
}

/// Words with capitals that stand together, and known places in any case and language.
fn names(request: &str, words: &[Placed<'_>]) -> Vec<Range<usize>> {
    let mut found = places(request, words);
    let mut run: Option<Range<usize>> = None;
    for (at, placed) in words.iter().enumerate() {
        let starts = at == 0 || request.get(..placed.at.start).is_some_and(starts_sentence);
        let capital = placed.word.chars().next().is_some_and(char::is_uppercase) && placed.word.chars().count() > 1;
        let code = capital && placed.word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
        let names = capital && !is_common(placed.word) && (!starts || code || words.len() < 3) || is_zone(placed.word);
        let joined = run.as_ref().is_some_and(|run| request.get(run.end..placed.at.start) == Some(" "));
        match &mut run {
            Some(run) if names && joined => run.end = placed.at.end,
            _ => {
                found.extend(run.take());
                run = names.then(|| placed.at.clone());
            }
        }
    }
    found.extend(run);
    found
}

fn is_zone(word: &str) -> bool {
    word.contains('/') && zone_of(word).is_some()
}

fn starts_sentence(before: &str) -> bool {
    before.trim_end().ends_with(['.', '!', '?', ':', '\n'])
}

/// Places that the engine knows, also where they are written small: one word, two words, or Chinese characters.
fn places(request: &str, words: &[Placed<'_>]) -> Vec<Range<usize>> {
    let known = |at: &Range<usize>| request.get(at.clone()).is_some_and(|text| group(&fold(text)).is_some());
    let long = |at: &Range<usize>| at.len() > 3;
    let joined = |(one, two): &(&Placed<'_>, &Placed<'_>)| request.get(one.at.end..two.at.start) == Some(" ");
    let pairs = words.iter().zip(words.iter().skip(1)).filter(joined).map(|(one, two)| one.at.start..two.at.end);
    let alone = words.iter().map(|word| word.at.clone());
    let mut found: Vec<Range<usize>> = pairs.chain(alone).filter(|at| long(at) && known(at)).collect();
    let han: Vec<usize> =
        request.char_indices().filter(|(_, c)| is_chinese(*c)).map(|(at, _)| at).take(MOST_HAN).collect();
    for length in (2..=5).rev() {
        let windows = han.windows(length).filter_map(|window| Some(*window.first()?..*window.last()? + HAN_BYTES));
        found.extend(windows.filter(|at| at.len() == length * HAN_BYTES && known(at)));
    }
    found
}

/// The words after a preposition, up to the next word that only joins, inside one clause.
fn phrases(request: &str, words: &[Placed<'_>]) -> Vec<Range<usize>> {
    let leads = |word: &Placed<'_>| PREPOSITIONS.contains(&word.word.to_lowercase().as_str());
    let mut found = Vec::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| leads(word)).take(MOST) {
        let behind = words.iter().skip(at + 1).skip_while(|word| is_common(word.word));
        let phrase: Vec<&Placed<'_>> = behind.take_while(|word| !is_common(word.word)).take(3).collect();
        let (Some(first), Some(last)) = (phrase.first(), phrase.last()) else { continue };
        let whole = first.at.start..last.at.end;
        let text = request.get(whole.clone()).unwrap_or_default();
        let end = text.find(ends_clause).unwrap_or(text.len());
        found.push(whole.start..whole.start + end);
    }
    found
}

const CLAUSE_ENDS: &str = ",;?!\n，；。？！、：";
const QUOTING: &str = "\"“”「」《》'`‘’ ";
const PREPOSITIONS: [&str; 14] =
    ["in", "at", "for", "of", "about", "named", "called", "on", "to", "from", "with", "into", "play", "by"];
const DAYS: [&str; 12] = [
    "today",
    "tomorrow",
    "yesterday",
    "tonight",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "weekend",
];
const CHINESE_DAYS: [&str; 6] = ["今天", "明天", "后天", "昨天", "今晚", "周末"];
/// So many words on each side.
const BESIDE: usize = 2;
const MOST: usize = 40;
const MOST_HAN: usize = 200;
/// The bytes of a Chinese character.
const HAN_BYTES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(request: &str) -> Vec<(Kind, &str)> {
        mentions(request).into_iter().map(|mention| (mention.kind, mention.text)).collect()
    }

    // SERVE-7: numbers inside ids are no numbers.
    #[test]
    fn a_request_is_read_into_mentions() {
        let number = |number: f64, unit| Kind::Number(number, unit);
        assert_eq!(
            kinds("Refund order A-2207, 30 euros"),
            [(Kind::Id, "A-2207"), (number(30.0, Some("eur")), "30 euros")]
        );
        assert_eq!(kinds("What time is it in Oslo?"), [(Kind::Name, "Oslo")]);
        assert_eq!(kinds("oslo weather"), [(Kind::Name, "oslo")]);
        assert_eq!(
            kinds("Fly from Oslo to New York on 2026-05-03"),
            [(Kind::Name, "Oslo"), (Kind::Name, "New York"), (Kind::Date(Some("2026-05-03".into())), "2026-05-03")]
        );
        assert_eq!(kinds("北京明天的天气"), [(Kind::Name, "北京"), (Kind::Date(None), "明天")]);
        assert_eq!(
            kinds("Read \"/srv/my notes.txt\" and ./a.md"),
            [(Kind::Quoted, "/srv/my notes.txt"), (Kind::Path, "./a.md")]
        );
        assert_eq!(
            kinds("Mail ann@example.com at 15:30"),
            [(Kind::Email, "ann@example.com"), (Kind::Clock(930), "15:30")]
        );
        assert_eq!(kinds("Convert 14:30 to Asia/Tokyo"), [(Kind::Clock(870), "14:30"), (Kind::Name, "Asia/Tokyo")]);
        assert_eq!(mentions("取消订单A-2207")[0].before, ["订单", "单"]);
        assert_eq!(mentions("for 3 passengers")[0].after, ["passengers"]);
    }
}
