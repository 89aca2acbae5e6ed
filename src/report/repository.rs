//! The names of files as a repository has them, for formats that services relate to its files.

use std::borrow::Cow;
use std::path::{MAIN_SEPARATOR, Path};

/// How files are named: from the root of a repository, below which the paths of a run are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryPaths {
    /// The working directory, seen from the root; empty if it is the root.
    prefix: String,
}

impl RepositoryPaths {
    /// Names files from the root of a repository in which the working directory is `prefix`.
    pub fn below(prefix: &str) -> Self {
        Self { prefix: prefix.trim_end_matches('/').to_owned() }
    }

    /// Returns the name of `file` from the root, with `/` between its steps. One that is absolute, or that leaves the
    /// repository, stays as it is.
    pub(super) fn name<'f>(&self, file: &'f str) -> Cow<'f, str> {
        let is_plain = !file.contains(MAIN_SEPARATOR.to_string().as_str()) || MAIN_SEPARATOR == '/';
        let has_dots = file.split('/').any(|step| matches!(step, "." | ".." | ""));
        if Path::new(file).is_absolute() || self.prefix.is_empty() && is_plain && !has_dots {
            return Cow::Borrowed(file);
        }
        let file = file.replace(MAIN_SEPARATOR, "/");
        let mut steps: Vec<&str> = Vec::new();
        for step in self.prefix.split('/').chain(file.split('/')) {
            match step {
                "" | "." => {}
                ".." if steps.last().is_some_and(|last| *last != "..") => drop(steps.pop()),
                step => steps.push(step),
            }
        }
        Cow::Owned(steps.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_root() {
        let (root, below) = (RepositoryPaths::default(), RepositoryPaths::below("apps/web/"));
        let names = |paths: &RepositoryPaths, file| paths.name(file).into_owned();
        assert_eq!(names(&root, "a/b.yaml"), "a/b.yaml");
        assert_eq!(names(&root, "./a/./b.yaml"), "a/b.yaml");
        assert_eq!(names(&root, "a/../b.yaml"), "b.yaml");
        assert_eq!(names(&root, "../b.yaml"), "../b.yaml");
        assert_eq!(names(&below, "../manifests/a.yaml"), "apps/manifests/a.yaml");
        assert_eq!(names(&below, "../../../a.yaml"), "../a.yaml");
        assert_eq!(names(&below, "/srv/a.yaml"), "/srv/a.yaml");
    }
}
