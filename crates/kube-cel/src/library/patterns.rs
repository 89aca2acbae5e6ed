//! Regular expressions.
//!
//! Source: cel-go `interpreter/optimizations.go`, `k8s.io/apiserver/pkg/cel/library/regex.go`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use regex::Regex;

use super::Function;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::value::Outcome;
use crate::value::Value;
use gotext::regexp;

/// The use of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Matches,
    Find,
    FindAll,
}

/// A pattern that is known before evaluation.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    action: Action,
    regex: Regex,
}

impl Action {
    /// Returns the use that a function makes of its pattern, if it takes one.
    pub(crate) fn of(function: &str) -> Option<Self> {
        Some(match function {
            "matches" => Self::Matches,
            "find" => Self::Find,
            "findAll" => Self::FindAll,
            _ => return None,
        })
    }

    pub(crate) fn compile(self, pattern: &str) -> Result<Pattern, Fault> {
        let regex = compile(&Meter::new(None), pattern)?.map_err(Fault::new)?;
        Ok(Pattern { action: self, regex })
    }

    fn run<'a>(self, regex: &Regex, text: &str, count: Option<i64>, meter: &Meter) -> Outcome<'a> {
        Ok(match self {
            Self::Matches => Value::Bool(regex.is_match(text)),
            Self::Find => Value::text(regex.find(text).map_or("", |found| found.as_str())),
            Self::FindAll => {
                let count = count.unwrap_or(-1);
                let mut found = Vec::new();
                for part in regex.find_iter(text).take(usize::try_from(count).unwrap_or(usize::MAX)) {
                    meter.charge(1)?;
                    found.push(part.as_str().to_owned());
                }
                Value::texts(found)
            }
        })
    }

    fn call<'a>(self, meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
        let [Value::String(text), Value::String(pattern), rest @ ..] = arguments else {
            return Err(Fault::no_such_overload());
        };
        let regex = compile(meter, pattern)?.map_err(|error| match self {
            Self::Matches => Fault::new(error),
            _ => Fault::new(format!("Illegal regex: {error}")),
        })?;
        self.run(&regex, text, count(rest)?, meter)
    }
}

impl Pattern {
    /// Calls the function with its second argument as the pattern.
    pub(crate) fn call<'a>(&self, meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
        let [Value::String(text), _, rest @ ..] = arguments else { return Err(Fault::no_such_overload()) };
        self.action.run(&self.regex, text, count(rest)?, meter)
    }
}

fn count(rest: &[Value]) -> Result<Option<i64>, Fault> {
    match rest {
        [] => Ok(None),
        [Value::Int(count)] => Ok(Some(*count)),
        _ => Err(Fault::no_such_overload()),
    }
}

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "string_find_string" => |meter, arguments| Action::Find.call(meter, arguments),
        "string_find_all_string" | "string_find_all_string_int" => {
            |meter, arguments| Action::FindAll.call(meter, arguments)
        }
        _ => return None,
    })
}

pub(super) fn matches<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    Action::Matches.call(meter, arguments)
}

/// Whether a pattern is valid in Go.
pub(crate) fn is_pattern(pattern: &str) -> bool {
    regexp::compile(pattern).is_ok()
}

/// Patterns that expressions compute, which recur with each element.
static RECENT: Mutex<BTreeMap<Arc<str>, Result<Regex, String>>> = Mutex::new(BTreeMap::new());
/// The number of small steps that compiling each part of a pattern counts for.
const STEPS: u64 = 16;
const MAX_RECENT: usize = 64;

/// Returns the expression of a pattern. The steps of compiling it are charged even if it is cached, so that an
/// evaluation always ends at the same point.
fn compile(meter: &Meter, pattern: &str) -> Result<Result<Regex, String>, Fault> {
    let parsed = regexp::Pattern::parse(pattern);
    meter.charge(parsed.as_ref().map_or(1, |parsed| parsed.weight.saturating_mul(STEPS)))?;
    let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = recent().get(pattern) {
        return Ok(known.clone());
    }
    let compiled = parsed.and_then(|parsed| parsed.compile());
    let mut recent = recent();
    if recent.len() == MAX_RECENT {
        recent.clear();
    }
    recent.insert(pattern.into(), compiled.clone());
    Ok(compiled)
}
