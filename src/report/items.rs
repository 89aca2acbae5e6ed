//! The items of a JSON list that is written as they come.

use std::io::{self, Write};

use serde::Serialize;

/// What is written of a list so far.
#[derive(Default)]
pub(super) struct Items {
    has_some: bool,
}

impl Items {
    /// Whether nothing is written yet.
    #[cfg(feature = "report")]
    pub(super) fn is_empty(&self) -> bool {
        !self.has_some
    }

    /// Writes items that are rendered with [`push`], behind those that are written.
    pub(super) fn write(&mut self, out: &mut impl Write, rendered: &[u8]) -> io::Result<()> {
        if rendered.is_empty() {
            return Ok(());
        }
        out.write_all(if self.has_some { b",\n" } else { b"\n" })?;
        self.has_some = true;
        out.write_all(rendered)
    }
}

/// Renders an item behind those in `text`.
pub(super) fn push(text: &mut Vec<u8>, item: &impl Serialize) -> io::Result<()> {
    if !text.is_empty() {
        text.extend(b",\n");
    }
    Ok(serde_json::to_writer(text, item)?)
}
