//! A page for one decision: small, without scripts, for a phone, in the reader's language. Everything on it that somebody
//! else wrote is text.

use axum::http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use countersign::contract::Language;
use countersign::localized;
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
    /// What the reader reads.
    pub language: Language,
}

/// The language that a browser asks for first, of the two that there are.
pub(super) fn language_of(headers: &HeaderMap) -> Language {
    let asked = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    asked.split(',').find_map(Language::from_name).unwrap_or_default()
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
    let Shown { review, reviewer, language, .. } = shown;
    let (language, summary) = (*language, review.summary());
    let minutes = review.expires_at_ms.saturating_sub(now_millis()).max(0) / 60_000;
    let (title, reviewer, until) = (title(review, language), escape(reviewer), escape(&review.expires_at));
    let otherwise = match review.waits {
        true => localized!(language, "the answer is no", "视为拒绝"),
        false => localized!(language, "nothing changes", "一切照旧"),
    };
    let mut body = localized!(
        language,
        "<h1>{title} waits for your decision</h1><p>You decide as <b>{reviewer}</b>. There are {minutes} minutes left, until {until}; then {otherwise}.</p>",
        "<h1>{title} 等待您的决定</h1><p>您以 <b>{reviewer}</b> 的身份决定。还有 {minutes} 分钟，到 {until} 为止；过期{otherwise}。</p>"
    );
    body.push_str(&part(&localized!(language, "What was asked", "用户的请求"), &summary.asked, language));
    let proposed = match review.about() {
        About::Call => format!("{}\n{}", review.tool, summary.proposed),
        About::Result | About::Answer => summary.proposed,
    };
    let heading = match review.about() {
        About::Call => localized!(language, "The call that would run", "将要执行的调用"),
        About::Result => localized!(language, "What the tool returned", "工具返回的结果"),
        About::Answer => localized!(language, "The answer", "回答"),
    };
    body.push_str(&part(&heading, &proposed, language));
    let before = localized!(language, "As the model wrote it, before it was repaired", "修正前模型所写的内容");
    body.push_str(&part(&before, &unrepaired(review), language));
    let why = localized!(language, "Why you are asked", "为什么需要您决定");
    body.push_str(&part(&why, &reasons(review, &summary.why), language));
    body.push_str(&form(shown));
    page(StatusCode::OK, &title, &body, language)
}

/// The page after a decision.
pub(super) fn decided(review: &Review, language: Language) -> Response {
    let (word, title, outcome) = (state_word(review, language), title(review, language), outcome(review, language));
    let body = localized!(
        language,
        "<h1>{word}</h1><p>{title} {outcome}. You can close this page.</p>",
        "<h1>{word}</h1><p>{title} {outcome}。可以关闭此页面。</p>"
    );
    page(StatusCode::OK, &word, &body, language)
}

/// The page that says why there is nothing to decide.
pub(super) fn problem(problem: &Problem, language: Language) -> Response {
    let undecided = || localized!(language, "Nothing was decided", "尚未作出决定");
    let (status, heading, text) = match problem {
        Problem::Wrong => (
            StatusCode::NOT_FOUND,
            localized!(language, "This link is not valid", "链接无效"),
            localized!(
                language,
                "It was changed on its way, or it was made by another server. Look for the message again, or open the console.",
                "链接在传送中被改动，或来自另一台服务器。请重新查看消息，或打开控制台。"
            ),
        ),
        Problem::Over(review) => (StatusCode::GONE, over_heading(review, language), over_text(review, language)),
        Problem::NoRights => (
            StatusCode::FORBIDDEN,
            localized!(language, "This link opens nothing any more", "此链接已失效"),
            localized!(
                language,
                "Whoever it was sent to may not decide any more. Ask the operator, or open the console.",
                "收到链接的人已无权决定。请联系管理员，或打开控制台。"
            ),
        ),
        Problem::OwnCall => (
            StatusCode::FORBIDDEN,
            localized!(language, "Somebody else must decide", "须由他人决定"),
            localized!(
                language,
                "This call was made with your own key, and nobody decides on their own calls.",
                "此调用使用的是您自己的密钥，任何人都不能决定自己的调用。"
            ),
        ),
        Problem::Reserved(name) => {
            let name = escape(name);
            let text = localized!(
                language,
                "{name} has taken this item and is deciding. Open the link again in a few minutes.",
                "{name} 正在处理此项。请几分钟后再打开链接。"
            );
            (StatusCode::CONFLICT, localized!(language, "Somebody is at it", "正在处理"), text)
        }
        Problem::NoForm => (
            StatusCode::BAD_REQUEST,
            localized!(language, "This was not understood", "无法识别提交的内容"),
            try_again(language),
        ),
        Problem::StaleForm => (
            StatusCode::BAD_REQUEST,
            localized!(language, "The page was open too long", "页面打开时间过长"),
            try_again(language),
        ),
        Problem::Unconfirmed => (
            StatusCode::BAD_REQUEST,
            undecided(),
            localized!(language, "Go back, read the call and tick the box.", "请返回，阅读调用内容并勾选确认。"),
        ),
        Problem::TooLong => (StatusCode::BAD_REQUEST, undecided(), too_long(language)),
    };
    page(status, &heading, &format!("<h1>{heading}</h1><p>{text}</p>"), language)
}

/// Whether an item is too long to be shown whole: nobody approves what they cannot see.
pub(super) fn is_too_long(review: &Review) -> bool {
    review.summary().proposed.len() > LONGEST
}

fn form(shown: &Shown<'_>) -> String {
    // Without an address a form goes where its page came from, also behind a proxy that hides a part of the path.
    let (token, language) = (escape(shown.token), shown.language);
    let (yes, no, read) = match shown.review.about() {
        About::Call => (
            localized!(language, "Let it run", "允许执行"),
            localized!(language, "Refuse it", "拒绝"),
            localized!(language, "I have read the call above", "我已阅读上面的调用"),
        ),
        About::Result | About::Answer => (
            localized!(language, "Accept it", "接受"),
            localized!(language, "Withhold it", "扣下"),
            localized!(language, "I have read the text above", "我已阅读上面的内容"),
        ),
    };
    let approve = if is_too_long(shown.review) {
        format!("<p>{}</p>", too_long(language))
    } else {
        format!(
            "<form method=post><input type=hidden name=token value=\"{token}\">\
             <label><input type=checkbox name=confirm value=yes required> {read}</label>\
             <button name=decision value=approve>{yes}</button></form>"
        )
    };
    let why_not = localized!(language, "Why not? (told to the model)", "拒绝的原因（会告诉模型）");
    format!(
        "{approve}<form method=post><input type=hidden name=token value=\"{token}\">\
         <label>{why_not}<textarea name=reason rows=2 maxlength=2000></textarea></label>\
         <button name=decision value=reject class=no>{no}</button></form>"
    )
}

fn part(heading: &str, text: &str, language: Language) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let (shown, cut) = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            (text.get(..end).unwrap_or_default(), localized!(language, "\n… (cut here)", "\n…（此处截断）"))
        }
        None => (text, String::new()),
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

fn title(review: &Review, language: Language) -> String {
    let tool = escape(&review.tool);
    match review.about() {
        About::Call => format!("<code>{tool}</code>"),
        About::Result => localized!(language, "A result of <code>{tool}</code>", "<code>{tool}</code> 的结果"),
        About::Answer => localized!(language, "An answer", "一条回答"),
    }
}

fn state_word(review: &Review, language: Language) -> String {
    match review.state {
        ReviewState::Approved | ReviewState::Edited => localized!(language, "Approved", "已批准"),
        ReviewState::Rejected => localized!(language, "Refused", "已拒绝"),
        ReviewState::Expired | ReviewState::Pending => localized!(language, "Not decided", "未决定"),
    }
}

fn outcome(review: &Review, language: Language) -> String {
    match (review.about(), review.state.is_yes()) {
        (About::Call, true) => {
            localized!(language, "may run now, once, as you saw it", "现在可以按您看到的内容执行一次")
        }
        (About::Call, false) => localized!(language, "does not run", "不会执行"),
        (_, true) => localized!(language, "stands as it is", "保持原样"),
        (_, false) => localized!(language, "is withheld", "已被扣下"),
    }
}

fn over_heading(review: &Review, language: Language) -> String {
    match review.state {
        ReviewState::Expired => localized!(language, "It is too late", "已过期"),
        _ => localized!(language, "This was decided already", "此项已有决定"),
    }
}

fn over_text(review: &Review, language: Language) -> String {
    let until = escape(&review.expires_at);
    if review.state == ReviewState::Expired {
        return localized!(
            language,
            "Nobody decided until {until}, so the answer was no.",
            "到 {until} 为止无人决定，因此视为拒绝。"
        );
    }
    let who = review.decided.as_ref().and_then(|decided| decided.reviewer.as_deref());
    let who = who.map_or_else(|| localized!(language, "somebody", "某人"), escape);
    let (title, state, word) = (title(review, language), review.state.name(), state_word(review, language));
    localized!(
        language,
        "{title} was {state} by {who}. A link decides once.",
        "{title}：{who} {word}。一个链接只能决定一次。"
    )
}

fn try_again(language: Language) -> String {
    localized!(
        language,
        "Nothing was decided. Open the link again and decide on the new page.",
        "尚未作出决定。请重新打开链接，在新页面上决定。"
    )
}

fn too_long(language: Language) -> String {
    localized!(
        language,
        "It is too long to be shown here whole. Open the console to approve it.",
        "内容太长，无法在此完整显示。请打开控制台批准。"
    )
}

fn page(status: StatusCode, heading: &str, body: &str, language: Language) -> Response {
    let heading = heading.replace("<code>", "").replace("</code>", "");
    let tag = localized!(language, "en", "zh");
    let html = format!(
        "<!doctype html><html lang={tag}><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
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
        assert_eq!(part("x", " ", Language::English), "");
        assert!(part("x", &"a".repeat(LONGEST + 1), Language::English).contains("(cut here)"));
    }

    // REVIEW-1: the page speaks the reader's language.
    #[test]
    fn the_reader_is_answered_in_their_language() {
        for (asked, language) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", Language::Chinese),
            ("en-GB,en;q=0.9,zh;q=0.5", Language::English),
            ("fr-FR, zh-TW;q=0.7", Language::Chinese),
            ("de", Language::English),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_LANGUAGE, HeaderValue::from_static(asked))]);
            assert_eq!(language_of(&headers), language, "{asked}");
        }
        assert_eq!(language_of(&HeaderMap::new()), Language::English);
    }
}
