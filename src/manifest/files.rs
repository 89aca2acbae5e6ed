//! Arguments → the text of files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::manifest::Error;
use crate::source::SourceFile;

/// The endings of the files that are taken from a directory.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Reads files, and of directories every `.yaml`, `.yml` and `.json` file below them in the order of names. Every
/// argument has its place in the result; one that cannot be read costs nothing but itself.
pub fn read_all<'a>(arguments: impl IntoIterator<Item = &'a Path>) -> Vec<Result<Arc<SourceFile>, Error>> {
    let mut sources = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            read_directory(argument, &mut Vec::new(), &mut sources);
        } else {
            sources.push(read_file(argument));
        }
    }
    sources
}

/// Reads one file whole.
pub fn read_file(path: &Path) -> Result<Arc<SourceFile>, Error> {
    let name = path.display().to_string();
    match fs::read(path) {
        Ok(bytes) => from_bytes(name, bytes),
        Err(error) => Err(Error::Unreadable { path: name, error }),
    }
}

/// The text in `bytes` under the name `name`.
pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Arc<SourceFile>, Error> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(name, text)),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let line = bytes[..offset].iter().filter(|byte| **byte == b'\n').count() + 1;
            let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
            Err(Error::NotUtf8 { path: name.into(), offset, line, utf16 })
        }
    }
}

/// `above` are the directories being read, so that a link to one of them ends.
fn read_directory(
    directory: &Path,
    above: &mut Vec<PathBuf>,
    sources: &mut Vec<Result<Arc<SourceFile>, Error>>,
) {
    let unreadable = |path: &Path, error| Err(Error::Unreadable { path: path.display().to_string(), error });
    let canonical = match fs::canonicalize(directory) {
        Ok(canonical) => canonical,
        Err(error) => return sources.push(unreadable(directory, error)),
    };
    if above.contains(&canonical) {
        return;
    }
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return sources.push(unreadable(directory, error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => sources.push(unreadable(directory, error)),
        }
    }
    paths.sort();
    above.push(canonical);
    for path in paths {
        if path.is_dir() {
            read_directory(&path, above, sources);
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            sources.push(read_file(&path));
        }
    }
    above.pop();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_directories_in_the_order_of_names() {
        let root = std::env::temp_dir().join(format!("kadmit-files-{}", std::process::id()));
        fs::create_dir_all(root.join("b")).unwrap();
        for (name, bytes) in
            [("c.yaml", &b"a: 1"[..]), ("b/d.json", b"{}"), ("a.yml", b"x\n\xff"), ("n.txt", b"no")]
        {
            fs::write(root.join(name), bytes).unwrap();
        }
        let missing = root.join("missing.yaml");
        let sources = read_all([root.as_path(), missing.as_path()]);
        fs::remove_dir_all(&root).unwrap();
        let name = |path: &str| root.join(path).display().to_string();
        assert!(
            matches!(&sources[0], Err(Error::NotUtf8 { path, offset: 2, line: 2, .. }) if *path == name("a.yml"))
        );
        assert_eq!(sources[1].as_ref().unwrap().name(), name("b/d.json"));
        assert_eq!(sources[2].as_ref().unwrap().text(), "a: 1");
        assert!(
            matches!(&sources[3], Err(error @ Error::Unreadable { .. }) if error.file() == name("missing.yaml"))
        );
        assert_eq!(sources.len(), 4);
    }

    #[test]
    fn knows_utf16() {
        let error = from_bytes("a.yaml", b"\xff\xfea\0".to_vec()).unwrap_err();
        assert!(error.help().unwrap().contains("UTF-16"));
        assert_eq!((error.file(), error.line(), error.span()), ("a.yaml", Some(1), None));
    }
}
