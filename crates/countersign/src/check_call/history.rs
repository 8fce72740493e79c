//! A conversation's calls and results, put right before they go upstream.
