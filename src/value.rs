//! The tree that every object, patch and configuration is.

/// A JSON value; maps are ordered by key.
pub type Value = serde_json::Value;
/// A JSON map, ordered by key.
pub type Map = serde_json::Map<String, Value>;
