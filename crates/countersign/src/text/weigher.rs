//! Weighs a sentence while its words are read, where nothing but its words is weighed.
//!
//! The same features and the same data as in [`super::wording`], without a set of them. A word is a number, 0 where no feature
//! has it; most words in a row weigh nothing, and a bit tells so before anything is looked up.

use super::wording::{WordSink, read_words};
use rustc_hash::FxHashMap;

/// Learned weights of words: `data/wording/NAME.tsv`.
#[derive(Debug, Default)]
pub(crate) struct WordWeights {
    bias: i32,
    /// The number of each Chinese character, and of each other word by its hash.
    han: Vec<u16>,
    words: FxHashMap<u64, u16>,
    /// What each word weighs by itself, in hundredths.
    single: Vec<i16>,
    /// For each hash of words in a row, whether it may be of a feature.
    known: Vec<u64>,
    /// Features of more than one word in an open table, by their hash.
    rows: Vec<Row>,
}

/// Some words in a row, and what they weigh.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    /// What tells their hash from others; 0 where there are none.
    tag: u32,
    /// In hundredths.
    weight: i16,
    /// Their number, to be weighed once.
    number: u16,
}

impl WordWeights {
    /// Reads a table: a header, then a feature and what it weighs on each line; `%bias` is what speaks before any word.
    pub(crate) fn from_lines(table: &str) -> Self {
        let lines: Vec<_> = table.lines().skip(1).filter_map(|line| line.rsplit_once('\t')).take(MOST).collect();
        let mut weights = Self { han: vec![0; HANS], single: vec![0], known: vec![0; KNOWN / 64], ..Self::default() };
        weights.rows = vec![Row::default(); (lines.len() + lines.len() / 2).next_power_of_two()];
        for (feature, weight) in &lines {
            let weight = (weight.parse::<f32>().unwrap_or_default() * 100.0).round() as i16;
            let words: Vec<u16> = feature.split(' ').map(|word| weights.number(word)).collect();
            match words.as_slice() {
                _ if *feature == "%bias" => weights.bias = weight.into(),
                [word] => weights.single.get_mut(usize::from(*word)).into_iter().for_each(|own| *own = weight),
                words => weights.learn(join(words), weight),
            }
        }
        // Features are numbered behind the words, which are weighed once too.
        let words = weights.single.len() as u16;
        weights.rows.iter_mut().filter(|row| row.tag != 0).zip(words..).for_each(|(row, number)| row.number = number);
        weights
    }

    /// The number of a word, which it gets where it has none.
    fn number(&mut self, word: &str) -> u16 {
        let next = self.single.len() as u16;
        let number = match han(word) {
            Some(place) => self.han.get_mut(place),
            None => Some(self.words.entry(hash(word)).or_default()),
        };
        let Some(number) = number else { return 0 };
        if *number == 0 {
            *number = next;
            self.single.push(0);
        }
        *number
    }

    fn learn(&mut self, hash: u64, weight: i16) {
        let (bit, mask, mut place) = (hash as usize % KNOWN, self.rows.len() - 1, hash as usize);
        self.known.get_mut(bit / 64).into_iter().for_each(|known| *known |= 1 << (bit % 64));
        while self.rows.get(place & mask).is_some_and(|row| row.tag != 0) {
            place += 1;
        }
        let row = Row { tag: tag(hash), weight, number: 0 };
        self.rows.get_mut(place & mask).into_iter().for_each(|free| *free = row);
    }

    fn find(&self, hash: u64) -> Option<Row> {
        let (tag, mut place) = (tag(hash), hash as usize);
        loop {
            match self.rows.get(place & (self.rows.len() - 1)) {
                Some(row) if row.tag == tag => return Some(*row),
                Some(row) if row.tag != 0 => place += 1,
                _ => return None,
            }
        }
    }

    /// What the words of a sentence in lower case weigh, in hundredths: above zero where they speak for it.
    pub(crate) fn weigh(&self, lower: &str) -> i32 {
        let mut weigher = Weigher { weights: self, sum: self.bias, taken: [0; MOST / 64] };
        read_words(lower, &mut weigher);
        weigher.sum
    }
}

/// What a sentence weighs so far.
struct Weigher<'w> {
    weights: &'w WordWeights,
    sum: i32,
    /// Which words and features were weighed.
    taken: [u64; MOST / 64],
}

impl WordSink<'_> for Weigher<'_> {
    type Word = u16;

    #[inline]
    fn read(&self, word: &str) -> u16 {
        match han(word) {
            Some(place) => self.weights.han.get(place).copied().unwrap_or_default(),
            None => self.weights.words.get(&hash(word)).copied().unwrap_or_default(),
        }
    }

    #[inline]
    fn take<const COUNT: usize>(&mut self, words: [u16; COUNT]) {
        if words.contains(&0) {
            return;
        }
        if let [word] = words.as_slice() {
            let weight = self.weights.single.get(usize::from(*word)).copied().unwrap_or_default();
            return self.add(*word, weight);
        }
        let hash = join(&words);
        let bit = hash as usize % KNOWN;
        if self.weights.known.get(bit / 64).is_some_and(|known| known >> (bit % 64) & 1 == 1)
            && let Some(row) = self.weights.find(hash)
        {
            self.add(row.number, row.weight);
        }
    }
}

impl Weigher<'_> {
    #[inline]
    fn add(&mut self, number: u16, weight: i16) {
        let Some(taken) = self.taken.get_mut(usize::from(number / 64)) else { return };
        let bit = 1 << (number % 64);
        if *taken & bit == 0 {
            *taken |= bit;
            self.sum += i32::from(weight);
        }
    }
}

/// The place of a Chinese character of the main block.
#[inline]
fn han(word: &str) -> Option<usize> {
    match word.as_bytes() {
        [a @ 0xe4..=0xe9, b, c] => {
            let point = (usize::from(*a) & 0xf) << 12 | (usize::from(*b) & 0x3f) << 6 | usize::from(*c) & 0x3f;
            point.checked_sub(FIRST_HAN)
        }
        _ => None,
    }
}

/// The hash of a word.
#[inline]
fn hash(word: &str) -> u64 {
    let bytes = word.as_bytes();
    let (low, high) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>(), bytes.first_chunk(), bytes.last_chunk())
    {
        (Some(first), Some(last), ..) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        (_, _, Some(first), Some(last)) => (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()),
        _ => (bytes.iter().fold(0, |low, byte| low << 8 | u64::from(*byte)), 0),
    };
    // A word of more than sixteen bytes is told by those and by its length.
    mix(low ^ mix(high ^ (bytes.len() as u64) << 56))
}

/// The hash of some words in a row.
#[inline]
fn join(words: &[u16]) -> u64 {
    mix(words.iter().fold(0, |row, word| row << 16 | u64::from(*word)))
}

#[inline]
fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ 0xa076_1d64_78bd_642f) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}

/// What a row keeps of its hash; its place comes from the other half.
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32 | 1
}

const FIRST_HAN: usize = 0x4e00;
/// How many characters the main block holds.
const HANS: usize = 0x5200;
/// How many bits say what is known: enough that one in ten is set.
const KNOWN: usize = 1 << 16;
/// Of more features, or more words in them, the last are not read.
const MOST: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::wording::{Features, Weights};

    #[test]
    fn words_weigh_what_their_features_weigh() {
        let table = include_str!("data/wording/claims.tsv");
        let (words, whole) = (WordWeights::from_lines(table), Weights::from_lines(table));
        for text in [
            "",
            "the ferry carries 1,200 people, and the next one 1,200 more",
            "please wait 5 minutes: then add 200 g of flour, and wait 5 minutes again!",
            "a rather unprecedentedlylongword of 12.5% in 2024 @ann_b https://a.example/b",
            "这座桥长3公里，每天有三千多人走过，每天都有人拍照。",
            "建议每天喝八杯水，水开后煮8分钟",
        ] {
            let mut features = Features::default();
            read_words(text, &mut features);
            let expected = whole.weigh(&features) * 100.0;
            assert!((words.weigh(text) as f32 - expected).abs() < 0.01, "{text}: {} {expected}", words.weigh(text));
        }
    }
}
