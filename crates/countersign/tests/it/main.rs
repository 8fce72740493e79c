//! The one integration binary of the core.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test that fails here fails as it should")]

mod calls_meaning;
