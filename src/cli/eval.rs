//! `kadmit eval`

mod bench;
mod place;
mod request;

use std::io::{self, IsTerminal, Read, Write, stdin};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use colored::Colorize;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use serde::Serialize;

use crate::admission::Explanation;
use crate::cli::Exit;
use crate::cli::client_flags::UserFlags;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::code::Code;
use crate::policy::{Bindings, Expression, Inputs, RequestAuthorizer, Use, Variable, merged_value};
use kube_api::Value;
use kube_cel::PER_CALL_LIMIT;

use crate::report::{Diagnostic, Escapes, printable, write_explanation};

use bench::Bench;
use place::ExpressionPlace;
use request::Request;

/// Evaluate CEL expressions as policies see a request
///
/// The variables are those of validating admission policies: object, oldObject, request, params, namespaceObject,
/// authorizer. Without an expression they are read from standard input, one per line; on a terminal there is a prompt.
///
/// Exit status: 0 every expression has a value, 1 one fails when it is evaluated or costs more than before, 2 one does
/// not compile or the input is wrong, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Eval {
    /// Evaluate these expressions, one after the other
    #[arg(value_name = "EXPRESSION")]
    expressions: Vec<String>,

    /// Evaluate this expression, which may begin with a - (may be repeated)
    #[arg(short, long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    expression: Vec<String>,

    /// Read the object of the request from this file; with several documents, evaluate for each of them
    #[arg(short, long = "filename", value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<String>,

    /// Read the old object of the request from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    old: Option<String>,

    /// Read the parameters from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    params: Option<String>,

    /// Evaluate expressions as they are written in this place
    #[arg(long = "in", value_name = "PLACE", default_value = "admission")]
    place: ExpressionPlace,

    /// Let expressions use the variables of the policy in this file, as `variables.NAME`
    ///
    /// With --in, the file that has the expressions: without any other, these are evaluated.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    policy: Option<String>,

    /// Evaluate this many times, and report the time, the cost and the limits of the server
    #[arg(long, value_name = "TIMES", num_args = 0..=1, require_equals = true, default_missing_value = "1000", default_value_t = 0, hide_default_value = true)]
    bench: u32,

    /// Fail if an expression costs more than in this file, which --bench -o json has written
    #[arg(long, value_name = "FILE", requires = "bench", value_hint = ValueHint::FilePath)]
    compare: Option<PathBuf>,

    /// Read the Namespace of the request from this file [default: the one in --cluster]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    namespace_object: Option<String>,

    /// Read existing objects from this file, directory or pattern (may be repeated): roles and bindings, by which
    /// `authorizer` then decides, Namespaces, and definitions of custom resources
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

const EXAMPLES: &str = "\
Examples:
  kadmit eval 'quantity(\"1Gi\").isGreaterThan(quantity(\"500Mi\"))'
  kadmit eval -f web.yaml 'object.spec.containers.all(c, has(c.resources))'
  kadmit eval -f web.yaml --policy policy.yaml";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON array
    Json,
}

/// The result of an expression.
#[derive(Default, Serialize)]
struct Evaluated {
    /// The object that it is evaluated for, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    /// The field of the file of --policy, or the value that a rule is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What the server makes of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bench: Option<Bench>,
    /// The value as it is written in an expression.
    #[serde(skip)]
    printed: String,
    #[serde(skip)]
    explanation: Option<Explanation>,
    /// Whether it is false or has no value.
    #[serde(skip)]
    refuses: bool,
    #[serde(skip)]
    exit: Exit,
}

impl Eval {
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        if self.place != ExpressionPlace::Admission {
            return self.execute_outside(&mut console);
        }
        let requests = match self.requests() {
            Ok(requests) => requests,
            Err(errors) => {
                for error in &errors {
                    console.say(error);
                }
                return Exit::Input;
            }
        };
        if let ([request], true) =
            (requests.as_slice(), self.written().next().is_none() && stdin().is_terminal())
        {
            return prompt(request, &mut console);
        }
        let expressions = match self.expressions() {
            Ok(expressions) => expressions,
            Err(error) => {
                console.say(&error);
                return Exit::Input;
            }
        };
        if expressions.iter().any(|text| text.contains("namespaceObject")) {
            for note in requests.iter().take(1).flat_map(|request| &request.notes) {
                console.say(&Diagnostic::note(Code::EvalAssumed, note.as_str()));
            }
        }
        let results: Vec<Evaluated> = requests
            .iter()
            .flat_map(|request| expressions.iter().map(|text| request.evaluate(text)))
            .collect();
        self.report(&results, &mut console)
    }

    /// Evaluates expressions outside of admission.
    fn execute_outside(&self, console: &mut Console) -> Exit {
        let has_own = self.policy.is_some() || self.place == ExpressionPlace::Crd;
        let texts = if self.written().next().is_none() && (has_own || stdin().is_terminal()) {
            Ok(Vec::new())
        } else {
            self.expressions().map_err(|error| vec![error])
        };
        match texts.and_then(|texts| self.outside(&texts)) {
            Ok(results) => self.report(&results, console),
            Err(errors) => {
                for error in &errors {
                    console.say(error);
                }
                Exit::Input
            }
        }
    }

    /// Prints the results and what costs more than before, and returns the exit status.
    fn report(&self, results: &[Evaluated], console: &mut Console) -> Exit {
        let increases = match self.compare.as_deref().map(|file| bench::increases(results, file)) {
            None => Vec::new(),
            Some(Ok(increases)) => increases,
            Some(Err(error)) => {
                console.say(&error);
                return Exit::Input;
            }
        };
        match self.output {
            Format::Json => {
                let json = serde_json::to_string_pretty(results).expect("names of fields are texts");
                console.write(&format!("{json}\n"), Escapes::Json);
            }
            Format::Text => {
                for result in results {
                    print(result, results.len() > 1 || result.field.is_some(), console);
                }
            }
        }
        for increase in &increases {
            console.say(increase);
        }
        let of_costs = if increases.is_empty() { Exit::Admitted } else { Exit::Denied };
        let exits = results.iter().map(|result| result.exit);
        exits.chain([console.exit(), of_costs]).max().unwrap_or(Exit::Admitted)
    }

    /// Returns the expressions of the command line.
    fn written(&self) -> impl Iterator<Item = &String> {
        self.expressions.iter().chain(&self.expression)
    }

    fn expressions(&self) -> Result<Vec<String>, Diagnostic> {
        if let Some(file) = self.expressions.iter().find(|text| Path::new(text).is_file()) {
            let error = Diagnostic::input(Code::Usage, format!("{file} is a file, not an expression"));
            return Err(error.help(format!("`-f {file}` reads the object of the request from it")));
        }
        if self.written().next().is_some() {
            return Ok(self.written().cloned().collect());
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
}

impl Evaluated {
    /// Returns an expression that is not evaluated yet.
    fn about(object: Option<String>, text: &str) -> Self {
        Self { object, expression: text.to_owned(), ..Self::default() }
    }

    /// Evaluates the expression, and several times for `bench`.
    fn evaluate(&mut self, expression: &Expression, inputs: Inputs<'_>, variables: &[Variable], bench: u32) {
        let (checked, program) = match expression.compiled() {
            Ok(compiled) => compiled,
            Err(error) => {
                self.error = Some(error.to_owned());
                self.exit = Exit::Input;
                return;
            }
        };
        self.type_name = Some(checked.output_type().to_string());
        let bindings = Bindings::new(inputs, variables);
        let evaluation = program.eval(&bindings, Some(PER_CALL_LIMIT));
        self.cost = Some(evaluation.cost.saturating_add(bindings.take_cost()));
        self.refuses = match evaluation.result {
            Ok(value) => {
                self.printed = value.written();
                self.value = Some(merged_value(&value).unwrap_or_else(|_| value.to_string().into()));
                self.type_name = Some(value.type_name().to_string());
                matches!(value, kube_cel::Value::Bool(false))
            }
            Err(error) => {
                self.error = Some(error.message);
                self.exit = Exit::Denied;
                true
            }
        };
        self.explanation = self.refuses.then(|| expression.explain(inputs, variables).explanation);
        if bench > 0 {
            self.bench = Some(Bench::of((checked, program), inputs, variables, bench));
        }
    }
}

impl Request {
    fn evaluate(&self, text: &str) -> Evaluated {
        let mut evaluated = Evaluated::about(self.subject.clone(), text);
        let expression = self.policy.compiler.expression(text, Use::Variable);
        let authorizer = RequestAuthorizer::new(&self.authorizer, &self.attributes);
        let inputs = Inputs {
            object: self.attributes.object.as_deref().map(|object| &object.value),
            old_object: self.attributes.old_object.as_deref().map(|object| &object.value),
            request: &self.described,
            params: self.params.as_deref().map(|object| &object.value),
            namespace_object: self.namespace.as_ref(),
            authorizer: Some(&authorizer),
            others: &[],
        };
        evaluated.evaluate(&expression, inputs, &self.policy.variables, self.bench);
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
        let about = [&result.object, &result.field].into_iter().flatten();
        let about: String = about.flat_map(|about| [about, ": "]).collect();
        writeln!(out, "{}{}", printable(&about).dimmed(), printable(result.expression.trim()).bold())?;
    }
    let (type_name, cost) =
        (result.type_name.as_deref().unwrap_or_default(), result.cost.unwrap_or_default());
    if let Some(note) = &result.note {
        writeln!(out, "{} {note}", "note:".cyan())?;
    }
    match &result.error {
        None if result.cost.is_none() => {}
        None => {
            let about = format!("{type_name}, cost {cost}");
            writeln!(out, "{}  {}", printable(&result.printed), about.dimmed())?;
        }
        Some(error) => writeln!(out, "{} {}", "error:".red().bold(), printable(error))?,
    }
    if let Some(bench) = &result.bench {
        bench.write(out)?;
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
