//! Facts that only the Go sources have: the text files in `data/go/`, and the signatures of functions in `kube-cel`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::fields::Likely;

/// All notes.
pub(crate) struct Notes {
    /// The packages of types, ordered by the name of their file.
    pub(crate) packages: Vec<Package>,
    /// Full names of the definitions that no table has.
    pub(crate) left_out: Note,
    /// Fields that are gone and were pointers, where no other source has that.
    pub(crate) gone: Note,
    pub(crate) gates: Note,
    pub(crate) kinds: Note,
    pub(crate) rbac: Note,
    pub(crate) cel: Note,
}

/// One file: its sources and its lines.
#[derive(Default)]
pub(crate) struct Note {
    /// The Go packages and their tag.
    pub(crate) source: String,
    /// The comment before the first empty line, as it is in the file.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// The types of one Go package.
pub(crate) struct Package {
    /// The name in the tables, such as `apps/v1`.
    pub(crate) name: String,
    /// The name in OpenAPI, such as `io.k8s.api.apps.v1`.
    pub(crate) published: String,
    /// The API group; none for types that only configuration files use.
    pub(crate) group: Option<String>,
    pub(crate) source: String,
    head: String,
    /// By name.
    pub(crate) types: BTreeMap<String, Type>,
}

pub(crate) enum Type {
    /// Another name for a type.
    Alias(String),
    Struct {
        /// OpenAPI does not have it: the lines are complete.
        unpublished: bool,
        atomic: bool,
        lines: Vec<Line>,
    },
}

#[derive(Clone)]
pub(crate) enum Line {
    /// The fields of another struct.
    Inlined(String),
    /// The name of a field and its marks from Go.
    Field(String, Vec<String>),
}

impl Note {
    fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let source = head.lines().find_map(|line| line.strip_prefix("# source: "));
        let source = source.ok_or_else(|| format!("{}: no line `# source: PACKAGE TAG`", path.display()))?;
        Ok(Self { source: source.to_owned(), head: head.to_owned(), body: body.to_owned() })
    }

    /// Returns the lines, without comments and empty ones.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.body.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}

impl Notes {
    pub(crate) fn read(directory: &Path) -> Result<Self, String> {
        let note = |name: &str| Note::read(&directory.join(name));
        let fields = directory.join("fields");
        let files = fs::read_dir(&fields).map_err(|error| format!("{}: {error}", fields.display()))?;
        let mut names: Vec<_> = files.filter_map(|file| file.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        let packages: Result<_, String> = names
            .iter()
            .map(|file| Package::new(file.trim_end_matches(".txt"), &Note::read(&fields.join(file))?))
            .collect();
        Ok(Self {
            packages: packages?,
            left_out: note("left-out.txt")?,
            gone: note("gone.txt")?,
            gates: note("gates.txt")?,
            kinds: note("kinds.txt")?,
            rbac: note("rbac.txt")?,
            cel: note("../../../kube-cel/data/cel.txt")?,
        })
    }

    /// Adds likely entries, marked for review. Returns the additions, one per line.
    pub(crate) fn add(&mut self, likely: &[Likely]) -> Vec<String> {
        for found in likely {
            let Some(package) = self.packages.iter_mut().find(|package| package.name == found.package) else {
                continue;
            };
            let entry = package.types.entry(found.owner.clone());
            if let Type::Struct { lines, .. } = entry.or_insert_with(Type::published) {
                lines.extend(found.lines.iter().cloned());
            }
        }
        likely.iter().map(Likely::to_string).collect()
    }

    /// Writes the notes about types back.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), String> {
        for package in &self.packages {
            let path = directory.join("fields").join(package.file());
            fs::write(&path, package.text()).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

impl Package {
    fn new(file: &str, note: &Note) -> Result<Self, String> {
        let path = note.source.split(' ').next().unwrap_or_default();
        let group = note.head.lines().find_map(|line| line.strip_prefix("# group: "));
        let mut types = BTreeMap::new();
        for paragraph in note.body.trim_end().split("\n\n") {
            let (name, found) = Type::read(paragraph).ok_or_else(|| format!("{file}: {paragraph}"))?;
            types.insert(name, found);
        }
        Ok(Self {
            name: file.replacen('.', "/", 1),
            published: published(path),
            group: group.map(|group| if group == "core" { String::new() } else { group.to_owned() }),
            source: note.source.clone(),
            head: note.head.clone(),
            types,
        })
    }

    /// Returns a package that the release no longer has, by the name that OpenAPI had for it.
    pub(crate) fn gone(published: &str, group: Option<String>) -> Self {
        let mut parts = published.rsplit('.');
        let (version, base) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        Self {
            name: format!("{base}/{version}"),
            published: published.to_owned(),
            group,
            source: String::new(),
            head: String::new(),
            types: BTreeMap::new(),
        }
    }

    /// Returns the name of its file.
    pub(crate) fn file(&self) -> String {
        format!("{}.txt", self.name.replace('/', "."))
    }

    /// Its file.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n", self.head);
        for (name, found) in &self.types {
            text.push('\n');
            found.write(name, &mut text);
        }
        text
    }
}

impl Type {
    /// Returns a struct that the documents describe.
    pub(crate) fn published() -> Self {
        Self::Struct { unpublished: false, atomic: false, lines: Vec::new() }
    }

    fn read(paragraph: &str) -> Option<(String, Self)> {
        let mut lines = paragraph.lines();
        let head = lines.next()?;
        if let Some((name, expression)) = head.split_once(" = ") {
            return Some((name.to_owned(), Self::Alias(expression.to_owned())));
        }
        let mut words = head.split(' ');
        let name = words.next()?.to_owned();
        let (mut unpublished, mut atomic) = (false, false);
        for word in words {
            match word {
                "unpublished" => unpublished = true,
                "atomic" => atomic = true,
                _ => return None,
            }
        }
        let lines: Option<_> = lines.map(Line::read).collect();
        Some((name, Self::Struct { unpublished, atomic, lines: lines? }))
    }

    fn write(&self, name: &str, text: &mut String) {
        match self {
            Self::Alias(expression) => {
                let _ = writeln!(text, "{name} = {expression}");
            }
            Self::Struct { unpublished, atomic, lines } => {
                let unpublished = if *unpublished { " unpublished" } else { "" };
                let atomic = if *atomic { " atomic" } else { "" };
                let _ = writeln!(text, "{name}{unpublished}{atomic}");
                write_all(lines, text);
            }
        }
    }
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("  ")?.split(' ').map(str::to_owned);
        match words.next()?.as_str() {
            "+" => Some(Self::Inlined(words.next()?)),
            name => Some(Self::Field(name.to_owned(), words.collect())),
        }
    }

    pub(crate) fn write(&self, text: &mut String) {
        let _ = match self {
            Self::Inlined(path) => writeln!(text, "  + {path}"),
            Self::Field(name, words) if words.is_empty() => writeln!(text, "  {name}"),
            Self::Field(name, words) => writeln!(text, "  {name} {}", words.join(" ")),
        };
    }
}

/// Writes the lines of a struct.
pub(crate) fn write_all(lines: &[Line], text: &mut String) {
    for line in lines {
        line.write(text);
    }
}

/// Returns the OpenAPI name of a Go package: `k8s.io/api/apps/v1` is `io.k8s.api.apps.v1`.
fn published(path: &str) -> String {
    let (domain, rest) = path.split_once('/').unwrap_or((path, ""));
    let domain: Vec<_> = domain.split('.').rev().collect();
    format!("{}.{}", domain.join("."), rest.replace('/', "."))
}
