//! Puts calls together from their pieces, and says at the end which of them are whole.
//!
//! Servers leave out the index or the id, use one twice, send the name in every piece or cut it into several. A piece
//! goes to the call that it certainly belongs to, else it opens a new one; two calls are never run together into one
//! that could run. A call ends with its turn and not before: only then is it known that nothing was cut.

use super::arguments::{self, Read};
use super::balance::Balance;
use super::page::{Page, Seen};
use super::repairs;
use crate::contract::MAX_NAME;
use crate::parse::event::ParseOptions;
use crate::wire::built_in::Item;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// All calls of a stream.
#[derive(Debug)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// The first call that has not ended.
    open: usize,
    /// How many have been told to the reader.
    started: usize,
    /// Calls that have a name and have not been told yet: the name may go on.
    waiting: Vec<usize>,
    /// Calls before this one may miss a piece.
    spoiled: usize,
    by_index: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
    /// The call that got the last piece.
    touched: usize,
    /// Bytes of arguments that are kept.
    kept: usize,
    options: ParseOptions,
}

/// One call on its way.
#[derive(Debug, Default)]
pub(super) struct Call {
    number: Option<usize>,
    id: Option<String>,
    name: String,
    arguments: String,
    balance: Balance,
    /// What the stream says the arguments are, where its pieces said otherwise.
    verdict: Option<String>,
    origin: Origin,
    form: Form,
    lost: bool,
    told: bool,
}

/// Where a call came from.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) enum Origin {
    /// From the pieces of a stream, which may end early.
    #[default]
    Pieces,
    /// From a body that was read as a whole.
    Body,
}

/// How a call is written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// A name and a JSON object.
    #[default]
    Json,
    /// The same, as the one `function_call` of older clients.
    FunctionCall,
    /// A name and free text, for a custom tool.
    Text,
    /// An item that says what the client is to do.
    Item(&'static Item),
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// The model stopped by itself.
    Stop,
    /// It is said to have stopped, but the stream's end mark is missing: arguments may still have been on their way.
    Unmarked,
    /// It was cut at a limit: the call that was being written is not whole.
    Length,
    /// It failed, was filtered, or stopped coming.
    Cut,
    /// Nothing says how: what came as a whole body is whole, what came in pieces is not.
    Unsaid,
}

/// What one delta says about a call.
#[derive(Debug, Default)]
pub(super) struct Piece<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) name: &'a str,
    pub(super) arguments: Cow<'a, str>,
    pub(super) form: Form,
}

impl Calls {
    pub(super) fn new(options: &ParseOptions) -> Self {
        Self {
            calls: Vec::new(),
            open: 0,
            started: 0,
            waiting: Vec::new(),
            spoiled: 0,
            by_index: BTreeMap::new(),
            by_id: BTreeMap::new(),
            touched: 0,
            kept: 0,
            options: options.clone(),
        }
    }

    /// Opens a call whose name is known as a whole.
    pub(super) fn begin(&mut self, id: Option<&str>, name: &str, origin: Origin, page: &mut Page) -> Option<usize> {
        let at = self.create(id, page)?;
        self.calls.get_mut(at)?.origin = origin;
        self.name(at, name, page);
        self.start_named(page);
        Some(at)
    }

    /// Takes a delta that tells by index, id or order which call it belongs to.
    pub(super) fn take(&mut self, piece: &Piece, page: &mut Page) {
        let found = self.find(piece, page);
        let Some(at) = found.or_else(|| self.create_for(piece, page)) else {
            return;
        };
        self.touched = at;
        if piece.form != Form::Json {
            self.set_form(at, piece.form);
        }
        self.name(at, piece.name, page);
        self.append(at, &piece.arguments, page);
    }

    /// Adds to a call's arguments. The first piece of them tells that the name is whole.
    pub(super) fn append(&mut self, at: usize, text: &str, page: &mut Page) {
        if text.is_empty() {
            return;
        }
        self.touched = at;
        if self.calls.get(at).is_some_and(|call| call.number.is_none() && !call.name.is_empty()) {
            self.start_named(page);
        }
        let Some(call) = self.calls.get_mut(at).filter(|call| !call.told) else {
            return page.unrecovered(text, AFTER_END);
        };
        if let Some(number) = call.number {
            page.delta(number, text);
        }
        if self.kept + text.len() > self.options.max_region {
            call.lost = true;
            return;
        }
        self.kept += text.len();
        call.balance.take_all(text);
        call.arguments.push_str(text);
    }

    /// The stream gives a call's arguments as a whole, after their pieces.
    pub(super) fn confirm(&mut self, at: usize, whole: &str, page: &mut Page) {
        let Some(call) = self.calls.get_mut(at).filter(|call| !call.told) else {
            return;
        };
        match whole.strip_prefix(call.arguments.as_str()).map(str::to_owned) {
            Some(rest) => self.append(at, &rest, page),
            None if whole.trim().is_empty() => {}
            None if self.kept + whole.len() > self.options.max_region => call.lost = true,
            None => {
                self.kept += whole.len();
                page.repair(&repairs::DELTAS_DIFFER, &call.arguments, whole);
                call.verdict = Some(whole.to_owned());
            }
        }
    }

    /// Says of one call that it is not whole.
    pub(super) fn spoil(&mut self, at: usize) {
        if let Some(call) = self.calls.get_mut(at) {
            call.lost = true;
        }
    }

    /// A chunk was lost: any call that is open may miss a piece of it.
    pub(super) fn spoil_open(&mut self) {
        self.spoiled = self.calls.len();
    }

    /// How the call with this number is written.
    pub(super) fn form(&self, number: usize) -> Form {
        self.calls.iter().find(|call| call.number == Some(number)).map(|call| call.form).unwrap_or_default()
    }

    pub(super) fn set_form(&mut self, at: usize, form: Form) {
        if let Some(call) = self.calls.get_mut(at) {
            call.form = form;
        }
    }

    /// Ends every open call.
    pub(super) fn settle(&mut self, ending: Ending, page: &mut Page) {
        self.start_named(page);
        let open = self.calls.get_mut(self.open..).unwrap_or_default();
        let orphans = open.iter().any(|call| call.number.is_none() && !call.arguments.is_empty());
        for call in open.iter_mut().filter(|call| call.is_nameless()) {
            // Nobody can run it, but that it was made is told, so that it is judged like all others.
            call.number = Some(self.started);
            page.start(self.started, call.id.clone(), "");
            page.delta(self.started, &call.arguments);
            self.started += 1;
        }
        for (at, call) in (self.open..).zip(open.iter_mut()) {
            // Arguments that belong to nobody may belong to any call that is still without them.
            let robbed = orphans && !call.balance.is_closed();
            // The model went on to another call: this one was written to its end, if its brackets say so too.
            let left_behind = at != self.touched && call.form != Form::Text && call.balance.is_closed();
            let whole = match ending {
                Ending::Stop => true,
                Ending::Unmarked => call.origin == Origin::Body || !call.arguments.trim().is_empty(),
                Ending::Length => left_behind,
                Ending::Cut => false,
                Ending::Unsaid => call.origin == Origin::Body,
            };
            let lost = call.lost || at < self.spoiled || robbed;
            let seen = if whole && !lost { Seen::Whole } else { Seen::Part };
            call.end(seen, &self.options, page);
            // What has ended is kept only to be recognised.
            *call = Call { told: true, number: call.number, form: call.form, ..Call::default() };
        }
        self.kept = 0;
        self.open = self.calls.len();
        self.by_index.clear();
    }

    /// The call that a piece goes on with.
    fn find(&mut self, piece: &Piece, page: &mut Page) -> Option<usize> {
        let by_id = piece.id.and_then(|id| self.by_id.get(id)).copied().filter(|at| *at >= self.open);
        let last = Some(self.touched).filter(|at| *at >= self.open && *at < self.calls.len());
        let found = match piece.index {
            Some(index) => match self.by_index.get(&index) {
                Some(at) => Some(*at),
                None if piece.name.is_empty() => by_id,
                None => None,
            },
            None if by_id.is_some() => by_id,
            None if piece.id.is_some() && !piece.name.is_empty() => None,
            None => last,
        }?;
        if !self.calls.get(found)?.is_another(piece) {
            return Some(found);
        }
        if let Some(index) = piece.index {
            page.repair(&repairs::REUSED_INDEX, &index.to_string(), piece.name);
        }
        None
    }

    /// A new call for a piece that goes on with none.
    fn create_for(&mut self, piece: &Piece, page: &mut Page) -> Option<usize> {
        if piece.index.is_none() && piece.id.is_none() && piece.name.is_empty() && piece.arguments.is_empty() {
            return None;
        }
        self.start_named(page);
        let at = self.create(piece.id, page)?;
        match piece.index {
            Some(index) => drop(self.by_index.insert(index, at)),
            None => page.repair(&repairs::MISSING_INDEX, "", piece.name),
        }
        self.set_form(at, piece.form);
        Some(at)
    }

    /// A new call, unless there are too many.
    fn create(&mut self, id: Option<&str>, page: &mut Page) -> Option<usize> {
        if self.calls.len() >= MAX_CALLS {
            page.unrecovered(page.raw(), TOO_MANY);
            return None;
        }
        let at = self.calls.len();
        let mut call = Call { id: id.map(str::to_owned), ..Call::default() };
        if let Some(id) = id
            && self.by_id.insert(id.to_owned(), at).is_some()
        {
            // Two results under one id could not be told apart: the second call goes without.
            page.repair(&repairs::REPEATED_ID, id, "");
            call.id = None;
        }
        self.calls.push(call);
        self.touched = at;
        Some(at)
    }

    /// Adds a piece of a name: the same again, the name so far with more after it, or the next part.
    fn name(&mut self, at: usize, piece: &str, page: &mut Page) {
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        if piece.trim().is_empty() || piece == call.name || call.number.is_some() {
            return;
        }
        if call.name.len() > MAX_NAME {
            return;
        }
        let was_named = !call.name.is_empty();
        if piece.starts_with(&call.name) {
            call.name.clear();
        }
        call.name.push_str(piece);
        if call.name.len() > MAX_NAME {
            // Enough is kept to tell that it is too long.
            let end = call.name.ceil_char_boundary(MAX_NAME + 1);
            page.unrecovered(call.name.get(end..).unwrap_or_default(), LONG_NAME);
            call.name.truncate(end);
        }
        if was_named {
            page.repair(&repairs::SPLIT_NAME, piece, &call.name);
        } else {
            self.waiting.push(at);
        }
    }

    /// Tells the reader of the calls whose name is known.
    fn start_named(&mut self, page: &mut Page) {
        for at in std::mem::take(&mut self.waiting) {
            let Some(call) = self.calls.get_mut(at).filter(|call| !call.name.trim().is_empty()) else {
                continue;
            };
            call.number = Some(self.started);
            page.start(self.started, call.id.clone(), &call.name);
            page.delta(self.started, &call.arguments);
            self.started += 1;
        }
    }
}

impl Call {
    /// Whether it was made and does not say of what. A piece of a stream that says nothing at all is none.
    fn is_nameless(&self) -> bool {
        let made = self.origin == Origin::Body || self.id.is_some() || !self.arguments.trim().is_empty();
        made && self.number.is_none() && !self.told
    }

    /// Whether a piece that is addressed to this call begins another one.
    fn is_another(&self, piece: &Piece) -> bool {
        if piece.name.is_empty() || self.name.is_empty() {
            return false;
        }
        let other_id = self.id.is_some() && piece.id.is_some() && self.id.as_deref() != piece.id;
        let same_id = self.id.is_some() && self.id.as_deref() == piece.id;
        let other_name = self.name != piece.name;
        if self.arguments.is_empty() {
            // Here a name may go on; a different id says that it does not.
            return other_id && other_name;
        }
        let whole = self.balance.is_closed();
        other_name || (whole && !same_id && !piece.arguments.trim().is_empty())
    }

    /// Tells the reader what became of the call.
    fn end(&self, seen: Seen, options: &ParseOptions, page: &mut Page) {
        let text = self.verdict.as_deref().unwrap_or(&self.arguments);
        let Some(number) = self.number else { return };
        if self.name.trim().is_empty() {
            page.unrecovered(text, NO_NAME);
            return page.end(number, Seen::Part, None);
        }
        if self.form == Form::Text {
            let arguments = Some(arguments::of_text(text)).filter(|_| seen == Seen::Whole || !text.is_empty());
            return page.end(number, seen, arguments);
        }
        let Read { arguments, seen, repairs, fault } = arguments::read(text, seen, options);
        repairs.into_iter().for_each(|repair| page.mended(repair));
        if let Some(fault) = fault {
            page.unrecovered(text, fault);
        }
        page.end(number, seen, arguments);
    }
}

/// More calls than any turn has.
const MAX_CALLS: usize = 4096;
const LONG_NAME: &str = "the name is longer than is kept";
const TOO_MANY: &str = "more calls than are kept";
const NO_NAME: &str = "a call without a name";
const AFTER_END: &str = "arguments of a call that has ended";
