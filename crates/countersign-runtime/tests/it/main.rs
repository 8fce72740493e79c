//! The one integration binary of the runtime. Files, databases and servers in it are real.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]

mod world;
mod sources;
mod asking;
mod kb;
mod factcheck;
mod lookup;
mod alerts;
