//! Messages that say nothing.
