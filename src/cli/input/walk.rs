//! The files of a directory, in the order of names.
//!
//! Files that git and ripgrep ignore are left out: those named by `.gitignore` and `.ignore`, hidden files,
//! `node_modules`. Charts and kustomizations generate manifests and are not manifests themselves.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, Error, WalkBuilder};

use crate::cli::input::Selection;
use crate::code::Code;
use crate::report::Diagnostic;
use gotext::source::{Data, Node};
use kube_yaml::files;

/// A file, or a diagnostic about one, with the path by which they are sorted.
type Found = (PathBuf, Result<PathBuf, Diagnostic>);

/// The file names of a kustomization.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The file name of a chart.
const CHART: &str = "Chart.yaml";

/// Returns the manifests below `directory`, and a note for each chart and kustomization there.
pub(super) fn manifests(directory: &Path, selection: &Selection) -> Vec<Result<PathBuf, Diagnostic>> {
    if is_chart(directory) {
        return vec![Err(chart(directory, selection))];
    }
    let charts = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&charts);
    let enter = move |path: &Path| {
        let is_chart = is_chart(path);
        if is_chart {
            noted.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        }
        !is_chart
    };
    let mut found = walk(directory, selection, enter);
    let charts = charts.lock().unwrap_or_else(PoisonError::into_inner);
    found.extend(charts.iter().map(|path| (path.clone(), Err(chart(path, selection)))));
    leave_out_kustomizations(&mut found, directory, selection);
    found.sort_by(|(left, _), (right, _)| left.cmp(right));
    found.into_iter().map(|(_, found)| found).collect()
}

/// Returns the files with the endings of manifests below `directory`, whatever their content.
pub(in crate::cli) fn files(directory: &Path, selection: &Selection) -> Vec<Result<PathBuf, Diagnostic>> {
    let mut found = walk(directory, selection, |_| true);
    found.sort_by(|(left, _), (right, _)| left.cmp(right));
    found.into_iter().map(|(_, found)| found).collect()
}

/// Returns how many files below `directory` are read only with --no-ignore.
pub(super) fn ignored(directory: &Path, selection: &Selection) -> usize {
    let count =
        |selection: &Selection| manifests(directory, selection).iter().filter(|found| found.is_ok()).count();
    count(&selection.of_everything()).saturating_sub(count(selection))
}

/// Returns the files below `directory`; `enter` decides which directories are entered.
fn walk(
    directory: &Path,
    selection: &Selection,
    enter: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> Vec<Found> {
    let no_ignore = selection.no_ignore;
    let is_shallow = selection.shallow.iter().any(|shallow| Path::new(shallow) == directory);
    let mut walk = WalkBuilder::new(directory);
    let tree = tree_of(directory);
    let outside = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&outside);
    walk.standard_filters(!no_ignore).follow_links(true);
    walk.max_depth(is_shallow.then_some(1));
    walk.filter_entry(move |entry| {
        let is_directory = is_directory(entry);
        let is_dependency = is_directory && entry.file_name() == "node_modules" && !no_ignore;
        if entry.depth() > 0 && entry.path_is_symlink() && leads_out(entry.path(), tree.as_deref()) {
            if is_directory || files::has_ending(entry.path()) {
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
            }
            return false;
        }
        !is_dependency && (!is_directory || enter(entry.path()))
    });
    let mut found = Vec::new();
    for entry in walk.build() {
        match entry {
            Ok(entry) if is_directory(&entry) || !files::has_ending(entry.path()) => {}
            Ok(entry) if !is_file(&entry) => {
                let why = "it is not a file";
                found.push((entry.path().to_owned(), Err(left_out(entry.path(), why))));
            }
            Ok(entry) => found.push((entry.path().to_owned(), Ok(entry.into_path()))),
            Err(error) => found.extend(unreadable(&error, directory)),
        }
    }
    let outside = outside.lock().unwrap_or_else(PoisonError::into_inner);
    let why = "the link leads out of the directory; a file that is named is read";
    found.extend(outside.iter().map(|path| (path.clone(), Err(left_out(path, why)))));
    found
}

/// Returns the directory that links below `directory` must not leave: its repository, or else itself.
fn tree_of(directory: &Path) -> Option<PathBuf> {
    let directory = directory.canonicalize().ok()?;
    let repository = directory.ancestors().find(|above| above.join(".git").exists());
    Some(repository.unwrap_or(&directory).to_owned())
}

/// Whether the link at `path` leads out of `tree`: what is there was not meant to be read by whoever names the tree.
fn leads_out(path: &Path, tree: Option<&Path>) -> bool {
    let target = path.canonicalize().ok();
    target.zip(tree).is_some_and(|(target, tree)| !target.starts_with(tree))
}

fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}

fn left_out(path: &Path, why: &str) -> Diagnostic {
    let name = path.display().to_string();
    let note = Diagnostic::note(Code::InputNoFile, format!("left out {name}: {why}"));
    Diagnostic { file: Some(name), ..note }
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Returns the error about a file or directory. A link to a directory that is being read is not an error, nor is a
/// broken link whose name is not that of a manifest.
fn unreadable(error: &Error, directory: &Path) -> Option<Found> {
    let path = path_of(error).unwrap_or(directory);
    let is_loop = is_loop(error);
    let io = error.io_error();
    let is_missing = io.is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    if is_loop || (is_missing && !files::has_ending(path)) {
        return None;
    }
    let kind = io.map_or(std::io::ErrorKind::Other.into(), |error| match error.raw_os_error() {
        Some(code) => std::io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    });
    let diagnostic = Diagnostic::from(&files::unreadable(path.display().to_string(), kind));
    Some((path.to_owned(), Err(diagnostic)))
}

fn path_of(error: &Error) -> Option<&Path> {
    match error {
        Error::WithPath { path, .. } | Error::Loop { child: path, .. } => Some(path),
        Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

fn is_loop(error: &Error) -> bool {
    match error {
        Error::Loop { .. } => true,
        Error::WithPath { err, .. } | Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => {
            is_loop(err)
        }
        _ => false,
    }
}

fn is_chart(directory: &Path) -> bool {
    directory.join(CHART).is_file()
}

fn chart(directory: &Path, selection: &Selection) -> Diagnostic {
    let (name, word) = (directory.display(), word(directory));
    let message = format!("left out {name}, a chart: helm template {word} | {}", selection.piped());
    let note = Diagnostic::note(Code::InputChart, message);
    Diagnostic { file: Some(directory.display().to_string()), ..note }
}

/// Replaces each kustomization file with a note, and leaves out the patches that it names.
fn leave_out_kustomizations(found: &mut Vec<Found>, root: &Path, selection: &Selection) {
    let mut named: Vec<PathBuf> = Vec::new();
    let mut kustomizations: Vec<PathBuf> = Vec::new();
    let mut seen = vec![root.to_owned()];
    for (path, _) in found.iter() {
        let above = path.ancestors().skip(1).take_while(|above| above.starts_with(root));
        seen.extend(above.map(Path::to_owned));
    }
    seen.sort();
    seen.dedup();
    for directory in seen {
        let Some(file) = KUSTOMIZATIONS.iter().map(|name| directory.join(name)).find(|file| file.is_file())
        else {
            continue;
        };
        named.extend(named_by(&file).iter().map(|path| normal(&directory.join(path))));
        kustomizations.push(file);
    }
    if kustomizations.is_empty() {
        return;
    }
    let is_kustomization = |path: &Path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        KUSTOMIZATIONS.contains(&name)
    };
    found.retain(|(path, file)| {
        let path = normal(path);
        file.is_err() || !(is_kustomization(&path) || named.iter().any(|named| path.starts_with(named)))
    });
    found.extend(kustomizations.into_iter().map(|file| {
        let (name, word) = (file.display(), word(file.parent().unwrap_or(root)));
        let piped = selection.piped();
        let message = format!("left out {name}, a kustomization: kubectl kustomize {word} | {piped}");
        let note = Diagnostic::note(Code::InputKustomization, message);
        let note = Diagnostic { file: Some(file.display().to_string()), ..note };
        (file, Err(note))
    }));
}

/// Returns the note about the file at `path` if a kustomization next to it or above reads it, and it is not a manifest
/// itself.
pub(super) fn patch(path: &Path, selection: &Selection) -> Option<Diagnostic> {
    let own = normal(path);
    let of_directory = |directory: &Path| {
        let file = KUSTOMIZATIONS.iter().map(|name| directory.join(name)).find(|file| file.is_file())?;
        let is_named = named_by(&file).iter().any(|named| normal(&directory.join(named)) == own);
        is_named.then_some((file, directory.to_owned()))
    };
    let (owner, directory) = path.ancestors().skip(1).find_map(of_directory)?;
    let (name, owner) = (path.display().to_string(), owner.display());
    let word = if directory.as_os_str().is_empty() { ".".to_owned() } else { word(&directory) };
    let piped = selection.piped();
    let message = format!("left out {name}, a part of {owner}: kubectl kustomize {word} | {piped}");
    Some(Diagnostic { file: Some(name), ..Diagnostic::note(Code::InputKustomization, message) })
}

/// Returns the files that a kustomization reads and that are not manifests: patches, and sources of generators.
fn named_by(file: &Path) -> Vec<String> {
    const PATHS: [&str; 4] = ["patches", "patchesJson6902", "replacements", "openapi"];
    const FILES: [&str; 5] =
        ["patchesStrategicMerge", "transformers", "generators", "validators", "configurations"];
    let Ok(source) = files::read_file(file) else { return Vec::new() };
    let Some(Ok(document)) = kube_yaml::read(&source).next() else { return Vec::new() };
    let root = &document.node;
    let mut named: Vec<&str> = Vec::new();
    for field in PATHS {
        named.extend(items(root.get(field)).filter_map(|item| item.get("path")?.as_str()));
    }
    for field in FILES {
        named.extend(items(root.get(field)).filter_map(Node::as_str));
    }
    for field in ["configMapGenerator", "secretGenerator"] {
        let sources = items(root.get(field)).flat_map(|item| items(item.get("files")));
        named.extend(sources.filter_map(|source| {
            let text = source.as_str()?;
            Some(text.split_once('=').map_or(text, |(_, path)| path))
        }));
    }
    for chart in items(root.get("helmCharts")) {
        named.extend(chart.get("valuesFile").and_then(Node::as_str));
    }
    // A patch may be inline instead of a path.
    named.retain(|path| !path.contains('\n'));
    named.into_iter().map(str::to_owned).collect()
}

/// Returns the items of a list; any other node is its own only item.
fn items(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    let items = node.map_or(&[][..], |node| match &node.data {
        Data::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    });
    items.iter()
}

/// Returns `path` without `.` and `..`, as far as possible without reading the file system.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => drop(normal.pop()),
            component => normal.push(component),
        }
    }
    normal
}

/// Returns `path` quoted for a shell.
fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/+:@,=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a directory with these files, and what a walk finds in it: files, and messages about others.
    fn listed(name: &str, files: &[(&str, &str)], selection: &Selection) -> Vec<String> {
        let root = std::env::temp_dir().join(format!("kadmit-walk-{name}-{}", std::process::id()));
        for (file, text) in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = manifests(&root, selection);
        let shown = found.into_iter().map(|found| {
            let text = match found {
                Ok(path) => path.display().to_string(),
                Err(diagnostic) => diagnostic.message,
            };
            text.replace(&format!("{}/", root.display()), "").replace(&root.display().to_string(), ".")
        });
        let shown = shown.collect();
        fs::remove_dir_all(&root).unwrap();
        shown
    }

    #[test]
    fn leaves_out_what_git_and_ripgrep_leave_out() {
        let files = [
            (".git/config", ""),
            (".github/workflow.yaml", ""),
            (".gitignore", "/generated\n*.tmp.yaml\n"),
            (".ignore", "fixtures/\n"),
            ("a.tmp.yaml", ""),
            ("b/c.yml", ""),
            ("b/.hidden.yaml", ""),
            ("fixtures/d.yaml", ""),
            ("generated/e.yaml", ""),
            ("node_modules/f/g.json", ""),
            ("h.yaml", ""),
        ];
        assert_eq!(listed("ignored", &files, &Selection::default()), ["b/c.yml", "h.yaml"]);
        let all = listed("all", &files, &Selection::default().of_everything());
        assert_eq!(all.len(), 8, "{all:?}");
    }

    #[test]
    fn a_chart_is_one_note() {
        let files = [("web/Chart.yaml", ""), ("web/templates/web.yaml", ""), ("b.yaml", "")];
        assert_eq!(
            listed("chart", &files, &Selection::default()),
            ["b.yaml", "left out web, a chart: helm template web | kadmit run -"]
        );
        assert_eq!(
            listed("read-chart", &files, &Selection::default().read_by("fix")),
            ["b.yaml", "left out web, a chart: helm template web | kadmit fix -"]
        );
    }

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(word(Path::new("charts/web-1.0")), "charts/web-1.0");
        assert_eq!(word(Path::new("bob's charts")), r"'bob'\''s charts'");
    }

    #[test]
    fn the_patches_of_a_kustomization_are_no_manifests() {
        let kustomization = "resources: [web.yaml]\npatches:\n- path: patches/web.yaml\n- patch: |-\n    - op: add\n\
                             patchesStrategicMerge: [merge.yaml]\nconfigMapGenerator:\n- name: a\n  files: \
                             [key=values.yaml]\n";
        let files = [
            ("o/kustomization.yaml", kustomization),
            ("o/merge.yaml", ""),
            ("o/patches/web.yaml", ""),
            ("o/values.yaml", ""),
            ("o/web.yaml", ""),
        ];
        assert_eq!(
            listed("kustomization", &files, &Selection::default()),
            [
                "left out o/kustomization.yaml, a kustomization: kubectl kustomize o | kadmit run -",
                "o/web.yaml"
            ]
        );
    }
}
