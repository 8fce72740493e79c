//! The seeds' own examples, T1 … T21, as acceptance tests.
