//! START HERE: one turn, from the user's words to the terminal event.
//!
//! A message opens the turn in the log. The model is asked; its answer is parsed as it comes, text goes to the log at once,
//! tags are carried out, calls are judged. A cleared call is shown and its result waited for, a doubtful one waits for a
//! person, a refused one goes back to the model with the reason. Whatever happens, stop, shutdown, a fault of the model, of
//! a store or of ours, the turn ends with exactly one terminal event.

/// The rules by which calls are judged.
mod rules;
/// How a turn ends.
mod ending;
/// What goes to the log, in order, a few pieces at a time.
mod outbox;
/// What the model is told.
mod prompt;
/// One answer of the model, as it comes.
mod listen;
/// Tags of the answer, carried out.
mod tags;
/// Results that clients bring.
mod results;
/// Calls: judged, sent to a person, shown, waited for.
mod calls;
/// The rounds of a turn.
mod rounds;
/// Turns of all sessions: begun, counted, ended.
mod turns;

pub use ending::{Ending, TurnWatcher};
pub use results::{Delivered, ToolOutcome};
pub use rules::{Rules, RulesSource, is_irreversible, recheck};
pub use turns::{FactSource, Helpers, TurnOptions, TurnParts, Turns, UserMessage};
