//! Arguments → the text of files.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, process};

use crate::{Error, piece};
use gotext::source::{Origin, SourceFile};

/// The endings of the files that are taken from a directory.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Returns the file at `path`; for a directory every `.yaml`, `.yml` and `.json` file below it in the order of names.
/// An unreadable one is an error in its place in the result, and does not affect the others.
pub fn list(path: &Path) -> Vec<Result<PathBuf, Error>> {
    let mut files = Vec::new();
    if path.is_dir() {
        list_directory(path, &mut Vec::new(), &mut files);
    } else {
        files.push(Ok(path.to_owned()));
    }
    files
}

/// Whether the name of `path` ends like that of a manifest.
pub fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

/// Reads one file whole.
pub fn read_file(path: &Path) -> Result<Arc<SourceFile>, Error> {
    let name = path.display().to_string();
    match read(path) {
        // A pipe has its text only once.
        Ok((bytes, is_regular)) if is_regular => Ok(SourceFile::at(path, text_of(name, bytes)?)),
        Ok((bytes, _)) => from_bytes(name, bytes),
        Err(error) => Err(unreadable(name, error)),
    }
}

/// The number of files whose text a thread keeps.
const MAX_KEPT: usize = 4;

thread_local! {
    /// The files that this thread read again last, the latest first. Consecutive places are often in one file: its
    /// documents in their order, a list whose items are all applied once more.
    static LATEST: RefCell<Vec<Arc<SourceFile>>> = const { RefCell::new(Vec::new()) };
}

/// Reads a file again, unless it was one of the last ones.
///
/// # Errors
///
/// Fails if the file cannot be read, or has another text than before.
pub fn read_again(origin: &Arc<Origin>) -> Result<Arc<SourceFile>, Error> {
    LATEST.with_borrow_mut(|latest| {
        let is_of = |source: &Arc<SourceFile>| source.origin().is_some_and(|own| Arc::ptr_eq(own, origin));
        if let Some(known) = latest.iter().position(is_of) {
            latest[..=known].rotate_right(1);
        } else {
            let source = read_unchanged(origin)?;
            latest.truncate(MAX_KEPT - 1);
            latest.insert(0, source);
        }
        Ok(Arc::clone(&latest[0]))
    })
}

fn read_unchanged(origin: &Arc<Origin>) -> Result<Arc<SourceFile>, Error> {
    let name = origin.path().display().to_string();
    let text = match origin.piece() {
        Some(piece) => piece::text_of(piece).map_err(|error| unreadable(name.as_str(), error)),
        None => read(origin.path())
            .map_err(|error| unreadable(name.as_str(), error))
            .and_then(|(bytes, _)| text_of(name.as_str(), bytes)),
    };
    match text {
        Err(error @ Error::Unreadable { .. }) => Err(error),
        Ok(text) if origin.has(&text) => Ok(SourceFile::of(origin.clone(), text)),
        _ => Err(unreadable(name, io::Error::other("it was changed while it was evaluated"))),
    }
}

/// Returns the content of a file, and whether it is a regular file.
fn read(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    if metadata.is_file() {
        file.read_to_end(&mut bytes)?;
        return Ok((bytes, true));
    }
    // A device may have no end.
    let read = file.take(MAX_PIPED + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > MAX_PIPED {
        return Err(io::Error::other(format!("it is not a file, and has more than {} MiB", MAX_PIPED >> 20)));
    }
    Ok((bytes, false))
}

/// Creates a file without a name, which goes with the process that uses it; `prefix` distinguishes it until then.
///
/// # Errors
///
/// Fails if the system has no room for temporary files.
pub fn unnamed(prefix: &str) -> io::Result<File> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    if cfg!(target_family = "wasm") {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!(".{prefix}-{}-{count}", process::id()));
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    // It may have what only its user may read.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// The bytes that are read from what is not a file.
const MAX_PIPED: u64 = 1 << 30;

/// Whether `path` is something else than a file, such as a pipe, which may have no end and block whoever reads it.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Returns the error about a file that cannot be read.
pub fn unreadable(name: impl Into<String>, error: io::Error) -> Error {
    let path = name.into();
    let is_broken_link = error.kind() == io::ErrorKind::NotFound && Path::new(&path).is_symlink();
    let error = if is_broken_link {
        io::Error::new(error.kind(), "it is a link to a file that does not exist")
    } else {
        error
    };
    Error::Unreadable { path, error }
}

/// Returns the text in `bytes` under the name `name`.
pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Arc<SourceFile>, Error> {
    let name = name.into();
    Ok(SourceFile::new(name.clone(), text_of(name, bytes)?))
}

pub(crate) fn text_of(name: impl Into<String>, bytes: Vec<u8>) -> Result<String, Error> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let line = bytes[..offset].split(|byte| *byte == b'\n').count();
            let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
            Err(Error::NotUtf8 { path: name.into(), offset, line, utf16 })
        }
    }
}

/// Lists a directory; `above` are the directories being read, so that links to one of them are not followed.
fn list_directory(directory: &Path, above: &mut Vec<PathBuf>, files: &mut Vec<Result<PathBuf, Error>>) {
    let refused = |path: &Path, error| Err(unreadable(path.display().to_string(), error));
    let canonical = match fs::canonicalize(directory) {
        Ok(canonical) => canonical,
        Err(error) => return files.push(refused(directory, error)),
    };
    if above.contains(&canonical) {
        return;
    }
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return files.push(refused(directory, error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => files.push(refused(directory, error)),
        }
    }
    paths.sort();
    above.push(canonical);
    for path in paths {
        if path.is_dir() {
            list_directory(&path, above, files);
        } else if has_ending(&path) && !is_special(&path) {
            files.push(Ok(path));
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
        let listed = list(&root).into_iter().chain(list(&missing));
        let sources: Vec<_> = listed.map(|path| read_file(&path.unwrap())).collect();
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

    #[test]
    fn a_file_is_read_again_only_with_the_same_text() {
        let path = std::env::temp_dir().join(format!("kadmit-again-{}.yaml", std::process::id()));
        fs::write(&path, "a: 1").unwrap();
        let origin = read_file(&path).unwrap().origin().unwrap().clone();
        let again = read_again(&origin).unwrap();
        fs::write(&path, "a: 2").unwrap();
        let changed = read_unchanged(&origin);
        fs::remove_file(&path).unwrap();
        assert_eq!((again.name(), again.text()), (path.to_str().unwrap(), "a: 1"));
        let message = changed.unwrap_err().to_string();
        assert!(message.ends_with("it was changed while it was evaluated"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_called_one() {
        let link = std::env::temp_dir().join(format!("kadmit-link-{}.yaml", std::process::id()));
        std::os::unix::fs::symlink("kadmit-nothing", &link).unwrap();
        let read = read_file(&link);
        fs::remove_file(&link).unwrap();
        let message = read.unwrap_err().to_string();
        assert_eq!(
            message,
            format!("cannot read {}: it is a link to a file that does not exist", link.display())
        );
    }
}
