//! `-o yaml`: the admitted objects as the cluster would store them.

use std::io::{self, Write};

use crate::evaluation::Outcome;
use crate::manifest;
use crate::report::{Diagnostic, Report, Summary};

/// One YAML document an admitted object.
pub struct Yaml<W> {
    out: W,
    documents: usize,
}

impl<W: Write> Yaml<W> {
    /// A report to `out`.
    pub fn new(out: W) -> Self {
        Self { out, documents: 0 }
    }
}

impl<W: Write + Send + Sync> Report for Yaml<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        Ok(())
    }

    fn render(&self, outcome: &Outcome) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        if let Some(object) = &outcome.object {
            manifest::write_yaml(&object.value, &mut text).map_err(io::Error::other)?;
        }
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        if rendered.is_empty() {
            return Ok(());
        }
        if self.documents > 0 {
            self.out.write_all(b"---\n")?;
        }
        self.documents += 1;
        self.out.write_all(rendered)
    }

    fn diagnostic(&mut self, _: &Diagnostic) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}
