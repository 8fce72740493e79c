//! A message to people, in the form that each place wants.
//!
//! Parts of it may be a model's words. They must not call a whole channel, look like a link of ours, or make a chat program
//! fetch an address: a preview of one would carry out whatever the model wrote into it.

use super::kind::TargetKind;
use serde_json::{Value, json};

/// A message to people.
#[derive(Debug, Clone, PartialEq)]
pub struct Letter {
    /// What it is about, in a line: the subject of an e-mail.
    pub title: String,
    /// What it says.
    pub text: String,
    /// The same for programs.
    pub fields: Value,
}

impl Letter {
    /// The body that a place wants.
    pub(super) fn body(&self, kind: TargetKind) -> Value {
        match kind {
            // A tag could name everybody.
            TargetKind::Feishu => json!({"msg_type": "text", "content": {"text": self.text.replace('<', "＜")}}),
            TargetKind::Slack => {
                json!({"text": escape_slack(&self.text), "unfurl_links": false, "unfurl_media": false})
            }
            TargetKind::Webhook => self.fields.clone(),
        }
    }
}

/// The three characters that Slack reads as markup.
fn escape_slack(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Somebody else's words on one line, shortened, with addresses that no program follows and nothing that cannot be seen.
pub fn quote(text: &str, most: usize) -> String {
    let shown = |letter: char| match letter {
        letter if letter.is_whitespace() => Some(' '),
        letter if letter.is_control() || is_invisible(letter) => None,
        letter => Some(letter),
    };
    let line: String = text.chars().filter_map(shown).take(most + 1).collect();
    let line = line.replace("://", "[:]//");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Whether a character is not seen, or turns the direction of what follows.
pub fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-2: what a model wrote calls nobody and makes no program fetch anything.
    #[test]
    fn words_of_others_stay_words() {
        assert_eq!(quote("see https://evil.example/?d=1\nnow", 80), "see https[:]//evil.example/?d=1 now");
        assert_eq!(quote("a\u{202e}b\u{200b}c\u{7}", 80), "abc");
        assert_eq!(quote("abcdef", 3), "abc…");
        let letter = Letter { title: String::new(), text: "<!channel> & <at>".to_owned(), fields: json!({}) };
        let slack = letter.body(TargetKind::Slack);
        assert_eq!(slack["text"], "&lt;!channel&gt; &amp; &lt;at&gt;");
        assert_eq!((&slack["unfurl_links"], &slack["unfurl_media"]), (&json!(false), &json!(false)));
        let feishu = letter.body(TargetKind::Feishu);
        assert!(!feishu["content"]["text"].as_str().unwrap().contains('<'));
    }
}
