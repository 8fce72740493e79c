//! What a message says: each item with what was asked, the call, why it waits, how long, and where to decide.

use super::channel::{Channel, Moment, Show};
use crate::alerts::{Letter, quote};
use crate::redact::Redactor;
use crate::review::{About, Review};
use crate::stream::{now_millis, timestamp};
use serde_json::{Value, json};
use std::fmt::Write;

/// An item, and the link to decide on it where there is one.
pub(super) struct Item<'a> {
    pub review: &'a Review,
    pub link: Option<String>,
}

/// The message about items that wait, and the count of those that ended undecided in quiet hours.
pub(super) fn letter(channel: &Channel, items: &[Item<'_>], missed: usize, redactor: &Redactor) -> Letter {
    let now = now_millis();
    let title = title(channel, items, missed, now);
    let mut text = format!("{title}\n");
    for item in items.iter().take(MOST_SHOWN) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}", describe(channel, item, now, redactor));
    }
    if items.len() > MOST_SHOWN {
        let _ =
            write!(text, "\n… and {} more; see the console or `countersign review list`.\n", items.len() - MOST_SHOWN);
    }
    if items.iter().any(|item| item.link.is_some()) {
        text.push_str(
            "\nEach link shows the item before you decide, works once, and acts in your name: do not pass it on.\n",
        );
    }
    let listed: Vec<Value> = items.iter().map(|item| fields(channel, item, redactor)).collect();
    let fields = json!({
        "source": "countersign", "kind": "review_waiting", "channel": channel.name, "text": title,
        "reviews": listed, "ended_undecided": missed, "at": timestamp(now),
    });
    Letter { title: format!("[countersign] {title}"), text: format!("[countersign] {text}"), fields }
}

fn title(channel: &Channel, items: &[Item<'_>], missed: usize, now: i64) -> String {
    let waiting = match (items, channel.moment) {
        ([], _) => String::new(),
        ([one], Moment::AtOnce) => format!("{} waits for a decision", name(one.review)),
        ([one], Moment::BeforeExpiry(_)) => {
            format!("{} still waits for a decision, {}", name(one.review), time_left(one.review, now))
        }
        (several, Moment::AtOnce) => format!("{} items wait for a decision", several.len()),
        (several, Moment::BeforeExpiry(_)) => format!("{} items still wait for a decision", several.len()),
    };
    let ended = match missed {
        0 => String::new(),
        1 => "1 item ended undecided in quiet hours".to_owned(),
        more => format!("{more} items ended undecided in quiet hours"),
    };
    [waiting, ended].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

fn describe(channel: &Channel, item: &Item<'_>, now: i64, redactor: &Redactor) -> String {
    let review = item.review;
    let mut text = format!("• {} ({}, {})\n", name(review), time_left(review, now), review.review_id);
    let mut line = |what: &str, said: &str, most: usize| {
        let said = quote(&redactor.redact(said), most);
        if !said.trim().is_empty() {
            let _ = writeln!(text, "  {what}: {said}");
        }
    };
    if channel.show == Show::Call {
        let summary = review.summary();
        line("asked", &summary.asked, MOST_WORDS);
        line(review.about().name(), &one_line(&summary.proposed), MOST_WORDS);
        line("why", &summary.why, MOST_WORDS);
    }
    match &item.link {
        Some(link) => {
            let _ = writeln!(text, "  decide: {link}");
        }
        None => {
            let _ = writeln!(text, "  decide: in the console, or `countersign review show {}`", review.review_id);
        }
    }
    text
}

/// JSON that was laid out for people, in one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fields(channel: &Channel, item: &Item<'_>, redactor: &Redactor) -> Value {
    let review = item.review;
    let mut fields = json!({
        "review_id": review.review_id, "about": review.about(), "tool": review.tool, "session_id": review.session_id,
        "created_at": review.created_at, "expires_at": review.expires_at, "link": item.link,
    });
    if let (Show::Call, Some(fields)) = (channel.show, fields.as_object_mut()) {
        let summary = review.summary();
        let said = [("asked", summary.asked), ("proposed", summary.proposed), ("why", summary.why)];
        fields.extend(said.map(|(name, said)| (name.to_owned(), redactor.redact(&said).into())));
    }
    fields
}

/// What waits, in a word or two.
fn name(review: &Review) -> String {
    match review.about() {
        About::Call => quote(&review.tool, MOST_NAME),
        About::Result => format!("a result of {}", quote(&review.tool, MOST_NAME)),
        About::Answer => "an answer".to_owned(),
    }
}

fn time_left(review: &Review, now: i64) -> String {
    let seconds = review.expires_at_ms.saturating_sub(now).max(0) / 1000;
    match seconds {
        0..=119 => format!("{seconds} s left"),
        120..=7199 => format!("{} min left", seconds / 60),
        _ => format!("{} h left", seconds / 3600),
    }
}

/// So many items are described in one message.
const MOST_SHOWN: usize = 20;
/// So many characters of somebody's words are in a message; the rest is where one decides.
const MOST_WORDS: usize = 300;
const MOST_NAME: usize = 80;
