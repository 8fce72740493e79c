//! Does the result sound like a result at all? (RESULT-5)
//!
//! One file for each kind of anomaly. What is told by phrases has its list in `data/`, and every list is matched at
//! word borders: "no" is not in "know".

pub mod contradiction;
pub mod overconfidence;
pub mod unverifiable;
pub mod impossible;
pub mod pseudo_answer;
pub mod dressed_error;
pub mod truncation;
pub mod injection;
pub mod placeholder;
pub mod hearsay;
