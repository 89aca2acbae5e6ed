//! `kadmit eval`

use std::io::{self, IsTerminal, Read, Write, stdin};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use colored::Colorize;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use serde::Serialize;

use crate::admission::{Attributes, Explanation, Operation, ReinvocationContext, UserInfo};
use crate::api_server::put_definitions_first;
use crate::cli::Exit;
use crate::cli::client_flags::UserFlags;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::input::{NonManifests, Selection};
use crate::cluster::authorizer::{AuthorizationMode, Authorizer};
use crate::cluster::{Cluster, Fixture};
use crate::code::Code;
use crate::configuration::Flags;
use crate::evaluation::Place;
use crate::policy::{
    Bindings, ExpressionCompiler, Inputs, Matched, RequestAuthorizer, Use, admission_request, merged_value,
};
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Name, Object, Value, resource};
use kube_cel::PER_CALL_LIMIT;
use kube_yaml::Item;

use crate::report::{Diagnostic, Escapes, printable, write_explanation};

/// Evaluate CEL expressions as policies see a request
///
/// The variables are those of validating admission policies: object, oldObject, request, params, namespaceObject,
/// authorizer. Without an expression they are read from standard input, one per line; on a terminal there is a prompt.
///
/// Exit status: 0 every expression has a value, 1 one fails when it is evaluated, 2 one does not compile or the input
/// is wrong, 3 an internal error.
#[derive(Debug, Args)]
pub(super) struct Eval {
    /// Evaluate these expressions, one after the other
    #[arg(value_name = "EXPRESSION")]
    expressions: Vec<String>,

    /// Read the object of the request from this file
    #[arg(short, long = "filename", value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<String>,

    /// Read the old object of the request from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    old: Option<String>,

    /// Read the parameters from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    params: Option<String>,

    /// Read the Namespace of the request from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    namespace_object: Option<String>,

    /// Authorize by the roles and bindings in this file, directory or pattern (may be repeated) [default: everything
    /// is allowed]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    cluster: Vec<String>,

    /// Print results in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

    /// Use this namespace for objects without one
    #[arg(
        short,
        long,
        value_name = "NAMESPACE",
        default_value = "default",
        help_heading = "Flags of kubectl"
    )]
    namespace: String,

    #[command(flatten)]
    user: UserFlags,

    /// Let the request be a dry run
    #[arg(long, help_heading = "Flags of kubectl")]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON array
    Json,
}

/// The result of an expression.
#[derive(Serialize)]
struct Evaluated {
    expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
    /// The value as CEL prints it.
    #[serde(skip)]
    printed: String,
    #[serde(skip)]
    explanation: Option<Explanation>,
    #[serde(skip)]
    exit: Exit,
}

/// The values of the variables.
struct Request {
    attributes: Attributes,
    described: Value,
    params: Option<Arc<Object>>,
    namespace: Option<Arc<Object>>,
    authorizer: Authorizer,
    compiler: ExpressionCompiler,
}

impl Eval {
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let request = match self.request() {
            Ok(request) => request,
            Err(errors) => {
                for error in &errors {
                    console.say(error);
                }
                return Exit::Input;
            }
        };
        if self.expressions.is_empty() && stdin().is_terminal() {
            return prompt(&request, &mut console);
        }
        let expressions = match self.expressions() {
            Ok(expressions) => expressions,
            Err(error) => {
                console.say(&error);
                return Exit::Input;
            }
        };
        let results: Vec<Evaluated> = expressions.iter().map(|text| request.evaluate(text)).collect();
        match self.output {
            Format::Json => {
                let json = serde_json::to_string_pretty(&results).expect("names of fields are texts");
                console.write(&format!("{json}\n"), Escapes::Json);
            }
            Format::Text => {
                for result in &results {
                    print(result, results.len() > 1, &mut console);
                }
            }
        }
        results.iter().map(|result| result.exit).chain([console.exit()]).max().unwrap_or(Exit::Admitted)
    }

    fn expressions(&self) -> Result<Vec<String>, Diagnostic> {
        if !self.expressions.is_empty() {
            return Ok(self.expressions.clone());
        }
        let mut text = String::new();
        stdin().read_to_string(&mut text).map_err(|error| {
            Diagnostic::input(Code::InputUnreadable, format!("cannot read standard input: {error}"))
        })?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let expressions: Vec<_> = lines.map(str::to_owned).collect();
        if expressions.is_empty() {
            let error = Diagnostic::input(Code::InputEmpty, "there is no expression to evaluate");
            return Err(error.help("kadmit eval 'object.spec.replicas <= 3' -f deployment.yaml"));
        }
        Ok(expressions)
    }

    fn request(&self) -> Result<Request, Vec<Diagnostic>> {
        let profile = Flags::default().profile().map_err(|error| vec![Diagnostic::from(&error)])?;
        let cluster = Arc::new(Cluster::new());
        let mut exists = items(&self.cluster)?;
        put_definitions_first(&mut exists);
        for item in exists {
            let (place, node) = Place::of(item);
            let fixture = Fixture::read(node, &self.namespace, &cluster, &profile).map_err(|error| {
                let diagnostic = Diagnostic::input(Code::ClusterObject, error.to_string());
                vec![diagnostic.at(place.source().clone(), error.span().unwrap_or(place.span))]
            })?;
            cluster.put(&fixture.resource, fixture.object);
        }
        let one = |path: &Option<String>| {
            path.as_ref().map(|path| object(path, &self.namespace, &profile)).transpose()
        };
        let (object, old_object) = (one(&self.file)?, one(&self.old)?);
        let (params, namespace) = (one(&self.params)?, one(&self.namespace_object)?);
        let mode =
            if self.cluster.is_empty() { AuthorizationMode::AlwaysAllow } else { AuthorizationMode::Rbac };
        let attributes = attributes(object, old_object, Arc::new(self.user.user_info()), self.dry_run);
        Ok(Request {
            described: admission_request(&attributes, &Matched::exactly(&attributes)),
            attributes,
            params,
            namespace,
            authorizer: Authorizer::new(cluster, vec![mode]),
            compiler: ExpressionCompiler::of_policy(true),
        })
    }
}

/// Returns the request that the objects imply: creation, update or deletion.
fn attributes(
    object: Option<Arc<Object>>,
    old_object: Option<Arc<Object>>,
    user_info: Arc<UserInfo>,
    dry_run: bool,
) -> Attributes {
    let operation = match (&object, &old_object) {
        (Some(_), Some(_)) => Operation::Update,
        (None, Some(_)) => Operation::Delete,
        _ => Operation::Create,
    };
    let about = object.as_ref().or(old_object.as_ref());
    let kind = about.map(|object| object.kind.clone()).unwrap_or_default();
    let found = resource::by_kind(&kind);
    Attributes {
        operation,
        resource: found.map(resource::ApiResource::group_version_resource).unwrap_or_default(),
        kind,
        sub_resource: Name::default(),
        namespace: about.map(|object| object.namespace().to_owned()).unwrap_or_default(),
        name: about.map(|object| object.name().to_owned()).unwrap_or_default(),
        object,
        old_object,
        options: None,
        dry_run,
        user_info,
        reinvocation: false,
        reinvocation_context: ReinvocationContext::default(),
        ordinal: 0,
        time: Duration::ZERO,
    }
}

impl Request {
    fn evaluate(&self, text: &str) -> Evaluated {
        let mut evaluated = Evaluated {
            expression: text.to_owned(),
            value: None,
            type_name: None,
            error: None,
            cost: None,
            printed: String::new(),
            explanation: None,
            exit: Exit::Admitted,
        };
        let expression = self.compiler.expression(text, Use::Variable);
        let (checked, program) = match expression.compiled() {
            Ok(compiled) => compiled,
            Err(error) => {
                evaluated.error = Some(error.to_owned());
                evaluated.exit = Exit::Input;
                return evaluated;
            }
        };
        evaluated.type_name = Some(checked.output_type().to_string());
        let authorizer = RequestAuthorizer::new(&self.authorizer, &self.attributes);
        let inputs = Inputs {
            object: self.attributes.object.as_deref().map(|object| &object.value),
            old_object: self.attributes.old_object.as_deref().map(|object| &object.value),
            request: &self.described,
            params: self.params.as_deref().map(|object| &object.value),
            namespace_object: self.namespace.as_deref().map(|object| &object.value),
            authorizer: Some(&authorizer),
        };
        let bindings = Bindings::new(inputs, &[]);
        let evaluation = program.eval(&bindings, Some(PER_CALL_LIMIT));
        evaluated.cost = Some(evaluation.cost);
        let refuses = match evaluation.result {
            Ok(value) => {
                evaluated.printed = value.to_string();
                evaluated.value =
                    Some(merged_value(&value).unwrap_or_else(|_| evaluated.printed.clone().into()));
                evaluated.type_name = Some(value.type_name().to_string());
                matches!(value, kube_cel::Value::Bool(false))
            }
            Err(error) => {
                evaluated.error = Some(error.message);
                evaluated.exit = Exit::Denied;
                true
            }
        };
        evaluated.explanation = refuses.then(|| expression.explain(inputs, &[]).explanation);
        evaluated
    }
}

/// Prints a result for people; `is_one_of_many` repeats the expression above it.
fn print(result: &Evaluated, is_one_of_many: bool, console: &mut Console) {
    let mut out = Vec::new();
    write_result(&mut out, result, is_one_of_many, console.width()).expect("a Vec takes everything");
    console.write(&String::from_utf8_lossy(&out), Escapes::Colored);
}

fn write_result(out: &mut Vec<u8>, result: &Evaluated, is_one_of_many: bool, width: usize) -> io::Result<()> {
    if is_one_of_many {
        writeln!(out, "{}", printable(result.expression.trim()).bold())?;
    }
    let (type_name, cost) =
        (result.type_name.as_deref().unwrap_or_default(), result.cost.unwrap_or_default());
    match &result.error {
        None => {
            let about = format!("{type_name}, cost {cost}");
            writeln!(out, "{}  {}", printable(&result.printed), about.dimmed())?;
        }
        Some(error) => writeln!(out, "{} {}", "error:".red().bold(), printable(error))?,
    }
    match &result.explanation {
        Some(explanation) => write_explanation(out, explanation, width),
        None => Ok(()),
    }
}

/// Evaluates what is typed, line by line, until the end of the input.
fn prompt(request: &Request, console: &mut Console) -> Exit {
    let mut editor = match DefaultEditor::new() {
        Ok(editor) => editor,
        Err(error) => {
            let message = format!("cannot read from the terminal: {error}");
            console.say(&Diagnostic::input(Code::InputUnreadable, message));
            return Exit::Input;
        }
    };
    loop {
        match editor.readline("> ") {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                // History is a comfort: without it the prompt still works.
                let _ = editor.add_history_entry(&line);
                print(&request.evaluate(&line), false, console);
            }
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => return Exit::Admitted,
            Err(error) => {
                let message = format!("cannot read from the terminal: {error}");
                console.say(&Diagnostic::input(Code::InputUnreadable, message));
                return Exit::Input;
            }
        }
    }
}

/// Returns the documents of `paths`.
fn items(paths: &[String]) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let found: Result<Vec<_>, Diagnostic> =
        NonManifests::Refused.items(paths, &Selection::default()).collect();
    found.map(|items| items.into_iter().flatten().collect()).map_err(|error| vec![error])
}

/// Returns the only object of a file, decoded and defaulted if its kind is known.
fn object(path: &str, namespace: &str, profile: &ServerProfile) -> Result<Arc<Object>, Vec<Diagnostic>> {
    let mut items = items(&[path.to_owned()])?;
    let (Some(item), true) = (items.pop(), items.is_empty()) else {
        let error =
            Diagnostic::input(Code::EvalObject, format!("{path} does not contain exactly one object"));
        return Err(vec![error.help("name a file with a single document")]);
    };
    let (place, node) = Place::of(item);
    let text = |field| node.get(field).and_then(|node| node.as_str()).unwrap_or_default().to_owned();
    let kind = GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind"));
    let Some(found) = resource::by_kind(&kind) else {
        return Ok(Arc::new(Object::new(kind, node.into_value())));
    };
    let context =
        DecodeContext { kind: &kind, field_validation: FieldValidation::Warn, strict_errors: &[], body: "" };
    let read = kube_registry::read(node, &context, profile, kube_registry::NOW).map_err(|error| {
        let span = error.span.unwrap_or(place.span);
        let diagnostic = Diagnostic::input(Code::EvalObject, error.to_string());
        vec![diagnostic.at(place.source().clone(), span)]
    })?;
    let mut object = read.object;
    if found.namespaced && object.namespace().is_empty() {
        object.set(["metadata", "namespace"], namespace);
    }
    Ok(Arc::new(object))
}
