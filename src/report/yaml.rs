//! `-o yaml`: the admitted objects as the cluster would store them.

use std::io::{self, Write};

use crate::evaluation::Outcome;

use crate::report::{Report, Summary};

const SEPARATOR: &str = "---\n";

/// Writes one YAML document per admitted object.
pub struct Yaml<W> {
    out: W,
    is_empty: bool,
}

impl<W: Write> Yaml<W> {
    /// Returns a report to `out`.
    pub fn new(out: W) -> Self {
        Self { out, is_empty: true }
    }
}

impl<W: Write + Send + Sync> Report for Yaml<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        let own = outcomes.iter().filter(|outcome| outcome.cause.is_none());
        for object in own.filter_map(|outcome| outcome.object.as_deref()) {
            if !text.is_empty() {
                text.push_str(SEPARATOR);
            }
            // The text is complete, even where Go would refuse to write it.
            let _ = kube_yaml::write_yaml(&object.value, &mut text);
        }
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        if rendered.is_empty() {
            return Ok(());
        }
        if !self.is_empty {
            self.out.write_all(SEPARATOR.as_bytes())?;
        }
        self.is_empty = false;
        self.out.write_all(rendered)
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}
