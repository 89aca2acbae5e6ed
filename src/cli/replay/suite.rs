//! `kadmit replay --suite`: requests of the log as suites, with other names.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::output;
use crate::cli::test::{play, relative};
use crate::code::Code;
use crate::evaluation::Outcome;
use crate::replay::{Keep, Moment, Moments, Names};
use crate::report::Diagnostic;
use crate::suite::{API_VERSION, Answers, KIND, Suite, is_suite_file, scalar};
use gotext::source::SourceFile;
use kube_api::Value;
use kube_yaml::write_yaml;

/// Flags whose values are paths.
const PATHS: [&str; 9] = [
    "--admission-control-config-file",
    "--authentication-config",
    "--authorization-config",
    "--kube-apiserver",
    "--master-config",
    "--openshift-apiserver-config",
    "--openshift-config",
    "--root",
    "--webhook-recordings",
];

/// Checks that `directory` has no suites, which would be mixed with new ones.
///
/// # Errors
///
/// Returns that it has.
pub(super) fn check(directory: &Path) -> Result<(), Diagnostic> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    match entries.map(|entry| entry.path()).find(|path| is_suite_file(path)) {
        None => Ok(()),
        Some(suite) => {
            let message = format!("{} exists already", suite.display());
            Err(Diagnostic::input(Code::Output, message)
                .help("choose another directory, or remove its suites"))
        }
    }
}

/// Writes each of the `moments` as a suite in `directory`, for a server with these flags, and returns what was written. What
/// cannot be written is said.
pub(super) fn write(
    directory: &Path,
    moments: &Moments,
    (arguments, keep): (&[(String, String)], Keep),
    colors: Colors,
    console: &mut Console,
) -> String {
    if !moments.kept.is_empty()
        && let Err(error) = fs::create_dir_all(directory)
    {
        console.say(&play::unwritable(directory, error));
        return String::new();
    }
    let values = moments.kept.iter().flat_map(|moment| moment.objects.iter().chain([&moment.review]));
    let names = Names::of(values, keep);
    for text in names.idle() {
        let message = format!("--keep {text}: no chosen request has such a text");
        console.say(&Diagnostic::warning(Code::Only, message));
    }
    let flags: Vec<String> = arguments
        .iter()
        .map(|(flag, value)| {
            if PATHS.contains(&flag.as_str()) {
                format!("{flag}={}", relative(directory, Path::new(value)))
            } else {
                format!("{flag}={value}")
            }
        })
        .collect();
    let mut text = String::new();
    for (index, moment) in moments.kept.iter().enumerate() {
        let file = directory.join(format!("{:02}-{}.kadmit-test.yaml", index + 1, name(&moment.outcome)));
        let place = format!("{}:{}", moment.logged.file, moment.logged.line);
        match written(&file, directory, moment, (&flags, &names), colors) {
            Ok(()) => {
                let _ = writeln!(text, "{}: {place} {}", file.display(), moment.logged.audit_id);
            }
            Err(errors) => {
                for error in errors {
                    let said = Diagnostic::warning(Code::ReplaySuite, format!("{place}: {}", error.message));
                    console.say(&Diagnostic { help: error.help, ..said });
                }
            }
        }
    }
    for (cause, count) in &moments.unsendable {
        let message = format!("requests that are not written as suites: {count} × {cause}");
        console.say(&Diagnostic::note(Code::ReplayLog, message));
    }
    if moments.left_out > 0 {
        let message = format!("{} other requests are more than are written as suites", moments.left_out);
        let help = "choose some with --only, --user, --namespace, --since or --until";
        console.say(&Diagnostic::note(Code::ReplayLog, message).help(help));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Writes `moment` as a suite in `file`, if its answer is the same with other names.
fn written(
    file: &Path,
    directory: &Path,
    moment: &Moment,
    (flags, names): (&[String], &Names),
    colors: Colors,
) -> Result<(), Vec<Diagnostic>> {
    let text = text_of(moment, flags, |value| names.rename(value));
    let (suite, answers) = played(file, directory, text, colors)?;
    if !is_same(moment, &answers, |before, after| names.is_said(before, after)) {
        let error = |message| Diagnostic::warning(Code::ReplaySuite, message);
        let needs_names = is_found_again(file, directory, moment, flags, colors);
        return Err(vec![if needs_names {
            error("not written, as its answer is another one with other names")
                .help("--keep names what stays, such as `--keep images` or `--keep everything`")
        } else {
            error("not written, as its answer needs more than a suite has")
        }]);
    }
    let cases: Vec<_> = suite.cases.iter().map(|case| (case, &answers)).collect();
    let text = suite.update(&cases).map_err(|refusals| play::refused(&suite, &refusals))?;
    output::replace(file, &text).map_err(|error| vec![play::unwritable(file, error)])
}

/// Whether the suite would have the answer with the names of the log.
fn is_found_again(file: &Path, directory: &Path, moment: &Moment, flags: &[String], colors: Colors) -> bool {
    let everything = Names::of([], Keep::of(&["everything".to_owned()]));
    let text = text_of(moment, flags, |value| everything.rename(value));
    let answers = played(file, directory, text, colors).map(|(_, answers)| answers);
    answers.is_ok_and(|answers| is_same(moment, &answers, |before, after| before == after))
}

fn played(
    file: &Path,
    directory: &Path,
    text: String,
    colors: Colors,
) -> Result<(Suite, Answers), Vec<Diagnostic>> {
    let suite = Suite::read(&SourceFile::new(file.display().to_string(), text))?;
    let cases: Vec<_> = suite.cases.iter().collect();
    let (played, ..) = play::play(&suite, &cases, directory, colors, None)?;
    let answers = played.into_iter().map(|(_, answers)| answers).next();
    let answers = answers.expect("a suite has a case")?;
    Ok((suite, answers))
}

/// Whether the answers are that of the moment, where `is_said` compares texts with other names.
fn is_same(moment: &Moment, answers: &Answers, is_said: impl Fn(&str, &str) -> bool) -> bool {
    let [after] = answers.requests.as_slice() else { return false };
    let before = &moment.outcome;
    let generated = |outcome: &Outcome, text: &str| match outcome.name.as_str() {
        "" => text.to_owned(),
        name if outcome.received.as_ref().is_some_and(|object| !object.generate_name().is_empty()) => {
            text.replace(name, "…")
        }
        _ => text.to_owned(),
    };
    let texts = |outcome: &Outcome| -> Vec<String> {
        let status = outcome.status().map(|status| &status.message);
        status.into_iter().chain(&outcome.trace.warnings).map(|text| generated(outcome, text)).collect()
    };
    let code = |outcome: &Outcome| outcome.status().map(|status| (status.code, status.reason.clone()));
    let changed = |outcome: &Outcome| -> Vec<&'static str> {
        let steps = outcome.trace.steps.iter().filter(|step| step.change.is_some());
        steps.map(|step| step.plugin).collect()
    };
    let (old, new) = (texts(before), texts(after));
    code(before) == code(after)
        && before.denied_by() == after.denied_by()
        && changed(before) == changed(after)
        && old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| is_said(old, new))
}

/// Returns the text of a suite without expectations.
fn text_of(moment: &Moment, flags: &[String], rename: impl Fn(&Value) -> Value) -> String {
    let mut text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\ncluster:\n");
    for object in &moment.objects {
        text.push_str(&item(&rename(object), ""));
    }
    if moment.objects.is_empty() {
        text.truncate(text.len() - "cluster:\n".len());
    }
    if !flags.is_empty() {
        text.push_str("flags:\n");
    }
    for flag in flags {
        text.extend(["- ", &scalar(flag), "\n"]);
    }
    // Controllers and namespaces are in the log, and bodies in it lack what the server did not know.
    text.push_str("strict: true\nfieldValidation: Ignore\ncases:\n");
    text.extend(["- name: ", &scalar(&name(&moment.outcome).replace('-', " ")), "\n  requests:\n"]);
    text.push_str(&item(&rename(&moment.review), "  "));
    text
}

/// Returns `value` as an item of a list.
fn item(value: &Value, indent: &str) -> String {
    let mut text = String::new();
    // A value of JSON is one of YAML.
    let _ = write_yaml(value, &mut text);
    let mut lines = String::new();
    for (position, line) in text.lines().enumerate() {
        let lead = if position == 0 { "- " } else { "  " };
        lines.extend([indent, lead, line, "\n"]);
    }
    lines
}

/// Returns the name of a suite, such as `create-pods-denied-by-podsecurity`.
fn name(outcome: &Outcome) -> String {
    let mut name = format!("{}-{}", outcome.operation.as_str(), outcome.resource.resource).to_lowercase();
    if !outcome.sub_resource.is_empty() {
        let _ = write!(name, "-{}", outcome.sub_resource.to_lowercase());
    }
    match (outcome.allowed(), outcome.denied_by()) {
        (true, _) => name.push_str("-admitted"),
        (false, None) => name.push_str("-denied"),
        (false, Some(plugin)) => {
            let _ = write!(name, "-denied-by-{}", plugin.to_lowercase());
        }
    }
    name
}
