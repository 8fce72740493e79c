//! The one integration binary of the core: conformance data and the order of the house.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod calls_facts;
mod calls_meaning;
mod calls_provenance;
mod claims;
mod claims_lineage;
mod claims_settle;
mod conformance;
mod doc_pages;
mod histories;
mod hostile;
mod laws;
mod laws_danger;
mod laws_resolve;
mod laws_trust;
mod life_pages;
mod mentions;
mod parse;
mod parse_align;
mod parse_formats;
mod parse_mentions;
mod parse_tags;
mod parse_values;
mod parse_chatter;
mod parse_native;
mod parse_plan;
mod parse_json;
mod policy_rules;
mod reading_order;
mod requirements;
mod results;
mod scores;
mod seeds_page;
mod stopwatch;
mod traces;
mod word_lists;
