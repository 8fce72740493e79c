//! The one integration binary of the runtime.
