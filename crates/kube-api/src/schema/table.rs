//! Parses the text of the tables.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::past::{self, Past};
use super::{Field, Reference, Scalar, Shape, Struct, Topology, Type};
use crate::GroupVersionKind;
use crate::release::{self, RELEASES};
use crate::version::Version;

// `FILES`, the tables of the release.
include!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/v1.", crate::version::binary_minor!(), "/fields.rs"));

// `OPENSHIFT_FILES`, the tables of OpenShift's types.
include!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/openshift/fields.rs"));

/// The field tables of one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The minor, if it is another release than [`Version::BINARY`].
    past: Option<u32>,
}

/// Returns the tables of `version`, or of the nearest release that kadmit knows.
pub fn of_release(version: Version) -> Tables {
    let minor = release::known(version);
    Tables { past: (minor != Version::BINARY.minor).then_some(minor) }
}

impl Tables {
    /// The tables of [`Version::BINARY`].
    pub(crate) const PRESENT: Self = Self { past: None };

    /// Returns the type of objects of `kind`, if the release has it.
    pub fn of(self, kind: &GroupVersionKind) -> Option<&'static Type> {
        /// The number of kinds that a thread remembers: those of a workload and of what controllers create for it.
        const MAX_KEPT: usize = 4;
        thread_local! {
            /// The kinds looked up last, the latest first: a request looks up its own several times.
            static LATEST: RefCell<Vec<(Tables, GroupVersionKind, Option<&'static Type>)>> =
                const { RefCell::new(Vec::new()) };
        }
        let known = LATEST.with_borrow(|latest| {
            let is_known = |(tables, known, _): &&(Self, _, _)| *tables == self && known == kind;
            latest.iter().find(is_known).map(|(.., found)| *found)
        });
        known.unwrap_or_else(|| {
            let found = self.find(kind);
            LATEST.with_borrow_mut(|latest| {
                latest.truncate(MAX_KEPT - 1);
                latest.insert(0, (self, kind.clone(), found));
            });
            found
        })
    }

    fn find(self, kind: &GroupVersionKind) -> Option<&'static Type> {
        let serves = |file: &&File| file.group == Some(&*kind.group) && file.version() == kind.version;
        let mut files = self.files().iter().chain(&OPENSHIFT_FILES).filter(serves);
        let found = files.find_map(|file| file.living(&kind.kind))?;
        found.is_kind().then_some(found)
    }

    /// Returns the type called `path`, such as `core/v1.PodSpec`, if the release has it.
    pub fn named(self, path: &str) -> Option<&'static Type> {
        let (package, name) = path.rsplit_once('.')?;
        self.file(package)?.living(name)
    }

    pub(super) fn file(self, package: &str) -> Option<&'static File> {
        self.files().iter().chain(&OPENSHIFT_FILES).find(|file| file.package == package)
    }

    pub(super) fn files(self) -> &'static [File] {
        static PAST: [OnceLock<Vec<File>>; RELEASES] = [const { OnceLock::new() }; RELEASES];
        match self.past.and_then(|minor| Some((minor, PAST.get((minor - Version::OLDEST.minor) as usize)?))) {
            Some((minor, files)) => files.get_or_init(|| past_files(minor)),
            None => &FILES,
        }
    }
}

/// Returns the API group of a package, of any release.
pub(super) fn group_of(package: &str) -> Option<&'static str> {
    match Tables::PRESENT.file(package) {
        Some(file) => file.group,
        None => past::sections().remove(package)?.group,
    }
}

/// Returns the type of a kind that is gone, as it was in the last release that had it.
pub(super) fn last_of(kind: &GroupVersionKind) -> Option<&'static Type> {
    static LAST: OnceLock<BTreeMap<(&str, &str, &str), u32>> = OnceLock::new();
    let last = LAST.get_or_init(|| {
        let sections = past::sections().into_iter();
        let gone = sections.filter_map(|(package, section)| Some((package, section.group?, section.types)));
        gone.flat_map(|(package, group, types)| {
            let version = package.rsplit('/').next().unwrap_or_default();
            let types = past::types(types).into_iter();
            let ended = types.filter_map(|(name, past)| Some((name, past.span.last()?)));
            ended.map(move |(name, last)| ((group, version, name), last))
        })
        .collect()
    });
    let minor = last.get(&(&*kind.group, &*kind.version, &*kind.kind))?;
    of_release(Version::minor(*minor)).of(kind)
}

/// Returns the type called `path` of a package that is gone, as it was in the last release that had it.
pub(super) fn last_named(path: &str) -> Option<&'static Type> {
    let mut releases = (Version::OLDEST.minor..Version::BINARY.minor).rev();
    releases.find_map(|minor| of_release(Version::minor(minor)).named(path))
}

/// Returns the packages of the release with their history, and those that are gone.
fn past_files(minor: u32) -> Vec<File> {
    let mut sections = past::sections();
    let mut files: Vec<_> = FILES
        .iter()
        .map(|file| file.in_past(minor, sections.remove(file.package).map_or("", |section| section.types)))
        .collect();
    files.extend(sections.into_iter().map(|(package, past::Section { group, types })| {
        let gone =
            group.map_or_else(|| File::of_configuration(package, ""), |group| File::new(group, package, ""));
        gone.in_past(minor, types)
    }));
    files
}

/// The types of one package.
pub(super) struct File {
    /// The API group; none for types that only a server's configuration files use.
    pub(super) group: Option<&'static str>,
    /// The Go package, as the tables spell it.
    pub(super) package: &'static str,
    text: &'static str,
    /// The tables that it belongs to, and the history of its types.
    tables: Tables,
    past: &'static str,
    index: OnceLock<Index>,
}

/// The types of a package by name. A list, as most of it is only searched: one type of hundreds is used.
struct Index(Vec<(&'static str, Definition)>);

struct Definition {
    body: Body,
    past: Option<Past>,
    parsed: OnceLock<Box<Type>>,
}

#[derive(Clone, Copy)]
enum Body {
    /// `Name = expression`
    Alias(&'static str),
    /// The field lines, and whether the struct is atomic.
    Fields(&'static str, bool),
}

impl Index {
    fn of(mut types: Vec<(&'static str, Definition)>) -> Self {
        types.sort_by_key(|(name, _)| *name);
        Self(types)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0.binary_search_by_key(&name, |(name, _)| name).ok()
    }

    fn get(&self, name: &str) -> Option<(&'static str, &Definition)> {
        let (name, definition) = &self.0[self.position(name)?];
        Some((name, definition))
    }
}

impl Definition {
    fn new(body: Body, past: Option<Past>) -> Self {
        Self { body, past, parsed: OnceLock::new() }
    }

    /// Returns a type that the release of the tables no longer has, from its history alone.
    fn gone(past: Past) -> Self {
        let body = match past.head.strip_prefix("= ") {
            Some(expression) => Body::Alias(expression),
            None => Body::Fields("", past.head == "atomic"),
        };
        Self::new(body, Some(past))
    }
}

impl File {
    const fn new(group: &'static str, package: &'static str, text: &'static str) -> Self {
        Self { group: Some(group), package, text, tables: Tables::PRESENT, past: "", index: OnceLock::new() }
    }

    const fn of_configuration(package: &'static str, text: &'static str) -> Self {
        Self { group: None, package, text, tables: Tables::PRESENT, past: "", index: OnceLock::new() }
    }

    /// Returns the same package in an older release.
    pub(super) fn in_past(&self, minor: u32, past: &'static str) -> Self {
        let tables = Tables { past: Some(minor) };
        Self {
            group: self.group,
            package: self.package,
            text: self.text,
            tables,
            past,
            index: OnceLock::new(),
        }
    }

    /// Returns the API version.
    pub(super) fn version(&self) -> &'static str {
        self.package.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the type called `name`.
    pub(super) fn find(&'static self, name: &str) -> Option<&'static Type> {
        let (name, definition) = self.index().get(name)?;
        Some(definition.parsed.get_or_init(|| {
            let key = (self.package, name);
            let name = Cow::Owned(format!("{}.{name}", self.version()));
            let shape = match (self.shape(definition.body), self.tables.past) {
                (Shape::Struct(present), Some(minor)) => {
                    let mut later: Vec<_> = present.fields.iter().map(|field| field.name.clone()).collect();
                    let fields = match definition.past {
                        Some(past) => self.past_fields(present.fields, past, minor),
                        None => present.fields,
                    };
                    later.retain(|name| fields.iter().all(|field| field.name != *name));
                    let fields = past::as_written(key, fields, minor);
                    Shape::Struct(Struct { later, ..Struct::new(fields, present.atomic) })
                }
                (shape, _) => shape,
            };
            Box::new(Type { name, package: self.package, shape })
        }))
    }

    /// Returns the type called `name`, if the release has it.
    pub(super) fn living(&'static self, name: &str) -> Option<&'static Type> {
        let (_, Definition { past, .. }) = self.index().get(name)?;
        let lives = past.zip(self.tables.past).is_none_or(|(past, minor)| past.span.contains(minor));
        if lives { self.find(name) } else { None }
    }

    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.index().0.iter().map(|(name, _)| *name)
    }

    fn definition(&self, name: &str) -> &Definition {
        self.index().get(name).expect("the tables define every name they use").1
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let paragraphs = release::body(self.text).trim_end().split("\n\n");
            let types = paragraphs.filter(|paragraph| !paragraph.is_empty()).map(|paragraph| {
                let (head, fields) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
                let (name, body) = match head.split_once(" = ") {
                    Some((name, expression)) => (name, Body::Alias(expression)),
                    None => match head.strip_suffix(" atomic") {
                        Some(name) => (name, Body::Fields(fields, true)),
                        None => (head, Body::Fields(fields, false)),
                    },
                };
                (name, Definition::new(body, None))
            });
            let mut index = Index::of(types.collect());
            let mut gone = Vec::new();
            for (name, past) in past::types(self.past) {
                match index.position(name) {
                    Some(position) => index.0[position].1.past = Some(past),
                    None => gone.push((name, Definition::gone(past))),
                }
            }
            index.0.append(&mut gone);
            Index::of(index.0)
        })
    }

    /// Returns the fields that a struct had in the release 1.`minor`.
    fn past_fields(&self, mut fields: Vec<Field>, past: Past, minor: u32) -> Vec<Field> {
        let mut older = Vec::new();
        for line in past.lines() {
            let position = fields.iter().position(|field| field.name == line.name);
            match (line.entry, position) {
                (Some(inlined), _) if line.name == "+" => fields.extend(self.inlined(inlined)),
                (Some(entry), position) if line.span.contains(minor) => {
                    let mut words = entry.split(' ');
                    let expression = words.next().unwrap_or_default();
                    let field = self.field(line.name, expression, words);
                    older.push(line.name);
                    match position {
                        Some(position) => fields[position] = field,
                        None => fields.push(field),
                    }
                }
                (None, Some(position)) if !line.span.contains(minor) && !older.contains(&line.name) => {
                    fields.remove(position);
                }
                _ => {}
            }
        }
        fields
    }

    fn shape(&self, body: Body) -> Shape {
        match body {
            Body::Alias(expression) => self.alias(expression),
            Body::Fields(lines, atomic) => Shape::Struct(Struct::new(self.fields(lines), atomic)),
        }
    }

    /// Returns the shape of a named type: that of the type that defines it.
    fn alias(&self, expression: &'static str) -> Shape {
        let scalar = match expression {
            "time" => Scalar::Time,
            "microtime" => Scalar::MicroTime,
            "duration" => Scalar::Duration,
            "json" => Scalar::Json,
            "JSONSchemaProps or bool" => Scalar::SchemaOrBool,
            "JSONSchemaProps or array" => Scalar::SchemaOrArray,
            "JSONSchemaProps or strings" => Scalar::SchemaOrStrings,
            _ => return self.expression(expression),
        };
        Shape::Scalar(scalar)
    }

    fn expression(&self, expression: &'static str) -> Shape {
        if let Some(found) = unnamed(self, expression) {
            return found.shape;
        }
        let (file, name) = self.locate(expression);
        file.shape(file.definition(name).body)
    }

    fn fields(&self, lines: &'static str) -> Vec<Field> {
        let mut fields = Vec::with_capacity(lines.len() / 32);
        for line in lines.lines() {
            let mut words = line.split_ascii_whitespace();
            let name = words.next().expect("a field line has a name");
            let expression = words.next().expect("a field line has a type");
            if name == "+" {
                fields.extend(self.inlined(expression));
            } else {
                fields.push(self.field(name, expression, words));
            }
        }
        fields
    }

    /// Returns the fields of an inlined struct.
    fn inlined(&self, expression: &'static str) -> impl Iterator<Item = Field> + use<> {
        let (file, inlined) = self.locate(expression);
        let Shape::Struct(Struct { fields, .. }) = file.shape(file.definition(inlined).body) else {
            unreachable!("{expression} is inlined and no struct")
        };
        fields.into_iter().map(move |mut field| {
            field.embedded.insert(0, inlined);
            field
        })
    }

    fn field(
        &self,
        name: &'static str,
        expression: &'static str,
        options: impl Iterator<Item = &'static str>,
    ) -> Field {
        let mut field = Field {
            name: Cow::Borrowed(name),
            embedded: Vec::new(),
            reference: self.reference(expression),
            omit_empty: false,
            omit_zero: false,
            always: false,
            topology: Topology::Default,
            patch: None,
        };
        for option in options {
            match option {
                "omitempty" => field.omit_empty = true,
                "omitzero" => field.omit_zero = true,
                "always" => field.always = true,
                "atomic" => field.topology = Topology::Atomic,
                "granular" => field.topology = Topology::Granular,
                "set" => field.topology = Topology::Set,
                _ => {
                    if let Some(keys) = arguments(option, "map(") {
                        field.topology = Topology::Map(keys.split(',').collect());
                    } else if let Some(patch) = arguments(option, "patch(") {
                        field.patch = Some(match patch.split_once(':') {
                            Some((strategies, key)) => (strategies, Some(key)),
                            None => (patch, None),
                        });
                    }
                }
            }
        }
        field
    }

    fn reference(&self, expression: &'static str) -> Reference {
        let (pointer, expression) =
            expression.strip_prefix('*').map_or((false, expression), |target| (true, target));
        if let Some(found) = unnamed(self, expression) {
            return Reference::new(pointer, found);
        }
        if expression.contains('.') {
            Reference::named(pointer, self.tables, expression)
        } else {
            Reference::named(pointer, self.tables, format!("{}.{expression}", self.package))
        }
    }

    /// Returns the file and the name within it that `expression` refers to.
    fn locate(&self, expression: &'static str) -> (&File, &'static str) {
        match expression.rsplit_once('.') {
            None => (self, expression),
            Some((package, name)) => {
                (self.tables.file(package).expect("the tables define every package they use"), name)
            }
        }
    }
}

/// Returns the type of an expression that does not name a type of the tables.
fn unnamed(file: &File, expression: &'static str) -> Option<Type> {
    if expression == "[]byte" {
        return Some(Type { name: Cow::Borrowed(""), package: "", shape: Shape::Scalar(Scalar::Bytes) });
    }
    if let Some(item) = expression.strip_prefix("[]") {
        return Some(Type { name: Cow::Borrowed(""), package: "", shape: Shape::List(file.reference(item)) });
    }
    if let Some((key, value)) = expression.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        let key = match key.rsplit_once('/') {
            Some((_, name)) => Cow::Borrowed(name),
            None if key == "string" => Cow::Borrowed(key),
            None => Cow::Owned(format!("{}.{key}", file.version())),
        };
        return Some(Type {
            name: Cow::Borrowed(""),
            package: "",
            shape: Shape::Map { key, value: file.reference(value) },
        });
    }
    let (name, scalar) = match expression {
        "string" => ("", Scalar::String),
        "bool" => ("", Scalar::Bool),
        "int32" => ("", Scalar::Int32),
        "int64" => ("", Scalar::Int64),
        "int" => (expression, Scalar::Int64),
        "float64" => ("", Scalar::Float64),
        "types.UID" | "types.NodeName" => (expression, Scalar::String),
        "resource.Quantity" => (expression, Scalar::Quantity),
        "intstr.IntOrString" => (expression, Scalar::IntOrString),
        "runtime.RawExtension" | "runtime.Unknown" => (expression, Scalar::Json),
        _ => return None,
    };
    Some(Type { name: Cow::Borrowed(name), package: "", shape: Shape::Scalar(scalar) })
}

fn arguments<'a>(option: &'a str, name: &str) -> Option<&'a str> {
    option.strip_prefix(name)?.strip_suffix(')')
}
