//! The one integration binary of the core.
mod calls_provenance;
