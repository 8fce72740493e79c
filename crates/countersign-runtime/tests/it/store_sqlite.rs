//! The embedded store in the world: killed, out of disk, opened twice, closed.

mod killed;
mod full;
mod folder;
mod damaged;
