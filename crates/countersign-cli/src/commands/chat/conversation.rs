//! A conversation: messages, the commands between them, and how it is gone on with.

use super::api::{Events, Trouble};
use super::bookmark::Bookmark;
use super::display::Display;
use super::following::{Ended, Following, Manner};
use super::person::{Did, Ears, Person};
use super::server::{Keeping, ServerHandle};
use crate::failure::{Failure, tell};
use crate::human::chat::Detail;
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

/// A conversation with an agent.
pub(super) struct Conversation {
    /// Where.
    pub server: ServerHandle,
    /// Its id.
    pub session: String,
    /// In whose name.
    pub user: Option<String>,
    /// Where events go.
    pub display: Display,
    /// What was shown.
    pub bookmark: Bookmark,
    /// Who is there.
    pub person: Person,
    /// What was typed and is said later.
    pub typed: VecDeque<String>,
    /// Files that go with the next message.
    pub files: Vec<String>,
    /// What they came for.
    pub manner: Manner,
}

/// What follows a line.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Another line.
    Line,
    /// The end.
    End,
}

impl Conversation {
    /// Says one thing and shows what comes of it.
    pub(super) async fn say(&mut self, content: &str) -> Result<Ended, Failure> {
        let files = std::mem::take(&mut self.files);
        let Some(events) = self.begin(content, &files).await? else { return Ok(Ended::Quit) };
        let ended = self.follow(events, Detail::Missed).await?;
        if ended == Ended::Nothing {
            self.display.remark("the turn ended without saying how")?;
            return Ok(Ended::Otherwise);
        }
        Ok(ended)
    }

    /// Shows what happened since the last time, and follows what is running.
    pub(super) async fn catch_up(&mut self) -> Result<Ended, Failure> {
        let detail = if self.bookmark.last().is_some() { Detail::Missed } else { Detail::Short };
        let events = match self.server.api.events(&self.session, self.bookmark.last()).await {
            Err(Trouble::Refused { status: 410, .. }) => {
                self.bookmark.forget();
                self.server.api.events(&self.session, None).await?
            }
            found => found?,
        };
        self.follow(events, detail).await
    }

    /// Takes lines until the person goes.
    pub(super) async fn talk(&mut self) -> Result<Ended, Failure> {
        let mut last = Ended::Completed;
        let mut interrupted = false;
        loop {
            let line = match self.typed.pop_front() {
                Some(line) => line,
                // They left while the answer came.
                None if !self.person.can_type() => return Ok(last),
                None => {
                    self.display.prompt("› ")?;
                    match self.person.next(Ears::Everything).await {
                        Did::Typed(line) => line,
                        Did::Interrupted if !interrupted => {
                            interrupted = true;
                            self.display.remark("Ctrl-C again or /quit ends the conversation")?;
                            continue;
                        }
                        Did::Interrupted => return Ok(last),
                        Did::Left => {
                            // Ctrl-D leaves the cursor behind the prompt.
                            self.display.remark("")?;
                            return Ok(last);
                        }
                    }
                }
            };
            interrupted = false;
            if line.trim().is_empty() {
                continue;
            }
            if line.starts_with('/') {
                match self.command(line.trim()).await? {
                    Next::Line => continue,
                    Next::End => return Ok(last),
                }
            }
            match self.say(&line).await {
                Ok(Ended::Quit) => return Ok(Ended::Otherwise),
                Ok(ended) => last = ended,
                Err(Failure::Unusable { message, .. }) => {
                    self.display.remark(&format!("✖ {message}"))?;
                    last = Ended::Otherwise;
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// Says how it can be gone on with, and ends what was started here.
    pub(super) async fn leave(mut self) {
        self.bookmark.keep();
        match self.server.keeping {
            Keeping::Kept => {
                let options = format!("{} --session {}", self.server.options, self.session);
                tell(&format!("countersign: go on with `countersign chat{options}`"));
            }
            Keeping::Forgotten => tell(NOTHING_KEPT),
        }
        if let Some(own) = self.server.own.take() {
            own.end(GRACE).await;
        }
    }

    /// Sends the message, again where it certainly did not arrive.
    async fn begin(&mut self, content: &str, files: &[String]) -> Result<Option<Events>, Failure> {
        let mut pause = PAUSE;
        for attempt in 0..ATTEMPTS {
            let said = tokio::select! {
                said = self.server.api.say(&self.session, content, files) => said,
                _ = self.person.next(Ears::Interrupts) => return Ok(None),
            };
            match said {
                Ok(events) => return Ok(Some(events)),
                Err(Trouble::Lost(_)) if self.has_arrived().await => {
                    return Ok(Some(self.server.api.events(&self.session, self.bookmark.last()).await?));
                }
                Err(trouble) if trouble.may_pass() && attempt + 1 < ATTEMPTS => {
                    self.display.remark(&format!("⟳ {}; trying again…", trouble.sentence()))?;
                    tokio::select! {
                        did = self.person.next(Ears::Interrupts) => if matches!(did, Did::Interrupted) { return Ok(None) },
                        () = tokio::time::sleep(pause) => {}
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(trouble) => return Err(trouble.into()),
            }
        }
        Err(Failure::unusable("the message could not be sent"))
    }

    /// Whether the session has grown since the last event that was shown: then the message is in it.
    async fn has_arrived(&self) -> bool {
        let look = self.server.api.look(&self.session).await;
        let events = look.ok().and_then(|session| session.get("events").and_then(Value::as_u64));
        events.is_some_and(|events| events > self.bookmark.count())
    }

    async fn follow(&mut self, events: Events, detail: Detail) -> Result<Ended, Failure> {
        let mut following = Following {
            api: &self.server.api,
            session: &self.session,
            user: self.user.as_deref(),
            display: &mut self.display,
            bookmark: &mut self.bookmark,
            person: &mut self.person,
            typed: &mut self.typed,
            manner: self.manner,
        };
        following.follow(events, detail).await
    }

    async fn command(&mut self, line: &str) -> Result<Next, Failure> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "/quit" | "/exit" => return Ok(Next::End),
            "/help" => self.display.quote(HELP)?,
            "/session" => self.display.quote(&self.session.clone())?,
            "/stop" => self.display.remark("nothing is running")?,
            "/notes" => self.list("notes").await?,
            "/materials" => self.list("materials").await?,
            "/file" => self.attach(rest.trim()).await?,
            other => self.display.remark(&format!("there is no command {other}; /help lists them"))?,
        }
        Ok(Next::Line)
    }

    async fn list(&mut self, kind: &str) -> Result<(), Failure> {
        let things = match self.server.api.things(&self.session, kind).await {
            Ok(things) => things,
            Err(trouble) => return self.display.remark(&trouble.sentence()),
        };
        if things.is_empty() {
            return self.display.remark(&format!("there are no {kind}"));
        }
        for thing in things {
            let word = |name| thing.get(name).and_then(Value::as_str).unwrap_or_default();
            self.display.quote(&format!("{}: {}", word("name"), word("content")))?;
        }
        Ok(())
    }

    async fn attach(&mut self, file: &str) -> Result<(), Failure> {
        if file.is_empty() {
            return self.display.remark("name a file: /file PATH");
        }
        let path = Path::new(file);
        let size = std::fs::metadata(path).map_or(0, |file| file.len());
        if size > LARGEST_FILE {
            return self.display.remark(&format!("{file} has {size} bytes; that is more than any server takes"));
        }
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.display.remark(&format!("{file} cannot be read: {error}")),
        };
        match self.server.api.upload(&self.session, path, bytes).await {
            Ok(found) => {
                let id = found.get("file_id").and_then(Value::as_str).unwrap_or_default();
                self.files.push(id.to_owned());
                self.display.remark(&format!("{file} goes with your next message"))
            }
            Err(trouble) => self.display.remark(&trouble.sentence()),
        }
    }
}

const HELP: &str = "\
/file PATH   upload a file; it goes with your next message
/notes       the notes of this conversation
/materials   its materials
/session     its id, to go on with it later
/stop        stop the answer that is running (or Ctrl-C)
/quit        leave (or Ctrl-D, or Ctrl-C twice)";
const NOTHING_KEPT: &str =
    "countersign: nothing was kept; `countersign serve` keeps conversations, and so does `data_dir` in a configuration";
/// How often a message is sent that does not arrive.
const ATTEMPTS: usize = 8;
const PAUSE: Duration = Duration::from_millis(300);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// How long a server in this process may take to end.
const GRACE: Duration = Duration::from_secs(1);
/// The server has a limit of its own; this one keeps a mistake from filling the memory.
const LARGEST_FILE: u64 = 256 * 1024 * 1024;
