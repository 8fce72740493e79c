//! What touches the world around the engine.
