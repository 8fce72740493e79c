//! People by e-mail: a server that takes messages by SMTP, over TLS wherever it is another machine.

use super::letter::Letter;
use super::mime::{self, Mailbox};
use crate::ids::new_id;
use lettre::address::Envelope;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use std::net::IpAddr;
use std::time::Duration;

/// Where e-mails are handed over. It has no `Debug`: it may hold a password.
#[derive(Clone, PartialEq, Eq)]
pub struct MailServer {
    /// Its name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// When TLS begins.
    pub tls: MailTls,
    /// Who sends, where it wants to know: name and password.
    pub login: Option<(String, String)>,
}

/// When TLS begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailTls {
    /// With the connection.
    FromTheStart,
    /// After a word in the clear, or not at all: nothing is sent to a server that has none.
    Upgraded,
    /// Never: the server is on this machine.
    Never,
}

/// E-mail to people. It has no `Debug`, as its server.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// Where it is handed over.
    pub server: MailServer,
    /// Who it is from.
    pub from: Mailbox,
    /// Who it is to.
    pub to: Vec<Mailbox>,
}

impl MailServer {
    /// Reads `smtps://NAME:PASSWORD@HOST:PORT` (TLS from the start) or `smtp://…` (upgraded, but for a server on this machine).
    pub fn read(address: &str) -> Result<Self, String> {
        let read = reqwest::Url::parse(address).map_err(|error| format!("it is no address: {error}"))?;
        let host = read.host_str().filter(|host| !host.is_empty()).ok_or("it names no server")?;
        let is_here = host == "localhost"
            || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let (tls, port) = match read.scheme() {
            "smtps" => (MailTls::FromTheStart, 465),
            "smtp" if is_here => (MailTls::Never, 25),
            "smtp" => (MailTls::Upgraded, 587),
            _ => return Err("it must begin with smtps:// or smtp://".to_owned()),
        };
        let word = |text: &str| decode(text).ok_or("a name or password has an escape that is none");
        let login = match (read.username(), read.password()) {
            ("", None) => None,
            (name, password) => Some((word(name)?, word(password.unwrap_or_default())?)),
        };
        Ok(Self { host: host.to_owned(), port: read.port().unwrap_or(port), tls, login })
    }
}

/// A connection to a server, opened when something is sent.
pub(super) struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    to: Vec<Mailbox>,
}

impl Mailer {
    pub(super) fn open(mail: &Mail, deadline: Duration) -> Result<Self, String> {
        let server = &mail.server;
        let tls = || TlsParameters::new(server.host.clone()).map_err(|error| format!("TLS cannot be set up: {error}"));
        let tls = match server.tls {
            MailTls::FromTheStart => Tls::Wrapper(tls()?),
            MailTls::Upgraded => Tls::Required(tls()?),
            MailTls::Never => Tls::None,
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(tls)
            .timeout(Some(deadline));
        if let Some((name, password)) = &server.login {
            builder = builder.credentials(Credentials::new(name.clone(), password.clone()));
        }
        Ok(Self { transport: builder.build(), from: mail.from.clone(), to: mail.to.clone() })
    }

    pub(super) async fn send(&self, letter: &Letter) -> Result<(), String> {
        let id = new_id("mail").map_err(|error| format!("no new name can be made: {error}"))?;
        let people = self.to.iter().map(|person| person.address.clone()).collect();
        let envelope = Envelope::new(Some(self.from.address.clone()), people).map_err(|error| error.to_string())?;
        let message = mime::write(&self.from, &self.to, &id, &letter.title, &letter.text);
        self.transport.send_raw(&envelope, &message).await.map(|_| ()).map_err(|error| describe(&error))
    }
}

/// What went wrong, with its causes.
fn describe(error: &lettre::transport::smtp::Error) -> String {
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        said = format!("{said}: {inner}");
        cause = inner.source();
    }
    said
}

/// Percent escapes, as an address has them in its name and password.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(behind.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = behind.get(2..)?;
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-2: a password leaves this machine over TLS only.
    #[test]
    fn a_server_elsewhere_is_spoken_to_over_tls() {
        let read = |text: &str| MailServer::read(text).map(|server| (server.host, server.port, server.tls));
        assert_eq!(read("smtps://mail.example.com"), Ok(("mail.example.com".to_owned(), 465, MailTls::FromTheStart)));
        assert_eq!(read("smtp://mail.example.com"), Ok(("mail.example.com".to_owned(), 587, MailTls::Upgraded)));
        assert_eq!(read("smtp://127.0.0.1:2525"), Ok(("127.0.0.1".to_owned(), 2525, MailTls::Never)));
        assert_eq!(read("smtp://localhost"), Ok(("localhost".to_owned(), 25, MailTls::Never)));
        for wrong in ["mail.example.com", "https://mail.example.com", "smtp://", ""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let server =
            MailServer::read("smtps://ann%40example.com:p%3Aw@mail.example.com:2465").unwrap_or_else(|_| panic!());
        assert_eq!(server.login, Some(("ann@example.com".to_owned(), "p:w".to_owned())));
    }
}
