//! The flags about the coverage of policies.

use std::io::Write;

use clap::{Args, ValueEnum};

use crate::cli::color::Colors;
use crate::cli::console::file_width;
use crate::cli::output::{Output, OutputParser, Outputs, still_open};
use crate::code::Code;
use crate::report::coverage::CoverageReport;
use crate::report::{Diagnostic, Escapes};

/// Whether the coverage of policies is reported, and how.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct CoverageFlags {
    /// Report which parts of policies are evaluated, and which of their conditions are only ever true or false: in this
    /// format, to the file after a = or else to standard output (may be repeated) [default: text]
    #[arg(
        long,
        value_name = "FORMAT[=FILE]",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        value_parser = OutputParser::<CoverageFormat>::new()
    )]
    coverage: Vec<Output<CoverageFormat>>,

    /// Fail if less than this percentage of the policies is covered
    #[arg(long, value_name = "PERCENT", requires = "coverage")]
    fail_under: Option<f64>,
}

/// The form of a report about coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CoverageFormat {
    /// What was not evaluated, for people
    Text,
    /// One JSON document
    Json,
    /// One page with the conditions of every expression coloured, to be opened in a browser
    Html,
    /// Tracefile of LCOV, for editors and services that show coverage
    Lcov,
}

impl CoverageFormat {
    fn escapes(self) -> Escapes {
        match self {
            Self::Text => Escapes::Colored,
            Self::Json => Escapes::Json,
            Self::Html | Self::Lcov => Escapes::Text,
        }
    }
}

impl CoverageFlags {
    /// Whether coverage is reported.
    pub(super) fn is_wanted(&self) -> bool {
        !self.coverage.is_empty()
    }

    /// Writes the reports, and returns what is wrong: an error, or that too little is covered.
    pub(super) fn report(&self, report: &CoverageReport, colors: Colors) -> Option<Diagnostic> {
        if let Err(error) = self.write(report, colors) {
            return Some(error);
        }
        let (least, tally) = (self.fail_under?, report.tally());
        if tally.percent() >= least {
            return None;
        }
        let message = format!(
            "{:.1} % of the policies is covered ({} of {}), less than the {least} % of --fail-under",
            tally.percent(),
            tally.covered,
            tally.total
        );
        Some(Diagnostic::note(Code::CoverageLow, message))
    }

    fn write(&self, report: &CoverageReport, colors: Colors) -> Result<bool, Diagnostic> {
        let outputs = Outputs::open(&self.coverage, CoverageFormat::Text)?;
        let write = |format, mut out: &mut dyn Write, width: Option<usize>| match format {
            CoverageFormat::Text => report.write_text(&mut out, width.unwrap_or_else(file_width)),
            CoverageFormat::Json => report.write_json(&mut out),
            CoverageFormat::Html => report.write_html(&mut out),
            CoverageFormat::Lcov => report.write_lcov(&mut out),
        };
        still_open(outputs.write_whole(colors.everywhere, CoverageFormat::escapes, write))
    }
}
