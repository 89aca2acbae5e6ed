//! Text as Go reads and writes it: quoted text, JSON, numbers, durations, times, base64, web addresses and
//! regular expressions.
//!
//! Messages of the API server repeat what Go's own packages print, so every room may use this one.

pub(crate) mod base64;
pub(crate) mod duration;
pub mod json;
pub(crate) mod net;
pub(crate) mod number;
pub(crate) mod posix;
mod quote;
pub(crate) mod regexp;
pub(crate) mod time;
pub(crate) mod url;

pub(crate) use quote::control_escape;
pub use quote::quote;
