//! Rules with which other tools ignore what the server, plugins and controllers write into fields of a manifest.

use std::io::{self, Write};

use crate::report::drift::{Drift, ExplainedField, Identity};
use crate::report::printable::printable_line;
use gotext::pointer::escape;
use gotext::value::Text;
use kube_api::Value;
use kube_registry::merge::keys_of;

/// The tool that reads the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum RuleFormat {
    /// `ignoreDifferences` of an Application of Argo CD
    #[cfg_attr(feature = "cli", value(name = "argocd"))]
    ArgoCd,
    /// `driftDetection.ignore` of a `HelmRelease` of Flux; the `ignore` of a Kustomization has the same entries
    Flux,
    /// `computed_fields` of `kubernetes_manifest` of Terraform
    Terraform,
}

/// What Terraform does not compare where there is no `computed_fields`, which replaces this.
const COMPUTED: [&str; 2] = ["metadata.annotations", "metadata.labels"];

/// Writes the rules for the fields that manifests have and that end up different in the cluster for a known reason.
/// A tool does not compare fields that its manifests do not have.
pub fn write_rules(out: &mut impl Write, drift: &Drift, format: RuleFormat) -> io::Result<()> {
    let is_ignored = |field: &ExplainedField| {
        format == RuleFormat::Terraform && COMPUTED.iter().any(|field_of| field.path.starts_with(field_of))
    };
    let objects = drift.objects.iter().filter_map(|object| {
        let fields = object.explained.iter().filter(|field| field.in_manifest && !is_ignored(field));
        let fields: Vec<_> = fields.collect();
        (!fields.is_empty()).then_some((&object.identity, fields))
    });
    let objects: Vec<_> = objects.collect();
    if objects.is_empty() {
        return writeln!(
            out,
            "# no rule is needed: nothing in the cluster changes fields of these manifests"
        );
    }
    match format {
        RuleFormat::ArgoCd => {
            writeln!(out, "# for spec of an Application\nignoreDifferences:")?;
            objects.iter().try_for_each(|(identity, fields)| write_argo(out, identity, fields))?;
        }
        RuleFormat::Flux => {
            writeln!(
                out,
                "# for spec of a HelmRelease; that of a Kustomization has the same entries in `ignore`\ndriftDetection:\n  mode: enabled\n  ignore:"
            )?;
            objects.iter().try_for_each(|(identity, fields)| write_flux(out, identity, fields))?;
        }
        RuleFormat::Terraform => {
            objects.iter().try_for_each(|(identity, fields)| write_terraform(out, identity, fields))?;
        }
    }
    out.flush()
}

fn write_argo(out: &mut impl Write, identity: &Identity, fields: &[&ExplainedField]) -> io::Result<()> {
    let Identity { api_version, kind, namespace, name } = identity;
    writeln!(out, "- kind: {}", quoted(kind))?;
    if let Some((group, _)) = api_version.split_once('/') {
        writeln!(out, "  group: {}", quoted(group))?;
    }
    writeln!(out, "  name: {}", quoted(name))?;
    if !namespace.is_empty() {
        writeln!(out, "  namespace: {}", quoted(namespace))?;
    }
    // A pointer has the index of an item, which others may move.
    let (expressions, pointers): (Vec<&ExplainedField>, Vec<&ExplainedField>) =
        fields.iter().partition(|field| has_item(field));
    if !pointers.is_empty() {
        writeln!(out, "  jsonPointers:")?;
    }
    for field in pointers {
        writeln!(out, "  - {} # {}", quoted(&pointer(&field.names)), reason(field))?;
    }
    if !expressions.is_empty() {
        writeln!(out, "  jqPathExpressions:")?;
    }
    for field in expressions {
        writeln!(out, "  - {} # {}", quoted(&expression(&field.names)), reason(field))?;
    }
    Ok(())
}

fn write_flux(out: &mut impl Write, identity: &Identity, fields: &[&ExplainedField]) -> io::Result<()> {
    let Identity { api_version, kind, namespace, name } = identity;
    writeln!(out, "  - paths:")?;
    for field in fields {
        writeln!(out, "    - {} # {}", quoted(&indexed_pointer(&field.path)), reason(field))?;
    }
    // All are regular expressions of the whole value; an empty one would select every group.
    let group = api_version.split_once('/').map_or("^$", |(group, _)| group);
    writeln!(out, "    target:\n      group: {}", quoted(group))?;
    writeln!(out, "      kind: {}\n      name: {}", quoted(kind), quoted(&name.replace('.', "\\.")))?;
    if namespace.is_empty() { Ok(()) } else { writeln!(out, "      namespace: {}", quoted(namespace)) }
}

fn write_terraform(out: &mut impl Write, identity: &Identity, fields: &[&ExplainedField]) -> io::Result<()> {
    writeln!(out, "# for the kubernetes_manifest of {identity}\ncomputed_fields = [")?;
    for field in COMPUTED {
        writeln!(out, "  {}, # the default, which this list replaces", quoted(field))?;
    }
    for field in fields {
        writeln!(out, "  {}, # {}", quoted_for_terraform(&attribute_path(field)), reason(field))?;
    }
    writeln!(out, "]")
}

/// Returns the cause of a field for a comment: names of managers are what a dump says.
fn reason(field: &ExplainedField) -> String {
    printable_line(&field.cause.to_string()).into_owned()
}

fn has_item(field: &ExplainedField) -> bool {
    field.names.iter().any(|name| !name.starts_with("f:"))
}

/// Returns a JSON pointer to a field that is not in a list.
fn pointer(names: &[String]) -> String {
    let steps = names.iter().map(|name| name.trim_start_matches("f:"));
    json_pointer(steps)
}

/// Returns a JSON pointer to the field of `path`, such as `spec.containers[0].image`.
fn indexed_pointer(path: &str) -> String {
    json_pointer(steps(path).iter().map(|(step, _)| step.as_str()))
}

/// Writes a pointer of RFC 6901.
fn json_pointer<'a>(steps: impl Iterator<Item = &'a str>) -> String {
    steps.flat_map(|step| ["/".into(), escape(step)]).collect()
}

/// Returns a path of attributes, whose keys of maps are in quotes: `spec.containers[0].image`, `data["mode"]`.
fn attribute_path(field: &ExplainedField) -> String {
    let mut text = String::new();
    for ((step, is_key), name) in steps(&field.path).into_iter().zip(&field.names) {
        match (is_key, name.starts_with("f:")) {
            (true, true) => text.extend(["[", &quoted(&step), "]"]),
            (true, false) => text.extend(["[", &step, "]"]),
            (false, _) if text.is_empty() => text.push_str(&step),
            (false, _) => text.extend([".", &step]),
        }
    }
    text
}

/// Returns the fields of a path, and its keys and indices, which are in brackets.
fn steps(path: &str) -> Vec<(String, bool)> {
    let mut steps = vec![(String::new(), false)];
    let mut in_brackets = false;
    for sign in path.chars() {
        match sign {
            '[' if !in_brackets => {
                in_brackets = true;
                steps.push((String::new(), true));
            }
            ']' if in_brackets => in_brackets = false,
            '.' if !in_brackets => steps.push((String::new(), false)),
            sign => steps.last_mut().expect("there is a first step").0.push(sign),
        }
    }
    steps.retain(|(step, _)| !step.is_empty());
    steps
}

/// Returns an expression of jq that finds items by their keys.
fn expression(names: &[String]) -> String {
    let mut text = String::new();
    for name in names {
        match name.split_once(':') {
            Some(("k", _)) => {
                let keys = keys_of(name).unwrap_or_default();
                let pairs = keys.as_object().into_iter().flatten();
                let condition = |(key, value): (&Text, &Value)| match &**key {
                    // The only key that may be left out of a manifest.
                    "protocol" => format!("(.protocol // \"TCP\") == {value}"),
                    key => format!(".{key} == {value}"),
                };
                let conditions: Vec<String> = pairs.map(condition).collect();
                text.extend(["[] | select(", &conditions.join(" and "), ") | "]);
            }
            Some(("v", value)) => text.extend(["[] | select(. == ", value, ") | "]),
            Some(("i", index)) => text.extend(["[", index, "]"]),
            Some((_, field)) if field.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_') => {
                text.extend([".", field]);
            }
            Some((_, field)) => text.extend([".", &quoted(field)]),
            None => {}
        }
    }
    text.trim_end_matches(" | ").to_owned()
}

/// Returns `text` in quotes, which YAML and JSON read alike.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns `text` in quotes, in which Terraform expands nothing.
fn quoted_for_terraform(text: &str) -> String {
    quoted(text).replace("${", "$${").replace("%{", "%%{")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::drift::Cause;

    #[test]
    fn items_are_found_by_their_keys() {
        let names = ["f:spec", "f:containers", "k:{\"name\":\"web\"}", "f:image"].map(str::to_owned);
        assert_eq!(expression(&names), ".spec.containers[] | select(.name == \"web\") | .image");
        assert_eq!(indexed_pointer("spec.containers[0].image"), "/spec/containers/0/image");
        assert_eq!(indexed_pointer("metadata.annotations[a.b/c]"), "/metadata/annotations/a.b~1c");
        assert_eq!((quoted("${a}"), quoted_for_terraform("${a}")), ("\"${a}\"".into(), "\"$${a}\"".into()));
    }
    #[test]
    fn a_port_is_found_without_its_protocol() {
        let port = "k:{\"containerPort\":80,\"protocol\":\"TCP\"}";
        let names = ["f:ports", port, "f:hostPort"].map(str::to_owned);
        let expected =
            ".ports[] | select(.containerPort == 80 and (.protocol // \"TCP\") == \"TCP\") | .hostPort";
        assert_eq!(expression(&names), expected);
    }

    #[test]
    fn attributes_are_those_of_terraform() {
        let path = |path: &str, names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let cause = Cause::Default;
            attribute_path(&ExplainedField { names, path: path.to_owned(), cause, in_manifest: true })
        };
        let annotation = path("metadata.annotations[a.b/c]", &["f:metadata", "f:annotations", "f:a.b/c"]);
        assert_eq!(annotation, "metadata.annotations[\"a.b/c\"]");
        assert_eq!(path("data[80]", &["f:data", "f:80"]), "data[\"80\"]");
        let image = ["f:spec", "f:containers", "k:{\"name\":\"web\"}", "f:image"];
        assert_eq!(path("spec.containers[0].image", &image), "spec.containers[0].image");
    }
}
