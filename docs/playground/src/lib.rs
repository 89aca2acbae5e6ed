//! Evaluates the requests of a page. Both sides share one buffer: the page reserves room in it and writes a request,
//! the module writes the answer there. Nothing is read from elsewhere, and nothing is sent.

use std::cell::RefCell;
use std::sync::Arc;

use kadmit::{ApiServer, Code, Diagnostic, Errors, Severity, SourceFile, Text, TextStyle, Verbosity};
use serde::{Deserialize, Serialize};

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The page's request.
#[derive(Deserialize)]
struct Request {
    /// Flags of kube-apiserver, one per line.
    flags: String,
    /// The existing objects.
    cluster: String,
    /// The manifests to evaluate.
    manifests: String,
}

/// The answer that the page shows.
#[derive(Default, Serialize)]
struct Answer {
    /// The report as `kadmit run` prints it.
    text: String,
    /// The report as `kadmit run -o json` prints it; nothing if the server does not start.
    json: Option<serde_json::Value>,
    /// Errors in flags, files and documents, and assumptions.
    diagnostics: Vec<Said>,
    admitted: bool,
}

#[derive(Serialize)]
struct Said {
    severity: Severity,
    code: String,
    message: String,
    help: Option<String>,
    file: Option<String>,
    line: Option<usize>,
}

/// Makes room for a request of `length` bytes and returns where it is.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Evaluates the request in the buffer and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn evaluate() -> usize {
    BUFFER.with_borrow_mut(|buffer| {
        let answer = match serde_json::from_slice(buffer) {
            Ok(request) => answer(&request),
            Err(error) => {
                let diagnostic = Diagnostic::input(Code::InputUnreadable, error.to_string());
                Answer { diagnostics: said(&[diagnostic]), ..Answer::default() }
            }
        };
        *buffer = serde_json::to_vec(&answer).unwrap_or_default();
        buffer.len()
    })
}

/// Returns where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn result() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}

fn answer(request: &Request) -> Answer {
    evaluated(request).unwrap_or_else(|errors| Answer {
        text: errors.to_string(),
        diagnostics: said(&errors.diagnostics),
        ..Answer::default()
    })
}

fn evaluated(request: &Request) -> Result<Answer, Errors> {
    let flags =
        request.flags.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let file = |name: &str, text: &str| -> Arc<SourceFile> { SourceFile::new(name, text) };
    let mut cluster = ApiServer::from_flags(flags)?.cluster(&[file("cluster.yaml", &request.cluster)])?;
    let evaluation = cluster.evaluate(&[file("manifests.yaml", &request.manifests)]);
    let style = TextStyle {
        verbosity: Verbosity::Normal,
        diff: true,
        all_diffs: false,
        warnings_fail: false,
        width: 90,
    };
    let (mut text, mut json) = (Vec::new(), Vec::new());
    let fixtures = evaluation.fixtures().clone();
    // Only memory is written, which does not fail.
    let _ = evaluation.write_to(&mut Text::new(&mut text, style, fixtures));
    let _ = evaluation.write_json(&mut json);
    Ok(Answer {
        text: String::from_utf8_lossy(&text).into_owned(),
        json: serde_json::from_slice(&json).ok(),
        diagnostics: said(&evaluation.diagnostics),
        admitted: evaluation.is_admitted(),
    })
}

fn said(diagnostics: &[Diagnostic]) -> Vec<Said> {
    let said = |diagnostic: &Diagnostic| Said {
        severity: diagnostic.severity,
        code: diagnostic.code.to_string(),
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        file: diagnostic.file.clone(),
        line: diagnostic.line(),
    };
    diagnostics.iter().map(said).collect()
}
