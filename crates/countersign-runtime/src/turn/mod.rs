//! START HERE: the life of a turn, from the user's words to the terminal event.
//!
//! `turns` opens the turn in the log and gives it to the agent of the session. The agent asks its model (`talk`); the answer
//! is read as it comes (`listen`), text goes to the log at once, tags are carried out (`tags`). Its calls are judged
//! (`verdicts`) and resolved by the engine; `calls` carries out what it says: a cleared one is written to the log and then run,
//! by us or by the client, a doubtful one waits for a person (`people`), a refused one goes back to the model with the reason.
//! What comes back is verified (`returned`, `searched`). Searches
//! and tasks for other agents are `errands`; plans are worked off by `rewoo`. The last answer is marked, weighed and written
//! (`answers`); one that people must see is queued, or held until they have decided (`held`).
//!
//! Whatever happens, stop, shutdown, a fault of the model, of a tool, of a store or of ours, the turn ends with exactly one
//! terminal event. Each step is an event first: a turn whose process died is gone through again with its `journal`, and what
//! stands there is not done twice.

/// The rules by which calls are judged.
mod rules;
/// How a turn ends.
mod ending;
/// Whom turns ask beside the model.
mod services;
/// What goes to the log, in order, a few pieces at a time.
mod outbox;
/// What of a turn is in the log already.
mod journal;
/// What an agent may spend.
mod time_budget;
/// What tools said before.
mod evidence;
/// Results that clients bring.
mod results;
/// What a turn works with, and an agent at work in it.
mod turn_context;
/// Messages between agents, with their marks in words.
mod marks;
/// One answer of the model, as it comes.
mod listen;
/// Tags of the answer, carried out.
mod tags;
/// The calls of an answer, judged.
mod verdicts;
/// A call that is over.
mod settled;
/// What a person is asked about, and the words for what they say.
mod people;
/// What people decided on results and answers.
mod rulings;
/// What the model is told.
mod prompt;
/// What came back from a tool.
mod returned;
/// The calls of an answer, settled.
mod calls;
/// What a conversation is about and how it goes.
mod conversation_state;
/// Answers and messages between agents: marked, judged, written.
mod answers;
/// What a search found, verified.
mod searched;
/// Answers that people are asked about.
mod held;
/// Searches, and tasks for other agents.
mod errands;
/// An agent in conversation with its model.
mod talk;
/// The steps of a plan in the log.
mod plan_steps;
/// Plan, work, solve.
mod rewoo;
/// Turns of all sessions: begun, taken up again, ended.
mod turns;

pub use ending::{Ending, TurnWatcher};
pub use results::{Delivered, ToolOutcome};
pub use rules::{Rules, RulesSource, recheck};
pub use services::{FactSource, TurnServices};
pub use turns::{TurnOptions, TurnParts, Turns, UserMessage};
