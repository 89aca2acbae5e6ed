//! The field tables of OpenShift's kinds, from the Go sources of `github.com/openshift/api`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The packages, each of which has a table, and the version that is served.
const PACKAGES: [&str; 13] = [
    "apiserver",
    "apps",
    "authorization",
    "build",
    "config",
    "image",
    "operator",
    "project",
    "quota",
    "route",
    "security",
    "template",
    "user",
];

/// The types that the tables do not have, and those that they use instead: a number is as large as it may be in JSON, and
/// the metadata of an image is read when it is decoded.
const REPLACED: [(&str, &str); 3] = [("int", "int64"), ("uint32", "int64"), ("time.Duration", "int64")];
const IMAGE_METADATA: (&str, &str) =
    ("dockerImageMetadata runtime.RawExtension", "dockerImageMetadata openshift/docker/v1.DockerImage");

/// The beginnings of import paths, and what the tables have instead.
const ROOTS: [(&str, &str); 7] = [
    ("k8s.io/apimachinery/pkg/apis/", ""),
    ("k8s.io/apimachinery/pkg/util/", ""),
    ("k8s.io/apimachinery/pkg/api/", ""),
    ("k8s.io/apimachinery/pkg/", ""),
    ("k8s.io/api/", ""),
    ("github.com/openshift/api/", "openshift/"),
    ("", ""),
];

/// A type of a package, as the tables have it.
#[derive(Debug, PartialEq, Eq)]
enum Type {
    /// A struct, with its lines.
    Fields(Vec<String>),
    /// Another name of a type.
    Alias(String),
}

/// Writes the tables from the sources in `directory`, or lists where they differ.
pub(crate) fn run(directory: &Path, data: &Path, only_checks: bool) -> Result<Vec<String>, Vec<String>> {
    let (mut lines, mut differences) = (Vec::new(), Vec::new());
    for package in PACKAGES {
        let path = data.join(format!("openshift/fields/{package}.v1.txt"));
        let fault = |error: &dyn std::fmt::Display| vec![format!("{package}: {error}")];
        let known = fs::read_to_string(&path).map_err(|error| fault(&error))?;
        // The first line names the release, which the sources do not.
        let header = known.lines().next().unwrap_or_default();
        let types = types_of(&directory.join(package).join("v1")).map_err(|error| fault(&error))?;
        let table = write(header, &types);
        if table == known {
            continue;
        }
        if only_checks {
            differences.push(format!("{package}.v1.txt: {}", first_difference(&known, &table)));
        } else {
            fs::write(&path, table).map_err(|error| fault(&error))?;
            lines.push(format!("wrote {package}.v1.txt"));
        }
    }
    if differences.is_empty() { Ok(lines) } else { Err(differences) }
}

fn first_difference(known: &str, made: &str) -> String {
    let mut pairs = known.lines().zip(made.lines()).enumerate();
    match pairs.find(|(_, (known, made))| known != made) {
        Some((line, (known, made))) => format!("line {}: `{known}` should be `{made}`", line + 1),
        None => "another number of lines".to_owned(),
    }
}

/// Reads the types of the package in `directory`.
fn types_of(directory: &Path) -> std::io::Result<BTreeMap<String, Type>> {
    let mut types = BTreeMap::new();
    let mut paths: Vec<_> =
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_generated = name.starts_with("zz_") || name.starts_with("generated.");
        let is_go = path.extension().is_some_and(|extension| extension == "go");
        if is_go && !name.ends_with("_test.go") && !is_generated {
            read_types(&fs::read_to_string(&path)?, &mut types);
        }
    }
    Ok(types)
}

/// Adds the types in a Go file.
fn read_types(text: &str, types: &mut BTreeMap<String, Type>) {
    let (mut imports, mut current) = (BTreeMap::new(), None::<String>);
    for line in code(text) {
        if let Some(name) = &current {
            if line == "}" {
                current = None;
            } else if let (Some(Type::Fields(fields)), Some(field)) =
                (types.get_mut(name), field(line, &imports))
            {
                fields.push(field);
            }
        } else if let Some((alias, path)) = import(line) {
            imports.insert(alias.to_owned(), path.to_owned());
        } else if let Some((name, definition)) =
            line.strip_prefix("type ").and_then(|rest| rest.split_once(' '))
        {
            let definition = definition.trim_start_matches("= ").trim();
            if definition.starts_with("struct") {
                types.insert(name.to_owned(), Type::Fields(Vec::new()));
                current = (!definition.ends_with('}')).then(|| name.to_owned());
            } else if !definition.starts_with("interface") && !definition.starts_with("func") {
                types.insert(name.to_owned(), Type::Alias(expression(definition, &imports)));
            }
        }
    }
}

/// Returns the lines without comments and blanks around them, except for empty ones.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let mut is_comment = false;
    let lines = text.lines().map(move |line| {
        let line = match (is_comment, line.split_once("*/")) {
            (false, _) => uncommented(line),
            (true, Some((_, rest))) => uncommented(rest),
            (true, None) => return "",
        };
        is_comment = false;
        match line.split_once("/*").filter(|_| !line.contains('`')) {
            Some((code, comment)) => {
                is_comment = !comment.contains("*/");
                code.trim()
            }
            None => line,
        }
    });
    lines.filter(|line| !line.is_empty())
}

/// Returns a line without its comment; a tag may be followed by one.
fn uncommented(line: &str) -> &str {
    let end = match (line.rfind('`'), line.find("//")) {
        (Some(tag), Some(comment)) if comment > line.find('`').unwrap_or_default() => tag + 1,
        (_, Some(comment)) => comment,
        _ => line.len(),
    };
    line[..end].trim()
}

/// Returns the name and the path of an import.
fn import(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("import ").unwrap_or(line);
    let (alias, path) = line.strip_suffix('"')?.split_once('"')?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let alias = alias.trim();
    let is_word = alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word.then_some((if alias.is_empty() { name } else { alias }, path))
}

/// Returns the line of a field; nothing for one that JSON does not have.
fn field(line: &str, imports: &BTreeMap<String, String>) -> Option<String> {
    let (declaration, tag) = line.split_once('`')?;
    let tag = tag.trim_end_matches('`');
    let mut words = declaration.split_whitespace();
    let first = words.next()?;
    let (name, type_name) = words.next().map_or((None, first), |second| (Some(first), second));
    let mut options = of_tag(tag, "json")?.split(',');
    let json = options.next().unwrap_or_default();
    let found = expression(type_name, imports);
    match (json, name) {
        ("-", _) => return None,
        ("", None) => return Some(format!("  + {found}")),
        // An inlined struct may have a name in Go.
        ("", Some(_)) => return options.any(|option| option == "inline").then(|| format!("  + {found}")),
        _ => {}
    }
    let mut field = format!("  {json} {found}");
    if field.trim_start() == IMAGE_METADATA.0 {
        field = format!("  {}", IMAGE_METADATA.1);
    }
    for option in options.filter(|option| ["omitempty", "omitzero"].contains(option)) {
        field.push(' ');
        field.push_str(option);
    }
    if let Some(strategy) = of_tag(tag, "patchStrategy") {
        let key = of_tag(tag, "patchMergeKey").map(|key| format!(":{key}")).unwrap_or_default();
        field.extend([" patch(", strategy, &key, ")"]);
    }
    Some(field)
}

/// Returns the value of `key` in the tag of a field.
fn of_tag<'a>(tag: &'a str, key: &str) -> Option<&'a str> {
    let entry = tag.split_whitespace().find_map(|entry| entry.strip_prefix(key)?.strip_prefix(":\""))?;
    entry.strip_suffix('"')
}

/// Returns a Go type as the tables write it.
fn expression(text: &str, imports: &BTreeMap<String, String>) -> String {
    let text = text.trim();
    for prefix in ["*", "[]"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return format!("{prefix}{}", expression(rest, imports));
        }
    }
    if let Some((key, value)) = text.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        return format!("map[{}]{}", expression(key, imports), expression(value, imports));
    }
    let named = match text.split_once('.') {
        Some((package, name)) => {
            let path = imports.get(package).map_or(package, String::as_str);
            let root = ROOTS.iter().find_map(|(root, short)| Some((path.strip_prefix(root)?, short)));
            let (rest, short) = root.unwrap_or((path, &""));
            format!("{short}{rest}.{name}")
        }
        None => text.to_owned(),
    };
    let replaced = REPLACED.iter().find(|(known, _)| *known == named);
    replaced.map_or(named.clone(), |(_, replacement)| (*replacement).to_owned())
}

fn write(header: &str, types: &BTreeMap<String, Type>) -> String {
    let mut text = format!("{header}\n");
    for (name, found) in types {
        match found {
            Type::Alias(other) => text.extend(["\n", name, " = ", other, "\n"]),
            Type::Fields(fields) => {
                text.extend(["\n", name, "\n"]);
                text.extend(fields.iter().flat_map(|field| [field, "\n"]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"time"
)

/* type Old struct {
} */

// Thing has // comments, such as a/*.
type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// +optional
	Tags []Tag `json:"tags,omitempty" patchStrategy:"merge" patchMergeKey:"name"` // more
	Environment map[string][]corev1.EnvVar `json:"environment"`
	Wait *time.Duration `json:"wait,omitempty,omitzero"`
	Count uint32 `json:"count"`
	hidden string
	Skipped string `json:"-"`
}

type Tag struct{}

type Mode string
"#;

    #[test]
    fn writes_types_as_the_tables_have_them() {
        let mut types = BTreeMap::new();
        read_types(SOURCE, &mut types);
        assert_eq!(
            write("# things", &types),
            "# things\n\nMode = string\n\nTag\n\nThing\n  + meta/v1.TypeMeta\n  metadata meta/v1.ObjectMeta omitempty\n  \
             tags []Tag omitempty patch(merge:name)\n  environment map[string][]core/v1.EnvVar\n  wait *int64 omitempty \
             omitzero\n  count int64\n"
        );
    }

    #[test]
    fn names_the_first_line_that_differs() {
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), "line 2: `b` should be `c`");
        assert_eq!(first_difference("a\n", "a\nc\n"), "another number of lines");
    }
}
