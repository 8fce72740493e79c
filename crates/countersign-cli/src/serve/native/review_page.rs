//! A page for one decision: small, without scripts, for a phone. Everything on it that somebody else wrote is text.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use countersign_runtime::alerts::is_invisible;
use countersign_runtime::review::{About, Review, ReviewState};
use countersign_runtime::stream::now_millis;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// An item as it is shown to somebody.
pub(super) struct Shown<'a> {
    /// The item.
    pub review: &'a Review,
    /// Who decides.
    pub reviewer: &'a str,
    /// The token of the form.
    pub token: &'a str,
}

/// Why a link leads nowhere, or a form was not taken.
#[derive(Debug, Clone)]
pub(super) enum Problem {
    /// It is none of ours.
    Wrong,
    /// The item is decided, or it is too late.
    Over(Box<Review>),
    /// The reviewer is gone, or their key is.
    NoRights,
    /// The call was made with the reviewer's own key.
    OwnCall,
    /// Somebody has the item.
    Reserved(String),
    /// What was sent is no form of ours.
    NoForm,
    /// The form was open too long.
    StaleForm,
    /// The box was not ticked.
    Unconfirmed,
    /// The item is too long to be shown whole.
    TooLong,
}

/// The page of an item that waits.
pub(super) fn item(shown: &Shown<'_>) -> Response {
    let Shown { review, reviewer, .. } = shown;
    let summary = review.summary();
    let minutes = review.expires_at_ms.saturating_sub(now_millis()).max(0) / 60_000;
    let mut body = format!(
        "<h1>{} waits for your decision</h1><p>You decide as <b>{}</b>. There are {minutes} minutes left, until {}; then \
         {}.</p>",
        title(review),
        escape(reviewer),
        escape(&review.expires_at),
        if review.waits { "the answer is no" } else { "nothing changes" },
    );
    body.push_str(&part("What was asked", &summary.asked));
    let proposed = match review.about() {
        About::Call => format!("{}\n{}", review.tool, summary.proposed),
        About::Result | About::Answer => summary.proposed,
    };
    let heading = match review.about() {
        About::Call => "The call that would run",
        About::Result => "What the tool returned",
        About::Answer => "The answer",
    };
    body.push_str(&part(heading, &proposed));
    body.push_str(&part("As the model wrote it, before it was repaired", &unrepaired(review)));
    body.push_str(&part("Why you are asked", &reasons(review, &summary.why)));
    body.push_str(&form(shown));
    page(StatusCode::OK, &title(review), &body)
}

/// The page after a decision.
pub(super) fn decided(review: &Review) -> Response {
    let body = format!(
        "<h1>{}</h1><p>{} {}. You can close this page.</p>",
        state_word(review),
        title(review),
        outcome(review)
    );
    page(StatusCode::OK, state_word(review), &body)
}

/// The page that says why there is nothing to decide.
pub(super) fn problem(problem: &Problem) -> Response {
    let (status, heading, text) = match problem {
        Problem::Wrong => (StatusCode::NOT_FOUND, "This link is not valid", WRONG.to_owned()),
        Problem::Over(review) => (StatusCode::GONE, over_heading(review), over_text(review)),
        Problem::NoRights => (StatusCode::FORBIDDEN, "This link opens nothing any more", NO_RIGHTS.to_owned()),
        Problem::OwnCall => (StatusCode::FORBIDDEN, "Somebody else must decide", OWN_CALL.to_owned()),
        Problem::Reserved(name) => {
            let text =
                format!("{} has taken this item and is deciding. Open the link again in a few minutes.", escape(name));
            (StatusCode::CONFLICT, "Somebody is at it", text)
        }
        Problem::NoForm => (StatusCode::BAD_REQUEST, "This was not understood", AGAIN.to_owned()),
        Problem::StaleForm => (StatusCode::BAD_REQUEST, "The page was open too long", AGAIN.to_owned()),
        Problem::Unconfirmed => (StatusCode::BAD_REQUEST, "Nothing was decided", UNCONFIRMED.to_owned()),
        Problem::TooLong => (StatusCode::BAD_REQUEST, "Nothing was decided", TOO_LONG.to_owned()),
    };
    page(status, heading, &format!("<h1>{heading}</h1><p>{text}</p>"))
}

/// Whether an item is too long to be shown whole: nobody approves what they cannot see.
pub(super) fn is_too_long(review: &Review) -> bool {
    review.summary().proposed.len() > LONGEST
}

fn form(shown: &Shown<'_>) -> String {
    // Without an address a form goes where its page came from, also behind a proxy that hides a part of the path.
    let token = escape(shown.token);
    let words = match shown.review.about() {
        About::Call => ("Let it run", "Refuse it", "I have read the call above"),
        About::Result | About::Answer => ("Accept it", "Withhold it", "I have read the text above"),
    };
    let approve = if is_too_long(shown.review) {
        format!("<p>{TOO_LONG}</p>")
    } else {
        let (yes, _, read) = words;
        format!(
            "<form method=post><input type=hidden name=token value=\"{token}\">\
             <label><input type=checkbox name=confirm value=yes required> {read}</label>\
             <button name=decision value=approve>{yes}</button></form>"
        )
    };
    format!(
        "{approve}<form method=post><input type=hidden name=token value=\"{token}\">\
         <label>Why not? (told to the model)<textarea name=reason rows=2 maxlength=2000></textarea></label>\
         <button name=decision value=reject class=no>{}</button></form>",
        words.1
    )
}

fn part(heading: &str, text: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let (shown, cut) = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => (text.get(..end).unwrap_or_default(), "\n… (cut here)"),
        None => (text, ""),
    };
    format!("<h2>{heading}</h2><pre>{}{cut}</pre>", escape(shown))
}

/// The arguments as the model made them, where others would run.
fn unrepaired(review: &Review) -> String {
    let made = review.made.as_ref().and_then(|made| made.get("arguments"));
    let read = |value: &Value| value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(value.clone());
    match (made.map(read), review.call.get("arguments").map(read)) {
        (Some(made), Some(proposed)) if made != proposed => serde_json::to_string_pretty(&made).unwrap_or_default(),
        _ => String::new(),
    }
}

/// Why a person is asked, and what the checks found.
fn reasons(review: &Review, why: &str) -> String {
    let found = review.findings.as_array().into_iter().flatten();
    let found = found.filter_map(|finding| finding.get("evidence").and_then(Value::as_str));
    let more = found.filter(|evidence| !why.contains(*evidence)).take(MOST_FINDINGS);
    std::iter::once(why).chain(more).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn title(review: &Review) -> String {
    match review.about() {
        About::Call => format!("<code>{}</code>", escape(&review.tool)),
        About::Result => format!("A result of <code>{}</code>", escape(&review.tool)),
        About::Answer => "An answer".to_owned(),
    }
}

fn state_word(review: &Review) -> &'static str {
    match review.state {
        ReviewState::Approved | ReviewState::Edited => "Approved",
        ReviewState::Rejected => "Refused",
        ReviewState::Expired | ReviewState::Pending => "Not decided",
    }
}

fn outcome(review: &Review) -> &'static str {
    match (review.about(), review.state.is_yes()) {
        (About::Call, true) => "may run now, once, as you saw it",
        (About::Call, false) => "does not run",
        (_, true) => "stands as it is",
        (_, false) => "is withheld",
    }
}

fn over_heading(review: &Review) -> &'static str {
    if review.state == ReviewState::Expired { "It is too late" } else { "This was decided already" }
}

fn over_text(review: &Review) -> String {
    if review.state == ReviewState::Expired {
        return format!("Nobody decided until {}, so the answer was no.", escape(&review.expires_at));
    }
    let who = review.decided.as_ref().and_then(|decided| decided.reviewer.as_deref()).unwrap_or("somebody");
    format!("{} was {} by {}. A link decides once.", title(review), review.state.name(), escape(who))
}

fn page(status: StatusCode, heading: &str, body: &str) -> Response {
    let heading = heading.replace("<code>", "").replace("</code>", "");
    let html = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <meta name=robots content=noindex><title>{heading} · Countersign</title><style>{STYLE}</style><main>{body}</main></html>"
    );
    let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let rules = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    );
    let mut response = (status, html).into_response();
    let headers = response.headers_mut();
    headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    if let Ok(rules) = HeaderValue::from_str(&rules) {
        headers.insert(CONTENT_SECURITY_POLICY, rules);
    }
    response
}

/// Text as text: nothing of it is markup, and what cannot be seen is named.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            letter if letter.is_control() || is_invisible(letter) => {
                out.push_str(&format!("[U+{:04X}]", u32::from(letter)));
            }
            letter => out.push(letter),
        }
    }
    out
}

/// A page that came with a link tells its address to nobody else, and is kept nowhere.
const HEADERS: [(HeaderName, &str); 3] = [
    (CONTENT_TYPE, "text/html; charset=utf-8"),
    (CACHE_CONTROL, "no-store"),
    // Not `no-referrer`: under that a browser does not say where the form comes from.
    (REFERRER_POLICY, "same-origin"),
];
/// More than that is decided where it can be read.
const LONGEST: usize = 20_000;
const MOST_FINDINGS: usize = 10;
const WRONG: &str =
    "It was changed on its way, or it was made by another server. Look for the message again, or open the console.";
const NO_RIGHTS: &str = "Whoever it was sent to may not decide any more. Ask the operator, or open the console.";
const OWN_CALL: &str = "This call was made with your own key, and nobody decides on their own calls.";
const AGAIN: &str = "Nothing was decided. Open the link again and decide on the new page.";
const UNCONFIRMED: &str = "Go back, read the call and tick the box.";
const TOO_LONG: &str = "It is too long to be shown here whole. Open the console to approve it.";
const STYLE: &str = "body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff}main{max-width:40rem;margin:0 auto;padding:1rem}\
h1{font-size:1.3rem}h2{font-size:1rem;margin:1.2rem 0 .3rem}pre{background:#f3f4f6;padding:.7rem;border-radius:.4rem;white-space:pre-wrap;\
overflow-wrap:anywhere;margin:0}form{margin-top:1.5rem}label{display:block;margin-bottom:.6rem}textarea{display:block;width:100%;box-sizing:border-box;\
font:inherit}button{font:inherit;font-weight:600;padding:.7rem 1.2rem;border:0;border-radius:.4rem;background:#1a7f37;color:#fff;width:100%}\
button.no{background:#b42318}@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}pre{background:#161b22}}";

#[cfg(test)]
mod tests {
    use super::*;

    // REVIEW-1: what a model wrote is text on the page, and what cannot be seen is named.
    #[test]
    fn words_of_a_model_are_text() {
        assert_eq!(escape("<script>'\"&\u{202e}\u{0}"), "&lt;script&gt;&#39;&quot;&amp;[U+202E][U+0000]");
        assert_eq!(part("x", " "), "");
        assert!(part("x", &"a".repeat(LONGEST + 1)).contains("(cut here)"));
    }
}
