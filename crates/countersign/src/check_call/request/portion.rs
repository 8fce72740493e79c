//! Parts of a whole: a share of it, what is kept of it, what is taken off. The call must have the part that was meant, and not
//! the whole or the other part.

use super::argument::Argument;
use super::asked::{Asked, clause_around};
use super::number::{is_used, is_weighty};
use super::records::is_label;
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity};
use crate::text::words::identifier_words;

/// Finds wholes for parts, and parts for other parts.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|_| is_weighty(argument)) else { continue };
        let paid = match Measure::of(argument, None) {
            Measure::Money(scale) => Part::of(asked, argument, number, scale).find(),
            _ => None,
        };
        slips.extend(paid.or_else(|| find_all_of_those(asked, argument, number)));
    }
}

/// An amount of a call beside what was said and what the records have.
struct Part<'r, 'a> {
    asked: &'r Asked<'a>,
    argument: &'r Argument<'a>,
    /// The amount, in whole units.
    number: f64,
    /// The amounts that anybody said or a record has.
    values: Vec<f64>,
}

impl<'r, 'a> Part<'r, 'a> {
    fn of(asked: &'r Asked<'a>, argument: &'r Argument<'a>, number: f64, scale: f64) -> Self {
        Self { asked, argument, number: number / scale, values: values_of(asked) }
    }

    fn find(&self) -> Option<Slip> {
        self.find_whole().or_else(|| self.find_kept()).or_else(|| self.find_undeducted())
    }

    fn is(&self, value: f64) -> bool {
        is_near(value, self.number)
    }

    /// "Pay half of it", 先收三成定金, and the call has the whole.
    fn find_whole(&self) -> Option<Slip> {
        let (said, at, share) = self.share()?;
        let lower = &self.asked.last.lower;
        let of_another = self.values.iter().any(|value| self.is(value * share));
        if of_another || !self.values.iter().any(|value| self.is(*value)) {
            return None;
        }
        // "Pay 40 now, that is half of it" names the part; "they want 80, half of it now" names the whole.
        let own = clause_around(lower, at);
        let due = Cue::named("pays").stands_in(own) || Cue::named("due-in-part").stands_in(own);
        let named = || self.asked.last.numbers().filter(|(_, quantity)| self.is(quantity.value));
        // "Half is 27.50" reckons it out.
        let reckoned = |at: usize| {
            let before = lower.get(..at).unwrap_or_default().trim_end_matches(['$', '€', '£', '¥', ' ']);
            let told = ["is", "makes", "be", "=", "是", "即"].iter().any(|word| before.ends_with(word));
            told && ["half", "一半"].iter().any(|word| clause_around(lower, at).contains(word))
        };
        if named().any(|(mention, _)| reckoned(mention.range.start)) {
            return None;
        }
        let named = named();
        let mut clauses = named.map(|(mention, _)| clause_around(lower, mention.range.start));
        if clauses.any(|clause| !due || Cue::named("pays").stands_in(clause)) {
            return None;
        }
        let (key, shown, wanted) = (self.argument.node.key, show(self.number), show(self.number * share));
        Some(self.say(localized!(
            self.asked.subject.language,
            "the user said \"{said}\", which is {wanted}; `{key}` is {shown}, the whole",
            "用户说的是“{said}”，即 {wanted}；而 `{key}` 是 {shown}，是全部"
        )))
    }

    /// The share that is to be paid, as it was said, with its place.
    fn share(&self) -> Option<(String, usize, f64)> {
        let reading = self.asked.last;
        let lower = &reading.lower;
        // Half of the rooms may be many things, but what is given back of it is an amount.
        let part = |(_, at): &(&str, usize)| Cue::named("pays-part").stands_in(clause_around(lower, *at));
        let halved = Cue::named("half-of-it").places_in(lower);
        let half = halved.chain(Cue::named("half-of-what").places_in(lower).filter(part)).next();
        if let Some((said, at)) = half {
            return Some((said.to_owned(), at, 0.5));
        }
        let ratio = |own: &Quantity| own.unit.is_some_and(|unit| unit.dimension == "ratio");
        let mut shares = reading.numbers().filter(|(mention, own)| ratio(own) && !mention.excluded);
        let (mention, own) = shares.next().filter(|_| shares.next().is_none())?;
        let said = reading.text(mention);
        let partial = own.value > 0.0 && own.value < 100.0 && own.upper.is_none() && !said.ends_with('折');
        (partial && self.is_due(mention)).then(|| (said.to_owned(), mention.range.start, own.value / 100.0))
    }

    /// Whether a share is what is to be paid: "30% of it", 三成定金, "refund him 20 percent".
    fn is_due(&self, mention: &Mention) -> bool {
        let lower = &self.asked.last.lower;
        let before = lower.get(..mention.range.start).unwrap_or_default().trim_end();
        let behind = lower.get(mention.range.end..).unwrap_or_default().trim_start();
        let changed = Cue::named("share-of-change").stands_in(clause_around(lower, mention.range.start));
        let bare = IDLE.iter().find_map(|word| before.strip_suffix(word)).unwrap_or(before);
        let begins = Cue::named("due-in-part").places_in(behind).any(|(_, at)| at == 0) || behind.starts_with("of ");
        let pays = Cue::named("pays").stands_in(clause_around(lower, mention.range.start));
        !changed && !Cue::named("plus").ends(before) && (begins && pays || Cue::named("pays").ends(bare))
    }

    /// "Keep 35 of it and give him back the rest", and 35 are given back.
    fn find_kept(&self) -> Option<Slip> {
        let kept_field =
            self.argument.is_named(&["keep", "kept", "withheld", "deduct", "deduction", "fee", "retained"]);
        if kept_field || !gives_back(self.asked) {
            return None;
        }
        let reading = self.asked.last;
        let kept = |(mention, own): &(&Mention, &Quantity)| {
            self.is(own.value) && own.upper.is_none() && is_kept(&reading.lower, mention)
        };
        let (mention, own) = reading.numbers().find(kept)?;
        if self.values.iter().any(|whole| self.is(whole - own.value)) {
            return None;
        }
        let (key, said, shown) = (self.argument.node.key, reading.text(mention), show(self.number));
        Some(self.say(localized!(
            self.asked.subject.language,
            "the user wants {said} kept and the rest given back; `{key}` is {shown}",
            "用户要求留下 {said}，退还其余部分；而 `{key}` 是 {shown}"
        )))
    }

    /// "Frame 120, lenses 85, and take the 20 voucher off", and the call has 205.
    fn find_undeducted(&self) -> Option<Slip> {
        let reading = self.asked.last;
        let ratio = |own: &Quantity| own.unit.is_some_and(|unit| unit.dimension == "ratio");
        let paid = |own: &Quantity| own.unit.is_none() || ratio(own);
        let told: Vec<(&Mention, &Quantity)> = reading.numbers().filter(|(_, own)| paid(own)).collect();
        let (off, added): (Vec<_>, Vec<_>) =
            told.into_iter().partition(|(mention, _)| is_taken_off(&reading.lower, mention));
        let [(mention, off)] = off.as_slice() else { return None };
        let sum: f64 = added.iter().map(|(_, own)| own.value).sum();
        let summed = added.len() >= 2 && added.iter().all(|(_, own)| !ratio(own)) && self.is(sum);
        let by = if ratio(off) { sum * off.value / 100.0 } else { off.value };
        // Of another whole it may be just what is left.
        let explained = self.values.iter().any(|value| self.is(value - off.value) || self.is(*value));
        if !summed || explained || is_used(self.asked, self.argument, off) {
            return None;
        }
        let (key, said, wanted, shown) =
            (self.argument.node.key, reading.text(mention), show(sum - by), show(self.number));
        Some(self.say(localized!(
            self.asked.subject.language,
            "with \"{said}\" taken off it is {wanted}; `{key}` is {shown}",
            "减去“{said}”应为 {wanted}；而 `{key}` 是 {shown}"
        )))
    }

    fn say(&self, evidence: String) -> Slip {
        let hint = compare_hint(self.argument.node.key, self.asked.subject.language);
        Slip::on(self.asked, self.argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint })
    }
}

/// The numbers that anybody said or a record has.
fn values_of(asked: &Asked<'_>) -> Vec<f64> {
    let fields = asked.records().iter().flat_map(|record| &record.fields).filter(|(key, _)| !is_label(key));
    let fields = fields.filter_map(|(_, value)| value.as_f64());
    asked.numbers().map(|(_, quantity)| quantity.value).chain(fields).take(MAX_VALUES).collect()
}

/// Whether the call gives money back or lets it go.
fn gives_back(asked: &Asked<'_>) -> bool {
    let name = identifier_words(&asked.subject.tool.spec.name);
    asked.takes_away() || name.iter().any(|word| matches!(word.as_str(), "release" | "payout" | "reimburse"))
}

/// Whether a number is what is kept, and the rest is spoken of behind it; or all but it.
fn is_kept(lower: &str, mention: &Mention) -> bool {
    let before = lower.get(..mention.range.start).unwrap_or_default();
    let behind = lower.get(mention.range.end..).unwrap_or_default();
    if Cue::named("all-but").ends(before.trim_end_matches(['$', '€', '£', '¥', ' '])) {
        return true;
    }
    let Some((_, rest)) = Cue::named("the-remainder").find_in(behind) else { return false };
    let lead = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
    let led = Cue::named("held-back").places_in(lead).map(|(word, at)| at + word.len()).max();
    // "Keep the bike and refund 35" keeps no 35.
    let close = led.is_some_and(|end| lead.get(end..).is_some_and(|gap| !Cue::named("pays").stands_in(gap)));
    let followed = behind.trim_start().starts_with(['留', '扣']);
    let other_way = behind.get(..rest).is_some_and(|gap| {
        let gap = gap.trim_start().trim_start_matches(['留', '扣']);
        Cue::named("held-back").stands_in(gap)
    });
    (close || followed) && !other_way
}

/// Whether a number is taken off: "minus 20", "the 20 voucher off", 减20, 20元券抵.
fn is_taken_off(lower: &str, mention: &Mention) -> bool {
    let before = lower.get(..mention.range.start).unwrap_or_default().trim_end_matches(['$', '€', '£', '¥', ' ']);
    let bare = IDLE.iter().find_map(|word| before.strip_suffix(word)).unwrap_or(before);
    let behind = lower.get(mention.range.end..).unwrap_or_default();
    // What is said of the next number is not said of this one.
    let ends = |c: char| CLAUSE_ENDS.contains(&c) || c.is_ascii_digit();
    let clause = behind.split(ends).next().unwrap_or_default();
    let off = clause.split_whitespace().take(MAX_WORDS).any(|word| word == "off");
    let near = clause.get(..clause.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    let spent = Cue::named("takes-off").chinese.iter().any(|word| near.contains(word));
    Cue::named("takes-off").ends(bare) || off || spent
}

/// "10 kg of those have gone off", and the call has all 48 of the record.
fn find_all_of_those(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let measure = Measure::of(argument, None);
    let reading = asked.last;
    let like = |(mention, own): &(&Mention, &Quantity)| {
        let alike = match measure {
            Measure::Unit(_) => own.unit.is_some() && measure.is_like(own),
            Measure::Money(_) => own.unit.is_none(),
            Measure::Count | Measure::Bare => false,
        };
        alike && !mention.excluded && own.upper.is_none()
    };
    let mut told = reading.numbers().filter(like);
    let (mention, own) = told.next().filter(|_| told.next().is_none())?;
    let wanted = measure.value_of(own, own.value).filter(|wanted| *wanted > 0.0 && *wanted < number)?;
    let before = reading.lower.get(..mention.range.start).unwrap_or_default();
    let behind = reading.lower.get(mention.range.end..).unwrap_or_default().trim_start();
    let things = matches!(measure, Measure::Money(_)) && ["of th", "of them"].iter().any(|of| behind.starts_with(of));
    let single = ["of that", "of this"].iter().any(|of| behind.starts_with(of));
    let of_those = Cue::named("of-those").places_in(behind).any(|(_, at)| at == 0) && (!things || single);
    let among = before.ends_with("其中") || before.ends_with("其中的") || before.ends_with("里面");
    let fields = || asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, value)| value.as_f64());
    let held = fields().any(|value| is_near(value, number)) && !fields().any(|value| is_near(value - wanted, number));
    let spoken = reading.numbers().any(|(_, other)| is_near(other.value, number));
    let rest =
        Cue::named("the-remainder").stands_in(&reading.lower) || Cue::named("by-and-large").stands_in(&reading.lower);
    if !(of_those || among) || !held || spoken || rest || is_used(asked, argument, own) {
        return None;
    }
    let (key, said, shown) = (argument.node.key, reading.text(mention), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\" of them; `{key}` is {shown}, which is all of it",
        "用户说的是其中的“{said}”；而 `{key}` 是 {shown}，是全部"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// Words between a verb and its amount.
const IDLE: &[&str] =
    &[" him", " her", " them", " me", " us", " a", " the", " only", " just", " his", " their", " my", " another"];
const CLAUSE_ENDS: [char; 9] = [',', '.', ';', '!', '?', '，', '。', '；', '！'];
const MAX_VALUES: usize = 64;
const MAX_WORDS: usize = 4;
const MAX_BYTES: usize = 24;
