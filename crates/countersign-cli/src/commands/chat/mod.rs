//! `countersign chat`: an agent in the terminal, on the same HTTP API that every client has.
//!
//! The server may be elsewhere, on this machine, or in this process. One message gives one answer; without a message a
//! conversation begins. Nothing here judges or remembers: the server does both, and what is shown can be shown again.

/// Server-sent events, read as they come.
pub(crate) mod frames;
/// The server's HTTP API.
pub(crate) mod api;
/// Where the reader is.
mod bookmark;
/// Lines that are typed, and Ctrl-C.
mod person;
/// Where the server is.
mod server;
/// Where events go.
mod display;
/// A call that waits for a person.
mod approval;
/// A turn, followed to its end.
mod following;
/// Messages and commands.
mod conversation;

use crate::args::{ChatArgs, Format};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::chat::Screen;
use bookmark::Bookmark;
use conversation::Conversation;
use display::Display;
use following::{Ended, Manner};
use person::Person;
use serde_json::Value;
use server::{Keeping, ServerHandle};
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Read};

/// Talks.
pub(crate) fn run(args: ChatArgs) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(format!("cannot start the threads: {error}")))?;
    let ended = runtime.block_on(talk(args));
    // The thread that reads the terminal cannot be broken off.
    runtime.shutdown_background();
    ended
}

/// What is said: one message, or a conversation.
enum Wish {
    Once { message: String, person: Person },
    Talk { person: Person },
}

async fn talk(args: ChatArgs) -> Result<u8, Failure> {
    let wish = wish(&args)?;
    let server = server::find(&args).await?;
    let (session, agent, seen) = open(&args, &server).await?;
    let display = match args.format {
        Format::Human => Display::Screen(Box::new(Screen::new(Canvas::new(args.color, None), &agent))),
        Format::Json | Format::Jsonl => Display::Lines,
    };
    let (message, person) = match wish {
        Wish::Once { message, person } => (Some(message), person),
        Wish::Talk { person } => (None, person),
    };
    let manner = if message.is_some() { Manner::Once } else { Manner::Talk };
    let (typed, files, user) = (VecDeque::new(), Vec::new(), args.user.clone());
    let mut talk = Conversation { server, session, user, display, bookmark: seen, person, typed, files, manner };
    let ended = hold(&mut talk, &args, message.as_deref()).await;
    talk.leave().await;
    Ok(u8::from(ended? != Ended::Completed))
}

async fn hold(talk: &mut Conversation, args: &ChatArgs, message: Option<&str>) -> Result<Ended, Failure> {
    if args.session.is_some() && talk.catch_up().await? == Ended::Quit {
        return Ok(Ended::Quit);
    }
    match message {
        Some(message) => talk.say(message).await,
        None => {
            talk.display.remark("/help lists what can be typed; Ctrl-C stops an answer, /quit leaves")?;
            talk.talk().await
        }
    }
}

/// Words on the command line are one message, and so is what is piped in; approvals can be typed where it is not.
fn wish(args: &ChatArgs) -> Result<Wish, Failure> {
    if !args.message.is_empty() {
        return Ok(Wish::Once { message: args.message.join(" "), person: Person::typing() });
    }
    if io::stdin().is_terminal() {
        return Ok(Wish::Talk { person: Person::typing() });
    }
    let mut message = String::new();
    let read = io::stdin().lock().take(LONGEST_MESSAGE).read_to_string(&mut message);
    read.map_err(|error| Failure::unusable(format!("cannot read standard input: {error}")))?;
    if message.trim().is_empty() {
        return Err(Failure::with_help("there is no message", "countersign chat \"your message\", or pipe it in"));
    }
    Ok(Wish::Once { message, person: Person::silent() })
}

/// Makes a session, or finds the one that was named; gives its id, its agent and what was seen of it.
async fn open(args: &ChatArgs, server: &ServerHandle) -> Result<(String, String, Bookmark), Failure> {
    if let Some(session) = &args.session {
        let found = server.api.look(session).await?;
        let agent = found.get("agent").and_then(Value::as_str).unwrap_or_default().to_owned();
        return Ok((session.clone(), agent, Bookmark::open(session)));
    }
    let session = server.api.create(&args.agent, args.user.as_deref(), args.model.as_deref()).await?;
    let bookmark = match server.keeping {
        Keeping::Kept => Bookmark::open(&session),
        Keeping::Forgotten => Bookmark::in_memory(),
    };
    Ok((session, args.agent.clone(), bookmark))
}

/// What the largest body takes, about.
const LONGEST_MESSAGE: u64 = 16 * 1024 * 1024;
