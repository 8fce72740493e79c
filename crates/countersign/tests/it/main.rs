//! The one integration binary of the core.

mod results;
