//! What a request says of each deed: wanted, refused, asked about, left open.

use super::clause::{Clause, Mood, clauses, has_any};
use crate::text::lexicon::{Deeds, Form, Found, find_chinese, find_english};
use crate::text::lists::word_list;
use std::ops::Range;

/// A request, read.
#[derive(Debug, Default, Clone)]
pub(crate) struct Reading {
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// The deeds in them.
    pub mentions: Vec<Mention>,
}

/// A deed in a request.
#[derive(Debug, Clone)]
pub(crate) struct Mention {
    /// The deeds that the words name.
    pub deeds: Deeds,
    /// What is said of them.
    pub stance: Stance,
    /// The words.
    pub said: String,
    /// The clause.
    pub clause: usize,
}

/// What is said of a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    /// It is wanted.
    Wanted,
    /// It is spoken of, and could be wanted.
    Open,
    /// It is refused.
    Refused,
    /// It is asked about.
    Asked,
    /// It waits for something.
    Conditional,
    /// The user will do it.
    Own,
}

impl Reading {
    /// Reads a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut reading = Self { clauses: clauses(text), mentions: Vec::new() };
        let undecided = reading.clauses.iter().any(is_undecided);
        for (at, clause) in reading.clauses.iter().enumerate() {
            let found = if clause.chinese { read_chinese(clause, at) } else { read_english(clause, at) };
            reading.mentions.extend(found);
        }
        if undecided {
            let asks = |mention: &&mut Mention| {
                reading
                    .clauses
                    .get(mention.clause)
                    .is_some_and(|clause| clause.mood == Mood::Open || is_undecided(clause))
            };
            let open = reading.mentions.iter_mut().filter(|mention| mention.stance == Stance::Open).filter(asks);
            open.for_each(|mention| mention.stance = Stance::Asked);
        }
        reading.follow_ellipses();
        reading
    }

    /// How many words it has.
    pub(crate) fn count_words(&self) -> usize {
        self.clauses.iter().map(|clause| clause.words.len()).sum()
    }

    /// The mentions of any of some deeds.
    pub(crate) fn of_deeds(&self, deeds: Deeds) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(move |mention| mention.deeds.meet(&deeds))
    }

    /// Whether a deed is wanted, or could be.
    pub(crate) fn may_want(&self, deeds: Deeds) -> bool {
        self.of_deeds(deeds).any(|mention| matches!(mention.stance, Stance::Wanted | Stance::Open))
    }

    /// What is said of a word or phrase of the request, each time it stands there.
    pub(crate) fn stances_of(&self, phrase: &[&str]) -> Vec<(usize, Stance)> {
        let mut found = Vec::new();
        for (number, clause) in self.clauses.iter().enumerate() {
            let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
            for (at, _) in words.windows(phrase.len().max(1)).enumerate().filter(|(_, window)| same(window, phrase)) {
                let stance = if clause.chinese {
                    let from = clause.words.get(at).map_or(0, |word| word.range.start);
                    chinese_stance(clause, &(from..from))
                } else if words.get(at + phrase.len()).is_some_and(|next| matches!(*next, "off" | "out")) {
                    // "Fan off" wants none.
                    Stance::Refused
                } else {
                    english_stance(clause, &words, &(at..at + phrase.len()), Form::Noun)
                };
                found.push((number, stance));
            }
        }
        found
    }

    /// What is said of a Chinese word, each time it stands in a clause.
    pub(crate) fn stances_of_chinese(&self, word: &str) -> Vec<(usize, Stance)> {
        let clauses = self.clauses.iter().enumerate().filter(|(_, clause)| clause.chinese);
        let places = clauses.filter_map(|(number, clause)| Some((number, clause, clause.text.find(word)?)));
        places.map(|(number, clause, at)| (number, chinese_stance(clause, &(at..at + word.len())))).collect()
    }

    /// Whether any word of the request begins like one of some words: `slushy` like `slush`, `details` like `detailed`.
    pub(crate) fn resembles(&self, words: &[String]) -> bool {
        self.clauses.iter().any(|clause| clause.resembles(words))
    }

    /// "Don't cancel the hotel, just the flight": a clause without a deed of its own takes the deed before it.
    fn follow_ellipses(&mut self) {
        let mut added = Vec::new();
        for mention in self.mentions.iter().filter(|mention| mention.stance == Stance::Refused) {
            let next = mention.clause + 1;
            let Some(clause) = self.clauses.get(next) else { continue };
            let bare = !self.mentions.iter().any(|other| other.clause == next);
            let only = clause
                .words
                .iter()
                .take(2)
                .any(|word| ["just", "only", "but", "except"].contains(&word.folded.as_str()));
            // 停着就行 asks for no more than what it names.
            let just = clause.text.split('就').skip(1).any(|rest| !rest.starts_with(['行', '好', '可', '成']));
            if bare && (only || just || has_any(&clause.text, &["只", "除了"])) {
                added.push(Mention { stance: Stance::Open, clause: next, ..mention.clone() });
            }
        }
        // "Switch it off and on again" wants both.
        for mention in self.mentions.iter().filter(|mention| mention.stance == Stance::Wanted) {
            let next = mention.clause + 1;
            let particle =
                self.clauses.get(next).and_then(|clause| clause.words.iter().find(|word| word.folded != "back"));
            if particle.is_some_and(|word| ["on", "off", "up", "down", "in", "out"].contains(&word.folded.as_str())) {
                let deeds = mention.deeds.opposites();
                added.push(Mention { deeds, stance: Stance::Open, clause: next, said: mention.said.clone() });
            }
        }
        self.mentions.append(&mut added);
    }
}

/// Whether words are those of a phrase; the last may be in the plural.
fn same(words: &[&str], phrase: &[&str]) -> bool {
    let alike =
        |(word, wanted): (&&str, &&str)| word == wanted || (wanted.len() > 3 && word.strip_suffix('s') == Some(wanted));
    !phrase.is_empty() && words.len() == phrase.len() && words.iter().zip(phrase).all(alike)
}

fn read_english(clause: &Clause, at: usize) -> Vec<Mention> {
    let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
    let mut found = Vec::new();
    for hit in find_english(&words) {
        let before = hit.range.start.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
        // "It is open" and "the locked door" tell how things stand.
        let state = STATES.contains(&before) && hit.form == Form::Base && hit.range.len() == 1;
        let unreal = matches!(clause.mood, Mood::Asked | Mood::Conditional);
        // "Would anything break if we deleted it?" speaks of what has not happened.
        let past = hit.form == Form::Past && !PASSIVE.contains(&before) && !(unreal && PEOPLE.contains(&before));
        let stance = english_stance(clause, &words, &hit.range, hit.form);
        if let Some(mention) = read_lifted(clause, &words, &hit, at) {
            found.push(mention);
            continue;
        }
        // "Prepare a text": the text is what is prepared.
        let thing = DETERMINERS.contains(&before) && hit.form == Form::Base && wants(&found);
        // "The comments of post 7" and "what leave is left" name a thing.
        let behind = |back: usize| hit.range.start.checked_sub(back).and_then(|at| words.get(at)).copied();
        let noun = hit.form == Form::Base && before == "of" && !matches!(behind(2), Some("instead" | "sort" | "kind"));
        if noun || state || past || (thing && stance == Stance::Open) {
            continue;
        }
        let said = words.get(hit.range.clone()).unwrap_or_default().join(" ");
        found.push(Mention { deeds: hit.deeds, stance, said, clause: at });
    }
    found.extend(read_payback(clause, &words, at));
    found
}

/// "Lift his suspension", "remove the block on the card": who ends a state wants its opposite.
fn read_lifted(clause: &Clause, words: &[&str], hit: &Found, at: usize) -> Option<Mention> {
    let before = words.get(..hit.range.start)?;
    let owners = before.iter().rev().take_while(|word| OWNERS.contains(word) || word.ends_with("'s")).count();
    let verb = before.len().checked_sub(owners + 1).filter(|_| owners > 0)?;
    let lifts = before.get(verb).is_some_and(|word| LIFTS.contains(word));
    let named = matches!(hit.form, Form::Base | Form::Noun) && hit.deeds.meet(&Deeds::named(HOLDS));
    // "The lift's lock" lifts nothing.
    let thing = verb.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| OWNERS.contains(word));
    (lifts && named && !thing).then(|| Mention {
        deeds: hit.deeds.meeting(&Deeds::named(HOLDS)).opposites(),
        stance: english_stance(clause, words, &(verb..hit.range.end), Form::Base),
        said: words.get(verb..hit.range.end).unwrap_or_default().join(" "),
        clause: at,
    })
}

/// "She gets her deposit for MV-4 back": who shall have money back is refunded, whatever stands between.
fn read_payback(clause: &Clause, words: &[&str], at: usize) -> Option<Mention> {
    let verb = words.iter().position(|word| GETS.contains(word))?;
    let end = words.iter().rposition(|word| *word == "back").filter(|end| *end > verb)?;
    let behind = words.get(end + 1).copied().unwrap_or_default();
    let between = words.get(verb + 1..end)?;
    let money = between.iter().any(|word| MONEY.contains(word)) || clause.text.contains(['$', '€', '£', '¥']);
    if !money || PLACES.contains(&behind) {
        return None;
    }
    let stance = match english_stance(clause, words, &(verb..end + 1), Form::Base) {
        Stance::Open if clause.mood == Mood::Told => Stance::Wanted,
        stance => stance,
    };
    Some(Mention { deeds: Deeds::named(&["refund"]), stance, said: words.get(verb..=end)?.join(" "), clause: at })
}

fn wants(mentions: &[Mention]) -> bool {
    mentions.iter().any(|mention| mention.stance == Stance::Wanted && !mention.deeds.acts().is_empty())
}

fn english_stance(clause: &Clause, words: &[&str], range: &Range<usize>, form: Form) -> Stance {
    let before = words.get(..range.start).unwrap_or_default();
    let after = words.get(range.end..).unwrap_or_default();
    let near = before.get(before.len().saturating_sub(MAX_NEGATED)..).unwrap_or_default();
    if is_refused(near, form) || is_refused_after(after) {
        return Stance::Refused;
    }
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    // "I'll let you know": the user speaks of their own answer.
    if matches!(words.get(range.clone()), Some(["let", "you" | "u", ..])) {
        return Stance::Own;
    }
    if has(&["myself", "ourselves"]) && has(&["i'll", "i", "we'll", "we", "me"]) {
        return Stance::Own;
    }
    let weighs = form == Form::Gerund && near.iter().any(|word| WEIGHS.contains(word));
    if asks_within(before) || weighs {
        return Stance::Asked;
    }
    if waits(near, after) {
        return Stance::Conditional;
    }
    match clause.mood {
        Mood::Asked => return Stance::Asked,
        Mood::Conditional => return Stance::Conditional,
        Mood::Open => return Stance::Open,
        Mood::Told => {}
    }
    let free = before.last().is_none_or(|word| VERB_AFTER.contains(word));
    if free && form == Form::Base && before.iter().all(|word| !PAST_SUBJECTS.contains(word)) {
        Stance::Wanted
    } else {
        Stance::Open
    }
}

/// Whether the words before a deed refuse it: "don't", "no need to", "instead of".
fn is_refused(before: &[&str], form: Form) -> bool {
    let Some(at) = before.iter().rposition(|word| NEGATORS.contains(word)) else { return false };
    let negator = before.get(at).copied().unwrap_or_default();
    let between = before.get(at + 1..).unwrap_or_default();
    let subject = at.checked_sub(1).and_then(|at| before.get(at)).copied().unwrap_or_default();
    if !between.iter().all(|word| BETWEEN.contains(word)) {
        return false;
    }
    let wish = || between.iter().any(|word| WISHES.contains(word));
    match negator {
        "don't" | "dont" if SUBJECTS.contains(&subject) => wish(),
        "don't" | "dont" | "never" | "without" | "avoid" | "mustn't" | "shouldn't" | "nor" => subject != "why",
        "not" if subject == "do" => {
            let who = at.checked_sub(2).and_then(|at| before.get(at)).copied().unwrap_or_default();
            !SUBJECTS.contains(&who) || wish()
        }
        "not" => {
            subject != "why" && (!LINKS.contains(&subject) || between.contains(&"going") || between.contains(&"asking"))
        }
        "no" => between.first() == Some(&"need") || (between.is_empty() && form != Form::Base),
        "than" => subject == "rather",
        "of" => subject == "instead",
        "off" => subject == "hold",
        _ => false,
    }
}

/// "Before you cancel it", "cancel it after I confirm"; "take it offline until I have fixed it" waits for nothing.
fn waits(before: &[&str], after: &[&str]) -> bool {
    before.first() == Some(&"before")
        || after.windows(2).any(|pair| matches!(pair, ["after" | "once" | "unless" | "when", "i" | "i've" | "we"]))
}

/// "The refund is not needed".
fn is_refused_after(after: &[&str]) -> bool {
    let near = after.get(..after.len().min(4)).unwrap_or_default();
    near.windows(2).any(|pair| matches!(pair, [first, second] if REFUSED_AFTER.contains(&(*first, *second))))
}

/// "Tell me whether …", "I wonder what …": what follows is asked.
fn asks_within(before: &[&str]) -> bool {
    let Some(at) = before.iter().rposition(|word| EMBEDDED.contains(word)) else { return false };
    let earlier = before.get(..at).unwrap_or_default();
    let later = before.get(at + 1..).unwrap_or_default();
    // "I wonder if you could cancel it" wishes.
    let wishes = matches!(later, ["you" | "we" | "i" | "someone", "could" | "can" | "would" | "might" | "may", ..]);
    !wishes && earlier.iter().rev().take(4).any(|word| ASKERS.contains(word))
}

fn read_chinese(clause: &Clause, at: usize) -> Vec<Mention> {
    let mut found = Vec::new();
    for hit in find_chinese(&clause.text) {
        let after = clause.text.get(hit.range.end..).unwrap_or_default();
        // 开着 tells how things stand.
        if after.starts_with('着') {
            continue;
        }
        let stance = chinese_stance(clause, &hit.range);
        let said = clause.text.get(hit.range.clone()).unwrap_or_default().to_owned();
        let before = clause.text.get(..hit.range.start).unwrap_or_default();
        let held = hit.deeds.meeting(&Deeds::named(HOLDS));
        let deeds = if lifts_chinese(before) && !held.is_empty() { held.opposites() } else { hit.deeds };
        found.push(Mention { deeds, stance, said, clause: at });
    }
    found
}

/// 解除冻结, 取消他的禁言: who ends a state wants its opposite.
fn lifts_chinese(before: &str) -> bool {
    let Some(behind) =
        LIFTS_ZH.iter().filter_map(|word| Some(before.rsplit_once(word)?.1)).min_by_key(|rest| rest.len())
    else {
        return false;
    };
    behind.is_empty() || behind.ends_with('的') && behind.chars().count() <= MAX_OWNER_ZH
}

fn chinese_stance(clause: &Clause, range: &Range<usize>) -> Stance {
    let before = clause.text.get(..range.start).unwrap_or_default();
    let after = clause.text.get(range.end..).unwrap_or_default();
    if is_denied_chinese(before, clause.text.get(range.start..).unwrap_or_default())
        || is_refused_chinese(before)
        || (clause.mood == Mood::Told && before.ends_with("不能") && !before.ends_with("能不能"))
    {
        return Stance::Refused;
    }
    let own = before
        .match_indices("自己")
        .any(|(at, word)| before.get(at + word.len()..).is_some_and(|rest| !rest.starts_with('的')));
    if own || before.ends_with("我来") {
        return Stance::Own;
    }
    if ["之前", "以前", "前先"].iter().any(|word| after.starts_with(word))
        || (before.contains('等') && before.contains('再'))
    {
        return Stance::Conditional;
    }
    match clause.mood {
        Mood::Asked => return Stance::Asked,
        Mood::Conditional => return Stance::Conditional,
        Mood::Open => return Stance::Open,
        Mood::Told => {}
    }
    let past = has_any(&clause.text, &["已经", "已", "刚刚", "刚才", "昨天", "上次", "之前"]);
    if past || after.starts_with('的') || after.starts_with('过') { Stance::Open } else { Stance::Wanted }
}

/// 不开门, 没锁: the sign right before denies the deed; 开不开门 asks.
fn is_denied_chinese(before: &str, deed: &str) -> bool {
    let Some(ahead) = ["不", "没"].iter().find_map(|no| before.strip_suffix(no)) else { return false };
    let same = ahead.chars().next_back().is_some_and(|last| deed.starts_with(last));
    !same && !ahead.ends_with(['是', '要', '能', '可', '好', '行', '对', '得', '差', '有'])
}

fn is_refused_chinese(before: &str) -> bool {
    NEGATORS_ZH.iter().any(|negator| {
        before.match_indices(negator).any(|(at, _)| {
            let between = before.get(at + negator.len()..).unwrap_or_default();
            let ahead = before.get(..at).unwrap_or_default();
            let inside = ahead.ends_with(['要', '特', '个', '分', '类', '区', '级', '性', '识', '告']);
            let joined = between.is_empty() || between.starts_with(|c: char| BETWEEN_ZH.contains(c));
            !inside && joined && between.chars().count() <= MAX_NEGATED_ZH && !has_any(between, BREAKS_ZH)
        })
    })
}

/// The user has not made up their mind.
pub(crate) fn is_undecided(clause: &Clause) -> bool {
    has_any(&clause.text, UNDECIDED_ZH) || UNDECIDED.iter().any(|phrase| clause.text.contains(phrase))
}

const MAX_NEGATED: usize = 6;
const MAX_NEGATED_ZH: usize = 8;
const NEGATORS: &[&str] = word_list!("text", "deeds/reading/negators");
const SUBJECTS: &[&str] = &["i", "we", "they", "he", "she", "it", "people", "who", "that"];
const WISHES: &[&str] = &["want", "need", "wish", "like", "intend", "plan", "mean", "wanna", "have"];
const LINKS: &[&str] = word_list!("text", "deeds/reading/links");
/// What may stand between a negator and the deed that it refuses. Any other word there ("don't forget to", "not happy with the
/// shoes, return them") has a meaning of its own.
const BETWEEN: &[&str] = word_list!("text", "deeds/reading/between");
const REFUSED_AFTER: &[(&str, &str)] = &[
    ("not", "needed"),
    ("not", "necessary"),
    ("isn't", "necessary"),
    ("isn't", "needed"),
    ("not", "required"),
    ("not", "yet"),
];
/// Words before a verb that wishes.
const VERB_AFTER: &[&str] = word_list!("text", "deeds/reading/verb-after");
const PAST_SUBJECTS: &[&str] = &["used", "tried", "trying", "supposed", "how", "wanted"];
const STATES: &[&str] = word_list!("text", "deeds/reading/states");
const DETERMINERS: &[&str] = &["a", "an", "the", "my", "this", "that", "your", "some"];
const PASSIVE: &[&str] = word_list!("text", "deeds/reading/passive");
const PEOPLE: &[&str] = &["i", "we", "they", "he", "she", "you", "one", "someone", "somebody"];
/// What ends a state, and the states that are ended so.
const LIFTS: &[&str] = &["lift", "lifting", "end", "remove", "undo", "reverse", "overturn", "revoke", "release"];
const LIFTS_ZH: &[&str] = &["解除", "取消", "撤销", "放开", "去掉", "移除", "撤掉", "不再"];
const MAX_OWNER_ZH: usize = 12;
const HOLDS: &[&str] = &["freeze", "block", "restrict", "pause", "lock", "mute", "hide"];
const OWNERS: &[&str] = &["the", "a", "this", "that", "his", "her", "their", "its", "my", "our", "your"];
const GETS: &[&str] = &["get", "gets", "give", "have", "wants", "want", "pay", "send", "transfer"];
const MONEY: &[&str] = word_list!("text", "deeds/reading/money");
/// What stands behind "back" where it is a place or a direction.
const PLACES: &[&str] = &["in", "on", "at", "into", "up", "home", "then", "when"];
const WEIGHS: &[&str] = &["considering", "consider", "thinking", "wondering", "mulling"];
const EMBEDDED: &[&str] = &["if", "whether", "what", "how", "when", "why", "where", "which", "who"];
const ASKERS: &[&str] = word_list!("text", "deeds/reading/askers");
const NEGATORS_ZH: &[&str] = word_list!("text", "deeds/reading/negators-zh");
/// What may stand between a Chinese negator and its deed; another word there has a meaning of its own.
const BETWEEN_ZH: &str = "把给帮再急现马先你我跟对让真全都它这那今明为向一随轻立回发设选";
const BREAKS_ZH: &[&str] = word_list!("text", "deeds/reading/breaks-zh");
const UNDECIDED: &[&str] = word_list!("text", "deeds/reading/undecided");
const UNDECIDED_ZH: &[&str] = word_list!("text", "deeds/reading/undecided-zh");
