//! The engine as WebAssembly: JSON text in, JSON text out. What JavaScript sees is in `js`; here is only the door.
//!
//! The caller asks for room (`reserve`), writes its request there and calls a function; that returns a status, and the reply
//! stands where `reply` points, `reply_length` bytes long, until the next call. So nothing here follows a pointer that it was
//! given. WebAssembly has no unwinding: a panic is a trap, after which the caller throws the instance away and makes a new one.

use countersign::contract::{Language, Level, VerificationLevel};
use countersign::lines::stream::OutputStream;
use countersign::lines::{Defaults, Lines, not_json};
use countersign::policy::{Policy, PolicyError};
use countersign::wire::WireError;
use countersign::wire::tools::read_tools;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Room for a request of that many bytes, and where it is.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> usize {
    DOOR.with_borrow_mut(|door| {
        door.request.clear();
        door.request.resize(length, 0);
        door.request.as_ptr().expose_provenance()
    })
}

/// Where the reply is.
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> usize {
    DOOR.with_borrow(|door| door.reply.as_ptr().expose_provenance())
}

/// How long the reply is.
#[unsafe(no_mangle)]
pub extern "C" fn reply_length() -> usize {
    DOOR.with_borrow(|door| door.reply.len())
}

/// Opens an engine from `{policy?, tools?, context?, language?, level?, verification_level?}`: `{"handle": …, "policy_version": …}`.
#[unsafe(no_mangle)]
pub extern "C" fn open_engine() -> u32 {
    respond(|door, request| {
        let setup: Setup = serde_json::from_str(request).map_err(not_json)?;
        let engine = setup.open()?;
        let policy_version = engine.policy().version.to_string();
        let handle = door.keep(Kept::Engine(Rc::new(engine)));
        write(&json!({"handle": handle, "policy_version": policy_version}))
    })
}

/// Checks a policy without keeping it: the reply is its version.
#[unsafe(no_mangle)]
pub extern "C" fn check_policy() -> u32 {
    respond(|_, request| Ok(read_policy(request)?.version.to_string()))
}

/// One function for each thing that an engine is asked, named as the command is.
macro_rules! ask {
    ($($name:ident),+) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("The report of `countersign ", stringify!($name), "` on a line.")]
        pub extern "C" fn $name(engine: u32) -> u32 {
            respond(|door, request| write(&door.engine(engine)?.$name(request)?))
        }
    )+};
}
ask!(check, verify, score, step, answer, parse, claims);

/// Begins to read an output piece by piece, from `{protocol?, schema?, tools?}`: the reply is a handle.
#[unsafe(no_mangle)]
pub extern "C" fn open_parser(engine: u32) -> u32 {
    respond(|door, request| {
        let begin: Begin = serde_json::from_str(request).map_err(not_json)?;
        let engine = door.engine(engine)?;
        let tools = match begin.tools {
            Some(tools) => read_tools(tools.get())?,
            None => engine.defaults().tools.clone().unwrap_or_default(),
        };
        let protocol = begin.protocol.as_deref().unwrap_or("auto");
        let stream = OutputStream::new(protocol, begin.schema.as_ref(), tools)?;
        Ok(door.keep(Kept::Parser(engine, Box::new(stream))).to_string())
    })
}

/// The events of a piece of an output.
#[unsafe(no_mangle)]
pub extern "C" fn push(parser: u32) -> u32 {
    respond(|door, piece| match door.kept.get_mut(&parser) {
        Some(Kept::Parser(_, stream)) => write(&stream.push(piece)),
        _ => Err(over().into()),
    })
}

/// Ends an output with its reason, which may be empty: a line with the last events and a line with the reading.
#[unsafe(no_mangle)]
pub extern "C" fn finish(parser: u32) -> u32 {
    respond(|door, reason| match door.kept.remove(&parser) {
        Some(Kept::Parser(engine, stream)) => {
            let reason = Some(reason).filter(|reason| !reason.is_empty());
            let (events, reading) = stream.finish(reason, engine.policy())?;
            Ok(format!("{}\n{}", write(&events)?, write(&reading)?))
        }
        _ => Err(over().into()),
    })
}

/// Forgets an engine or a parser.
#[unsafe(no_mangle)]
pub extern "C" fn close(handle: u32) {
    DOOR.with_borrow_mut(|door| door.kept.remove(&handle));
}

/// The seeds of hash tables, so that nobody can choose keys that collide. The only thing that is asked of the caller.
#[cfg(target_arch = "wasm32")]
mod random {
    #[link(wasm_import_module = "countersign")]
    unsafe extern "C" {
        fn random(at: *mut u8, length: usize);
    }

    #[unsafe(no_mangle)]
    unsafe extern "Rust" fn __getrandom_v03_custom(at: *mut u8, length: usize) -> Result<(), getrandom::Error> {
        // SAFETY: getrandom owns `length` bytes at `at`, and the caller writes no others.
        unsafe { random(at, length) };
        Ok(())
    }
}

/// The one request and the one reply of the moment, and what was opened.
#[derive(Default)]
struct Door {
    request: Vec<u8>,
    reply: Vec<u8>,
    kept: BTreeMap<u32, Kept>,
    last_handle: u32,
}

enum Kept {
    Engine(Rc<Lines>),
    Parser(Rc<Lines>, Box<OutputStream>),
}

impl Door {
    fn keep(&mut self, kept: Kept) -> u32 {
        self.last_handle += 1;
        self.kept.insert(self.last_handle, kept);
        self.last_handle
    }

    fn engine(&self, handle: u32) -> Result<Rc<Lines>, WireError> {
        match self.kept.get(&handle) {
            Some(Kept::Engine(engine)) => Ok(Rc::clone(engine)),
            _ => Err(WireError { message: "this guard was closed; open a new one".into(), param: None }),
        }
    }
}

thread_local! {
    static DOOR: RefCell<Door> = RefCell::default();
}

/// What an engine is opened with.
#[derive(Deserialize)]
struct Setup {
    policy: Option<String>,
    tools: Option<Box<RawValue>>,
    context: Option<Map<String, Value>>,
    language: Option<String>,
    level: Option<String>,
    verification_level: Option<String>,
}

impl Setup {
    fn open(self) -> Result<Lines, Refusal> {
        let level = self.verification_level.as_deref();
        let defaults = Defaults {
            tools: self.tools.map(|tools| read_tools(tools.get())).transpose()?,
            context: self.context.unwrap_or_default(),
            language: find("language", self.language.as_deref(), Language::from_name, "en or zh")?,
            level: find("level", self.level.as_deref(), Level::from_name, "strict, moderate or lenient")?,
            verification_level: find("verification_level", level, VerificationLevel::from_name, "high, medium or low")?,
        };
        let policy = match self.policy {
            Some(toml) => Arc::new(read_policy(&toml)?),
            None => Policy::standard(),
        };
        Ok(Lines::new(policy, defaults))
    }
}

/// What a parser is opened with.
#[derive(Deserialize)]
struct Begin {
    protocol: Option<String>,
    schema: Option<Value>,
    tools: Option<Box<RawValue>>,
}

/// What the caller got wrong.
enum Refusal {
    Request(WireError),
    Policy { error: PolicyError, line: Option<usize>, column: Option<usize> },
}

impl From<WireError> for Refusal {
    fn from(error: WireError) -> Self {
        Self::Request(error)
    }
}

/// Runs a request and leaves its reply. A request that is no UTF-8 is one that cannot be read, like any other.
fn respond(work: impl FnOnce(&mut Door, &str) -> Result<String, Refusal>) -> u32 {
    DOOR.with_borrow_mut(|door| {
        let request = std::mem::take(&mut door.request);
        let done = match std::str::from_utf8(&request) {
            Ok(text) => work(door, text),
            Err(error) => Err(WireError { message: format!("the request is not UTF-8: {error}"), param: None }.into()),
        };
        let (status, reply) = match done {
            Ok(reply) => (DONE, reply),
            Err(Refusal::Request(error)) => {
                (BAD_REQUEST, json!({"message": error.message, "param": error.param}).to_string())
            }
            Err(Refusal::Policy { error, line, column }) => {
                let help = error.help.map(|help| format!("; {help}")).unwrap_or_default();
                let message = format!("{}{help}", error.message);
                (BAD_POLICY, json!({"message": message, "line": line, "column": column}).to_string())
            }
        };
        door.reply = reply.into_bytes();
        status
    })
}

fn write(report: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(report).map_err(|error| WireError { message: error.to_string(), param: None }.into())
}

/// A policy, or what is wrong with it and at which line and column, counted from one.
fn read_policy(toml: &str) -> Result<Policy, Refusal> {
    Policy::from_toml(toml).map_err(|error| {
        let before = error.span.as_ref().and_then(|span| toml.get(..span.start));
        let line = before.map(|before| before.matches('\n').count() + 1);
        let column = before.map(|before| before.rsplit('\n').next().unwrap_or_default().chars().count() + 1);
        Refusal::Policy { error, line, column }
    })
}

fn find<T>(field: &str, name: Option<&str>, known: fn(&str) -> Option<T>, names: &str) -> Result<Option<T>, WireError> {
    let unknown = |name: &str| WireError::at(field, format!("`{field}` must be {names}, not `{name}`"));
    name.map(|name| known(name).ok_or_else(|| unknown(name))).transpose()
}

fn over() -> WireError {
    WireError { message: "this output is finished; begin a new parser".into(), param: None }
}

/// The reply is the report.
pub const DONE: u32 = 0;
/// The reply is `{message, param}`.
pub const BAD_REQUEST: u32 = 1;
/// The reply is `{message, line, column}`.
pub const BAD_POLICY: u32 = 2;
