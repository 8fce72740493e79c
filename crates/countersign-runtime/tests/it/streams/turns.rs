//! Whole turns with a model that says what the test wants.
