//! `countersign review watch`: what waits for a person, live. A line for each change; on a terminal a key decides on the item
//! that is shown.
//!
//! What is shown changes by a key, or when the item itself is over, and never because another one came: nobody decides on
//! something that slipped under their finger. For the same reason a key counts only once the item was there for a moment.

use super::keyboard::Keyboard;
use crate::args::{Format, ServerArgs};
use crate::commands::chat::api::{Api, Events};
use crate::commands::chat::frames::Frame;
use crate::commands::print;
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::review;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Watches until somebody leaves.
pub(super) fn run(server: &ServerArgs, reviewer: Option<String>) -> Result<u8, Failure> {
    // The one crypto library of the process; a second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(error.to_string()))?;
    let watched = runtime.block_on(async {
        let api = Api::new(&server.server, server.key.clone())?;
        let events = api.follow_reviews().await?;
        let decides = server.format == Format::Human && io::stdout().is_terminal();
        let keyboard = if decides { Keyboard::open() } else { None };
        let watch =
            Watch { api, server, reviewer, items: Vec::new(), over: VecDeque::new(), shown: None, typing: None };
        watch.run(events, keyboard).await
    });
    // The thread that reads the terminal cannot be broken off.
    runtime.shutdown_background();
    watched
}

/// A watch that goes on.
struct Watch<'a> {
    api: Api,
    server: &'a ServerArgs,
    reviewer: Option<String>,
    /// What waits, the oldest first.
    items: Vec<Value>,
    /// What was last seen to be over: that an approval was used later is no news.
    over: VecDeque<String>,
    /// The item that a key decides on, and since when it is shown.
    shown: Option<(String, Instant)>,
    /// The reason that is being typed, for the item that is shown.
    typing: Option<Vec<u8>>,
}

/// Whether the watch goes on.
#[derive(PartialEq, Eq)]
enum Next {
    On,
    Leave,
}

impl Watch<'_> {
    async fn run(mut self, mut events: Events, mut keyboard: Option<Keyboard>) -> Result<u8, Failure> {
        if keyboard.is_some() {
            self.say(HELP)?;
        }
        loop {
            let key = async {
                match &mut keyboard {
                    Some(keyboard) => keyboard.keys.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                frame = events.next() => match frame {
                    Ok(Frame::Event(item)) => self.hear(item, keyboard.is_some())?,
                    Ok(Frame::Done) | Err(_) => events = self.come_back().await?,
                },
                key = key => match key {
                    Some(key) if self.press(key).await? == Next::On => {}
                    _ => return Ok(0),
                },
                interrupted = tokio::signal::ctrl_c() => {
                    return interrupted.map(|()| 0).map_err(|error| Failure::Internal(error.to_string()));
                }
            }
        }
    }

    /// The server ended, or the wire did: asks again until it answers.
    async fn come_back(&mut self) -> Result<Events, Failure> {
        crate::failure::tell("the connection was lost; trying again");
        let mut pause = FIRST_PAUSE;
        loop {
            tokio::time::sleep(pause).await;
            match self.api.follow_reviews().await {
                Ok(events) => return Ok(events),
                Err(trouble) if trouble.may_pass() => pause = (pause * 2).min(LONGEST_PAUSE),
                Err(trouble) => return Err(trouble.into()),
            }
        }
    }

    /// Takes what happened to an item.
    fn hear(&mut self, item: Value, decides: bool) -> Result<(), Failure> {
        let id = name(&item);
        let known = self.items.iter().position(|known| name(known) == id);
        if self.over.contains(&id) {
            return Ok(());
        }
        let same = known.and_then(|at| self.items.get(at)).is_some_and(|known| known.get("state") == item.get("state"));
        if let Some(at) = known {
            self.items.remove(at);
            self.items.insert(at, item.clone());
        } else {
            self.items.push(item.clone());
        }
        // Reservations and what was there before the connection was lost are no news.
        if same {
            return Ok(());
        }
        self.draw(&item)?;
        if !is_waiting(&item) {
            self.items.retain(|known| name(known) != id);
            self.over.truncate(MOST_OVER);
            self.over.push_front(id.clone());
            if self.shown.as_ref().is_some_and(|(shown, _)| *shown == id) {
                (self.shown, self.typing) = (None, None);
            }
        }
        if decides && self.shown.is_none() { self.show_next() } else { Ok(()) }
    }

    /// Takes a key.
    async fn press(&mut self, key: u8) -> Result<Next, Failure> {
        if let Some(reason) = self.typing.take() {
            return self.type_reason(reason, key).await;
        }
        let ripe = self.shown.as_ref().filter(|(_, since)| since.elapsed() >= RIPE).map(|(id, _)| id.clone());
        match (key, ripe) {
            (b'q', _) => return Ok(Next::Leave),
            (b'l', _) => self.list()?,
            (b'n', _) => self.show_next()?,
            (b'a', Some(id)) => self.decide(&id, json!({"decision": "approve"})).await?,
            (b'r', Some(_)) => {
                print("reason (Enter for none): ")?;
                self.typing = Some(Vec::new());
            }
            (b'a' | b'r', None) => {}
            (b'\n' | b'\r' | b' ', _) => {}
            _ => self.say(HELP)?,
        }
        Ok(Next::On)
    }

    /// Goes on with the reason of a refusal. Escape takes it back.
    async fn type_reason(&mut self, mut reason: Vec<u8>, key: u8) -> Result<Next, Failure> {
        match key {
            b'\n' | b'\r' => {
                print("\n")?;
                let shown = self.shown.as_ref().map(|(id, _)| id.clone());
                let reason = String::from_utf8_lossy(&reason);
                let said = Some(reason.trim()).filter(|reason| !reason.is_empty());
                if let Some(id) = shown {
                    self.decide(&id, json!({"decision": "reject", "reason": said})).await?;
                }
            }
            ESCAPE => self.say("nothing was decided")?,
            DELETE | BACKSPACE => {
                // A letter may have several bytes; all but its first begin with 10.
                while reason.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
                print("\u{8} \u{8}")?;
                self.typing = Some(reason);
            }
            key => {
                reason.push(key);
                let mut out = io::stdout().lock();
                // A terminal that does not show what is typed takes it all the same.
                let _ = out.write_all(&[key]).and_then(|()| out.flush());
                self.typing = Some(reason);
            }
        }
        Ok(Next::On)
    }

    async fn decide(&mut self, id: &str, mut body: Value) -> Result<(), Failure> {
        if let Some(fields) = body.as_object_mut() {
            fields.insert("reviewer".to_owned(), json!(self.reviewer));
        }
        match self.api.decide(id, &body).await {
            // What became of it is heard like anybody else's decision.
            Ok(_) => Ok(()),
            Err(trouble) => self.say(&trouble.sentence()),
        }
    }

    /// Shows the item after the one that is shown, in full.
    fn show_next(&mut self) -> Result<(), Failure> {
        let waiting: Vec<&Value> = self.items.iter().filter(|item| is_waiting(item)).collect();
        let at = self.shown.as_ref().and_then(|(id, _)| waiting.iter().position(|item| name(item) == *id));
        let next = at.map_or(0, |at| (at + 1) % waiting.len().max(1));
        let Some(item) = waiting.get(next).map(|item| Value::clone(item)) else {
            self.shown = None;
            return Ok(());
        };
        let mut canvas = Canvas::new(self.server.color, None);
        review::show(&mut canvas, &item);
        canvas.line("  approve, reject, next, list, quit? [a/r/n/l/q]");
        print(&canvas.finish())?;
        self.shown = Some((name(&item), Instant::now()));
        Ok(())
    }

    fn list(&self) -> Result<(), Failure> {
        let waiting: Vec<Value> = self.items.iter().filter(|item| is_waiting(item)).cloned().collect();
        let mut canvas = Canvas::new(self.server.color, None);
        review::list(&mut canvas, &waiting, Timestamp::now());
        print(&canvas.finish())
    }

    fn draw(&self, item: &Value) -> Result<(), Failure> {
        if self.server.format != Format::Human {
            return print(&format!("{item}\n"));
        }
        let mut canvas = Canvas::new(self.server.color, None);
        review::show_change(&mut canvas, item, Timestamp::now());
        print(&canvas.finish())
    }

    fn say(&self, text: &str) -> Result<(), Failure> {
        print(&format!("{text}\n"))
    }
}

fn name(item: &Value) -> String {
    item.get("review_id").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn is_waiting(item: &Value) -> bool {
    item.get("state").is_some_and(|state| state == "pending")
}

const HELP: &str =
    "watching; a approves the item that is shown, r rejects it, n shows the next one, l lists what waits, q leaves";
/// How long an item is shown before a key counts for it.
const RIPE: Duration = Duration::from_millis(400);
/// So many items that are over are kept in mind.
const MOST_OVER: usize = 1000;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
const ESCAPE: u8 = 0x1b;
const DELETE: u8 = 0x7f;
const BACKSPACE: u8 = 0x08;
