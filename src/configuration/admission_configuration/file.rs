//! Files and paths as in Go.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// An error in reading a file: Go's `fs.PathError`.
#[derive(Debug)]
pub(super) struct Failure<'a> {
    operation: &'static str,
    path: &'a Path,
    error: io::Error,
}

/// Returns the bytes of the file at `path`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure<'_>> {
    let failed = |operation| move |error| Failure { operation, path, error };
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(failed("open"))?;
    file.read_to_end(&mut bytes).map_err(failed("read"))?;
    Ok(bytes)
}

impl Failure<'_> {
    /// Formats it as Go's `%#v` does.
    pub(super) fn go_syntax(&self) -> String {
        let Self { operation, path, error } = self;
        let number = error.raw_os_error().unwrap_or_default();
        let path = path.display();
        format!("&fs.PathError{{Op:\"{operation}\", Path:\"{path}\", Err:{number:#x}}}")
    }
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.error.to_string();
        // The number at the end is Rust's addition; Go writes the system's texts in lower case.
        let text = error.split(" (os error ").next().unwrap_or_default();
        let (first, rest) = text.split_at_checked(1).unwrap_or(("", text));
        let first = first.to_lowercase();
        write!(formatter, "{} {}: {first}{rest}", self.operation, self.path.display())
    }
}

/// Returns the location of `path` as named in the file `named_in`.
pub(super) fn beside(named_in: &Path, path: &Path) -> PathBuf {
    if path.is_absolute() {
        return path.to_owned();
    }
    let mut base = clean(named_in.parent().unwrap_or(Path::new("")));
    if base.as_os_str().is_empty() {
        // If the current directory was removed, the relative path is all there is.
        base = std::env::current_dir().unwrap_or_default();
    }
    clean(&base.join(path))
}

/// Returns the path without `.` and, where that is possible lexically, without `..`.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match (component, cleaned.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                cleaned.pop();
            }
            _ => cleaned.push(component),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_starts_from_the_directory_of_the_file() {
        let cases = [
            ("/etc/k8s/admission.yaml", "./pns.yaml", "/etc/k8s/pns.yaml"),
            ("/etc/k8s/admission.yaml", "../../../pns.yaml", "/pns.yaml"),
            ("/etc/k8s/admission.yaml", "/pns//x.yaml", "/pns//x.yaml"),
            ("conf/./a/../admission.yaml", "b//pns.yaml", "conf/b/pns.yaml"),
            ("../admission.yaml", "../pns.yaml", "../../pns.yaml"),
        ];
        for (file, path, expected) in cases {
            assert_eq!(beside(Path::new(file), Path::new(path)), Path::new(expected));
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(beside(Path::new("admission.yaml"), Path::new("pns.yaml")), here.join("pns.yaml"));
    }

    #[test]
    fn words_failures_as_go_does() {
        let path = Path::new("/nowhere/a.yaml");
        let failure = read(path).unwrap_err();
        assert_eq!(failure.to_string(), "open /nowhere/a.yaml: no such file or directory");
        assert_eq!(failure.go_syntax(), "&fs.PathError{Op:\"open\", Path:\"/nowhere/a.yaml\", Err:0x2}");
        let failure = read(Path::new("/")).unwrap_err();
        assert_eq!(failure.to_string(), "read /: is a directory");
        assert_eq!(failure.go_syntax(), "&fs.PathError{Op:\"read\", Path:\"/\", Err:0x15}");
    }
}
