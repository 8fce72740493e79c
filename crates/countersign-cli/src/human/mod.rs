//! Colours, symbols and pictures for people.
//!
//! `canvas` is what one answer is drawn on, `frame` draws a call with marks under the places that findings point
//! at, and there is one file for each kind of answer. Nothing here judges: it shows what the engine said. Text that
//! came from a model is shown without its control characters, so that it cannot repaint the terminal.

pub mod canvas;
pub mod frame;
pub mod findings;
pub mod verdict;
pub mod report;
pub mod assessment;
pub mod step;
pub mod reading;
pub mod factcheck;
pub mod claims;
pub mod calibration;
pub mod kb;
pub mod progress;
pub mod summary;
pub mod page;
pub mod policy;
pub mod pointed;
pub mod review;
pub mod demo;
pub mod tools;
pub mod chat;
