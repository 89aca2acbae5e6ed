//! Templates of OpenShift: objects with places for parameters.
//!
//! Source: `openshift/origin` `pkg/template`, `pkg/template/generator/expressionvalue.go`.

use std::collections::BTreeMap;

use gotext::quote;
use kube_api::field::{self, Path};
use kube_api::{GroupVersionKind, Map, Object, Status, Value, name_generator};

/// A parameter of a template.
struct Parameter {
    name: String,
    value: String,
    generate: String,
    from: String,
    required: bool,
}

/// The parameters of a template.
pub(super) struct Parameters(Vec<Parameter>);

impl Parameters {
    pub(super) fn of(template: &Object) -> Self {
        let read = |parameter: &Value| {
            let text = |field: &str| parameter.text(field).to_owned();
            Parameter {
                name: text("name"),
                value: text("value"),
                generate: text("generate"),
                from: text("from"),
                required: parameter.get("required").and_then(Value::as_bool) == Some(true),
            }
        };
        Self(template.list("parameters").iter().map(read).collect())
    }

    /// Sets parameters to the values of a configuration; fails for those that the template does not have.
    pub(super) fn replace(&mut self, values: &BTreeMap<String, String>) -> Vec<String> {
        let mut errors = Vec::new();
        for (name, value) in values {
            if name.is_empty() {
                errors.push(format!("template parameter name cannot be empty ({})", quote(value)));
                continue;
            }
            match self.0.iter_mut().find(|parameter| parameter.name == *name) {
                Some(parameter) => {
                    parameter.value.clone_from(value);
                    parameter.generate.clear();
                }
                None => errors.push(format!("unknown parameter {} specified for template", quote(name))),
            }
        }
        errors
    }

    /// Returns the objects of the template with the values substituted; `group` is that of templates.
    pub(super) fn process(
        mut self,
        template: &Object,
        group: &'static str,
        seed: u64,
    ) -> Result<Vec<Value>, String> {
        for (index, parameter) in self.0.iter_mut().enumerate() {
            let path = Path::new("template.parameters").index(index);
            if let Err(error) = parameter.fill(index, &path, seed) {
                let kind = GroupVersionKind::new(group, "v1", "Template");
                return Err(Status::new_invalid(&kind, template.name(), &[error]).message);
            }
        }
        let values: BTreeMap<&str, &str> =
            self.0.iter().map(|parameter| (parameter.name.as_str(), parameter.value.as_str())).collect();
        let labels = template.child("labels");
        let made = template.list("objects").iter().map(|object| {
            let namespace = object.text(["metadata", "namespace"]);
            let keeps_namespace = has_parameter(namespace);
            let mut object = substitute(object, &values);
            complete(&mut object, keeps_namespace, labels, &values);
            object
        });
        Ok(made.collect())
    }
}

impl Parameter {
    fn fill(&mut self, index: usize, path: &Path, seed: u64) -> Result<(), field::Error> {
        if self.value.is_empty() && !self.generate.is_empty() {
            if self.generate != "expression" {
                let detail =
                    format!("Unknown generator name '{}' for parameter {}", self.generate, self.name);
                return Err(field::Error::invalid_text(path, &self.generate, detail));
            }
            self.value = expression(&self.from, seed.wrapping_add(index as u64));
        }
        if self.value.is_empty() && self.required {
            let detail = format!(
                "template.parameters[{index}]: parameter {} is required and must be specified",
                self.name
            );
            return Err(field::Error::required(path, detail));
        }
        Ok(())
    }
}

/// Removes a namespace that is not a parameter from an object, and adds the labels of the template.
fn complete(object: &mut Value, keeps_namespace: bool, labels: Option<&Map>, values: &BTreeMap<&str, &str>) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if !keeps_namespace {
        metadata.remove("namespace");
    }
    let Some(labels) = labels.filter(|labels| !labels.is_empty()) else { return };
    let known = metadata.entry("labels").or_insert_with(|| Value::Object(Map::new()));
    if let Some(known) = known.as_object_mut() {
        for (name, value) in labels {
            known.insert(replaced(name, values), substitute(value, values));
        }
    }
}

/// Whether `text` names a parameter.
fn has_parameter(text: &str) -> bool {
    text.match_indices("${").any(|(start, marker)| {
        let name = text[start + marker.len()..].split('}').next().unwrap_or_default();
        let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
        text[start..].contains('}') && !name.is_empty() && name.chars().all(is_name)
    })
}

/// Returns `value` with the parameters replaced by their values.
fn substitute(value: &Value, values: &BTreeMap<&str, &str>) -> Value {
    match value {
        Value::String(text) => {
            let whole = text.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}"));
            if let Some(found) = whole.and_then(|name| values.get(name)) {
                let parsed = gotext::encoding_json::from_slice(found.as_bytes());
                return parsed.unwrap_or_else(|_| Value::from((*found).to_owned()));
            }
            Value::from(replaced(text, values))
        }
        Value::Array(items) => {
            Value::from(items.iter().map(|item| substitute(item, values)).collect::<Vec<_>>())
        }
        Value::Object(entries) => {
            let entries = entries.iter();
            Value::Object(
                entries.map(|(key, value)| (replaced(key, values), substitute(value, values))).collect(),
            )
        }
        other => other.clone(),
    }
}

fn replaced(text: &str, values: &BTreeMap<&str, &str>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        result.push_str(before);
        let found = after.split_once('}').and_then(|(name, after)| Some((values.get(name)?, after)));
        if let Some((value, after)) = found {
            result.push_str(value);
            rest = after;
        } else {
            result.push_str("${");
            rest = after;
        }
    }
    result + rest
}

/// Returns a value that matches an expression such as `[a-z0-9]{8}`, the same in every run.
fn expression(pattern: &str, seed: u64) -> String {
    let mut result = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('[') {
        result.push_str(before);
        let parts = after.split_once("]{").and_then(|(class, after)| {
            let (length, after) = after.split_once('}')?;
            Some((alphabet(class), length.parse::<usize>().ok()?, after))
        });
        let Some((alphabet, length, after)) = parts.filter(|(alphabet, ..)| !alphabet.is_empty()) else {
            result.push('[');
            rest = after;
            continue;
        };
        for position in 0..length.min(255) {
            let seed = seed.wrapping_mul(257).wrapping_add(position as u64);
            let random = name_generator::generate_name(pattern, seed);
            let number = random.bytes().rev().take(5).fold(0_usize, |sum, byte| sum * 31 + usize::from(byte));
            result.push(alphabet[number % alphabet.len()]);
        }
        rest = after;
    }
    result + rest
}

fn alphabet(class: &str) -> Vec<char> {
    let characters: Vec<char> = class.chars().collect();
    let mut alphabet = Vec::new();
    let mut position = 0;
    while position < characters.len() {
        match (characters[position], characters.get(position + 1), characters.get(position + 2)) {
            ('\\', Some(kind), _) => {
                alphabet.extend(match kind {
                    'd' => ('0'..='9').collect::<Vec<_>>(),
                    'a' => ('a'..='z').chain('A'..='Z').collect(),
                    'A' => ('!'..='~').collect(),
                    _ => ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['_']).collect(),
                });
                position += 2;
            }
            (first, Some('-'), Some(last)) => {
                alphabet.extend(first..=*last);
                position += 3;
            }
            (one, ..) => {
                alphabet.push(one);
                position += 1;
            }
        }
    }
    alphabet
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn template(content: Value) -> Object {
        Object::new(GroupVersionKind::new("", "v1", "Template"), content)
    }

    #[test]
    fn puts_values_into_texts_keys_and_numbers() {
        let template = template(json!({
            "metadata": {"name": "t"},
            "labels": {"app": "${NAME}"},
            "objects": [{"metadata": {"name": "${NAME}-${OTHER}", "namespace": "x"}, "replicas": "${{COUNT}}", "data": {"${NAME}": "1"}}],
            "parameters": [{"name": "NAME", "value": "web"}, {"name": "COUNT", "value": "3"}],
        }));
        let objects = Parameters::of(&template).process(&template, "", 1).expect("objects");
        let expected = json!([{"metadata": {"name": "web-${OTHER}", "labels": {"app": "web"}}, "replicas": 3, "data": {"web": "1"}}]);
        assert_eq!(Value::from(objects), expected);
    }

    #[test]
    fn generates_what_an_expression_describes() {
        let value = expression("user[a-c0-1]{8}x", 7);
        assert_eq!(value.len(), "user".len() + 8 + 1);
        assert!(value[4..12].bytes().all(|byte| b"abc01".contains(&byte)), "{value}");
        assert_eq!(value, expression("user[a-c0-1]{8}x", 7));
    }

    #[test]
    fn rejects_a_parameter_without_a_value() {
        let template = template(json!({
            "metadata": {"name": "t"},
            "parameters": [{"name": "A", "required": true}],
        }));
        let error = Parameters::of(&template).process(&template, "template.openshift.io", 1).unwrap_err();
        assert_eq!(
            error,
            "Template.template.openshift.io \"t\" is invalid: template.parameters[0]: Required value: \
             template.parameters[0]: parameter A is required and must be specified"
        );
    }
}
