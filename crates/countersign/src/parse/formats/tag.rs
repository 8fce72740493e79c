//! What a tag means in the XML dialects of open models: wrapper, call, parameter, key, value, reasoning.
//!
//! One list serves all of them. A namespace (`minimax:`, `｜DSML｜`, `seed:`) and a number or hash after the name do
//! not matter; the marks before each tag in MiniMax M3 belong to the tag.

use super::tools::Tools;
use crate::parse::markup::{
    Bounds, Candidate, Input, Lexed, Lexer, NameRead, Oddities, Resolved, Vocabulary, lex_name, split_number,
};
use std::cell::{Cell, RefCell};
use std::sync::LazyLock;

/// What a tag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// Around calls: `<tool_call>`.
    Wrapper,
    /// A call with its name: `<function=x>`, `<invoke name="x">`.
    Call,
    /// A parameter with its name.
    Parameter,
    /// The name of a parameter whose value follows.
    Key,
    /// The value of the key before.
    Value,
    /// Between the name and the parameters.
    Separator,
    /// The model's reasoning.
    Think,
    /// A part of the message: says nothing.
    Part,
    /// A registered tool's own name.
    Tool(usize),
    /// Any other name.
    Other,
}

/// A tag with its meaning.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub means: Means,
    /// All of it, the mark of its dialect included.
    pub len: usize,
    pub candidate: Candidate,
    /// How many letters are wrong in the name.
    pub misspelt: usize,
    /// Whether the mark of MiniMax M3 comes before it.
    pub marked: bool,
}

/// What is at a place.
pub(super) enum TagLex {
    Not,
    NeedMore,
    Tag(Box<Tag>),
}

/// Which names beside the structure are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Tools' names.
    Tools,
    /// The parameters of a tool.
    Parameters(Option<usize>),
    /// Any plain name: the tool's parameters are not known.
    Any,
}

/// The names of all XML dialects, and the reading of one tag that comes in pieces.
pub(super) struct Lexicon {
    structure: &'static Vocabulary,
    lexer: Lexer,
    /// Where the tag begins that the lexer is in.
    lexing: Option<usize>,
    /// What names meant that came before: tags come in numbers.
    seen: RefCell<[Option<Seen>; SEEN]>,
}

/// What a name meant.
struct Seen {
    name: String,
    wanted: Wanted,
    meant: (Means, usize),
}

impl Lexicon {
    pub(super) fn new() -> Self {
        Self { structure: &VOCABULARY, lexer: Lexer::default(), lexing: None, seen: RefCell::default() }
    }

    /// Reads the tag that begins at `text`, which is at offset `place` of the output.
    pub(super) fn read(&mut self, text: &str, place: usize, input: Input, wanted: Wanted, tools: &Tools) -> TagLex {
        let Some((mark, body)) = strip_mark(text, input) else { return TagLex::NeedMore };
        match spell_out(body, input) {
            Spelt::Otherwise => {}
            Spelt::NeedMore => return TagLex::NeedMore,
            Spelt::Tag(tag, len) => {
                // What was read of the tag as it is written does not count for the other spelling.
                self.lexing = None;
                return match self.read(&tag, place, Input::Ended, wanted, tools) {
                    TagLex::Tag(mut tag) => {
                        // Its last token ends it, whatever stands before that.
                        tag.len = len;
                        tag.candidate.terminated = true;
                        TagLex::Tag(tag)
                    }
                    other => other,
                };
            }
        }
        if let Some((short, cut)) = without_blank(body) {
            self.lexing = None;
            let input = if short.len() < body.len() - cut { Input::Ended } else { input };
            let lexed = self.read(&short, place, input, wanted, tools);
            return match lexed {
                TagLex::Tag(tag) => TagLex::Tag(Box::new(Tag { len: tag.len + cut, ..*tag })),
                other => other,
            };
        }
        if self.lexing != Some(place) {
            (self.lexer, self.lexing) = (Lexer::default(), Some(place));
        }
        // Of a tag that is begun here, the first name that is known is its own.
        let begun = self.lexer.has_begun();
        let own = Cell::new(None);
        let known = |name: &str| {
            let meant = meaning(self.structure, &self.seen, name, wanted, tools);
            let known = meant.0 != Means::Other || mark > 0 || is_parameter(name, wanted, tools);
            if known && !begun && own.get().is_none() {
                own.set(Some(meant));
            }
            known
        };
        let lexed = self.lexer.read(body, input, &Bounds::default(), &known);
        if !matches!(lexed, Lexed::NeedMore) {
            self.lexing = None;
        }
        match lexed {
            Lexed::NotATag => TagLex::Not,
            Lexed::NeedMore => TagLex::NeedMore,
            Lexed::Tag(candidate) => {
                let name = &candidate.name;
                let meant = own.get().unwrap_or_else(|| meaning(self.structure, &self.seen, name, wanted, tools));
                let (means, misspelt) = meant;
                TagLex::Tag(Box::new(Tag { means, len: mark + candidate.len, candidate, misspelt, marked: mark > 0 }))
            }
        }
    }

    /// What begins at `text`, told by its name alone: meaning and whether it closes. `None` while that is not known.
    pub(super) fn peek(&self, text: &str, input: Input, wanted: Wanted, tools: &Tools) -> Option<(Means, bool)> {
        let (mark, body) = strip_mark(text, input)?;
        match spell_out(body, input) {
            Spelt::Otherwise => {}
            Spelt::NeedMore => return None,
            Spelt::Tag(tag, _) => return self.peek(&tag, Input::Ended, wanted, tools),
        }
        if let Some((short, _)) = without_blank(body) {
            return self.peek(&short, input, wanted, tools);
        }
        match lex_name(body, input, &Bounds::default()) {
            NameRead::NotATag => Some((Means::Other, false)),
            NameRead::NeedMore => None,
            NameRead::Name(name) => {
                let (means, _) = meaning(self.structure, &self.seen, &name.name, wanted, tools);
                let parameter = means == Means::Other && (mark > 0 || is_parameter(&name.name, wanted, tools));
                Some((if parameter { Means::Parameter } else { means }, name.closing))
            }
        }
    }

    /// Whether a tag of the structure may begin like this, for one that is cut off by the end of the output.
    pub(super) fn begins_like(&self, name: &str) -> bool {
        self.structure.begins_like(bare(name))
    }
}

impl Tag {
    /// The name without namespace.
    pub(super) fn bare_name(&self) -> &str {
        bare(&self.candidate.name)
    }

    /// What the tag is about, without characters that nobody sees.
    pub(super) fn named(&self) -> Option<String> {
        if let Some(name) = colon_name(&self.candidate.raw_name).filter(|_| self.candidate.value.is_none()) {
            return Some(name.to_owned());
        }
        let named = self.candidate.named()?;
        if named.is_ascii() {
            return Some(named.to_owned());
        }
        let visible = |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
        let named: String = named.chars().filter(visible).collect();
        Some(named).filter(|named| !named.is_empty())
    }
}

/// Whether a name is a parameter of the open call.
pub(super) fn is_parameter(name: &str, wanted: Wanted, tools: &Tools) -> bool {
    let tool = match wanted {
        Wanted::Any => return name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        Wanted::Parameters(Some(tool)) => tool,
        Wanted::Parameters(None) | Wanted::Tools => return false,
    };
    tools.properties(tool).is_some_and(|known| known.keys().any(|key| key.eq_ignore_ascii_case(name)))
}

/// The odd things of a tag that count as repairs.
pub(super) fn is_odd(tag: &Tag) -> bool {
    let Oddities { case, wide, entity, invisible, blank, doubled, foreign, backslash, quote, unterminated } =
        tag.candidate.odd;
    let prefixed = tag.candidate.name.starts_with('|');
    tag.misspelt > 0
        || ((case || wide) && !prefixed)
        || entity
        || invisible
        || (blank && !prefixed)
        || doubled
        || foreign
        || backslash
        || quote
        || unterminated
}

/// What a name means, and how many of its letters are wrong. What was asked before is remembered in `seen`.
fn meaning(
    structure: &Vocabulary,
    seen: &RefCell<[Option<Seen>; SEEN]>,
    name: &str,
    wanted: Wanted,
    tools: &Tools,
) -> (Means, usize) {
    let place = name.bytes().next_back().map_or(0, usize::from) + name.len();
    let mut seen = seen.borrow_mut();
    let Some(place) = seen.get_mut(place % SEEN) else { return find_meaning(structure, name, wanted, tools) };
    if let Some(seen) = place.as_ref().filter(|seen| seen.name == name && seen.wanted == wanted) {
        return seen.meant;
    }
    let meant = find_meaning(structure, name, wanted, tools);
    *place = Some(Seen { name: name.to_owned(), wanted, meant });
    meant
}

fn find_meaning(structure: &Vocabulary, name: &str, wanted: Wanted, tools: &Tools) -> (Means, usize) {
    if let Wanted::Tools = wanted
        && let Some(tool) = tools.of_tag(name)
    {
        return (Means::Tool(tool), 0);
    }
    if let Wanted::Parameters(Some(_)) = wanted
        && let Some(tool) = tools.of_tag(name)
        && !is_parameter(name, wanted, tools)
    {
        return (Means::Tool(tool), 0);
    }
    let name = bare(name);
    let (entry, misspelt) = match structure.resolve(split_number(name).0) {
        Resolved::Exact(entry) | Resolved::Folded(entry) => (entry, 0),
        Resolved::Misspelt(entry, letters) => (entry, letters),
        Resolved::Ambiguous | Resolved::Unknown => return (Means::Other, 0),
    };
    STRUCTURE.get(entry.at).map_or((Means::Other, 0), |(_, _, means)| (*means, misspelt))
}

/// The name without namespace and hash: `minimax:tool_call`, `|dsml|invoke`, `tool_calls:6124c78e`.
fn bare(name: &str) -> &str {
    if name.bytes().all(|byte| byte.is_ascii() && !matches!(byte, b'|' | b':')) {
        return name;
    }
    let name = name.rsplit(['|', '｜']).next().unwrap_or(name);
    if colon_name(name).is_some() {
        return name.split(':').next().unwrap_or(name);
    }
    // What comes first says whether it is the name or its namespace.
    match name.rsplit_once(':') {
        Some((front, _)) if STRUCTURE.iter().any(|(known, ..)| *known == front) => front,
        Some((_, back)) if !back.is_empty() => back,
        _ => name,
    }
}

/// The name after a colon that stands for `=`: `<function:get_weather>`.
fn colon_name(name: &str) -> Option<&str> {
    let (front, back) = name.split_once(':')?;
    let named = ["function", "parameter", "invoke", "param"].iter().any(|tag| front.eq_ignore_ascii_case(tag));
    (named && !back.is_empty()).then_some(back)
}

/// A tag that Kimi K3 writes with tokens, `<|open|>call tool="x"<|sep|>`.
enum Spelt {
    /// It is none.
    Otherwise,
    /// It may become one.
    NeedMore,
    /// The same tag in brackets, and how long it is as it was written.
    Tag(String, usize),
}

fn spell_out(text: &str, input: Input) -> Spelt {
    let Some((front, closing)) = TOKEN_TAGS.iter().find(|(front, _)| text.starts_with(front)) else {
        let may = input == Input::Open && text.len() > 2 && TOKEN_TAGS.iter().any(|(front, _)| front.starts_with(text));
        return if may { Spelt::NeedMore } else { Spelt::Otherwise };
    };
    let rest = text.get(front.len()..).unwrap_or_default();
    let piece = rest.get(..rest.floor_char_boundary(LONGEST_TOKEN_TAG)).unwrap_or(rest);
    let begins = piece.trim_start();
    // Nothing is looked for behind a name that is none.
    if !TOKEN_TAG_NAMES.iter().any(|(known, _)| begins.starts_with(known) || known.starts_with(begins)) {
        return Spelt::Otherwise;
    }
    let Some(end) = piece.find(TOKEN_TAG_END) else {
        let may = input == Input::Open && piece.len() == rest.len();
        return if may { Spelt::NeedMore } else { Spelt::Otherwise };
    };
    let words = piece.get(..end).unwrap_or_default().trim();
    let (name, attributes) = words.split_once(' ').unwrap_or((words, ""));
    let Some((_, spelt)) = TOKEN_TAG_NAMES.iter().find(|(known, _)| *known == name) else { return Spelt::Otherwise };
    let attributes = attributes.replace("tool=", "name=").replace("key=", "name=");
    let attributes = attributes.replace("type=\"string\"", "string=\"true\"");
    let len = front.len() + end + TOKEN_TAG_END.len();
    Spelt::Tag(format!("<{closing}{spelt} {attributes}>").replace(" >", ">"), len)
}

/// DeepSeek's dialect with a blank after its mark, `<｜DSML｜ invoke`: the tag without the blank, and its length. Only a
/// bounded piece of the text is copied.
fn without_blank(text: &str) -> Option<(String, usize)> {
    let front = DSML.iter().find(|front| text.starts_with(**front))?;
    let rest = text.get(front.len()..)?;
    let cut = rest.len() - rest.trim_start_matches(' ').len();
    if cut == 0 || cut > 8 {
        return None;
    }
    let piece = rest.get(cut..)?;
    let end = piece.char_indices().nth(512).map_or(piece.len(), |(at, _)| at);
    Some((format!("{front}{}", piece.get(..end)?), cut))
}

/// The bytes of the mark that MiniMax M3 writes before each tag, and the rest. `None` while it may still become one.
fn strip_mark(text: &str, input: Input) -> Option<(usize, &str)> {
    if !text.starts_with(']') {
        return Some((0, text));
    }
    match text.strip_prefix(MARK) {
        Some("") if input == Input::Open => None,
        Some(rest) => Some((MARK.len(), rest)),
        None if input == Input::Open && MARK.starts_with(text) => None,
        None => Some((0, text)),
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&VOCABULARY);
}

/// The names of the structure, folded once.
static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| {
        Vocabulary::new(STRUCTURE.iter().map(|(name, aliases, _)| {
            (*name, aliases.iter().map(|alias| (*alias).to_owned()).collect::<Vec<String>>())
        }))
    });

/// How many names are remembered.
const SEEN: usize = 8;

/// Stands before each tag of MiniMax M3.
pub(super) const MARK: &str = "]<]minimax[>[";

/// How Kimi K3 opens and closes its tags.
const TOKEN_TAGS: [(&str, &str); 2] = [("<|open|>", ""), ("<|close|>", "/")];
/// What ends them.
const TOKEN_TAG_END: &str = "<|sep|>";
/// Longer ones are none.
const LONGEST_TOKEN_TAG: usize = 512;
/// Their names, and what other dialects call the same.
const TOKEN_TAG_NAMES: [(&str, &str); 6] = [
    ("think", "think"),
    ("tools", "tool_calls"),
    ("call", "invoke"),
    ("argument", "parameter"),
    ("response", "message_part"),
    ("message", "message_part"),
];

/// How tags of DeepSeek's dialect begin.
const DSML: [&str; 2] = ["<｜DSML｜", "</｜DSML｜"];

/// The tags of the dialects: name, other spellings, meaning.
const STRUCTURE: &[(&str, &[&str], Means)] = &[
    ("tool_call", &["toolcall", "longcat_tool_call"], Means::Wrapper),
    ("tool_calls", &["toolcalls"], Means::Wrapper),
    ("function_calls", &[], Means::Wrapper),
    ("function_call", &["functioncall"], Means::Wrapper),
    ("dots_function_call", &[], Means::Wrapper),
    ("tool_use", &[], Means::Wrapper),
    ("calls", &[], Means::Wrapper),
    ("function", &[], Means::Call),
    ("invoke", &[], Means::Call),
    ("parameter", &[], Means::Parameter),
    ("param", &[], Means::Parameter),
    ("argument", &[], Means::Parameter),
    ("arg_key", &["longcat_arg_key"], Means::Key),
    ("arg_value", &["longcat_arg_value"], Means::Value),
    ("tool_sep", &[], Means::Separator),
    ("think", &["mm:think", "seed:think", "longcat_think"], Means::Think),
    ("thinking", &[], Means::Think),
    ("reasoning", &[], Means::Think),
    ("thought", &["thoughts"], Means::Think),
    ("inner_thoughts", &["inner_monologue"], Means::Think),
    ("scratchpad", &[], Means::Think),
    ("reflection", &[], Means::Think),
    ("analysis", &[], Means::Think),
    ("message_part", &[], Means::Part),
];
