//! What single words mean to the finder: numerals, units, months, cues. Data, read once.
//!
//! A Latin word is looked up in lower case; Chinese words are found by one automaton, the longest first, so that a
//! plain word (比例, 统一) shields the cue inside it. A word may belong to several classes; the readers decide.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// A set of classes.
pub type Flags = u64;

/// What is known about a word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Entry {
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
#[derive(Debug)]
pub struct Lexicon {
    entries: Vec<Entry>,
    /// Where the key of a Latin word stands in `keys`, by its hash; 0 is nowhere.
    slots: Vec<u16>,
    /// The packed words with their entries.
    keys: Vec<(u128, u16)>,
    chinese: Option<AhoCorasick>,
    /// The entry of each pattern of `chinese`.
    patterns: Vec<u16>,
    /// The entries of single Chinese characters.
    characters: FxHashMap<char, u16>,
}

/// The words that ship.
pub fn lexicon() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);
    &LEXICON
}

impl Lexicon {
    /// The entry of a word of Latin letters; 0 is the unknown word.
    pub fn latin(&self, word: &[u8]) -> u16 {
        let Some(key) = pack(word) else { return 0 };
        let mut slot = hash(key);
        loop {
            let Some(&at) = self.slots.get(slot & (SLOTS - 1)).filter(|at| **at != 0) else { return 0 };
            match self.keys.get(usize::from(at)) {
                Some((known, entry)) if *known == key => return *entry,
                _ => slot += 1,
            }
        }
    }

    /// The next Chinese word at or behind a place: where it stands and its entry.
    pub fn chinese(&self, text: &str, from: usize) -> Option<(usize, usize, u16)> {
        let found = self.chinese.as_ref()?.find(aho_corasick::Input::new(text).span(from..text.len()))?;
        let entry = self.patterns.get(found.pattern().as_usize()).copied().unwrap_or_default();
        Some((found.start(), found.end(), entry))
    }

    /// The entry of one Chinese character.
    pub fn character(&self, c: char) -> u16 {
        self.characters.get(&c).copied().unwrap_or_default()
    }

    /// What is known about a word.
    pub fn entry(&self, id: u16) -> &Entry {
        const UNKNOWN: Entry = Entry { flags: 0, number: 0.0, part: 0.0, place: 0, unit: None, currency: None };
        self.entries.get(usize::from(id)).unwrap_or(&UNKNOWN)
    }

    fn read() -> Self {
        let mut entries = vec![Entry::default()];
        let mut ids: FxHashMap<&'static str, u16> = FxHashMap::default();
        for file in [include_str!("data/words.txt"), include_str!("data/chinese.txt"), UNITS] {
            let units = file.as_ptr() == UNITS.as_ptr();
            for line in file.lines().filter(|line| !line.starts_with('#')) {
                let Some((head, words)) = line.split_once('|') else { continue };
                let mut head = head.split_whitespace();
                let (class, payload) = (head.next().unwrap_or_default(), head.next());
                for word in words.split_whitespace() {
                    let id = *ids.entry(word).or_insert_with(|| {
                        entries.push(Entry::default());
                        u16::try_from(entries.len() - 1).unwrap_or_default()
                    });
                    let Some(entry) = entries.get_mut(usize::from(id)) else { continue };
                    if units { entry.measure(class, payload) } else { entry.learn(class, payload) }
                }
            }
        }
        let is_chinese = |word: &str| word.chars().next().is_some_and(crate::contract::language::is_han);
        let (chinese, latin): (Vec<_>, Vec<_>) = ids.into_iter().partition(|(word, _)| is_chinese(word));
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(chinese.iter().map(|(word, _)| word));
        let (slots, keys) = table(&latin);
        Self {
            entries,
            slots,
            keys,
            chinese: automaton.ok(),
            characters: chinese.iter().filter_map(|(word, id)| single(word).map(|c| (c, *id))).collect(),
            patterns: chinese.into_iter().map(|(_, id)| id).collect(),
        }
    }
}

/// A word of at most sixteen bytes as one number, in lower case: all that a word may hold has this bit or none.
fn pack(word: &[u8]) -> Option<u128> {
    let length = word.len();
    if length == 0 || length > 16 {
        return None;
    }
    let mut bytes = [0u8; 16];
    for (to, from) in bytes.iter_mut().zip(word) {
        *to = from | 0x20;
    }
    Some(u128::from_le_bytes(bytes))
}

fn hash(key: u128) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = (low ^ high.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize
}

/// An open table of packed words.
fn table(words: &[(&'static str, u16)]) -> (Vec<u16>, Vec<(u128, u16)>) {
    let mut slots = vec![0u16; SLOTS];
    let mut keys = vec![(0, 0)];
    for (word, entry) in words {
        let Some(key) = pack(word.as_bytes()) else { continue };
        let mut slot = hash(key);
        while slots.get(slot & (SLOTS - 1)).is_some_and(|at| *at != 0) {
            slot += 1;
        }
        keys.push((key, *entry));
        if let Some(free) = slots.get_mut(slot & (SLOTS - 1)) {
            *free = u16::try_from(keys.len() - 1).unwrap_or_default();
        }
    }
    (slots, keys)
}

/// The character of a word that has one.
fn single(word: &str) -> Option<char> {
    let mut characters = word.chars();
    characters.next().filter(|_| characters.next().is_none())
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
            ORDINAL | MONTH => self.place = value as u8,
            CURRENCY | CURRENCY_LEAD => self.currency = payload,
            _ => {}
        }
    }

    fn measure(&mut self, base: &'static str, factor: Option<&str>) {
        self.flags |= UNIT;
        self.unit = factor.and_then(|factor| factor.parse().ok()).map(|factor| (base, factor));
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $flag:ident = $name:literal),* $(,)?) => {
        classes!(@number 0u32; $($(#[$doc])* $flag,)*);
        const CLASSES: &[(&str, Flags)] = &[$(($name, $flag)),*];
    };
    (@number $at:expr; $(#[$doc:meta])* $flag:ident, $($rest:tt)*) => {
        $(#[$doc])* pub const $flag: Flags = 1 << ($at);
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
    /// 分之.
    PARTS = "parts",
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
    /// Twice.
    TWICE = "twice",
    /// Than.
    THAN = "than",
    /// Ranks, 排名.
    RANK = "rank",
    /// Mid, aged, minus, half, a: words that begin a claim with what follows.
    OPENER = "opener",
    /// A word that shields what stands inside it, and ends in -est without being a superlative.
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
    /// Please, next: what may stand before an instruction's verb.
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
    /// 更.
    HIGHER = "higher",
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
    /// A full stop behind it ends no sentence.
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
}

const UNITS: &str = include_str!("data/units.txt");
/// More than twice as many as there are words.
const SLOTS: usize = 8192;
