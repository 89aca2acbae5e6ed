//! The schema of a custom resource's value, by which rules in `x-kubernetes-validations` see it typed.
//!
//! Source: `k8s.io/apiserver/pkg/cel/common/valuesunstructured.go`.

use std::collections::BTreeMap;

/// The type of a value, as far as it matters to rules.
#[derive(Debug, Clone)]
pub enum ValueSchema {
    /// `x-kubernetes-int-or-string`, `boolean`, `x-kubernetes-preserve-unknown-fields`: as it is written.
    Plain,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `string`
    String(StringFormat),
    /// `object` with `properties`: only these are seen, by their escaped names.
    Object(BTreeMap<String, ValueSchema>),
    /// `object` with `additionalProperties`
    Map(Box<ValueSchema>),
    /// `array`
    Array(Box<ValueSchema>, ListType),
}

/// The type that rules see for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringFormat {
    /// `string`
    Text,
    /// `bytes`, from base64.
    Byte,
    /// `timestamp`, of midnight.
    Date,
    /// `timestamp`
    DateTime,
    /// `duration`
    Duration,
}

/// `x-kubernetes-list-type`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListType {
    /// Order matters.
    Atomic,
    /// The order does not matter.
    Set,
    /// The order does not matter; these fields are the key of an item.
    Map(Vec<String>),
}
