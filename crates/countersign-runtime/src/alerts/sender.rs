//! One message to one place: a try with a deadline.

use super::kind::TargetKind;
use super::letter::Letter;
use super::mail::Mailer;
use super::target::Target;
use std::time::Duration;

/// What a place is reached with.
pub struct Sender {
    way: Way,
}

enum Way {
    Hook { client: reqwest::Client, kind: TargetKind, url: String },
    Mail(Box<Mailer>),
}

impl Sender {
    /// Gets ready to send to a place. Each try may take so long.
    pub fn open(target: &Target, deadline: Duration) -> Result<Self, String> {
        let way = match target {
            Target::Hook { kind, url } => {
                let client = crate::http::client().timeout(deadline).build().map_err(|error| error.to_string())?;
                Way::Hook { client, kind: *kind, url: url.clone() }
            }
            Target::Mail(mail) => Way::Mail(Box::new(Mailer::open(mail, deadline)?)),
        };
        Ok(Self { way })
    }

    /// Sends a message once, or says why it could not.
    pub async fn send(&self, letter: &Letter) -> Result<(), String> {
        match &self.way {
            Way::Hook { client, kind, url } => {
                let answer = client.post(url).json(&letter.body(*kind)).send().await;
                // The address carries a key: it does not go into the reason.
                let status = answer.map_err(|error| error.without_url().to_string())?.status();
                if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
            }
            Way::Mail(mailer) => mailer.send(letter).await,
        }
    }
}
