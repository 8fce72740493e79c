//! Who is told when something is wrong, and who is told of what waits for a decision.

use super::checks::{Invalid, MOMENT, Valid, address, choice, span};
use super::raw::{RawAlerts, RawConfig, RawReviewer, RawTarget};
use super::secret::Secret;
use countersign::policy::pattern::Pattern;
use countersign_runtime::alerts::{Mail, MailServer, Mailbox, Target, TargetKind};
use countersign_runtime::review_alerts::{Channel, Moment, QuietHours, SHORTEST_KEY, Show};
use std::collections::BTreeMap;
use std::time::Duration;

/// Somebody who is told of what waits for a decision.
#[derive(Debug, Clone)]
pub(crate) struct Reviewer {
    /// What they are told, where and when.
    pub channel: Channel,
    /// The key whose rights their links have, by name or id.
    pub key: Option<String>,
    /// Whether they get links that decide.
    pub links: Links,
}

/// Whether messages hold links that decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Where they can be made.
    Sent,
    /// Never.
    LeftOut,
}

/// Everybody who is told.
pub(super) struct Told {
    /// Of what is wrong.
    pub targets: Vec<Target>,
    /// Of what waits.
    pub reviewers: Vec<Reviewer>,
}

/// Checks what was written.
pub(super) fn of(raw: RawAlerts, reviewers: BTreeMap<String, RawReviewer>) -> Valid<Told> {
    let post = post_office(&raw)?;
    let one = raw.webhook.map(|url| ("alerts.webhook", RawTarget { kind: raw.kind, url }));
    let more = raw.targets.into_iter().map(|target| ("alerts.targets", target));
    let targets = one.into_iter().chain(more).map(|(path, raw)| target(path, raw, post.as_ref()));
    let targets = targets.collect::<Valid<_>>()?;
    let reviewers = reviewers.into_iter().map(|(name, raw)| reviewer(&name, raw, post.as_ref()));
    Ok(Told { targets, reviewers: reviewers.collect::<Valid<_>>()? })
}

/// What links are signed with, where it is written. Nodes that share a record must share it too.
pub(super) fn link_secret(raw: &RawConfig) -> Valid<Option<Secret>> {
    let path = "alerts.link_secret";
    let wants_links = raw.reviewers.values().any(|reviewer| reviewer.links.unwrap_or(true));
    match &raw.alerts.link_secret {
        Some(text) if text.len() < SHORTEST_KEY => {
            let message =
                format!("it has {} characters; at least {SHORTEST_KEY} keep it from being guessed", text.len());
            Err(wrong(path, message, "make one with `openssl rand -hex 32`"))
        }
        Some(text) => Ok(Some(Secret::new(text.clone()))),
        None if raw.stores.postgres_url.is_some() && raw.public_url.is_some() && wants_links => {
            let message = "nodes that share a PostgreSQL must sign links with one secret".to_owned();
            Err(wrong(path, message, "set the same on every node, from `openssl rand -hex 32`"))
        }
        None => Ok(None),
    }
}

/// Where e-mails are handed over, and who they are from.
type PostOffice = (MailServer, String);

fn post_office(raw: &RawAlerts) -> Valid<Option<PostOffice>> {
    let Some(address) = &raw.smtp else { return Ok(None) };
    let server = MailServer::read(address)
        .map_err(|message| wrong("alerts.smtp", message, "such as smtps://NAME:PASSWORD@smtp.example.com:465"))?;
    let Some(from) = &raw.mail_from else {
        let message = "nobody is named whom e-mails are from".to_owned();
        return Err(wrong("alerts.mail_from", message, "such as mail_from = \"countersign@example.com\""));
    };
    Mailbox::read(from).map_err(|message| wrong("alerts.mail_from", message, "such as countersign@example.com"))?;
    Ok(Some((server, from.clone())))
}

fn target(path: &str, raw: RawTarget, post: Option<&PostOffice>) -> Valid<Target> {
    match raw.url.strip_prefix("mailto:") {
        Some(people) => mail(path, people.split(','), post),
        None => hook(path, raw.kind.as_deref(), raw.url),
    }
}

fn mail<'a>(path: &str, people: impl Iterator<Item = &'a str>, post: Option<&PostOffice>) -> Valid<Target> {
    let invalid = |message: String| wrong(path.to_owned(), message, "write it as ann@example.com");
    let Some((server, from)) = post else {
        let message = "e-mail needs a server that takes it".to_owned();
        return Err(wrong(path.to_owned(), message, "set alerts.smtp and alerts.mail_from"));
    };
    let to: Vec<_> = people.map(Mailbox::read).collect::<Result<_, _>>().map_err(invalid)?;
    let from = Mailbox::read(from).map_err(invalid)?;
    Ok(Target::Mail(Mail { server: server.clone(), from, to }))
}

fn hook(path: &str, kind: Option<&str>, url: String) -> Valid<Target> {
    // Checked only: what follows the last slash of a webhook may matter.
    address(path.to_owned(), Some(url.clone()))?;
    let unknown = |name| choice("alerts.kind", name, "`feishu`, `slack` or `webhook`");
    let kind = match kind {
        None => TargetKind::of_url(&url),
        Some(name) => TargetKind::from_name(name).ok_or_else(|| unknown(name))?,
    };
    Ok(Target::Hook { kind, url })
}

fn reviewer(name: &str, raw: RawReviewer, post: Option<&PostOffice>) -> Valid<Reviewer> {
    let at = |key: &str| format!("reviewers.{name}.{key}");
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        let message = format!("`{name}` is no name; it has up to {LONGEST_NAME} letters, digits, `-` and `_`");
        return Err(Invalid { path: "reviewers".into(), message, help: None });
    }
    let target = place(&at, &raw, post)?;
    let moment = match &raw.before_expiry {
        None => Moment::AtOnce,
        Some(text) => Moment::BeforeExpiry(span(at("before_expiry"), text, MOMENT)?),
    };
    let quiet = match &raw.quiet_hours {
        None => None,
        Some(hours) => {
            let zone = raw.time_zone.as_deref().unwrap_or("UTC");
            let read = QuietHours::read(hours, zone);
            Some(read.map_err(|message| Invalid { path: at("quiet_hours").into(), message, help: None })?)
        }
    };
    let show = match raw.show.as_deref() {
        None | Some("call") => Show::Call,
        Some("tool") => Show::Tool,
        Some(other) => return Err(choice(at("show"), other, "`call` or `tool`")),
    };
    let patterns = |words: Vec<String>| words.into_iter().map(Pattern::new).collect();
    let channel = Channel {
        name: name.to_owned(),
        target,
        tools: patterns(raw.tools),
        moment,
        batch: span(at("batch"), raw.batch.as_deref().unwrap_or("10s"), Duration::ZERO)?,
        quiet,
        urgent: patterns(raw.urgent),
        show,
    };
    let links = if raw.links.unwrap_or(true) { Links::Sent } else { Links::LeftOut };
    Ok(Reviewer { channel, key: raw.key, links })
}

/// Where somebody is told.
fn place(at: &dyn Fn(&str) -> String, raw: &RawReviewer, post: Option<&PostOffice>) -> Valid<Target> {
    let named = match (&raw.webhook, &raw.webhook_env) {
        (Some(url), _) => Some(url.clone()),
        (None, Some(variable)) => {
            let found = std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
            let message = || format!("the variable {variable} is not set");
            Some(found.ok_or_else(|| Invalid { path: at("webhook_env").into(), message: message(), help: None })?)
        }
        (None, None) => None,
    };
    match (named, raw.email.is_empty()) {
        (Some(url), true) => hook(&at("webhook"), raw.kind.as_deref(), url),
        (None, false) => mail(&at("email"), raw.email.iter().map(String::as_str), post),
        (Some(_), false) => {
            let message = "it has a webhook and e-mail".to_owned();
            Err(wrong(at("email"), message, "write two tables, one for each"))
        }
        (None, true) => {
            let message = "it names no place to tell them".to_owned();
            Err(wrong(at("webhook"), message, "set `webhook`, `webhook_env` or `email`"))
        }
    }
}

fn wrong(path: impl Into<super::checks::SettingPath>, message: String, help: &str) -> Invalid {
    Invalid { path: path.into(), message, help: Some(help.to_owned()) }
}

/// A name is part of a link.
const LONGEST_NAME: usize = 40;
