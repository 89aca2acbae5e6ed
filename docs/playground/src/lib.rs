//! Answers the questions of a page. Both sides share one buffer: the page reserves room in it and writes a question, the
//! module writes the answer there. Nothing is read from elsewhere, and nothing is sent.

mod actions;
mod positions;
mod run;

use std::cell::RefCell;

use kadmit::{Code, Diagnostic};
use serde::Deserialize;

use run::Run;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The last evaluation, which the other questions are about.
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// A question of the page. Offsets are those of its strings, in UTF-16.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Question {
    /// What does the server answer to the manifests?
    Evaluate(Texts),
    /// What is at this offset of the manifests?
    Hover { offset: usize },
    /// What can be done about this offset of the manifests?
    Actions { offset: usize },
    /// What can follow at this offset of a text?
    Complete { text: String, offset: usize },
    /// What does a policy's expression say about an object?
    Eval { expression: String, object: usize },
    /// Which releases and plugins are there?
    Menus,
}

/// What the page has.
#[derive(Deserialize)]
struct Texts {
    /// Flags of kube-apiserver, one per line.
    flags: String,
    /// The existing objects.
    cluster: String,
    /// The manifests to evaluate.
    manifests: String,
    /// The width of the report in characters.
    #[serde(default = "default_width")]
    width: usize,
}

fn default_width() -> usize {
    90
}

/// Makes room for a question of `length` bytes and returns where it is.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the question in the buffer and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    BUFFER.with_borrow_mut(|buffer| {
        let answer = match serde_json::from_slice(buffer) {
            Ok(question) => answer_to(question),
            Err(error) => {
                let diagnostic = Diagnostic::input(Code::InputUnreadable, error.to_string());
                serde_json::json!({"diagnostics": run::said(&[diagnostic])})
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

fn answer_to(question: Question) -> serde_json::Value {
    if let Question::Evaluate(texts) = &question {
        let (run, answer) = Run::of(texts);
        RUN.set(run);
        return answer;
    }
    if let Question::Menus = question {
        return run::menus();
    }
    RUN.with_borrow(|run| {
        let Some(run) = run else { return serde_json::Value::Null };
        match question {
            Question::Hover { offset } => run.hover(offset),
            Question::Actions { offset } => run.actions(offset),
            Question::Complete { text, offset } => run.complete(&text, offset),
            Question::Eval { expression, object } => run.eval(&expression, object),
            Question::Evaluate(_) | Question::Menus => serde_json::Value::Null,
        }
    })
}
