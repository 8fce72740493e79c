//! The request in force: the last words of the user and, where these only confirm or answer, what they confirm or answer.

use crate::contract::{Message, Role};
use crate::conversation::Conversation;
use crate::text::deeds::clause::{Mood, has_any};
use crate::text::deeds::reading::{Mention, Reading, Stance};
use crate::text::lexicon::{DeedEffect, Deeds, find_implied};
use crate::text::lists::word_list;
use std::cell::OnceCell;

/// A request, with what earlier words add.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// What the user said last.
    pub last: &'a Reading,
    /// Deeds that the user wanted before, or that the assistant proposed and the user confirmed.
    before: OnceCell<Vec<&'a Mention>>,
    conversation: &'a Conversation,
    earlier: &'a [Message],
    confirms: bool,
    /// Whether the last words only confirm or answer.
    pub answers: bool,
    /// Whether a tool has given a result since.
    pub looked: bool,
}

impl<'a> Request<'a> {
    /// Reads the request of a conversation; `None` where there is none, or one too long to be one request.
    pub(crate) fn of(conversation: &'a Conversation) -> Option<Self> {
        let messages = conversation.messages();
        let at = messages.iter().rposition(|message| message.role == Role::User && !message.text.is_empty())?;
        let (earlier, rest) = messages.split_at_checked(at)?;
        let (last, after) = rest.split_first()?;
        if last.text.len() > MAX_REQUEST {
            return None;
        }
        let reading = conversation.deeds(at)?;
        let confirms = is_confirmation(&last.text);
        let acts = |mention: &Mention| mention.deeds.effect() >= DeedEffect::Write;
        let answers = confirms || !reading.mentions.iter().any(acts);
        let looked = after.iter().any(|message| !message.results.is_empty() || message.role == Role::Tool);
        Some(Self { last: reading, before: OnceCell::new(), conversation, earlier, confirms, answers, looked })
    }

    /// Whether a deed is wanted or could be: in the last words, or where these leave it open, in earlier ones.
    pub(crate) fn may_want(&self, deeds: Deeds) -> bool {
        self.last.may_want(deeds) || self.has_earlier(deeds)
    }

    /// The deeds that the last words ask for without naming them, and the words.
    pub(crate) fn implied(&self) -> Option<(Deeds, &'static str)> {
        let told = self.last.clauses.iter().filter(|clause| matches!(clause.mood, Mood::Told));
        let text = told.map(|clause| clause.text.as_str()).collect::<Vec<_>>().join("\n");
        find_implied(&text)
    }

    /// Whether the last words only say yes, or answer what the assistant said.
    pub(crate) fn confirms_or_answers(&self) -> bool {
        self.confirms || self.has_proposal()
    }

    /// Whether the assistant said something that the last words may agree to.
    pub(crate) fn has_proposal(&self) -> bool {
        self.earlier.last().is_some_and(|message| message.role == Role::Assistant && !message.text.is_empty())
    }

    /// Whether anything was asked for before the last words.
    pub(crate) fn has_earlier(&self, deeds: Deeds) -> bool {
        self.before.get_or_init(|| self.read_earlier()).iter().any(|mention| mention.deeds.meet(&deeds))
    }

    /// Whether the user said some words before.
    pub(crate) fn said_before(&self, words: &str) -> bool {
        let user = self.earlier.iter().rev().take(MAX_EARLIER).filter(|message| message.role == Role::User);
        user.into_iter().any(|message| message.text.contains(words))
    }

    /// Earlier messages are read only where the last words alone would speak against the call.
    fn read_earlier(&self) -> Vec<&'a Mention> {
        let mut found = Vec::new();
        let short = |(_, message): &(usize, &Message)| message.text.len() <= MAX_REQUEST;
        for (at, message) in self.earlier.iter().enumerate().rev().take(MAX_EARLIER).filter(short) {
            let proposes = message.role == Role::Assistant && (self.confirms || self.answers);
            if message.role == Role::User || proposes {
                let counts = |mention: &&Mention| {
                    proposes || matches!(mention.stance, Stance::Wanted | Stance::Open | Stance::Conditional)
                };
                found.extend(self.conversation.deeds(at).into_iter().flat_map(|deeds| &deeds.mentions).filter(counts));
            }
        }
        found
    }
}

/// Whether a text begins by saying yes.
pub(crate) fn is_confirmation(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    YES.contains(&first) || ["go ahead", "do it", "sounds good", "that works"].iter().any(|yes| text.contains(yes)) || {
        let begin: String = text.chars().take(6).collect();
        has_any(&begin, YES_ZH)
    }
}

/// A longer text is a document, not one request.
const MAX_REQUEST: usize = 4000;
const MAX_EARLIER: usize = 24;
const YES: &[&str] = word_list!("check_call", "action/request/yes");
const YES_ZH: &[&str] = word_list!("check_call", "action/request/yes-zh");
