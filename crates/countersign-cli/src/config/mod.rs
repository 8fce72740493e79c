//! The configuration of the server: a TOML file, then `COUNTERSIGN_…` variables, then flags; the later wins.
//!
//! `keys` lists every setting once, with its variable, its flag and what it means; the reference page is written from
//! that list. `raw` is what may be written, `layers` puts the three sources together, and `config` turns the result
//! into types that cannot be wrong. Nothing outside this room reads the environment for a setting.

/// Spans of time and sizes, as people write them.
mod quantity;
/// Words that must not be shown.
mod secret;
/// Every setting, once.
mod keys;
/// The keys of tables that have names.
mod tables;
/// What may be written about agents and their tools.
mod raw_agents;
/// What may be written.
pub(crate) mod raw;
/// Checks that several settings share.
mod checks;
/// Keys as they are written.
mod api_key;
/// The settings of the gateway and of named upstreams.
mod gateway;
/// OpenAPI documents.
mod document;
/// Where tools come from.
mod sources;
/// Who searches the web.
mod search;
/// Who answers in sessions.
mod agents;
/// The certificate of the listener.
mod tls;
/// Who vouches for people.
mod oidc;
/// Who is told of what.
mod alerts;
/// The settings as valid types.
mod valid;
/// The file, the variables and the flags, one over the other.
mod layers;
/// The configuration as TOML, without its secrets.
mod show;
/// The configuration of another gateway.
mod import;
/// The reference page.
mod page;

pub(crate) use alerts::{Links, Reviewer};
pub(crate) use api_key::ApiKey;
pub(crate) use document::{MOST_BYTES as LONGEST_DOCUMENT, read_document};
pub(crate) use gateway::{After, ClaimsWanted, Compressed, Conversations, Hold, Http2, OtherRoutes, UpstreamApi};
pub(crate) use import::{Imported, import};
pub(crate) use layers::{Layers, fill_in_policy, load};
pub(crate) use oidc::{Grant, OidcConfig};
pub(crate) use page::page;
pub(crate) use show::show;
pub(crate) use sources::OpenApi;
pub(crate) use tls::TlsFiles;
pub(crate) use valid::{Config, DataDir, JudgeConfig, LogFormat, OwnReviews};
