//! What the libraries of Go and Kubernetes do with text, in Rust: the layer that everything else of kadmit is written on.
//!
//! - Text as Go reads and writes it: quoted text, JSON, numbers, durations, times, base64, web addresses and regular
//!   expressions. Messages of the API server repeat what Go's own packages print.
//! - Text as Kubernetes' API machinery reads it: [`names`], [`quantity`], named [formats](mod@format), the [`path`] of a field.
//! - [`value`]: the tree that every object, patch and configuration is read into.
//! - [`source`]: files, and places in them.
//!
//! ```
//! use gotext::quantity::Quantity;
//! use gotext::value::json;
//!
//! let requests = json!({"cpu": "500m"});
//! let cpu: Quantity = requests["cpu"].as_str().unwrap().parse().unwrap();
//! assert_eq!(cpu.to_string(), "500m");
//! ```

pub mod base64;
pub mod change;
pub mod duration;
pub mod encoding_json;
pub mod format;
pub mod names;
pub mod net;
pub mod netip;
pub mod number;
pub mod path;
pub mod pointer;
pub mod quantity;
mod quote;
pub mod regexp;
pub mod semver;
pub mod source;
pub mod time;
pub mod url;
pub mod value;

pub use quote::{control_escape, quote, quote_bytes};
