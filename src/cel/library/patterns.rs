//! Regular expressions.
//!
//! Source: cel-go `interpreter/optimizations.go`, `k8s.io/apiserver/pkg/cel/library/regex.go`.

mod syntax;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use regex::Regex;

use super::Function;
use crate::api::go_regex;
use crate::cel::failure::{Fault, Outcome};
use crate::cel::meter::Meter;
use crate::cel::value::Value;

/// What is done with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cel) enum Action {
    Matches,
    Find,
    FindAll,
}

/// A pattern that is known before evaluation.
#[derive(Debug, Clone)]
pub(in crate::cel) struct Pattern {
    action: Action,
    regex: Regex,
}

impl Action {
    /// What the function does, if it takes a pattern.
    pub(in crate::cel) fn of(function: &str) -> Option<Self> {
        Some(match function {
            "matches" => Self::Matches,
            "find" => Self::Find,
            "findAll" => Self::FindAll,
            _ => return None,
        })
    }

    pub(in crate::cel) fn compile(self, pattern: &str) -> Result<Pattern, Fault> {
        Ok(Pattern { action: self, regex: compile(pattern).map_err(Fault::new)? })
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
        let regex = compile(pattern).map_err(|error| match self {
            Self::Matches => Fault::new(error),
            _ => Fault::new(format!("Illegal regex: {error}")),
        })?;
        self.run(&regex, text, count(rest)?, meter)
    }
}

impl Pattern {
    /// Calls the function with the pattern that is its second argument.
    pub(in crate::cel) fn call<'a>(&self, meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
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

/// Whether Go takes a pattern.
pub(in crate::cel) fn is_pattern(pattern: &str) -> bool {
    compile(pattern).is_ok()
}

/// Patterns that expressions put together, which come again with each element.
static RECENT: Mutex<BTreeMap<Arc<str>, Result<Regex, String>>> = Mutex::new(BTreeMap::new());
const MAX_RECENT: usize = 64;

fn compile(pattern: &str) -> Result<Regex, String> {
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = recent.get(pattern) {
        return known.clone();
    }
    let compiled = syntax::check(pattern).and_then(|()| {
        go_regex::compile(pattern)
            .map_err(|_| format!("error parsing regexp: expression too large: `{pattern}`"))
    });
    if recent.len() == MAX_RECENT {
        recent.clear();
    }
    recent.insert(pattern.into(), compiled.clone());
    compiled
}
