//! What single words mean to the finder: numerals, units, months, cues. Data, read once.
//!
//! A Latin word is looked up in lower case; Chinese words are found by one automaton, the longest first, so that a
//! plain word (比例, 统一) shields the cue inside it. A word may belong to several classes; the readers decide.

use super::names::NAMES;
use crate::text::units::{Unit, stated_units};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// A set of classes.
pub(crate) type Flags = u64;

/// What is known about a word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Entry {
    /// Its classes.
    pub flags: Flags,
    /// What a numeral or a scale is worth.
    pub number: f64,
    /// What one of a share is: a fifth, 成, basis points.
    pub part: f64,
    /// The place of an ordinal, the number of a month.
    pub place: u8,
    /// Base unit and factor.
    pub unit: Option<(&'static str, f64)>,
    /// The currency's code.
    pub currency: Option<&'static str>,
}

/// All words.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    entries: Vec<Entry>,
    /// The Latin words in an open table, by their hash.
    latin: Vec<Slot>,
    /// Where the words of a first character stand in `openings`; 0 is a character that begins none.
    firsts: Vec<u16>,
    openings: Vec<Opening>,
    /// What follows the first character of each Chinese word, by the second character and the longest first.
    tails: Vec<Tail>,
    /// Where the words are in `tails` that begin with two characters; an open table by their hash.
    pairs: Vec<Pair>,
}

/// A Latin word and what is asked of it first.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The packed word; 0 where there is none.
    key: u128,
    known: Known,
}

/// A word's number and its classes; all zero for the unknown word.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Known {
    /// Its classes.
    pub flags: Flags,
    /// Its entry.
    pub entry: u16,
}

/// What a Chinese character may begin.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Opening {
    /// Whether it writes a number.
    pub numeral: bool,
    /// Its entry as a word of its own.
    pub alone: Known,
    /// The number of the character, where it begins longer words.
    number: u16,
}

impl Opening {
    /// The key of the character with the one that follows it.
    #[inline]
    fn pair(self, rest: &str) -> Option<u32> {
        second(rest).filter(|_| self.number != 0).map(|second| u32::from(self.number) << 16 | u32::from(second))
    }
}

/// The words that begin with the same two characters.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    /// The first character's number and the second's bytes; 0 where there is none.
    key: u32,
    from: u16,
    to: u16,
}

#[derive(Debug)]
struct Tail {
    text: &'static str,
    known: Known,
}

/// The words that ship.
pub(crate) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

impl Lexicon {
    /// What is known about a word of Latin letters, packed.
    #[inline]
    pub(crate) fn latin(&self, key: u128) -> Known {
        let mut slot = hash(key);
        loop {
            match self.latin.get(slot & (SLOTS - 1)) {
                Some(found) if found.key == key => return found.known,
                Some(found) if found.key != 0 => slot += 1,
                _ => return Known::default(),
            }
        }
    }

    /// What a Chinese character may begin.
    #[inline]
    pub(crate) fn opening(&self, c: char) -> Opening {
        let at = u32::from(c).wrapping_sub(FIRST_HAN) as usize;
        match self.firsts.get(at) {
            Some(&at) => self.openings.get(usize::from(at)).copied().unwrap_or_default(),
            None => Opening { numeral: numeral(c), ..Opening::default() },
        }
    }

    /// The longest Chinese word of an opening before this rest: the bytes of the rest that it takes, and its entry.
    pub(crate) fn chinese(&self, opening: Opening, rest: &str) -> Option<(usize, Known)> {
        if let Some(key) = opening.pair(rest) {
            let mut slot = pair_hash(key);
            while let Some(pair) = self.pairs.get(slot & (SLOTS - 1)).filter(|pair| pair.key != 0) {
                if pair.key == key {
                    let tails = self.tails.get(usize::from(pair.from)..usize::from(pair.to)).unwrap_or_default();
                    let fits = |tail: &&Tail| rest.as_bytes().starts_with(tail.text.as_bytes());
                    if let Some(tail) = tails.iter().find(fits) {
                        return Some((tail.text.len(), tail.known));
                    }
                    break;
                }
                slot += 1;
            }
        }
        (opening.alone.entry != 0).then_some((0, opening.alone))
    }

    /// What is known about a word.
    pub(crate) fn entry(&self, id: u16) -> &Entry {
        const UNKNOWN: Entry = Entry { flags: 0, number: 0.0, part: 0.0, place: 0, unit: None, currency: None };
        self.entries.get(usize::from(id)).unwrap_or(&UNKNOWN)
    }

    fn read() -> Self {
        let mut entries = vec![Entry::default()];
        let mut ids: FxHashMap<&'static str, u16> = FxHashMap::default();
        let mut number = |word, entries: &mut Vec<Entry>| {
            *ids.entry(word).or_insert_with(|| {
                entries.push(Entry::default());
                u16::try_from(entries.len() - 1).unwrap_or_default()
            })
        };
        NAMES.iter().for_each(|name| _ = number(name, &mut entries));
        for (word, unit) in stated_units() {
            let id = number(word, &mut entries);
            entries.get_mut(usize::from(id)).into_iter().for_each(|entry| entry.measure(unit));
        }
        for (class, payload, words) in DATA.iter().copied().flat_map(lines) {
            for word in words.split_whitespace() {
                let id = number(word, &mut entries);
                entries.get_mut(usize::from(id)).into_iter().for_each(|entry| entry.learn(class, payload));
            }
        }
        let is_chinese = |word: &str| word.chars().next().is_some_and(crate::contract::language::is_han);
        let (chinese, latin): (Vec<_>, Vec<_>) = ids.into_iter().partition(|(word, _)| is_chinese(word));
        let mut lexicon = Self { entries, ..Self::default() };
        lexicon.fill(&latin);
        lexicon.open(&chinese);
        lexicon
    }

    fn find_known(&self, entry: u16) -> Known {
        Known { flags: self.entry(entry).flags, entry }
    }

    /// Puts the Latin words into their table.
    fn fill(&mut self, words: &[(&'static str, u16)]) {
        self.latin = vec![Slot::default(); SLOTS];
        for (word, entry) in words {
            let known = self.find_known(*entry);
            let Some(key) = pack(word.as_bytes()) else { continue };
            let mut slot = hash(key);
            while self.latin.get(slot & (SLOTS - 1)).is_some_and(|slot| slot.key != 0) {
                slot += 1;
            }
            if let Some(free) = self.latin.get_mut(slot & (SLOTS - 1)) {
                *free = Slot { key, known };
            }
        }
    }

    /// Sorts the Chinese words under their first characters.
    fn open(&mut self, words: &[(&'static str, u16)]) {
        let split = |(word, entry): &(&'static str, u16)| {
            let mut characters = word.chars();
            let first = characters.next().unwrap_or_default();
            let text = characters.as_str();
            (first, Tail { text, known: self.find_known(*entry) })
        };
        let mut words: Vec<_> = words.iter().map(split).collect();
        words.extend(NUMERALS.chars().map(|c| (c, Tail { text: "", known: Known::default() })));
        words.sort_by_key(|(first, tail)| (*first, second(tail.text), std::cmp::Reverse(tail.text.len()), tail.text));
        self.firsts = vec![0; HANS];
        self.pairs = vec![Pair::default(); SLOTS];
        self.openings = vec![Opening::default()];
        for chunk in words.chunk_by(|one, other| one.0 == other.0) {
            let Some((first, _)) = chunk.first() else { continue };
            let number = u16::try_from(self.openings.len()).unwrap_or_default();
            let slot = u32::from(*first).wrapping_sub(FIRST_HAN) as usize;
            self.firsts.get_mut(slot).into_iter().for_each(|slot| *slot = number);
            let (alone, longer): (Vec<_>, Vec<_>) = chunk.iter().partition(|(_, tail)| tail.text.is_empty());
            let alone = alone.iter().map(|(_, tail)| tail.known).max_by_key(|known| known.entry).unwrap_or_default();
            let number = if longer.is_empty() { 0 } else { number };
            let opening = Opening { numeral: numeral(*first), alone, number };
            self.openings.push(opening);
            for same in longer.chunk_by(|one, other| second(one.1.text) == second(other.1.text)) {
                let from = u16::try_from(self.tails.len()).unwrap_or_default();
                self.tails.extend(same.iter().map(|(_, tail)| Tail { ..*tail }));
                let to = u16::try_from(self.tails.len()).unwrap_or_default();
                let key = same.first().and_then(|(_, tail)| opening.pair(tail.text)).unwrap_or_default();
                let mut slot = pair_hash(key);
                while self.pairs.get(slot & (SLOTS - 1)).is_some_and(|pair| pair.key != 0) {
                    slot += 1;
                }
                self.pairs.get_mut(slot & (SLOTS - 1)).into_iter().for_each(|pair| *pair = Pair { key, from, to });
            }
        }
    }
}

fn pair_hash(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9) >> 16) as usize
}

/// What tells the first character of a text from most others: its last two bytes, or the one of ASCII.
#[inline]
fn second(text: &str) -> Option<u16> {
    match text.as_bytes() {
        [byte, ..] if byte.is_ascii() => Some((*byte).into()),
        [_, second, third, ..] => Some(u16::from_le_bytes([*second, *third])),
        _ => None,
    }
}

/// The lines of a data file: class, payload, words.
fn lines(text: &'static str) -> impl Iterator<Item = (&'static str, Option<&'static str>, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (head, words) = line.split_once('|')?;
        let mut head = head.split_whitespace();
        Some((head.next()?, head.next(), words))
    })
}

/// Whether a character writes a number in Chinese.
pub(crate) fn numeral(c: char) -> bool {
    NUMERALS.chars().any(|numeral| numeral == c)
}

/// A word of at most sixteen bytes as one number, in lower case: all that a word may hold has this bit or none.
pub(crate) fn pack(bytes: &[u8]) -> Option<u128> {
    (1..=16).contains(&bytes.len()).then(|| {
        let chunk = u128::from(chunk(bytes, 8)) << 64 | u128::from(chunk(bytes, 0));
        pack_chunk(chunk, bytes.len())
    })
}

/// The first bytes of a chunk in lower case, the rest zero.
fn pack_chunk(chunk: u128, length: usize) -> u128 {
    (chunk | (u128::MAX / 0xff * 0x20)) & u128::MAX.checked_shr(128 - 8 * length as u32).unwrap_or_default()
}

/// The eight bytes at a place of a text, the first the lowest; zero after its end.
#[inline]
pub(crate) fn chunk(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(bytes) = rest.first_chunk() {
        u64::from_le_bytes(*bytes)
    } else if let Some(bytes) = text.last_chunk() {
        // Nothing is left behind the end.
        u64::from_le_bytes(*bytes).checked_shr(64 - 8 * rest.len() as u32).unwrap_or_default()
    } else {
        rest.iter().rev().fold(0, |chunk, byte| chunk << 8 | u64::from(*byte))
    }
}

fn hash(key: u128) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = (low ^ high.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize
}

impl Entry {
    fn learn(&mut self, class: &str, payload: Option<&'static str>) {
        let Some(at) = CLASSES.iter().position(|(name, _)| *name == class) else { return };
        let flag = CLASSES.get(at).map_or(0, |(_, flag)| *flag);
        self.flags |= flag;
        let value = payload.and_then(|payload| payload.parse::<f64>().ok()).unwrap_or_default();
        match flag {
            NUMERAL | SCALE => self.number = value,
            FRACTION | PERCENT | TENTHS | PER | HALF => self.part = value,
            ORDINAL | MONTH | SUPPOSE | PAST => self.place = value as u8,
            CURRENCY | CURRENCY_LEAD => self.currency = payload,
            _ => {}
        }
    }

    /// Temperatures keep their own scale: what was written is what is claimed.
    fn measure(&mut self, unit: &Unit) {
        self.flags |= UNIT;
        self.unit = Some((unit.base, if unit.dimension == "temperature" { 1.0 } else { unit.factor }));
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $flag:ident = $name:literal),* $(,)?) => {
        classes!(@number 0u32; $($(#[$doc])* $flag,)*);
        const CLASSES: &[(&str, Flags)] = &[$(($name, $flag)),*];
    };
    (@number $at:expr; $(#[$doc:meta])* $flag:ident, $($rest:tt)*) => {
        $(#[$doc])* pub(crate) const $flag: Flags = 1 << ($at);
        classes!(@number $at + 1u32; $($rest)*);
    };
    (@number $at:expr;) => {};
}

classes! {
    /// One, twenty.
    NUMERAL = "numeral",
    /// Hundred, million, bn.
    SCALE = "scale",
    /// Half, third, tenths.
    FRACTION = "fraction",
    /// First, nineteenth.
    ORDINAL = "ordinal",
    /// Percent, basis points, 个百分点.
    PERCENT = "percent",
    /// 成, 折.
    TENTHS = "tenths",
    /// 百分之.
    PER = "per",
    /// Rose, sold. The payload is 1 where the form is no participle.
    PAST = "past",
    /// 一半.
    HALF = "half",
    /// January.
    MONTH = "month",
    /// Spring.
    SEASON = "season",
    /// About, 约.
    ABOUT = "about",
    /// Over, 超过.
    OVER = "over",
    /// Under, 不到.
    UNDER = "under",
    /// Better, faster.
    COMPARATIVE = "comparative",
    /// Doubled, tenfold.
    MULTIPLIED = "multiplied",
    /// Test, show: verbs that open a sentence as nouns too.
    NOUN_TOO = "noun_too",
    /// Than.
    THAN = "than",
    /// Ranks, 排名.
    RANK = "rank",
    /// Mid, aged, minus, half, a: words that begin a claim with what follows.
    OPENER = "opener",
    /// A word that shields what is inside it, and ends in -est without being a superlative.
    PLAIN = "plain",
    /// Most, best.
    SUPERLATIVE = "superlative",
    /// Says, 显示.
    CITE_VERB = "cite_verb",
    /// Report, 研究.
    CITE_NOUN = "cite_noun",
    /// According, 根据.
    CITE_LEAD = "cite_lead",
    /// 来源.
    CITE_SOURCE = "cite_source",
    /// Your, 您: the reader's own words are no source.
    SELF = "self",
    /// It, they.
    PRONOUN = "pronoun",
    /// The, its.
    DETERMINER = "determiner",
    /// Is, has, will.
    AUX = "aux",
    /// What ends a noun phrase.
    PREPOSITION = "preposition",
    /// Wait, add.
    IMPERATIVE = "imperative",
    /// Please, next: what may be before an instruction's verb.
    LEAD_IN = "lead_in",
    /// Should, let's.
    ADVISE = "advise",
    /// Section, room, flight: the number behind is a name.
    MARKER = "marker",
    /// Python, PostgreSQL.
    PRODUCT = "product",
    /// Version, release.
    VERSION = "version",
    /// Gini, BLEU, 市盈率.
    STATISTIC = "statistic",
    /// Index, coefficient, 指数.
    STATISTIC_TAIL = "statistic_tail",
    /// Dollars, 元.
    CURRENCY = "currency",
    /// 人民币 before its number.
    CURRENCY_LEAD = "currency_lead",
    /// Kilometres, 公里.
    UNIT = "unit",
    /// 个, 名, 家.
    MEASURE = "measure",
    /// 请, 点击 at the start of a clause.
    INSTRUCT_START = "instruct_start",
    /// 即可 anywhere in a clause.
    INSTRUCT_ANY = "instruct_any",
    /// 高于, 仅次于.
    ABOVE = "above",
    /// Suppose, 假设: what follows is not so. The payload is 1 where it holds for the sentences behind too.
    SUPPOSE = "suppose",
    /// 翻番.
    DOUBLE = "double",
    /// 倍.
    TIMES_WORD = "times_word",
    /// 位居.
    RANK_WORD = "rank_word",
    /// 首位.
    FIRST_PLACE = "first_place",
    /// 康熙.
    ERA = "era",
    /// 公元前.
    BC = "bc",
    /// 世纪.
    CENTURY = "century",
    /// 年代.
    DECADE = "decade",
    /// 季度, 上半年.
    QUARTER = "quarter",
    /// 年底, 财年.
    YEAR_TAIL = "year_tail",
    /// A full stop after it ends no sentence.
    ABBREVIATION = "abbreviation",
    /// A plural without s.
    PLURAL = "plural",
    /// BC, AD.
    ERA_MARK = "era_mark",
    /// RFC, PMID.
    REFERENCE = "reference",
    /// Study, researchers: their findings are always attributed.
    RESEARCH = "research",
    /// A verb that attributes only with a that-clause or a researcher.
    WEAK_VERB = "weak_verb",
    /// Ways, 方法: what a writer counts before a list.
    LISTED = "listed",
}

/// The data files beside the units.
const DATA: [&str; 2] = [include_str!("data/words.txt"), include_str!("data/chinese.txt")];
/// More than twice as many as there are words.
const SLOTS: usize = 8192;
const FIRST_HAN: u32 = 0x4e00;
/// How many characters the main block holds.
const HANS: usize = 0x5200;
const NUMERALS: &str = "零〇○一二两兩三四五六七八九十百千万萬亿億兆壹贰貳叁參肆伍陆陸柒捌玖拾佰仟廿卅";

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&LEXICON);
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);
