//! The command line, run as its users run it: the real binary, its output and its exit codes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that fails should fail loudly"
)]

mod run;
mod contract;
mod parsing;
mod pipes;
mod commands;
mod audit;
mod examples;
mod factcheck;
mod first_run;
mod judge;
mod second_reader;
mod pages;
mod looks;
mod demo;
mod kb;
mod one_law;
mod one_verdict;
mod clock;
mod hooks;
mod supply_chain;
mod serve_world;
mod events_pages;
mod serve_shell;
mod serve_engine;
mod serve_keys;
mod serve_health;
mod serve_tls;
mod watching;
mod container;
mod serve_config;
mod console_files;
mod console_session;
mod console_shapes;
mod openapi_document;
#[path = "../../../countersign-runtime/tests/it/servers.rs"]
#[allow(dead_code, clippy::panic, reason = "shared with the runtime's tests, which use the rest")]
mod servers;
mod redis_away;
mod faults_world;
mod faults_nodes;
mod gateway_answers;
mod gateway_audit;
mod gateway_results;
mod native_upstream;
mod native_world;
mod native_sessions;
mod native_turns;
mod native_signals;
mod native_resume;
mod native_follow;
mod native_stop;
mod native_crash;
mod native_facts;
mod native_fact_checks;
mod native_files;
mod native_bytes;
mod native_tools;
mod native_reviews;
mod native_held;
mod review_alerts;
mod data_folder;
mod native_security;
mod console_data_audit;
mod console_data_line;
mod console_data_reviews;
mod console_data_stats;
mod agents_config;
mod agents_world;
mod agents_killed;
mod agents_demo;
mod agents_mcp;
mod agents_mcp_newcomer;
mod mcp_guard;
mod mcp_guard_http;
mod mcp_login;
mod first_request;
mod chat_world;
mod chat;
mod chat_endings;
mod review_command;
mod gateway_dialects;
mod gateway_reader;
mod gateway_upstream;
mod gateway_world;
mod gateway_verdicts;
mod conversations;
mod policy_versions;
mod gateway_bytes;
mod gateway_calls;
mod gateway_faults;
mod gateway_corrections;
mod gateway_items;
mod gateway_once;
mod gateway_histories;
mod gateway_http2;
mod gateway_modes;
mod gateway_reviews;
mod gateway_keys;
mod gateway_paths;
mod gateway_transport;
mod access_reviews;
mod access_keys;
mod gateway_end;
mod danger_paths;
mod mentions;
mod faults_killed;
mod faults_disk;
mod faults_proxy;
mod faults_end;
mod stored_depth;
mod audit_first;
mod store_damaged;
mod stalled_readers;
