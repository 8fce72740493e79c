//! The one integration binary of the runtime. Files, databases and servers in it are real.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot be set up fails"
)]

#[cfg(not(feature = "planted-bugs"))]
compile_error!("these tests plant bugs: run them with `--all-features`, as `make test` does");

mod world;
mod sources;
mod asking;
mod kb;
mod factcheck;
mod lookup;
mod servers;
mod store_contract;
mod streams;
mod store_model;
mod store_doubles;
mod store_sqlite;
mod audit_retention;
mod store_postgres;
mod store_redis;
mod store_tls;
mod store_hot_tail;
mod store_spooled;
mod alerts;
mod gateway_client;
mod gateway_messages;
mod faults;
mod simulation;
mod demo_model;
mod files;
mod gateway_responses;
mod gateway_text;
mod tools;
mod mcp_guard;
mod agents;
