//! The `scale` subresource of custom resources: fields of the object that its definition names.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go` and `validator.go`.

use crate::go_value::{printed, type_name};
use crate::scale::scale;
use kube_api::field::{Error, Path};
use kube_api::{Map, Object, Value};

/// The paths of the fields that the `scale` subresource shows, as the definition writes them: `.spec.replicas`.
#[derive(Debug)]
pub struct Scale {
    spec_replicas: String,
    status_replicas: String,
    label_selector: Option<String>,
}

impl Scale {
    pub(super) fn new(definition: &Map) -> Self {
        let text = |field: &str| definition.get(field).and_then(Value::as_str).map(str::to_owned);
        Self {
            spec_replicas: text("specReplicasPath").unwrap_or_default(),
            status_replicas: text("statusReplicasPath").unwrap_or_default(),
            label_selector: text("labelSelectorPath").filter(|path| !path.is_empty()),
        }
    }

    /// Returns the `scale` subresource of `object`.
    pub fn scale_of(&self, object: &Object) -> Object {
        let replicas = |path: &str| integer(&object.value, path).ok().flatten().unwrap_or_default();
        let selector =
            self.label_selector.as_deref().and_then(|path| text(&object.value, path).ok().flatten());
        let selector = selector.filter(|selector| !selector.is_empty()).map(str::to_owned);
        scale(object, replicas(&self.spec_replicas), replicas(&self.status_replicas), selector)
    }

    /// Returns the path of the field with the number of replicas.
    pub(crate) fn replicas_path(&self) -> impl Iterator<Item = &str> {
        steps(&self.spec_replicas)
    }

    /// Returns `object` with the number of replicas that `scale` requests.
    pub fn apply(&self, object: &Object, scale: &Object) -> Object {
        let mut object = object.clone();
        let replicas = scale.int(["spec", "replicas"]);
        let fields: Vec<&str> = self.replicas_path().collect();
        object.set(&fields, replicas);
        object
    }

    pub(super) fn validate_spec(&self, object: &Value, errors: &mut Vec<Error>) {
        validate_replicas(object, &self.spec_replicas, errors);
    }

    pub(super) fn validate_status(&self, object: &Value, errors: &mut Vec<Error>) {
        validate_replicas(object, &self.status_replicas, errors);
        if let Some(path) = &self.label_selector
            && let Err(error) = text(object, path)
        {
            errors.push(Error::invalid_text(&Path::named(path.clone()), "", error));
        }
    }
}

fn validate_replicas(object: &Value, path: &str, errors: &mut Vec<Error>) {
    let (replicas, error) = match integer(object, path) {
        Ok(replicas) => (replicas.unwrap_or_default(), None),
        Err(error) => (0, Some(error)),
    };
    let detail = match error {
        Some(error) => error,
        None if replicas < 0 => "should be a non-negative integer".to_owned(),
        None if replicas > i64::from(i32::MAX) => format!("should be less than or equal to {}", i32::MAX),
        None => return,
    };
    errors.push(Error::invalid(&Path::named(path.to_owned()), &replicas.into(), detail));
}

fn integer(object: &Value, path: &str) -> Result<Option<i64>, String> {
    let Some(value) = nested(object, path)? else { return Ok(None) };
    value.as_i64().map(Some).ok_or_else(|| accessor_error(&joined(path, usize::MAX), value, "int64"))
}

fn text<'a>(object: &'a Value, path: &str) -> Result<Option<&'a str>, String> {
    let Some(value) = nested(object, path)? else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(|| accessor_error(&joined(path, usize::MAX), value, "string"))
}

/// Returns the value at `path`; nothing if a field on the path is absent or null.
fn nested<'a>(object: &'a Value, path: &str) -> Result<Option<&'a Value>, String> {
    let mut value = object;
    for (position, step) in steps(path).enumerate() {
        match value {
            Value::Null => return Ok(None),
            Value::Object(map) => match map.get(step) {
                Some(inner) => value = inner,
                None => return Ok(None),
            },
            other => {
                return Err(accessor_error(&joined(path, position + 1), other, "map[string]interface{}"));
            }
        }
    }
    Ok(Some(value))
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.strip_prefix('.').unwrap_or(path).split('.')
}

/// Returns the first `count` steps of a path.
fn joined(path: &str, count: usize) -> String {
    steps(path).take(count).fold(String::new(), |joined, step| joined + "." + step)
}

fn accessor_error(path: &str, value: &Value, wanted: &str) -> String {
    let (printed, kind) = (printed(value), type_name(value));
    format!("{path} accessor error: {printed} is of the type {kind}, expected {wanted}")
}
