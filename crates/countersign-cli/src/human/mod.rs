//! Colours, symbols and pictures for people.
//!
//! `canvas` is what one answer is drawn on, `frame` draws a call with marks under the places that findings point
//! at, and there is one file for each kind of answer. Nothing here judges: it shows what the engine said. Text that
//! came from a model is shown without its control characters, so that it cannot repaint the terminal.

pub(crate) mod canvas;
pub(crate) mod frame;
pub(crate) mod findings;
pub(crate) mod verdict;
pub(crate) mod report;
pub(crate) mod assessment;
pub(crate) mod step;
pub(crate) mod reading;
pub(crate) mod factcheck;
pub(crate) mod claims;
pub(crate) mod calibration;
pub(crate) mod kb;
pub(crate) mod progress;
pub(crate) mod summary;
pub(crate) mod page;
pub(crate) mod policy;
pub(crate) mod pointed;
pub(crate) mod review;
pub(crate) mod demo;
pub(crate) mod tools;
pub(crate) mod chat;
