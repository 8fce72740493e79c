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
/// Whom turns ask beside the model.
mod helpers;
/// What goes to the log, in order, a few pieces at a time.
mod outbox;
/// What of a turn is in the log already.
mod journal;
/// What an agent may spend.
mod purse;
/// What tools said before.
mod evidence;
/// Results that clients bring.
mod results;
/// What a turn works with, and an agent at work in it.
mod setting;
/// What the model is told.
mod prompt;
/// One answer of the model, as it comes.
mod listen;
/// Tags of the answer, carried out.
mod tags;
/// The calls of an answer, judged.
mod verdicts;
/// Calls that a person is asked about.
mod people;
/// The calls of an answer, settled.
mod calls;
/// Answers and messages between agents: marked, judged, written.
mod answers;
/// What a conversation is about and how it goes.
mod course;
/// Searches, and tasks for other agents.
mod errands;
/// An agent in conversation with its model.
mod talk;
/// Plan, work, solve.
mod rewoo;
/// Turns of all sessions: begun, taken up again, ended.
mod turns;

pub use ending::{Ending, TurnWatcher};
pub use helpers::{FactSource, Helpers};
pub use results::{Delivered, ToolOutcome};
pub use rules::{Rules, RulesSource, is_irreversible, recheck};
pub use turns::{TurnOptions, TurnParts, Turns, UserMessage};
