//! Whole turns of hosted agents, in process: a model that answers what it is asked, tools of our own that misbehave on
//! purpose, and a real SQLite file where it counts what is left after a crash.

/// A node with agents: its stores, its model, its tools.
mod rig;
/// A log that dies at a chosen append.
mod dying;
mod killed;
mod chaos;
mod errands;
mod searches;
mod signals;
mod corrections;
mod repeats;
mod plans;
mod passing;
mod reviews;
mod attachments;
mod tags;
