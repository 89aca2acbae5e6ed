//! The files of `--authentication-config` and `--authorization-config`: structured authentication and authorization.
//!
//! Source: `k8s.io/apiserver/pkg/apis/apiserver/{load,validation}`, `k8s.io/kubernetes/pkg/kubeapiserver/options`.

mod authentication;
mod authorization;

use std::path::Path;
use std::sync::Arc;

use crate::configuration::ConfigurationError;
use crate::versioned::{Kind, Scheme, find};
use gotext::source::{Node, SourceFile, Span};
use kube_api::{Value, field};
use kube_cel::{Checked, Env, Program, Type};
use kube_yaml::Document;

pub use authentication::authentication;
pub use authorization::authorization;

/// A file as it was read, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Structured {
    /// The fields; nothing if it cannot be read.
    pub value: Value,
    /// The errors with which the server does not start.
    pub errors: Vec<ConfigurationError>,
    document: Option<Document>,
}

/// One version of a kind of these files. Those of `v1beta1` have the fields of `v1`.
const fn kind(
    api_version: &'static str,
    kind: &'static str,
    table: &'static str,
    internal: &'static str,
) -> Kind {
    Kind { api_version, kind, table, internal }
}

impl Structured {
    /// Reads the file at `path`, which is of the first kind of `scheme`. `failed` precedes what is wrong with it as a
    /// whole.
    fn read(path: &Path, scheme: &Scheme, failed: &str) -> Self {
        let refused = |message: String| ConfigurationError {
            file: Some(path.display().to_string()),
            ..ConfigurationError::new(format!("{failed}{message}"))
        };
        let only = |error| Self { errors: vec![error], ..Self::default() };
        let source = match kube_yaml::files::read_file(path) {
            Ok(source) => source,
            Err(error) => return only(refused(error.to_string())),
        };
        let document = match kube_yaml::read_first(&source) {
            Ok(document) => document,
            Err(error) => return only(refused(error.to_string()).at(&source, error.span())),
        };
        let internal = scheme.kinds[0].internal;
        match scheme.decode(&document).and_then(|read| read.expect(internal)) {
            Ok(value) => Self { value, errors: Vec::new(), document: Some(document) },
            Err(error) => {
                let span = error.span();
                only(refused(error.to_string()).at(&source, span))
            }
        }
    }

    /// Returns where the field `path` is written, or where it would be.
    pub fn place(&self, path: &str) -> Option<(Arc<SourceFile>, Span)> {
        let document = self.document.as_ref()?;
        let written = within_webhook(path);
        let span = find(&document.node, &written).or_else(|| nearest(&document.node, &written))?;
        Some((document.source.clone(), span))
    }

    /// Adds the errors about fields.
    fn refuse(&mut self, errors: Vec<field::Error>) {
        for error in errors {
            let path = error.path.as_ref().map(ToString::to_string).unwrap_or_default();
            let place = self.place(&path);
            let file = self.document.as_ref().map(|document| document.source.name().to_owned());
            self.errors.push(ConfigurationError {
                file,
                place,
                ..ConfigurationError::new(error.to_string())
            });
        }
    }
}

/// Returns the path of a field in the file: the server's messages leave out the `webhook` of an authorizer.
fn within_webhook(path: &str) -> String {
    let Some((authorizer, field)) = path.split_once("].") else { return path.to_owned() };
    let is_own = ["type", "name", "webhook"].contains(&field);
    if !authorizer.starts_with("authorizers[") || authorizer.contains('.') || is_own {
        return path.to_owned();
    }
    format!("{authorizer}].webhook.{field}")
}

/// Returns the nearest parent of a field that is written.
fn nearest(node: &Node, path: &str) -> Option<Span> {
    let mut path = path;
    while let Some(end) = path.rfind(['.', '[']) {
        path = &path[..end];
        if let Some(span) = find(node, path) {
            return Some(span);
        }
    }
    None
}

/// Compiles the expression at `path`, whose type has to be in `results`, if there are any. `named` says whether the
/// message names the type that it has.
fn compile(
    env: &Env,
    text: &str,
    path: &field::Path,
    (results, named): (&[Type], bool),
) -> Result<Checked, field::Error> {
    let invalid = |detail: String| field::Error::invalid_text(path, text, detail);
    let checked = env.compile(text).map_err(|issues| invalid(format!("compilation failed: {issues}")))?;
    if let ([wanted, ..], false) = (results, results.contains(checked.output_type())) {
        let but = if named { format!(" but got {}", checked.output_type()) } else { String::new() };
        return Err(invalid(format!("must evaluate to {wanted}{but}")));
    }
    match Program::new(&checked) {
        Ok(_) => Ok(checked),
        Err(error) => Err(field::Error::internal(path, format!("program instantiation failed: {error}"))),
    }
}
