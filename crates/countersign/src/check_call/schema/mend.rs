//! Repairs of single values. Each is certain or only proposed; none guesses.
