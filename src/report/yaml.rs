//! `-o yaml`: the admitted objects as the cluster would store them.

use std::io::{self, Write};

use crate::evaluation::Outcome;
use crate::manifest;
use crate::report::{Diagnostic, Report, Summary};

/// One YAML document an admitted object.
pub struct Yaml<W> {
    out: W,
    documents: usize,
    text: String,
}

impl<W: Write> Yaml<W> {
    /// A report to `out`.
    pub fn new(out: W) -> Self {
        Self { out, documents: 0, text: String::new() }
    }
}

impl<W: Write> Report for Yaml<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        Ok(())
    }

    fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        let Some(object) = &outcome.object else { return Ok(()) };
        self.text.clear();
        if self.documents > 0 {
            self.text.push_str("---\n");
        }
        self.documents += 1;
        manifest::write_yaml(&object.value, &mut self.text).map_err(io::Error::other)?;
        self.out.write_all(self.text.as_bytes())
    }

    fn diagnostic(&mut self, _: &Diagnostic) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}
