//! Messages that say nothing: a person's "I'm done" that only pushes the turn on, a model's 好的，收到您的指令 instead of an answer.
//!
//! The former need not be in the context, the latter must not be taken for an analysis (PARSE-6). The lists are data;
//! operators may add their own. A message is chatter only as a whole: one clause that could mean something keeps all of
//! it, for a message wrongly dropped is lost, and a wrong one kept does little harm.

/// From a message to its clauses.
mod clauses;

use crate::text::phrases::Phrases;
use clauses::{Clauses, Lead, folded};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A message that says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chatter {
    /// A person only says that the turn may go on.
    ConfirmationInput,
    /// A model only acknowledges or promises.
    PseudoAnswer,
}

/// What a person's message is, by the shipped lists.
pub fn of_user(text: &str) -> Option<Chatter> {
    ChatterRules::shipped().of_user(text)
}

/// What a model's message is, by the shipped lists.
pub fn of_model(text: &str) -> Option<Chatter> {
    ChatterRules::shipped().of_model(text)
}

/// Whether a model's whole message only promises to do something, by the shipped lists.
pub fn is_promise(text: &str) -> bool {
    ChatterRules::shipped().weigh_model(text) == Some(Weight::Promises)
}

/// The lists by which chatter is told.
#[derive(Debug)]
pub struct ChatterRules {
    lists: Lists,
    confirmations: BTreeSet<String>,
    courtesies: BTreeSet<String>,
    acknowledgements: BTreeSet<String>,
    affirmations: BTreeSet<String>,
    fillers: BTreeSet<String>,
    objects: BTreeSet<String>,
    heads: Lead,
    openers: Lead,
    adverbs: Lead,
    work: Lead,
    leads: Lead,
    tells: Phrases,
    closings: Phrases,
}

impl ChatterRules {
    /// The lists that come with the program.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// The shipped lists and an operator's additions to them, in the form of the shipped file.
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        let more: Lists = toml::from_str(text)?;
        Ok(Self::new(load_shipped().and(more)))
    }

    /// Whether a person's whole message only says that the turn may go on.
    pub fn of_user(&self, text: &str) -> Option<Chatter> {
        if text.len() > MAX_CONFIRMATION || asks(text) {
            return None;
        }
        let mut confirmed = false;
        for clause in Clauses::of(text) {
            if self.confirmations.contains(clause.trim_end_matches(PARTICLES)) || self.confirmations.contains(&clause) {
                confirmed = true;
            } else if !self.courtesies.contains(&clause) {
                return None;
            }
        }
        confirmed.then_some(Chatter::ConfirmationInput)
    }

    /// Whether a model's whole message only acknowledges and promises.
    pub fn of_model(&self, text: &str) -> Option<Chatter> {
        let weight = self.weigh_model(text)?;
        let affirms = |clause: &String| self.affirmations.contains(clause);
        let only_yes = weight == Weight::Acknowledges && Clauses::of(text.trim()).all(|clause| affirms(&clause));
        (weight > Weight::Nothing && !only_yes).then_some(Chatter::PseudoAnswer)
    }

    /// What a model's whole message weighs; none where it may mean something.
    fn weigh_model(&self, text: &str) -> Option<Weight> {
        let text = text.trim();
        if text.len() > MAX_PSEUDO || asks(text) || carries(text) || self.closings.any(&folded(text)) {
            return None;
        }
        let mut weight = Weight::Nothing;
        for clause in Clauses::of(text) {
            weight = weight.max(self.weigh(&clause)?);
        }
        Some(weight)
    }

    /// The phrases with which talk begins, for those who look for talk inside something else.
    pub fn talk_phrases(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.lists.acknowledgements, &self.lists.announcements, &self.lists.openers];
        lists.into_iter().flatten().map(String::as_str)
    }

    /// The phrases that add nothing wherever they stand.
    pub fn filler_phrases(&self) -> impl Iterator<Item = &str> {
        self.lists.fillers.iter().map(String::as_str)
    }

    /// What one clause of a model weighs; none where it may mean something.
    fn weigh(&self, clause: &str) -> Option<Weight> {
        let mut rest = clause;
        let mut weight = Weight::Nothing;
        // "Sure I will …", 好的我会…: each turn takes an acknowledgement away.
        loop {
            if rest.is_empty() || self.fillers.contains(rest) {
                return Some(weight.max(Weight::Nothing));
            }
            if self.acknowledgements.contains(rest) || self.acknowledges(rest) {
                return Some(weight.max(Weight::Acknowledges));
            }
            if self.promises(rest) {
                return Some(Weight::Promises);
            }
            rest = self.leads.strip(rest)?;
            weight = Weight::Acknowledges;
        }
    }

    /// "收到您的指令", "thank you for your request".
    fn acknowledges(&self, clause: &str) -> bool {
        let Some(object) = self.heads.strip(clause) else {
            return false;
        };
        let object = OWNERS.iter().find_map(|owner| object.strip_prefix(owner)).unwrap_or(object).trim();
        self.objects.contains(object.trim_end_matches(PARTICLES))
    }

    /// "I'll look into it right away", 我马上为您处理.
    fn promises(&self, clause: &str) -> bool {
        let Some(mut rest) = self.openers.strip(clause) else {
            return false;
        };
        while let Some(further) = self.adverbs.strip(rest) {
            if self.work.strip(rest).is_some() {
                break;
            }
            rest = further;
        }
        (rest.is_empty() || self.work.strip(rest).is_some()) && !self.tells.any(rest)
    }

    fn new(lists: Lists) -> Self {
        let set =
            |lists: &[&[String]]| lists.iter().flat_map(|list| list.iter()).map(|phrase| folded(phrase)).collect();
        let lead = |lists: &[&[String]]| Lead::new(lists.iter().flat_map(|list| list.iter()).map(String::as_str));
        Self {
            confirmations: set(&[&lists.confirmations]),
            courtesies: set(&[&lists.courtesies]),
            acknowledgements: set(&[&lists.acknowledgements, &lists.whole_acknowledgements, &lists.announcements]),
            affirmations: set(&[&lists.affirmations]),
            fillers: set(&[&lists.fillers, &lists.whole_fillers]),
            objects: set(&[&lists.acknowledgement_objects]),
            heads: lead(&[&lists.acknowledgement_heads]),
            openers: lead(&[&lists.openers, &lists.work_openers]),
            adverbs: lead(&[&lists.adverbs]),
            work: lead(&[&lists.work]),
            leads: lead(&[&lists.acknowledgements, &lists.whole_acknowledgements]),
            tells: Phrases::new(lists.tells.iter().map(String::as_str)),
            closings: Phrases::new(lists.closings.iter().map(String::as_str)),
            lists,
        }
    }
}

/// What a clause of a model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Nothing,
    Acknowledges,
    Promises,
}

/// The file of lists.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Lists {
    confirmations: Vec<String>,
    courtesies: Vec<String>,
    acknowledgements: Vec<String>,
    whole_acknowledgements: Vec<String>,
    acknowledgement_heads: Vec<String>,
    acknowledgement_objects: Vec<String>,
    announcements: Vec<String>,
    openers: Vec<String>,
    work_openers: Vec<String>,
    adverbs: Vec<String>,
    work: Vec<String>,
    tells: Vec<String>,
    fillers: Vec<String>,
    whole_fillers: Vec<String>,
    affirmations: Vec<String>,
    closings: Vec<String>,
}

impl Lists {
    /// These and more.
    fn and(mut self, more: Self) -> Self {
        self.confirmations.extend(more.confirmations);
        self.courtesies.extend(more.courtesies);
        self.acknowledgements.extend(more.acknowledgements);
        self.whole_acknowledgements.extend(more.whole_acknowledgements);
        self.acknowledgement_heads.extend(more.acknowledgement_heads);
        self.acknowledgement_objects.extend(more.acknowledgement_objects);
        self.announcements.extend(more.announcements);
        self.openers.extend(more.openers);
        self.work_openers.extend(more.work_openers);
        self.adverbs.extend(more.adverbs);
        self.work.extend(more.work);
        self.tells.extend(more.tells);
        self.fillers.extend(more.fillers);
        self.whole_fillers.extend(more.whole_fillers);
        self.affirmations.extend(more.affirmations);
        self.closings.extend(more.closings);
        self
    }
}

/// The shipped file; a test shows that it can be read.
fn load_shipped() -> Lists {
    toml::from_str(include_str!("chatter.toml")).unwrap_or_default()
}

/// A question wants an answer.
fn asks(text: &str) -> bool {
    text.contains(['?', '？']) || text.trim_end_matches(['。', '.', '!', '！', ' ']).ends_with(['吗', '嗎', '呢'])
}

/// Numbers, code, markup, links, or something after a colon: the message carries a thing.
fn carries(text: &str) -> bool {
    let body = text.trim_end_matches([':', '：']);
    let numbers = text.chars().filter(char::is_ascii_digit).count() >= 2;
    numbers || body.contains([':', '：', '`', '<', '{', '[', '|', '=', '"', '“', '「', '《', '$', '%'])
}

/// Between the head of an acknowledgement and its object.
const OWNERS: &[&str] = &["您的", "你的", "您", "你", "this ", "your ", "the ", "了您的", "了你的"];
/// Words at the end of a Chinese clause that change nothing.
const PARTICLES: [char; 8] = ['了', '吧', '啦', '哦', '啊', '呀', '哈', '呢'];
/// The longest message that can be a mere confirmation, in bytes.
const MAX_CONFIRMATION: usize = 80;
/// The longest message that can be a mere promise, in bytes.
const MAX_PSEUDO: usize = 400;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&SHIPPED);
}

static SHIPPED: LazyLock<ChatterRules> = LazyLock::new(|| ChatterRules::new(load_shipped()));

#[cfg(test)]
mod tests {
    use super::*;

    // PARSE-6
    #[test]
    fn the_shipped_lists_can_be_read_and_added_to() {
        assert!(load_shipped().confirmations.len() > 50);
        let own = ChatterRules::from_toml("confirmations = [\"c'est bon\"]\nacknowledgements = ['jawohl']").unwrap();
        assert_eq!(own.of_user("C’est bon !"), Some(Chatter::ConfirmationInput));
        assert_eq!(own.of_user("我选好了"), Some(Chatter::ConfirmationInput));
        assert_eq!(own.of_model("Jawohl!"), Some(Chatter::PseudoAnswer));
        assert_eq!(of_user("c'est bon"), None);
        assert!(ChatterRules::from_toml("confirmation = []").is_err());
    }
}
