//! The flags about the coverage of policies.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::de::DeserializeOwned;

use crate::cli::color::Colors;
use crate::cli::console::file_width;
use crate::cli::output::{Output, OutputParser, Outputs, still_open};
use crate::code::Code;
use crate::report::cost::CostReport;
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

    /// Report the highest cost of each expression of policies against the limits of the server: in this format, to the
    /// file after a = or else to standard output (may be repeated) [default: text]
    #[arg(
        long,
        value_name = "FORMAT[=FILE]",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        value_parser = OutputParser::<CostFormat>::new()
    )]
    cost: Vec<Output<CostFormat>>,

    /// Fail if an expression costs more than in this file, which --cost=json has written
    #[arg(long, value_name = "FILE", requires = "cost")]
    compare: Option<PathBuf>,
}

/// The form of a report about costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CostFormat {
    /// The highest costs first, for people
    Text,
    /// One JSON document, for --compare
    Json,
}

impl CostFormat {
    fn escapes(self) -> Escapes {
        match self {
            Self::Text => Escapes::Colored,
            Self::Json => Escapes::Json,
        }
    }
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
        !self.coverage.is_empty() || !self.cost.is_empty()
    }

    /// Writes the reports, and returns what is wrong: errors, that too little is covered, and what costs more.
    pub(super) fn report(&self, report: &CoverageReport, colors: Colors) -> Vec<Diagnostic> {
        let mut wrong = Vec::new();
        if !self.coverage.is_empty() {
            wrong.extend(self.write(report, colors).err());
            wrong.extend(self.too_low(report));
        }
        if !self.cost.is_empty() {
            wrong.extend(
                self.report_costs(&CostReport::of(report), colors).unwrap_or_else(|error| vec![error]),
            );
        }
        wrong
    }

    /// Writes the costs, and returns what costs more than before.
    fn report_costs(&self, costs: &CostReport, colors: Colors) -> Result<Vec<Diagnostic>, Diagnostic> {
        // The file may be written again by this run.
        let help = "write the file with --cost=json=FILE";
        let before: Option<CostReport> =
            self.compare.as_ref().map(|file| read_costs(file, help)).transpose()?;
        let outputs = Outputs::open(&self.cost, CostFormat::Text)?;
        let write = |format, mut out: &mut dyn Write, _: Option<usize>| match format {
            CostFormat::Text => costs.write_text(&mut out),
            CostFormat::Json => costs.write_json(&mut out),
        };
        still_open(outputs.write_whole(colors.everywhere, CostFormat::escapes, write))?;
        let increases = before.map(|before| costs.increases(&before)).unwrap_or_default();
        Ok(increases.iter().map(|more| Diagnostic::note(Code::PolicyCost, more.to_string())).collect())
    }

    /// Returns that too little is covered, if it is.
    fn too_low(&self, report: &CoverageReport) -> Option<Diagnostic> {
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

/// Reads the costs in `file`; `help` says how it is written.
pub(super) fn read_costs<T: DeserializeOwned>(file: &Path, help: &str) -> Result<T, Diagnostic> {
    let refused = |message: String| {
        let name = file.display().to_string();
        Diagnostic { file: Some(name), ..Diagnostic::input(Code::Output, message) }.help(help)
    };
    let text =
        fs::read_to_string(file).map_err(|error| refused(format!("cannot read the costs: {error}")))?;
    serde_json::from_str(&text).map_err(|error| refused(format!("these are not costs: {error}")))
}
