//! The inputs that the user names on the command line: files, directories, patterns and standard input.

mod archive;
mod named;
mod objects;
mod selection;
mod walk;

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::cluster::Fixture;
use crate::code::Code;
use crate::report::Diagnostic;
use crate::suite;
use gotext::source::{Data, Node, SharedFile, SourceFile, Span};
use kube_yaml::{Item, LargeFile, Part, files};

pub(super) use named::Named;
pub(super) use selection::Selection;
pub(super) use walk::files as files_below;

/// A file to read, in the order in which the user named them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    File(PathBuf),
    Standard,
    /// A file that was read before, or with the text of an editor.
    Text(Arc<SourceFile>),
    /// A file of an archive.
    Unpacked(LargeFile),
}

impl Selection {
    /// Returns the files that `arguments` name: files as they are, directories and patterns in the order of names.
    /// Standard input is `-`.
    pub(super) fn expand(&self, arguments: &[String]) -> Vec<Result<Input, Diagnostic>> {
        arguments.iter().flat_map(|argument| self.expand_one(argument)).collect()
    }

    fn expand_one(&self, argument: &str) -> Vec<Result<Input, Diagnostic>> {
        if argument == "-" {
            let templates = templates();
            return if templates.is_empty() {
                vec![Ok(Input::Standard)]
            } else {
                templates.iter().cloned().map(|template| Ok(Input::Text(template))).collect()
            };
        }
        let path = PathBuf::from(argument);
        if argument.starts_with("https://") || argument.starts_with("http://") {
            let message = format!("{argument} is not read: kadmit opens no connection for manifests");
            let error = Diagnostic::input(Code::InputAddress, message);
            return vec![Err(error.help(format!("curl -fsSL '{argument}' | {}", self.piped())))];
        }
        if path.exists() || !argument.contains(['*', '?', '[']) {
            return self.files_of(&path);
        }
        let matches = match glob::glob(argument) {
            Ok(matches) => matches,
            Err(error) => {
                let message = format!("`{argument}` is not a pattern: {}", error.msg);
                return vec![Err(Diagnostic::input(Code::InputPattern, message))];
            }
        };
        let mut inputs = Vec::new();
        for found in matches {
            match found {
                Ok(path) => inputs.extend(self.files_of(&path)),
                Err(error) => {
                    inputs.push(Err(Diagnostic::input(Code::InputUnreadable, error.to_string())));
                }
            }
        }
        if inputs.is_empty() {
            let message = format!("`{argument}` matches no file");
            inputs.push(Err(Diagnostic::input(Code::InputNoMatch, message)));
        }
        inputs
    }

    /// Returns the file, or the manifests below the directory. Suites may be next to the manifests that they test; in a
    /// directory they are ignored.
    fn files_of(&self, path: &Path) -> Vec<Result<Input, Diagnostic>> {
        if !path.is_dir() {
            if let Some(found) = archive::inputs(path) {
                return found;
            }
            return vec![walk::patch(path, self).map_or_else(|| Ok(Input::File(path.to_owned())), Err)];
        }
        let is_meant =
            |file: &Result<PathBuf, _>| file.as_ref().map_or(true, |file| !suite::is_suite_file(file));
        let found = walk::manifests(path, self).into_iter().filter(is_meant);
        found.map(|file| file.map(Input::File)).collect()
    }

    /// Returns advice if `arguments` contain no manifest because files are left out.
    pub(super) fn help_for_nothing(&self, arguments: &[String]) -> Option<String> {
        let directories = arguments.iter().map(Path::new).filter(|path| path.is_dir());
        let ignored: usize = directories.map(|path| walk::ignored(path, self)).sum();
        let files = if ignored == 1 { "1 file is".to_owned() } else { format!("{ignored} files are") };
        (ignored > 0 && !self.no_ignore)
            .then(|| format!("{files} left out as hidden or ignored; --no-ignore reads them"))
    }
}

impl Input {
    /// Returns the name for reports.
    pub(super) fn name(&self) -> Cow<'_, str> {
        match self {
            Self::File(path) => path.to_string_lossy(),
            Self::Standard => Cow::Borrowed("-"),
            Self::Text(source) => Cow::Borrowed(source.name()),
            Self::Unpacked(file) => file.name().to_string_lossy(),
        }
    }

    /// Reads the whole file.
    pub(super) fn read(&self) -> Result<Arc<SourceFile>, Diagnostic> {
        let read = match self {
            Self::File(path) => files::read_file(path),
            Self::Text(source) => return Ok(source.clone()),
            Self::Unpacked(file) => file.read(),
            Self::Standard => match standard_input()? {
                Standard::Text(source) => return Ok(source.clone()),
                Standard::Large(file) => file.read(),
            },
        };
        read.map_err(|error| Diagnostic::from(&error))
    }
}

impl Input {
    /// Returns the file, if it is so large that it is read in pieces.
    pub(super) fn large(&self) -> Option<LargeFile> {
        match self {
            Self::File(path) => LargeFile::at(path),
            Self::Unpacked(file) => file.is_large().then(|| file.clone()),
            Self::Standard => match standard_input() {
                Ok(Standard::Large(file)) => Some(file.clone()),
                _ => None,
            },
            Self::Text(_) => None,
        }
    }
}

/// What standard input has.
enum Standard {
    Text(Arc<SourceFile>),
    /// A copy.
    Large(LargeFile),
}

/// What standard input has. It can be read only once, and two runs may need it.
static STANDARD_INPUT: OnceLock<Result<Standard, Diagnostic>> = OnceLock::new();

/// Lets every reader of standard input get `error` instead: it belongs to a client that waits for answers, and would
/// never end.
pub(super) fn refuse_standard_input(error: Diagnostic) {
    // Whoever was first has read it to its end, or refuses it as well.
    let _ = STANDARD_INPUT.set(Err(error));
}

fn standard_input() -> Result<&'static Standard, Diagnostic> {
    STANDARD_INPUT.get_or_init(read_standard_input).as_ref().map_err(Diagnostic::clone)
}

/// The line by which Helm names the template that it rendered.
const SOURCE: &str = "# Source: ";

/// Returns what each template rendered, under its name, if standard input is the output of `helm template`.
pub(super) fn templates() -> &'static [Arc<SourceFile>] {
    static TEMPLATES: OnceLock<Vec<Arc<SourceFile>>> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        let Ok(Standard::Text(source)) = standard_input() else { return Vec::new() };
        split_templates(source.text()).into_iter().map(|(name, text)| SourceFile::new(name, text)).collect()
    })
}

/// Splits the output of `helm template`; nothing if it is not one.
fn split_templates(text: &str) -> Vec<(&str, &str)> {
    let starts = text.match_indices("---\n").map(|(start, mark)| (start, start + mark.len()));
    let starts = starts.filter(|(start, after)| {
        (*start == 0 || text[..*start].ends_with('\n')) && text[*after..].starts_with(SOURCE)
    });
    let starts: Vec<(usize, usize)> = starts.collect();
    // Anything before would have no name.
    if starts.first().is_none_or(|(start, _)| !text[..*start].trim().is_empty()) {
        return Vec::new();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    let part = |((_, start), end): (&(usize, usize), usize)| {
        let part = &text[*start..end];
        let name = part.lines().next().and_then(|line| line.strip_prefix(SOURCE)).unwrap_or_default();
        (name.trim(), part)
    };
    starts.iter().zip(ends).map(part).collect()
}

/// The bytes of what is no file that stay in memory.
const MAX_IN_MEMORY: u64 = 16 << 20;

fn read_standard_input() -> Result<Standard, Diagnostic> {
    let wrong = |error: kube_yaml::Error| Diagnostic::from(&error);
    let read = || -> io::Result<Result<LargeFile, Vec<u8>>> {
        let (mut input, mut bytes) = (io::stdin().lock(), Vec::new());
        input.by_ref().take(MAX_IN_MEMORY).read_to_end(&mut bytes)?;
        let is_of_helm = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).contains(SOURCE);
        if bytes.len() as u64 == MAX_IN_MEMORY
            && !is_of_helm
            && let Ok(mut file) = files::unnamed("kadmit-input")
        {
            file.write_all(&bytes)?;
            let length = MAX_IN_MEMORY + io::copy(&mut input, &mut file)?;
            return Ok(Ok(LargeFile::part_of(SharedFile::new(file), "-", 0, length)));
        }
        input.read_to_end(&mut bytes)?;
        Ok(Err(bytes))
    };
    match read().map_err(|error| wrong(files::unreadable("-", error)))? {
        Ok(large) => Ok(Standard::Large(large)),
        Err(bytes) => files::from_bytes("-", bytes).map(Standard::Text).map_err(wrong),
    }
}

/// The handling of files and documents that are not manifests, such as the values of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NonManifests {
    /// They are errors.
    Refused,
    /// They are left out with a note.
    LeftOut,
}

impl NonManifests {
    /// Returns the documents of a file, split but not yet read.
    pub(super) fn parts_of(
        self,
        input: Result<Input, Diagnostic>,
    ) -> Box<dyn Iterator<Item = Result<Part, Diagnostic>>> {
        match input.and_then(|input| input.read()) {
            Ok(source) => {
                let parts = kube_yaml::split(&source);
                Box::new(parts.map(move |part| part.map_err(|error| self.unreadable(&error, &source))))
            }
            Err(diagnostic) => Box::new(std::iter::once(Err(diagnostic))),
        }
    }

    /// Returns the objects of every document of `paths`.
    pub(super) fn items(
        self,
        paths: &[String],
        selection: &Selection,
    ) -> impl Iterator<Item = Result<Vec<Item>, Diagnostic>> + use<> {
        self.items_of_inputs(selection.expand(paths))
    }

    /// Returns the objects of every document of `inputs`.
    pub(super) fn items_of_inputs(
        self,
        inputs: Vec<Result<Input, Diagnostic>>,
    ) -> impl Iterator<Item = Result<Vec<Item>, Diagnostic>> + use<> {
        let parts = inputs.into_iter().flat_map(move |input| self.parts_of(input));
        parts.map(move |part| part.and_then(|part| self.items_of(&part)))
    }

    /// Returns the objects of a document.
    pub(super) fn items_of(self, part: &Part) -> Result<Vec<Item>, Diagnostic> {
        let document = part.read().map_err(|error| self.unreadable(&error, &part.source))?;
        let Some(document) = document else { return Ok(Vec::new()) };
        match why_no_manifest(&document.node) {
            Some(why) if self == Self::LeftOut => Err(left_out(&part.source, document.node.span, why)),
            _ => Ok(document.unwrap_list()),
        }
    }

    /// Returns the error about an unreadable file, unless it may be skipped. Templates of manifests are unreadable too,
    /// but contain `apiVersion`.
    fn unreadable(self, error: &kube_yaml::Error, source: &SourceFile) -> Diagnostic {
        if self == Self::LeftOut && !source.text().contains("apiVersion") {
            return left_out(source, Span::default(), "it cannot be read, and does not contain `apiVersion`");
        }
        Diagnostic::from(error)
    }
}

/// Returns the reason that `node` is not a manifest. One with only one of `apiVersion` and `kind` counts as an
/// incomplete manifest.
fn why_no_manifest(node: &Node) -> Option<&'static str> {
    if !matches!(node.data, Data::Object(_)) {
        return Some("it is not an object");
    }
    let api_version = node.get("apiVersion");
    if api_version.is_none() && node.get("kind").is_none() {
        return Some("it has neither `apiVersion` nor `kind`");
    }
    let api_version = api_version.and_then(Node::as_str).unwrap_or_default();
    let kind = node.get("kind").and_then(Node::as_str).unwrap_or_default();
    if api_version == suite::API_VERSION && !Fixture::is_answer(api_version, kind) {
        return Some("it belongs to kadmit");
    }
    api_version.starts_with("kustomize.config.k8s.io/").then_some("kustomize reads it itself")
}

/// Returns a note of one line: frames around skipped files would hide what matters to the user.
fn left_out(source: &SourceFile, span: Span, why: &str) -> Diagnostic {
    let (name, (line, _)) = (source.name(), source.line_column(span.start));
    Diagnostic::note(Code::InputNoManifest, format!("left out {name}:{line}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is skipped in a file with `text`, with the reason, or the number of objects.
    fn read(text: &str) -> Vec<Result<usize, String>> {
        let source = SourceFile::new("a.yaml", text);
        let leave_out = NonManifests::LeftOut;
        let parts = kube_yaml::split(&source);
        let parts = parts.map(|part| part.map_err(|error| leave_out.unreadable(&error, &source)));
        let items = parts.map(|part| part.and_then(|part| leave_out.items_of(&part)));
        items.map(|items| items.map(|items| items.len()).map_err(|diagnostic| diagnostic.message)).collect()
    }

    #[test]
    fn the_output_of_helm_has_the_names_of_its_templates() {
        let text = "---\n# Source: shop/templates/a.yaml\nkind: A\n---\nkind: B\n---\n# Source: shop/templates/c.yaml\nkind: C\n";
        assert_eq!(
            split_templates(text),
            [
                ("shop/templates/a.yaml", "# Source: shop/templates/a.yaml\nkind: A\n---\nkind: B\n"),
                ("shop/templates/c.yaml", "# Source: shop/templates/c.yaml\nkind: C\n"),
            ]
        );
        assert_eq!(split_templates("kind: A\n---\n# Source: a\nkind: B\n"), []);
    }

    #[test]
    fn leaves_out_what_is_for_no_server() {
        let cases = [
            ("replicas: 3\n", "left out a.yaml:1: it has neither `apiVersion` nor `kind`"),
            ("- hosts: all\n", "left out a.yaml:1: it is not an object"),
            ("apiVersion: kustomize.config.k8s.io/v1beta1\n", "left out a.yaml:1: kustomize reads it itself"),
            (
                "a: {{ b }}\n{{- c }}\n",
                "left out a.yaml:1: it cannot be read, and does not contain `apiVersion`",
            ),
        ];
        for (text, note) in cases {
            assert_eq!(read(text), [Err(note.to_owned())], "{text}");
        }
        let second = "left out a.yaml:4: it has neither `apiVersion` nor `kind`";
        assert_eq!(read("apiVersion: v1\nkind: Pod\n---\na: 1\n"), [Ok(1), Err(second.to_owned())]);
    }

    #[test]
    fn keeps_what_was_meant_to_be_a_manifest() {
        for text in ["kind: Pod\n", "apiVersion: v1\n", "apiVersion: v1\nkind: List\nitems: [{}]\n"] {
            assert_eq!(read(text), [Ok(1)], "{text}");
        }
        let unreadable = read("apiVersion: v1\n{{- if a }}\n").remove(0).unwrap_err();
        assert!(unreadable.starts_with("yaml: "), "{unreadable}");
    }
}
