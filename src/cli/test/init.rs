//! `kadmit test --init`

use std::fs;
use std::path::{Component, Path, PathBuf, absolute};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::output;
use crate::cli::scenario::{Scenario, Setting};
use crate::cli::test::play;
use crate::code::Code;
use crate::report::Diagnostic;
use crate::suite::{API_VERSION, KIND, Suite, scalar};
use gotext::source::SourceFile;

/// The file in the directory.
const NAME: &str = "kadmit-test.yaml";

/// The only case, which users may split into several.
const CASE: &str = "everything stays as it is";

/// A suite that was created.
struct Created {
    file: PathBuf,
    /// The number of its requests, in words.
    cases: String,
    remarks: Vec<Diagnostic>,
}

/// Creates a suite from `paths` in `directory`: one without expectations, which is then updated.
pub(super) fn init(
    directory: &Path,
    paths: &[PathBuf],
    scenario: &Scenario,
    console: &mut Console,
    colors: Colors,
) -> Exit {
    let is_new = !directory.exists();
    match make(directory, paths, scenario, colors) {
        Ok(Created { file, cases, remarks }) => {
            for remark in &remarks {
                console.say(remark);
            }
            console.print(&format!("{} expects the current answers of {cases}\n", file.display()));
        }
        Err(errors) => {
            for error in &errors {
                console.say(error);
            }
            if is_new {
                // It stays if it is no longer empty.
                let _ = fs::remove_dir(directory);
            }
        }
    }
    console.exit()
}

fn make(
    directory: &Path,
    paths: &[PathBuf],
    scenario: &Scenario,
    colors: Colors,
) -> Result<Created, Vec<Diagnostic>> {
    let file = directory.join(NAME);
    if file.exists() {
        let error = Diagnostic::input(Code::Output, format!("{} exists already", file.display()));
        return Err(vec![error.help("choose another directory, or remove the file")]);
    }
    // The parents of a directory are known once it exists.
    fs::create_dir_all(directory).map_err(|error| vec![play::unwritable(directory, error)])?;
    let from_directory = |path: &str| relative(directory, Path::new(path));
    let settings = scenario.settings(from_directory).map_err(|error| vec![error])?;
    let requests: Vec<_> = paths.iter().map(|path| from_directory(&path.display().to_string())).collect();
    let source = SourceFile::new(file.display().to_string(), without_expectations(&settings, &requests));
    let suite = Suite::read(&source)?;
    let cases: Vec<_> = suite.cases.iter().collect();
    let mut requests = 0;
    let mut answers = Vec::new();
    let (played, remarks, _) = play::play(&suite, &cases, directory, colors, None)?;
    for (case, answer) in played {
        let answer = answer?;
        requests += answer.requests.len();
        answers.push((case, answer));
    }
    let answers: Vec<_> = answers.iter().map(|(case, answers)| (*case, answers)).collect();
    let text = suite.update(&answers).map_err(|refusals| play::refused(&suite, &refusals))?;
    output::replace(&file, &text).map_err(|error| vec![play::unwritable(&file, error)])?;
    let cases = if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") };
    Ok(Created { file, cases, remarks })
}

fn without_expectations(settings: &[(&str, Setting)], requests: &[String]) -> String {
    let mut text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n");
    for (key, setting) in settings {
        match setting {
            Setting::True => text.extend([*key, ": true\n"]),
            Setting::Text(value) => text.extend([*key, ": ", &scalar(value), "\n"]),
            Setting::List(items) => {
                text.extend([*key, ":\n"]);
                for item in items {
                    text.extend(["- ", &scalar(item), "\n"]);
                }
            }
        }
    }
    text.extend(["cases:\n- name: ", CASE, "\n  requests:\n"]);
    for request in requests {
        text.extend(["  - ", &scalar(request), "\n"]);
    }
    text
}

/// Returns `path` relative to `directory`; absolute paths stay absolute.
pub(in crate::cli) fn relative(directory: &Path, path: &Path) -> String {
    let seen = if path.is_absolute() { None } else { between(directory, path) };
    let seen = seen.unwrap_or_else(|| path.to_owned());
    seen.display().to_string().replace('\\', "/")
}

fn between(directory: &Path, path: &Path) -> Option<PathBuf> {
    let (from, to) = (steps(directory)?, steps(path)?);
    let shared = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
    let up = from[shared..].iter().map(|_| Path::new(".."));
    let way: PathBuf = up.chain(to[shared..].iter().map(PathBuf::as_path)).collect();
    Some(if way.as_os_str().is_empty() { PathBuf::from(".") } else { way })
}

/// Returns the directories from the root on, with existing links followed.
fn steps(path: &Path) -> Option<Vec<PathBuf>> {
    let whole = fs::canonicalize(path).or_else(|_| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().ok_or(std::io::ErrorKind::InvalidInput)?;
        fs::canonicalize(parent).map(|parent| parent.join(name))
    });
    let whole = whole.or_else(|_| absolute(path)).ok()?;
    let mut steps: Vec<PathBuf> = Vec::new();
    for component in whole.components() {
        match component {
            Component::ParentDir => drop(steps.pop()),
            component => steps.push(PathBuf::from(component.as_os_str())),
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_directory_of_the_suite() {
        let seen = |directory: &str, path: &str| relative(Path::new(directory), Path::new(path));
        assert_eq!(seen("tests", "manifests/web.yaml"), "../manifests/web.yaml");
        assert_eq!(seen(".", "src/cli"), "src/cli");
        assert_eq!(seen("src/cli", "src"), "..");
        assert_eq!(seen("src", "src"), ".");
        assert_eq!(seen("src/new", "src/*.yaml"), "../*.yaml");
        assert_eq!(seen("src", "/etc/a.yaml"), "/etc/a.yaml");
    }
}
