//! Dates and times of a call are those that were asked for, counted from the day on which it was asked.

use super::argument::{Argument, Moment};
use super::asked::{Asked, clause_around};
use super::moments::moments_of;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_DATE;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::lexicon::Deeds;
use crate::text::lists::word_list;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::date::{DateWords, Days, Week, plus};
use crate::text::mentions::{Mention, Reading};
use jiff::Span;
use jiff::civil::Date;

/// Finds dates and times beside others that were asked for.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let moments: Vec<(&Argument<'_>, Moment)> =
        asked.arguments.iter().filter_map(|argument| Some((argument, argument.moment()?))).collect();
    if moments.is_empty() {
        return;
    }
    let known = Known::of(asked);
    for (argument, moment) in &moments {
        let others: Vec<Moment> = moments
            .iter()
            .filter(|(other, _)| !std::ptr::eq(other.node, argument.node))
            .map(|(_, moment)| *moment)
            .collect();
        slips.extend(
            known
                .judge_day(asked, argument, *moment, &others)
                .or_else(|| known.judge_time(asked, argument, *moment, &others)),
        );
    }
}

/// Whether what was said explains a date or time.
pub(crate) fn is_explained(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    let Some(moment) = argument.moment() else { return false };
    let known = Known::of(asked).with_results(asked);
    let others: Vec<Moment> = asked
        .arguments
        .iter()
        .filter(|other| !std::ptr::eq(other.node, argument.node))
        .filter_map(|other| other.moment())
        .collect();
    let day = moment.date.is_none_or(|date| known.explains_day(asked, argument, date, &others));
    let time = moment.minutes.is_none_or(|minutes| {
        !known.minutes.is_empty() && known.explains_time(asked, argument, moment, minutes, &others)
    });
    day && time && !(known.days.is_empty() && known.minutes.is_empty())
}

/// `7.30`: a time of day as it is written in some countries, or a number.
fn dotted(reading: &Reading) -> impl Iterator<Item = Clock> {
    reading.numbers().filter_map(|(mention, _)| {
        let (hour, minute) = reading.text(mention).split_once('.')?;
        let digits = minute.len() == 2 && hour.len() <= 2;
        let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
        (digits && hour < 24 && minute < 60).then(|| Clock { minutes: hour * 60 + minute, sure: false })
    })
}

/// What is known of dates and times.
#[derive(Clone)]
struct Known<'a> {
    /// The dates that were asked for, as they were said, with the days that they may mean.
    wanted: Vec<(&'a str, Vec<Days>)>,
    /// Every day that anybody or anything spoke of.
    days: Vec<Days>,
    /// The days that the user spoke of, in the words that hold for this call.
    own: Vec<Days>,
    /// Lengths in days that were said.
    lengths: Vec<i32>,
    /// Lengths in months that were said.
    terms: Vec<i32>,
    /// The times that were asked for.
    clocks: Vec<(&'a str, Clock)>,
    /// Every time of day that was spoken of, in minutes.
    minutes: Vec<Clock>,
    /// Lengths in minutes that were said.
    spans: Vec<i32>,
    /// Whether what was said cannot all be resolved.
    open: bool,
}

impl<'a> Known<'a> {
    fn of(asked: &Asked<'a>) -> Self {
        let text = |reading: &'a Reading, range: std::ops::Range<usize>| reading.lower.get(range).unwrap_or_default();
        let mut wanted = Vec::new();
        let mut clocks = Vec::new();
        for reading in asked.in_force() {
            wanted.extend(
                reading
                    .dates()
                    .filter(|(mention, _)| !mention.excluded)
                    .map(|(mention, words)| (text(reading, mention.range.clone()), words.resolve(asked.today))),
            );
            clocks.extend(
                reading
                    .clocks()
                    .filter(|(mention, _)| !mention.excluded && !is_of_a_place(&reading.lower, &mention.range))
                    .map(|(mention, clock)| (text(reading, mention.range.clone()), clock)),
            );
        }
        let open = wanted.iter().any(|(_, days)| days.is_empty());
        let said = asked.readings().flat_map(|reading| reading.dates().map(move |found| (reading, found)));
        let said = said.filter(|(reading, found)| !is_of_a_date(reading, *found));
        let mut days: Vec<Days> = said.flat_map(|(_, (_, words))| words.resolve(asked.today)).collect();
        // "How many days are left this year" speaks of no day that is asked for.
        let long = |days: &Days| plus(days.first, MAX_STRETCH).is_some_and(|later| later < days.last);
        days.retain(|days| !long(days) || wanted.iter().any(|(_, meant): &(&str, Vec<Days>)| meant.contains(days)));
        days.extend(beside(asked));
        let own = asked.in_force().filter(|reading| asked.user().any(|user| std::ptr::eq(user, *reading)));
        let own = own.flat_map(|reading| reading.dates()).filter(|(mention, _)| !mention.excluded);
        let own = own.flat_map(|(_, words)| words.resolve(asked.today)).collect();
        let months =
            asked.numbers().filter(|(_, quantity)| quantity.unit.is_some_and(|unit| unit.dimension == "month"));
        let months = months.filter_map(|(_, quantity)| Some(quantity.unit?.to_base(quantity.value)));
        let terms = months.filter(|months| months.fract() == 0.0 && *months <= MAX_TERM).map(|months| months as i32);
        let terms = terms.collect();
        let written = asked.readings().flat_map(|reading| reading.clocks()).map(|(_, clock)| clock);
        let minutes: Vec<Clock> = written.chain(asked.user().flat_map(dotted)).collect();
        // "You have six days left" is a balance and no length of anything.
        let is_balance =
            |reading: &Reading, at: usize| Cue::named("balance").stands_in(clause_around(&reading.lower, at));
        let lengths = || {
            let numbers = asked.readings().flat_map(|reading| reading.numbers().map(move |found| (reading, found)));
            numbers
                .filter(|(_, (_, quantity))| quantity.unit.is_some_and(|unit| unit.dimension == "time"))
                .filter(|(reading, (mention, _))| !is_balance(reading, mention.range.start))
                .map(|(_, (_, quantity))| quantity)
        };
        let seconds = || {
            let measured = lengths()
                .filter_map(|quantity| Some((quantity.unit.filter(|unit| unit.dimension == "time")?, quantity)));
            measured
                .flat_map(|(unit, quantity)| {
                    [Some(unit.to_base(quantity.value)), quantity.upper.map(|upper| unit.to_base(upper))]
                })
                .flatten()
        };
        let lengths =
            seconds().filter(|seconds| *seconds >= 86_400.0).map(|seconds| (seconds / 86_400.0) as i32).collect();
        let spans =
            seconds().map(|seconds| (seconds / 60.0) as i32).filter(|minutes| (1..1440).contains(minutes)).collect();
        Self { wanted, days, own, lengths, terms, clocks, minutes, spans, open }
    }

    /// The same with the dates and times of results, which are looked at only where the conversation explains nothing.
    fn with_results(&self, asked: &Asked<'_>) -> Self {
        let mut known = self.clone();
        for moment in moments_of(&asked.results) {
            known.days.extend(moment.date.map(Days::one));
            known.minutes.extend(moment.minutes.map(|minutes| Clock { minutes, sure: true }));
        }
        known
    }

    fn judge_day(&self, asked: &Asked<'_>, argument: &Argument<'_>, moment: Moment, others: &[Moment]) -> Option<Slip> {
        // Beside the one day that was asked for, a season or a holiday of earlier messages explains nothing.
        if let [(said, days)] = self.wanted.as_slice()
            && days.iter().all(Days::is_one)
            && (said.contains(|c: char| c.is_ascii_digit())
                || ["next", "this", "下", "这", "本"].iter().any(|word| said.contains(word)))
            && self.days.iter().any(|days| !days.is_one() && !self.own.contains(days))
        {
            let mut exact = self.clone();
            exact.days.retain(|days| days.is_one() || self.own.contains(days));
            return exact.judge_day(asked, argument, moment, others);
        }
        let date = moment.date?;
        if self.is_only_as_long(asked, argument, date) {
            return self.of_one_day().judge_day(asked, argument, moment, others);
        }
        if self.open
            || self.wanted.is_empty()
            || self.is_explained(asked, argument, date, others)
            || argument.is_named(&["birth", "birthday", "dob", "issued", "created"])
        {
            return None;
        }
        // A server's clock in UTC may be a day off where the user lives.
        let near = |days: &Days| [-1, 1].iter().any(|by| plus(days.first, *by) == Some(date));
        // So may a moment that is told in UTC.
        let zoned = moment.utc && moment.minutes.is_some();
        if (asked.has_borrowed_clock() || zoned) && self.wanted.iter().any(|(_, days)| days.iter().any(near)) {
            return None;
        }
        if self.is_day_before_return(asked, argument, date) {
            return None;
        }
        let single = self.wanted.len() == 1 && !self.days.is_empty();
        let (said, days) = self.wanted.first()?;
        let meant = days
            .iter()
            .map(|days| if days.is_one() { days.first.to_string() } else { format!("{} … {}", days.first, days.last) });
        let meant = meant.take(2).collect::<Vec<_>>().join(" / ");
        let all = self.wanted.iter().map(|(said, _)| *said).take(3).collect::<Vec<_>>().join("\", \"");
        let key = argument.node.key;
        let evidence = match single {
            true => localized!(
                asked.subject.language,
                "the user said \"{said}\", which is {meant}; `{key}` is {date}",
                "用户说的是“{said}”，即 {meant}；而 `{key}` 是 {date}"
            ),
            false => localized!(
                asked.subject.language,
                "the user said \"{all}\"; `{key}` is {date}, which is none of these days",
                "用户说的是“{all}”；而 `{key}` 是 {date}，不是其中任何一天"
            ),
        };
        let hint = localized!(
            asked.subject.language,
            "count the date again from today's date, or ask the user",
            "请根据今天的日期重新推算，或询问用户"
        );
        let strength = if single || self.wanted.iter().all(|(_, days)| days.len() == 1) {
            Strength::Strong
        } else {
            Strength::Weak
        };
        Some(Slip::on(asked, argument, &OTHER_DATE, strength, Says { evidence, hint }))
    }

    /// The same without the lengths that were said.
    fn of_one_day(&self) -> Self {
        Self { lengths: Vec::new(), ..self.clone() }
    }

    /// Whether only how long something lasts makes a day of a date before the one that was asked for: 后天请一天假, and the
    /// call has tomorrow. What is counted back from a day has a word for it.
    fn is_only_as_long(&self, asked: &Asked<'_>, argument: &Argument<'_>, date: Date) -> bool {
        let [(said, days)] = self.wanted.as_slice() else { return false };
        let counted = asked.in_force().any(|reading| {
            let before = reading.lower.find(said).and_then(|at| reading.lower.get(..at)).unwrap_or_default();
            let text = reading.lower.replace(said, "");
            Cue::named("bounds-day").ends(before) || Cue::named("counts-back").stands_in(&text)
        });
        let lasts = self.lengths.iter().any(|length| *length > 0) && self.terms.is_empty();
        lasts && !counted && !is_end(argument) && days.iter().all(|days| days.is_one() && date < days.first)
    }

    /// Who is back on Monday is away until the day before, or until the last working day.
    fn is_day_before_return(&self, asked: &Asked<'_>, argument: &Argument<'_>, date: Date) -> bool {
        let returns = |said: &str| {
            let ways =
                [format!("back on {said}"), format!("back {said}"), format!("return on {said}"), format!("{said}回来")];
            ways.iter().any(|way| asked.last.lower.contains(way.as_str()))
        };
        let before = |days: &Days| (1..=3).any(|by| plus(days.first, -by) == Some(date));
        is_end(argument) && self.wanted.iter().any(|(said, days)| days.iter().any(before) && returns(said))
    }

    /// Whether the one day that was asked for was among those that were offered, so that nothing speaks for another of them.
    fn was_offered(&self, asked: &Asked<'_>) -> bool {
        let lower = &asked.last.lower;
        let bounded = |said: &str| {
            lower.find(said).is_none_or(|at| {
                let (before, behind) =
                    (lower.get(..at).unwrap_or_default(), lower.get(at + said.len()..).unwrap_or_default());
                Cue::named("bounds-day").ends(before.trim_end().trim_end_matches("the").trim_end())
                    || Cue::named("around-day").stands_in(behind)
            })
        };
        let mut picked = self.wanted.iter().filter(|(said, days)| !bounded(said) && days.iter().all(Days::is_one));
        let Some((_, days)) = picked.next() else { return false };
        let moves = asked.subject.tool.spec.deeds().deeds.meet(&Deeds::named(&["move", "update", "renew"]));
        let open = Cue::named("first-free").stands_in(lower);
        let offered = || moments_of(&asked.results).into_iter().filter_map(|moment| moment.date);
        let found = || days.iter().filter(|day| offered().any(|date| date == day.first)).count() == 1;
        picked.next().is_none() && !moves && !open && found()
    }

    /// Whether what was said and found explains a day, and nothing speaks for another of those that were offered.
    fn is_explained(&self, asked: &Asked<'_>, argument: &Argument<'_>, date: Date, others: &[Moment]) -> bool {
        self.with_results(asked).explains_day(asked, argument, date, others)
            && (self.user_explains(asked, argument, date, others)
                || !self.was_offered(asked)
                || is_end(argument) && self.is_begun(others))
    }

    /// Whether the call begins on the day that was asked for: then its end may be the record's.
    fn is_begun(&self, others: &[Moment]) -> bool {
        let begins = |days: &Days| days.is_one() && others.iter().any(|other| other.date == Some(days.first));
        self.wanted.iter().any(|(_, days)| days.iter().any(begins))
    }

    /// Whether what the user said explains a day, without what anybody else offered.
    fn user_explains(&self, asked: &Asked<'_>, argument: &Argument<'_>, date: Date, others: &[Moment]) -> bool {
        let known = Self { days: self.own.clone(), ..self.clone() };
        known.explains_day(asked, argument, date, others)
    }

    /// Whether a day was spoken of, or follows from one by a length that was.
    fn explains_day(&self, asked: &Asked<'_>, argument: &Argument<'_>, date: Date, others: &[Moment]) -> bool {
        let within = |days: &Days| if days.is_one() { days.first == date } else { fits_range(argument, days, date) };
        let reads = asked.subject.tool.effects.effects.contains(&Effect::Read);
        // Three days may end on the third; three nights end on the fourth.
        let nights = ["night", "晚"].iter().any(|word| asked.in_force().any(|reading| reading.lower.contains(word)));
        let inclusive = i32::from(!nights);
        let shifted = |from: Date| {
            self.lengths
                .iter()
                .any(|length| [*length, -*length, length - inclusive].iter().any(|by| plus(from, *by) == Some(date)))
                || self.terms.iter().any(|months| ends_term(from, *months, date) || ends_term(date, *months, from))
        };
        // The day behind a stretch may end it, but not the day behind the first of two that were said.
        let begins = |days: &Days| {
            let means = |(_, meant): &(&str, Vec<Days>)| meant.contains(days);
            self.wanted.len() > 1 && self.wanted.iter().any(means) && !self.wanted.last().is_some_and(means)
        };
        // What is closed till Tuesday is closed for the last time on Monday.
        let bounded = asked.in_force().any(|reading| Cue::named("till-then").stands_in(&reading.lower));
        let near_end = |days: &Days| {
            // "Until Sunday" has Sunday in it; only midnight is told by the day behind.
            let whole = days.is_one()
                && argument.is_named(INCLUSIVE)
                && argument.moment().is_some_and(|own| own.minutes != Some(0));
            let by = plus(days.last, 1) == Some(date) && !begins(days) && !whole;
            is_end(argument) && (by || bounded && days.is_one() && plus(days.first, -1) == Some(date))
        };
        // What already was: "how was Friday?"
        let happened =
            argument.is_named(&["loss", "incident", "accident", "occurred", "happened", "damage", "purchase", "since"]);
        let past = |days: &Days| (reads || happened) && plus(days.first, -7) == Some(date);
        let until = asked.in_force().any(|reading| UNTIL.iter().any(|word| reading.lower.contains(word)));
        let beginning =
            asked.today == Some(date) && until && others.iter().any(|other| other.date.is_some()) && !is_end(argument);
        self.days
            .iter()
            .any(|days| within(days) || near_end(days) || past(days) || shifted(days.first) || shifted(days.last))
            || others
                .iter()
                .filter_map(|other| other.date)
                // Two days that only explain each other are both open.
                .filter(|other| {
                    self.days
                        .iter()
                        .any(|days| (days.first..=days.last).contains(other) || shifted_by(self, days.first, *other))
                })
                .any(|other| shifted(other) || (other == date && self.days.iter().any(within)))
            || beginning
            || asked.today.is_some_and(shifted)
    }

    fn judge_time(
        &self,
        asked: &Asked<'_>,
        argument: &Argument<'_>,
        moment: Moment,
        others: &[Moment],
    ) -> Option<Slip> {
        let minutes = moment.minutes?;
        if is_elsewhere(asked) {
            return None;
        }
        if let Some(part) = other_part_of_day(asked, minutes).filter(|_| self.clocks.is_empty() && !moment.utc) {
            return Some(say_part(asked, argument, part, minutes));
        }
        if self.clocks.is_empty()
            || self.explains_time(asked, argument, moment, minutes, others)
            || self.with_results(asked).explains_time(asked, argument, moment, minutes, others)
        {
            return None;
        }
        let said = self.clocks.iter().map(|(said, _)| *said).take(3).collect::<Vec<_>>().join("\", \"");
        let (key, hour, minute) = (argument.node.key, minutes / 60, minutes % 60);
        let zone = if moment.utc { " UTC" } else { "" };
        let evidence = localized!(
            asked.subject.language,
            "the user said \"{said}\"; `{key}` is {hour:02}:{minute:02}{zone}",
            "用户说的是“{said}”；而 `{key}` 是 {hour:02}:{minute:02}{zone}"
        );
        let hint = localized!(
            asked.subject.language,
            "send the time that was asked for, in the user's time zone",
            "请按用户所说的时间及其时区填写"
        );
        Some(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
    }

    fn explains_time(
        &self,
        asked: &Asked<'_>,
        argument: &Argument<'_>,
        moment: Moment,
        minutes: u16,
        others: &[Moment],
    ) -> bool {
        let said = self.minutes.iter().any(|clock| clock.is(minutes));
        if moment.utc {
            // The same hour in UTC is another hour where the user lives.
            return !said || !lives_elsewhere(asked);
        }
        let shifted = |from: u16| {
            self.spans.iter().any(|span| {
                [*span, -*span].iter().any(|by| (i32::from(from) + by).rem_euclid(1440) == i32::from(minutes))
            })
        };
        let clocked =
            self.minutes.iter().any(|clock| shifted(clock.minutes) || (!clock.sure && shifted(clock.minutes + 720)));
        let followed = others.iter().filter_map(|other| other.minutes).any(shifted);
        // An end that nobody spoke of is the model's to choose, and so is a whole day.
        let free = is_end(argument) && self.clocks.len() == 1 && others.iter().any(|other| other.minutes.is_some());
        said || clocked || followed || free || matches!(minutes, 0 | 1439)
    }
}

/// The part of the day that the user's last words ask for, where a time of day lies in another.
fn other_part_of_day(asked: &Asked<'_>, minutes: u16) -> Option<&'static str> {
    let lower = &asked.last.lower;
    let named: Vec<&(&str, u16, u16)> = PARTS
        .iter()
        .filter(|(word, ..)| if word.is_ascii() { super::asked::stands_in(lower, word) } else { lower.contains(word) })
        .collect();
    let (word, from, to) = **named.first()?;
    let one = named.iter().all(|(_, start, end)| (*start, *end) == (from, to));
    let past = [
        "this morning",
        "yesterday",
        "last night",
        "早上好",
        "晚上好",
        "good morning",
        "good evening",
        "good afternoon",
    ]
    .iter()
    .any(|words| lower.contains(words));
    (one && !past && !(from..=to).contains(&minutes)).then_some(word)
}

/// "9 am his time", "noon in Tokyo time", 当地时间: the hour of another place, which nobody here can count.
fn is_elsewhere(asked: &Asked<'_>) -> bool {
    asked.in_force().any(|reading| {
        reading.clocks().any(|(mention, _)| {
            let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
            let clause = behind.split([',', '.', ';', '!', '?', '\n']).next().unwrap_or_default();
            let mut words = clause.split_whitespace().skip(usize::from(clause.trim_start().starts_with("in ")));
            let first = words.next().unwrap_or_default();
            first.chars().all(char::is_alphabetic)
                && words.next() == Some("time")
                && !matches!(first, "this" | "the" | "my" | "our" | "next")
        }) || reading.lower.contains("当地时间")
    })
}

fn say_part(asked: &Asked<'_>, argument: &Argument<'_>, part: &str, minutes: u16) -> Slip {
    let (key, hour, minute) = (argument.node.key, minutes / 60, minutes % 60);
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{part}\"; `{key}` is {hour:02}:{minute:02}",
        "用户说的是“{part}”；而 `{key}` 是 {hour:02}:{minute:02}"
    );
    let hint = localized!(
        asked.subject.language,
        "send a time in the part of the day that was asked for",
        "请填写用户所说时段内的时间"
    );
    Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint })
}

/// Days that are counted from another date of the conversation and not from today: "week of 21 September, Mon to Fri",
/// "5 May … make it the 6th".
fn beside(asked: &Asked<'_>) -> Vec<Days> {
    let said: Vec<DateWords> = asked.readings().flat_map(|reading| reading.dates()).map(|(_, words)| words).collect();
    let dates: Vec<Date> = said
        .iter()
        .filter(|words| matches!(words, DateWords::Written { day: Some(_), .. }))
        .flat_map(|words| words.resolve(asked.today))
        .map(|days| days.first)
        .filter(|date| Some(*date) != asked.today)
        .take(MAX_MOMENTS)
        .collect();
    // "Today is Wednesday" of the operator is no day that anybody counts to.
    let asked_for = asked.user().flat_map(|reading| reading.dates()).map(|(_, words)| words).collect::<Vec<_>>();
    let counted = asked_for.iter().flat_map(|words| {
        dates.iter().filter_map(move |date| match words {
            DateWords::Weekday(weekday, _) => {
                plus(*date, i32::from(*weekday) - i32::from(date.weekday().to_monday_zero_offset()))
            }
            DateWords::DayOfMonth(day) => Date::new(date.year(), date.month(), *day).ok(),
            _ => None,
        })
    });
    // "Arriving Thursday, home the Tuesday after".
    let after = asked_for.iter().flat_map(|words| {
        dates.iter().filter_map(move |date| match words {
            DateWords::Weekday(weekday, _) => {
                let by = i32::from(*weekday) - i32::from(date.weekday().to_monday_zero_offset());
                plus(*date, by.rem_euclid(7))
            }
            _ => None,
        })
    });
    let counted = counted.chain(after);
    counted.take(MAX_MOMENTS).map(Days::one).collect()
}

/// Whether a day is some of the lengths that were said after another one.
fn shifted_by(known: &Known<'_>, from: Date, date: Date) -> bool {
    let terms = known.terms.iter().any(|months| ends_term(from, *months, date));
    terms
        || known
            .lengths
            .iter()
            .any(|length| [*length, -*length, length - 1].iter().any(|by| plus(from, *by) == Some(date)))
}

/// Whether a weekday only belongs to a date beside it: "Wednesday, 29 April 2026".
fn is_of_a_date(reading: &Reading, (mention, words): (&Mention, DateWords)) -> bool {
    let near = |other: &Mention| {
        other.range.start < mention.range.end + BESIDE && mention.range.start < other.range.end + BESIDE
    };
    matches!(words, DateWords::Weekday(_, Week::Unsaid))
        && reading.dates().any(|(other, words)| {
            matches!(words, DateWords::Written { day: Some(_), year: Some(_), .. }) && near(other)
        })
}

/// "10 am New York time", 纽约时间10点: the hour of a place that is named is not the user's own.
fn is_of_a_place(lower: &str, range: &std::ops::Range<usize>) -> bool {
    let behind = lower.get(range.end..).unwrap_or_default();
    let clause = behind.split([',', '.', ';', '!', '?', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().take(4).collect();
    let named = words
        .iter()
        .position(|word| *word == "time")
        .is_some_and(|at| at > 0 && words.iter().take(at).all(|word| word.len() > 2 && !NO_PLACES.contains(word)));
    named || lower.get(..range.start).is_some_and(|before| before.trim_end().ends_with("时间"))
}

/// Words before "time" that name no place.
const NO_PLACES: &[&str] = &[
    "our", "this", "that", "next", "last", "same", "any", "some", "one", "the", "for", "first", "second", "every",
    "each", "good", "and", "start", "end", "local",
];

/// Whether a day ends a term of so many months: a year from 1 June ends on 31 May, or on 1 June.
fn ends_term(from: Date, months: i32, date: Date) -> bool {
    let end = from.checked_add(Span::new().months(months)).ok();
    end.is_some_and(|end| end == date || plus(end, -1) == Some(date))
}

/// Whether a day fits into a stretch: anywhere for one day, at its edges for the first and last day of a range.
fn fits_range(argument: &Argument<'_>, days: &Days, date: Date) -> bool {
    let long = plus(days.first, 14).is_some_and(|later| days.last > later);
    if is_end(argument) && !long {
        return date == days.last || plus(days.last, 1) == Some(date) || date == days.first;
    }
    (days.first..=days.last).contains(&date)
}

pub(crate) fn is_end(argument: &Argument<'_>) -> bool {
    argument.is_named(&[
        "end", "to", "until", "till", "finish", "checkout", "out", "max", "due", "return", "off", "expires", "before",
        "deadline", "last",
    ])
}

/// Names of ends that belong to what they end.
const INCLUSIVE: &[&str] = &["until", "till", "due", "deadline", "expires", "expiry"];

/// Whether the user is known to live where it is not the time of UTC.
fn lives_elsewhere(asked: &Asked<'_>) -> bool {
    let named = asked.subject.context.string("timezone").map(str::to_ascii_lowercase);
    let said = asked.readings().find_map(|reading| {
        let words = reading.lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | '。' | '，'));
        words
            .map(|word| word.trim_matches(['.', '(', '`', '"']))
            .find(|word| ZONES.iter().any(|zone| word.starts_with(zone)))
            .map(str::to_owned)
    });
    named.or(said).is_some_and(|zone| !NEAR_UTC.iter().any(|place| zone.contains(place)))
}

/// Parts of the day with the first and last minute that may be meant, generously.
pub(crate) const PARTS: &[(&str, u16, u16)] = &[
    ("morning", 0, 780),
    ("afternoon", 660, 1140),
    ("evening", 960, 1439),
    ("上午", 0, 780),
    ("早上", 0, 780),
    ("下午", 660, 1140),
    ("晚上", 960, 1439),
];
/// Words that let a stretch of time begin today.
const UNTIL: &[&str] = &[
    "until", "till", "by ", "before", "week", "month", "up to", "next", "coming", "since", "以前", "之前", "到",
    "截止", "内", "最近", "本周", "这周",
];
const ZONES: &[&str] = &["europe/", "asia/", "america/", "africa/", "australia/", "pacific/", "atlantic/"];
const NEAR_UTC: &[&str] = word_list!("check_call", "request/date/near-utc");
/// What stands between a date and its weekday.
const BESIDE: usize = 4;
/// No term is longer: a century.
const MAX_TERM: f64 = 1200.0;
/// What a quarter has of days.
const MAX_STRETCH: i32 = 93;
const MAX_MOMENTS: usize = 200;
