//! The upstream: answers the cases at once (or at their pace), over HTTP/1.1 with connections kept open.
//!
//! It is written straight on sockets so that it takes as little as possible of the two cores that the proxy under test
//! needs. Every event of a stream is a write of its own, as from a real server.

use crate::Fallible;
use crate::cases::{self, Answer, Case};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::LocalSet;

/// Serves until the process ends.
pub async fn run(address: &str) -> Fallible<()> {
    let listener = listen(address)?;
    LocalSet::new().run_until(serve(listener)).await
}

pub fn listen(address: &str) -> Fallible<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address.parse()?)?;
    Ok(socket.listen(4096)?)
}

/// Serves until it is dropped; what it began ends with the `LocalSet` it runs in.
pub async fn serve(listener: TcpListener) -> Fallible<()> {
    let known = Known::default();
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        let known = Rc::clone(&known);
        tokio::task::spawn_local(async move {
            // A client that goes away is the client's business.
            let _ = talk(socket, &known).await;
        });
    }
}

/// Cases that were asked for before.
type Known = Rc<RefCell<HashMap<String, Rc<Case>>>>;

async fn talk(mut socket: TcpStream, known: &Known) -> Fallible<()> {
    let mut read = Vec::with_capacity(8192);
    while let Some(body) = request(&mut socket, &mut read).await? {
        let Some((name, number)) = cases::asked_for(&body) else {
            socket.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 39\r\n\r\n{\"error\":{\"message\":\"no case in this\"}}").await?;
            continue;
        };
        let case = find(known, name)?;
        answer(&mut socket, &case, number).await?;
    }
    Ok(())
}

fn find(known: &Known, name: &str) -> Fallible<Rc<Case>> {
    if let Some(case) = known.borrow().get(name) {
        return Ok(Rc::clone(case));
    }
    let case = Rc::new(Case::named(name).ok_or("no such case")?);
    known.borrow_mut().insert(name.to_owned(), Rc::clone(&case));
    Ok(case)
}

async fn answer(socket: &mut TcpStream, case: &Case, number: u64) -> Fallible<()> {
    match &case.answer {
        Answer::Whole(body) => {
            let mut bytes = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_{number:08}\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
            bytes.extend(body.with(number));
            socket.write_all(&bytes).await?;
        }
        Answer::Stream(events, pause) => {
            let mut bytes = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_{number:08}\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
            for (at, event) in events.iter().enumerate() {
                if at > 0 && !pause.is_zero() {
                    tokio::time::sleep(*pause).await;
                }
                bytes.extend(format!("{:x}\r\n", event.len()).as_bytes());
                bytes.extend(event.with(number));
                bytes.extend(if at + 1 == events.len() { &b"\r\n0\r\n\r\n"[..] } else { b"\r\n" });
                socket.write_all(&bytes).await?;
                bytes.clear();
            }
        }
    }
    Ok(())
}

/// The body of the next request; none where the client has closed.
async fn request(socket: &mut TcpStream, read: &mut Vec<u8>) -> Fallible<Option<Vec<u8>>> {
    let head = loop {
        if let Some(end) = memchr::memmem::find(read, b"\r\n\r\n") {
            break end + 4;
        }
        if socket.read_buf(read).await? == 0 {
            return Ok(None);
        }
    };
    let text = String::from_utf8_lossy(&read[..head]).to_ascii_lowercase();
    if text.contains("\r\nexpect: 100-continue") {
        socket.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let length = text.split("\r\ncontent-length:").nth(1).and_then(|rest| rest.split("\r\n").next());
    let end = match length {
        Some(length) => head + length.trim().parse::<usize>()?,
        // The stub looks for words in the body, so the frames of chunks may stay.
        None if text.contains("\r\ntransfer-encoding: chunked") => chunked_end(socket, read, head).await?,
        None => head,
    };
    while read.len() < end {
        if socket.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
    let body = read[head..end].to_vec();
    read.drain(..end);
    Ok(Some(body))
}

async fn chunked_end(socket: &mut TcpStream, read: &mut Vec<u8>, head: usize) -> Fallible<usize> {
    loop {
        if let Some(end) = memchr::memmem::find(&read[head..], b"\r\n0\r\n\r\n") {
            return Ok(head + end + 7);
        }
        if socket.read_buf(read).await? == 0 {
            return Err("the request was cut".into());
        }
    }
}
