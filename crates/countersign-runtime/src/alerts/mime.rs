//! An e-mail as it is handed over: a few heads and a text, all of it in seven bits.
//!
//! The text and the subject hold words of others. They are encoded whole, so that nothing of them can be read as a head.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Zoned;
use lettre::Address;

/// A person's address, with a name where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    name: String,
    /// The address.
    pub(super) address: Address,
}

impl Mailbox {
    /// Reads `ann@example.com` or `Ann <ann@example.com>`.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (name, address) = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
            Some((name, address)) => (name.trim().trim_matches('"'), address),
            None => ("", text),
        };
        let address = address.parse().map_err(|error| format!("`{text}` is no e-mail address: {error}"))?;
        Ok(Self { name: name.to_owned(), address })
    }

    /// As it stands in a head.
    fn head(&self) -> String {
        match self.name.as_str() {
            "" => self.address.to_string(),
            name => format!("{} <{}>", encode_words(name), self.address),
        }
    }
}

/// The whole message.
pub(super) fn write(from: &Mailbox, to: &[Mailbox], id: &str, subject: &str, text: &str) -> Vec<u8> {
    let to: Vec<String> = to.iter().map(Mailbox::head).collect();
    let date = jiff::fmt::rfc2822::to_string(&Zoned::now()).unwrap_or_default();
    let body = STANDARD.encode(text.replace("\r\n", "\n").replace('\n', "\r\n"));
    let mut message = format!(
        "From: {}\r\nTo: {}\r\nSubject: {}\r\nDate: {date}\r\nMessage-ID: <{id}@{}>\r\nAuto-Submitted: auto-generated\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
        from.head(),
        to.join(",\r\n "),
        encode_words(subject),
        from.address.domain(),
    );
    for line in body.as_bytes().chunks(LONGEST_LINE) {
        message.push_str(&String::from_utf8_lossy(line));
        message.push_str("\r\n");
    }
    message.into_bytes()
}

/// A text in a head: as it is where it is short and plain, else in encoded words, one a line (RFC 2047).
fn encode_words(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_.[]':;/".contains(&byte);
    if text.len() <= LONGEST_PLAIN && text.bytes().all(is_plain) && !text.contains("=?") {
        return text.to_owned();
    }
    let mut words = vec![String::new()];
    for letter in text.chars() {
        match words.last_mut() {
            Some(word) if word.len() + letter.len_utf8() <= LONGEST_WORD => word.push(letter),
            _ => words.push(letter.to_string()),
        }
    }
    let encoded: Vec<String> = words.iter().map(|word| format!("=?utf-8?B?{}?=", STANDARD.encode(word))).collect();
    encoded.join("\r\n ")
}

/// Letters of a line of the body.
const LONGEST_LINE: usize = 76;
/// Bytes of an encoded word: 52 letters, what is around them, and `Subject: ` before them are a line.
const LONGEST_WORD: usize = 39;
/// A head that is longer is folded.
const LONGEST_PLAIN: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-2: no word of a subject, a name or a text becomes a head of its own.
    #[test]
    fn nothing_of_others_becomes_a_head() {
        let (from, to) =
            (Mailbox::read("Guard <guard@example.com>").unwrap(), [Mailbox::read("ann@example.com").unwrap()]);
        let subject = "pay\r\nBcc: evil@example.com waits 等待决定 ".repeat(4);
        let message = String::from_utf8(write(&from, &to, "mail_1", &subject, "hi\n.\nBcc: x\n")).unwrap();
        let (heads, body) = message.split_once("\r\n\r\n").unwrap();
        assert!(!heads.contains("Bcc") && !body.contains("Bcc"), "{message}");
        assert!(message.is_ascii() && message.lines().all(|line| line.len() <= 78), "{message}");
        assert!(
            heads.contains("From: Guard <guard@example.com>\r\n") && heads.contains("Message-ID: <mail_1@example.com>")
        );
        let words =
            heads.split("=?utf-8?B?").skip(1).map(|word| STANDARD.decode(word.split('?').next().unwrap()).unwrap());
        assert_eq!(String::from_utf8(words.flatten().collect()).unwrap(), subject);
        let packed: String = body.split_whitespace().collect();
        assert_eq!(STANDARD.decode(packed).unwrap(), b"hi\r\n.\r\nBcc: x\r\n");
    }

    #[test]
    fn an_address_is_read_with_its_name_or_without() {
        for good in ["ann@example.com", " Ann <ann@example.com> ", "\"Ann B\" <ann@example.com>"] {
            assert_eq!(Mailbox::read(good).unwrap().address.to_string(), "ann@example.com", "{good}");
        }
        for bad in ["", "ann", "ann@", "Ann <ann@example.com", "a@b@c", "ann@example.com\r\nBcc: x@y.example"] {
            assert!(Mailbox::read(bad).is_err(), "{bad}");
        }
    }
}
