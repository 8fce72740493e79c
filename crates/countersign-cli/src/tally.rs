//! How many lines ended how, and the exit code that follows.

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The word for it, in English and Chinese.
    pub words: (&'static str, &'static str),
    /// How it looks.
    pub tone: Tone,
    /// Whether it leaves the exit code at 0.
    pub passed: bool,
}

/// How an outcome looks; the symbol says the same without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// ✔, green.
    Good,
    /// ⚠, yellow.
    Watch,
    /// ☝, magenta.
    Person,
    /// ✖, red.
    Bad,
}

/// Where a line is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineLocation<'a> {
    /// Its number, from 1.
    pub line: u64,
    /// Its input, where there are several.
    pub file: Option<&'a str>,
}

/// The outcomes of many lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    counts: Vec<(Mark, u64)>,
    malformed: u64,
    broken: u64,
    /// The first finding code that was seen, for the hint under a human report.
    pub first_code: Option<&'static str>,
}

impl Tally {
    /// Counts an outcome.
    pub(crate) fn add(&mut self, mark: Mark) {
        self.add_many(mark, 1);
    }

    /// Counts a line that could not be read.
    pub(crate) fn add_malformed(&mut self) {
        self.malformed += 1;
    }

    /// Counts a line on which we failed.
    pub(crate) fn add_broken(&mut self) {
        self.broken += 1;
    }

    /// Adds another tally.
    pub(crate) fn merge(&mut self, other: Tally) {
        for (mark, count) in other.counts {
            self.add_many(mark, count);
        }
        self.malformed += other.malformed;
        self.broken += other.broken;
        self.first_code = self.first_code.or(other.first_code);
    }

    fn add_many(&mut self, mark: Mark, count: u64) {
        match self.counts.iter_mut().find(|(known, _)| *known == mark) {
            Some((_, total)) => *total += count,
            None => self.counts.push((mark, count)),
        }
    }

    /// The outcomes and how often each came, the best first.
    pub(crate) fn outcomes(&self) -> Vec<(Mark, u64)> {
        let mut outcomes = self.counts.clone();
        outcomes.sort_by_key(|(mark, _)| (mark.tone as u8, mark.words.0));
        outcomes
    }

    /// How many lines could not be read.
    pub(crate) fn malformed_lines(&self) -> u64 {
        self.malformed
    }

    /// How many lines we failed on.
    pub(crate) fn broken_lines(&self) -> u64 {
        self.broken
    }

    /// How many lines there were.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum::<u64>() + self.malformed + self.broken
    }

    /// 0 all passed, 1 something did not, 3 we failed on a line.
    pub(crate) fn exit_code(&self) -> u8 {
        if self.broken > 0 {
            return 3;
        }
        let refused = self.counts.iter().any(|(mark, count)| !mark.passed && *count > 0);
        u8::from(refused || self.malformed > 0)
    }
}
