//! The selection of files below a directory.

use std::path::Path;

use clap::Args;
use glob::Pattern;

use crate::report::acceptance::FilePatterns;

/// The flags that choose among the files of directories and patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(in crate::cli) struct Selection {
    /// Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)
    ///
    /// A `*` matches one name, a `**` any number of directories: `vendor`, `**/testdata`, `apps/*/dev.yaml`.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<Pattern>,

    /// Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude
    ///
    /// By default directories are read without them; a file that is named explicitly is always read.
    #[arg(long)]
    pub(super) no_ignore: bool,

    /// The directories of which only the files directly in them are read.
    #[arg(skip)]
    pub(super) shallow: Vec<String>,

    /// The subcommand that reads the files, if it is not `run`.
    #[arg(skip)]
    reader: Option<&'static str>,
}

impl Selection {
    /// Returns the same selection, reading only the files directly in each directory of `paths`.
    pub(in crate::cli) fn shallow_in(mut self, paths: &[String]) -> Self {
        self.shallow.extend_from_slice(paths);
        self
    }

    /// Returns the same selection for `kadmit` with this subcommand.
    pub(in crate::cli) fn read_by(self, subcommand: &'static str) -> Self {
        Self { reader: Some(subcommand), ..self }
    }

    /// Returns the command that reads standard input.
    pub(super) fn piped(&self) -> String {
        format!("kadmit {} -", self.reader.unwrap_or("run"))
    }

    /// Returns the same selection with --no-ignore.
    pub(super) fn of_everything(&self) -> Self {
        Self { no_ignore: true, ..self.clone() }
    }

    /// Returns the files that --exclude leaves out.
    pub(in crate::cli) fn excluded(&self) -> Vec<FilePatterns> {
        let Ok(working_directory) = std::env::current_dir() else { return Vec::new() };
        let patterns = self.exclude.iter();
        patterns.filter_map(|pattern| patterns_of(pattern.as_str(), &working_directory)).collect()
    }
}

/// Returns `pattern` relative to `working_directory`. The part before the first wildcard may lead out of it.
fn patterns_of(pattern: &str, working_directory: &Path) -> Option<FilePatterns> {
    let mut root = Path::new("").to_owned();
    let mut rest = pattern.trim_end_matches('/');
    loop {
        if let Some(below) = rest.strip_prefix("./") {
            rest = below;
        } else if let Some(above) = rest.strip_prefix("../") {
            root.push("..");
            rest = above;
        } else if let Some(absolute) = rest.strip_prefix('/') {
            Path::new("/").clone_into(&mut root);
            rest = absolute;
        } else {
            break;
        }
    }
    Some(FilePatterns::new(vec![Pattern::new(rest).ok()?], &root, working_directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_may_lead_out_of_the_working_directory() {
        let fits = |pattern: &str, file: &str| {
            patterns_of(pattern, Path::new("/repo/apps")).is_some_and(|patterns| patterns.fit(file))
        };
        assert!(fits("vendor/", "vendor/a/b.yaml"));
        assert!(fits("./**/testdata", "a/testdata/b.yaml"));
        assert!(fits("../shared/*.yaml", "../shared/a.yaml"));
        assert!(fits("/repo/apps/a.yaml", "a.yaml"));
        assert!(!fits("vendor", "../vendor/a.yaml"));
    }
}
