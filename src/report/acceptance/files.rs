//! Files by pattern.

use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

/// Patterns for the paths of files below a directory. One that matches a directory matches everything in it.
#[derive(Clone, Debug)]
pub struct FilePatterns {
    patterns: Vec<Pattern>,
    /// The directory that the patterns are relative to.
    root: PathBuf,
    working_directory: PathBuf,
}

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    // A `*` matches one name, a `**` any number of directories.
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl FilePatterns {
    /// Returns the patterns. They are relative to `root`, which like the names of files may be relative to
    /// `working_directory`.
    pub fn new(patterns: Vec<Pattern>, root: &Path, working_directory: &Path) -> Self {
        let root = normal(&working_directory.join(root));
        Self { patterns, root, working_directory: working_directory.to_owned() }
    }

    /// Whether a pattern fits `file`.
    pub fn fit(&self, file: &str) -> bool {
        let path = normal(&self.working_directory.join(file));
        let Ok(path) = path.strip_prefix(&self.root) else { return false };
        let with_above = path.ancestors().filter(|path| !path.as_os_str().is_empty());
        let fits = |path| self.patterns.iter().any(|pattern| pattern.matches_path_with(path, OPTIONS));
        with_above.into_iter().any(fits)
    }
}

/// Returns `path` without `.` and `..`, where that is possible lexically.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_relative_to_their_own_directory() {
        let pattern = |text| Pattern::new(text).unwrap();
        let patterns = FilePatterns::new(
            vec![pattern("vendor"), pattern("apps/*/prod.yaml"), pattern("**/legacy-*.yaml")],
            Path::new(".."),
            Path::new("/repository/apps"),
        );
        for file in
            ["../vendor/a/b.yaml", "shop/prod.yaml", "./shop/../shop/prod.yaml", "/repository/legacy-a.yaml"]
        {
            assert!(patterns.fit(file), "{file}");
        }
        for file in ["vendor/a.yaml", "shop/eu/prod.yaml", "/vendor/a.yaml", "-", "shop/new.yaml"] {
            assert!(!patterns.fit(file), "{file}");
        }
    }
}
