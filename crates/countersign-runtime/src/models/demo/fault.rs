//! The mistakes that the demo model makes, each by a name that a model's name can ask for.
//!
//! They are those that real models make. A fault that the tools leave no room for is not made: a tool without an enum
//! gets no misspelt enum value, and nothing is put in its place.

use super::dice::Dice;

/// One kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The tool's name is misspelt.
    Name,
    /// A tool that nobody declared.
    UnknownTool,
    /// `"3"` for `3`.
    Types,
    /// A misspelt value of an enum.
    Enum,
    /// Arguments that are nearly JSON.
    Json,
    /// Cut at the limit of tokens.
    Truncated,
    /// An id that does not appear in the conversation.
    InventedId,
    /// A required field is left out; put right when it is told so.
    Missing,
    /// A required field is left out, again and again.
    Stubborn,
    /// The call is written into the text.
    TextCall,
    /// Two calls, one of them wrong.
    Parallel,
    /// Figures that nobody verified.
    Claims,
    /// A promise instead of a call.
    Pseudo,
    /// The connection ends without a finish marker.
    Cut,
    /// Right, but late.
    Slow,
    /// Tags that are wrong in one way.
    Tag(TagFault),
    /// A plan as JSON.
    PlanJson,
    /// A plan with a cycle and a tool that nobody has.
    PlanBroken,
    /// The same call forever.
    Loop,
    /// An answer of a million bytes.
    Flood,
    /// Frames that are no JSON.
    Garbage,
    /// It begins, and then says nothing.
    Hang,
    /// Everything is delegated.
    Delegate,
    /// Three things are searched for, whatever is asked.
    Search,
}

/// How tags are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagFault {
    /// `<Web_search>…</WEB_SEARCH>`
    Case,
    /// `<web_serch>`
    Misspelt,
    /// Without a closing.
    Unclosed,
    /// A closing that belongs to nothing.
    Stray,
    /// The closing of another tag.
    Mismatch,
    /// A tag inside itself.
    Nested,
    /// What belongs inside stands in attributes.
    Attributes,
    /// `＜web_search＞`
    FullWidth,
    /// In a fenced block.
    Fence,
    /// `&lt;web_search&gt;`
    Entities,
}

impl Fault {
    /// All faults with their names.
    pub(super) const ALL: [(Self, &'static str); 33] = [
        (Self::Name, "name"),
        (Self::UnknownTool, "unknown-tool"),
        (Self::Types, "types"),
        (Self::Enum, "enum"),
        (Self::Json, "json"),
        (Self::Truncated, "truncated"),
        (Self::InventedId, "invented-id"),
        (Self::Missing, "missing"),
        (Self::Stubborn, "stubborn"),
        (Self::TextCall, "text-call"),
        (Self::Parallel, "parallel"),
        (Self::Claims, "claims"),
        (Self::Pseudo, "pseudo"),
        (Self::Cut, "cut"),
        (Self::Slow, "slow"),
        (Self::Tag(TagFault::Case), "tag-case"),
        (Self::Tag(TagFault::Misspelt), "tag-misspelt"),
        (Self::Tag(TagFault::Unclosed), "tag-unclosed"),
        (Self::Tag(TagFault::Stray), "tag-stray"),
        (Self::Tag(TagFault::Mismatch), "tag-mismatch"),
        (Self::Tag(TagFault::Nested), "tag-nested"),
        (Self::Tag(TagFault::Attributes), "tag-attributes"),
        (Self::Tag(TagFault::FullWidth), "tag-fullwidth"),
        (Self::Tag(TagFault::Fence), "tag-fence"),
        (Self::Tag(TagFault::Entities), "tag-entities"),
        (Self::PlanJson, "plan-json"),
        (Self::PlanBroken, "plan-broken"),
        (Self::Loop, "loop"),
        (Self::Flood, "flood"),
        (Self::Garbage, "garbage"),
        (Self::Hang, "hang"),
        (Self::Delegate, "delegate"),
        (Self::Search, "search"),
    ];
}

/// How a model of some name behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// Right now and wrong then, as the hash of the question says.
    Mixed,
    /// Always right.
    Clean,
    /// Always wrong in one way.
    Always(Fault),
    /// Wrong in ways that can be mended for certain; what nobody names a model for.
    Hosted,
}

impl Habit {
    /// The habit that a model's name asks for; none for `demo-` and a word that means nothing. Any other name is the
    /// mix, so that a program written for another model runs unchanged.
    pub(super) fn of_model(name: &str) -> Option<Self> {
        match name.strip_prefix("demo-") {
            None => Some(Self::Mixed),
            Some("clean") => Some(Self::Clean),
            Some(fault) => Fault::ALL.iter().find(|(_, known)| *known == fault).map(|(fault, _)| Self::Always(*fault)),
        }
    }

    /// The fault of one answer that calls a tool, of those that fit.
    pub(super) fn fault_of_call(self, dice: &Dice, fits: impl Fn(Fault) -> bool) -> Option<Fault> {
        let able: Vec<Option<Fault>> = MIX_OF_CALLS.iter().copied().filter(|fault| fault.is_none_or(&fits)).collect();
        if self == Self::Hosted { Some(Fault::Types) } else { self.choose(dice, &able) }
    }

    /// The fault of one answer in words that is after figures.
    pub(super) fn fault_of_figures(self, dice: &Dice) -> Option<Fault> {
        if self == Self::Hosted { Some(Fault::Claims) } else { self.choose(dice, &MIX_OF_WORDS) }
    }

    /// The fault of one answer in words that is after nothing that could be made up.
    pub(super) fn fault_of_words(self) -> Option<Fault> {
        if let Self::Always(fault) = self { Some(fault) } else { None }
    }

    fn choose(self, dice: &Dice, mix: &[Option<Fault>]) -> Option<Fault> {
        match self {
            Self::Mixed => dice.pick("fault", mix).copied().flatten(),
            Self::Clean | Self::Hosted => None,
            Self::Always(fault) => Some(fault),
        }
    }
}

/// The names of all demo models.
pub(super) fn models() -> impl Iterator<Item = String> {
    let faults = Fault::ALL.iter().map(|(_, name)| format!("demo-{name}"));
    ["demo".to_owned(), "demo-clean".to_owned()].into_iter().chain(faults)
}

/// What the mix does with tools: right in a quarter of cases. What only breaks connections has to be asked for.
const MIX_OF_CALLS: [Option<Fault>; 16] = [
    None,
    None,
    None,
    None,
    Some(Fault::Types),
    Some(Fault::Types),
    Some(Fault::Json),
    Some(Fault::Json),
    Some(Fault::Name),
    Some(Fault::Enum),
    Some(Fault::Missing),
    Some(Fault::UnknownTool),
    Some(Fault::InventedId),
    Some(Fault::TextCall),
    Some(Fault::Parallel),
    Some(Fault::Pseudo),
];

const MIX_OF_WORDS: [Option<Fault>; 4] = [None, Some(Fault::Claims), Some(Fault::Claims), Some(Fault::Claims)];
