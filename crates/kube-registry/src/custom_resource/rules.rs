//! The rules of a schema (`x-kubernetes-validations`), applied to an object.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`.

mod compiled;
pub(crate) mod field_path;
mod typed;
mod visit;

use crate::custom_resource::place::{Update, field};
use crate::custom_resource::schema::ListType;
use gotext::quote;
use kube_api::Value;
use kube_api::field::{self, Error, ErrorType, Path};
use kube_cel::{PER_CALL_LIMIT, Variables};

use compiled::Rule;
pub(super) use compiled::Validator;
pub use visit::{RuleVisit, TriedSchema};

/// `RuntimeCELCostBudget`, of all rules together.
const COST_BUDGET: u64 = 10_000_000;
const MAX_MESSAGE: usize = 5 * 1024;
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The findings of the rules.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) errors: Vec<Error>,
    /// The failures in parts that an update does not change.
    pub(super) warnings: Vec<String>,
    remaining: u64,
}

/// The budget of the rules of several values.
#[derive(Debug)]
pub(super) struct Budget(Option<u64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Some(COST_BUDGET))
    }
}

impl Budget {
    /// Whether it is used up.
    pub(super) fn is_exceeded(&self) -> bool {
        self.0.is_none()
    }
}

/// The budget is used up: no more rules are evaluated.
struct Stop;

/// The old value of a part, which decides whether errors are tolerated.
#[derive(Clone, Copy, Default)]
struct Ratcheting<'a> {
    current: Option<Update<'a>>,
    /// The nearest containing part whose old value is known.
    nearest_parent: Option<Update<'a>>,
}

/// What is called for every part of a value.
type Visitor<'v> = dyn FnMut(&Validator, Part<'_>) -> Result<(), Stop> + 'v;

/// A value and where it is.
#[derive(Clone, Copy)]
struct Part<'a> {
    path: Option<&'a Path>,
    value: &'a Value,
    old: Option<&'a Value>,
    ratcheting: Ratcheting<'a>,
}

impl Ratcheting<'_> {
    fn is_unchanged(self) -> bool {
        self.current.or(self.nearest_parent).is_some_and(Update::is_unchanged)
    }

    fn key(self, name: &str) -> Self {
        let Some(current) = self.current else { return self };
        if self.nearest_parent.is_none() && ["apiVersion", "kind"].contains(&name) {
            return Self::default();
        }
        Self { current: current.field(name), nearest_parent: Some(current) }
    }

    fn index(self, index: usize) -> Self {
        let Some(current) = self.current else { return self };
        Self { current: current.item(index), nearest_parent: Some(current) }
    }
}

impl Validator {
    /// Evaluates the rules of an object; `update` is the object with the one that it replaces.
    pub(super) fn validate(&self, object: &Value, update: Option<Update<'_>>) -> Findings {
        let mut findings = Findings { remaining: COST_BUDGET, ..Findings::default() };
        let part = Part {
            path: None,
            value: object,
            old: update.map(|update| update.old),
            ratcheting: Ratcheting { current: update, nearest_parent: None },
        };
        // The cause of the stop is among the errors.
        let _ = self.part(part, &mut findings);
        findings
    }

    /// Evaluates the rules of a default at `path`: as the value that stays as it is, and as a new one.
    pub(super) fn validate_default(&self, value: &Value, path: &Path, budget: &mut Budget) -> Vec<Error> {
        let mut least = budget.0;
        for old in [Some(value), None] {
            let Some(remaining) = budget.0 else { return Vec::new() };
            let mut findings = Findings { remaining, ..Findings::default() };
            let part = Part { path: Some(path), value, old, ratcheting: Ratcheting::default() };
            let is_stopped = self.part(part, &mut findings).is_err();
            least = least.filter(|_| !is_stopped).map(|least| least.min(findings.remaining));
            if is_stopped || !findings.errors.is_empty() {
                budget.0 = least;
                return findings.errors;
            }
        }
        budget.0 = least;
        Vec::new()
    }

    fn part(&self, part: Part, findings: &mut Findings) -> Result<(), Stop> {
        self.walk(part, &mut |validator, part| validator.expressions(part, findings))
    }

    /// Passes every part of a value to `visit`, with the rules for it.
    fn walk(&self, part: Part, visit: &mut Visitor<'_>) -> Result<(), Stop> {
        if part.value.is_null() {
            return Ok(());
        }
        visit(self, part)?;
        for validator in &self.all_of {
            let ratcheting = Ratcheting { current: None, nearest_parent: part.ratcheting.nearest_parent };
            validator.walk(Part { ratcheting, ..part }, visit)?;
        }
        match part.value {
            Value::Array(items) => self.items(part, items, visit),
            Value::Object(map) => {
                if let Some(validator) = &self.additional {
                    for (name, value) in map {
                        let path = part
                            .path
                            .map_or_else(|| Path::named(name.to_string()), |path| path.key(name.clone()));
                        validator.walk(part.below(&path, name, value), visit)?;
                    }
                }
                for (name, value) in map {
                    if let Some(validator) = self.properties.get(name.as_str()) {
                        validator.walk(part.below(&field(part.path, name), name, value), visit)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn items(&self, part: Part, items: &[Value], visit: &mut Visitor<'_>) -> Result<(), Stop> {
        let Some(validator) = &self.items else { return Ok(()) };
        let old = part.old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (index, value) in items.iter().enumerate() {
            let path = part.path.map_or_else(|| Path::new("").index(index), |path| path.index(index));
            let old = match &self.list_type {
                ListType::Map(keys) => old.iter().find(|old| has_same_keys(old, value, keys)),
                _ => None,
            };
            let ratcheting = part.ratcheting.index(index);
            validator.walk(Part { path: Some(&path), value, old, ratcheting }, visit)?;
        }
        Ok(())
    }

    fn expressions(&self, part: Part, findings: &mut Findings) -> Result<(), Stop> {
        if self.rules.is_empty() {
            return Ok(());
        }
        let old = part.old.filter(|old| !old.is_null());
        if findings.remaining == 0 {
            findings.errors.push(self.error(part.path, OUT_OF_BUDGET.to_owned()));
            return Err(Stop);
        }
        let own = kube_cel::Value::typed(part.value, &self.typed);
        let old_self = old.map(|old| kube_cel::Value::typed(old, &self.typed));
        let variables = Variables::new().with("self", own);
        let transition = match &old_self {
            Some(old) => variables.clone().with("oldSelf", old.clone()),
            None => variables.clone(),
        };
        let optional =
            variables.with("oldSelf", kube_cel::Value::Optional(old_self.map(std::sync::Arc::new)));
        for rule in &self.rules {
            let (program, uses_old_self) = match &rule.program {
                Ok(Some(compiled)) => (&compiled.program, compiled.uses_old_self),
                Ok(None) => continue,
                Err(error) => {
                    findings.errors.push(self.error(part.path, format!("rule compile error: {error}")));
                    continue;
                }
            };
            if uses_old_self && old.is_none() && !rule.is_optional {
                continue;
            }
            let activation = if rule.is_optional { &optional } else { &transition };
            let evaluation = program.eval(activation, Some(PER_CALL_LIMIT));
            let Some(remaining) = findings.remaining.checked_sub(evaluation.cost) else {
                findings.errors.push(self.error(part.path, OUT_OF_BUDGET.to_owned()));
                return Err(Stop);
            };
            findings.remaining = remaining;
            match evaluation.result {
                Ok(kube_cel::Value::Bool(true)) => {}
                Ok(_) => {
                    let may_stay = !uses_old_self && part.ratcheting.is_unchanged();
                    self.violated(rule, part, &transition, may_stay, findings)?;
                }
                Err(error) => {
                    let what = rule.text();
                    let detail = if error.message.starts_with("no such overload") {
                        format!(
                            "'{error}': call arguments did not match a supported operator, function or macro signature \
                             for rule: {what}"
                        )
                    } else if error.is_over_limit {
                        let detail = format!(
                            "'{error}': no further validation rules will be run due to call cost exceeds limit for \
                             rule: {what}"
                        );
                        findings.errors.push(self.error(part.path, detail));
                        return Err(Stop);
                    } else {
                        format!("{error} evaluating rule: {what}")
                    };
                    findings.errors.push(self.error(part.path, detail));
                }
            }
        }
        Ok(())
    }

    /// Reports a rule that failed.
    fn violated(
        &self,
        rule: &Rule,
        part: Part,
        variables: &Variables,
        may_stay: bool,
        findings: &mut Findings,
    ) -> Result<(), Stop> {
        let path = rule.path_below(part.path);
        let message = match rule.message(variables, &mut findings.remaining) {
            Ok(message) => message,
            Err(detail) => {
                findings.add(self.error(path.as_ref(), detail), may_stay);
                return Err(Stop);
            }
        };
        let detail = message.unwrap_or_else(|| match rule.fixed_message.trim() {
            _ if rule.fixed_message.is_empty() => format!("failed rule: {}", rule.text()),
            message => message.to_owned(),
        });
        let is_compound = ["object", "array"].contains(&&*self.type_name);
        let value = (!is_compound).then(|| Error::invalid(&Path::new(""), part.value, ""));
        let bad_value = value.and_then(|error| error.bad_value);
        let error = match rule.reason.as_str() {
            "FieldValueForbidden" => Error::printed(ErrorType::Forbidden, path, None, detail),
            "FieldValueRequired" => Error::printed(ErrorType::Required, path, None, detail),
            "FieldValueDuplicate" => Error::printed(ErrorType::Duplicate, path, bad_value, ""),
            _ => Error::printed(ErrorType::Invalid, path, bad_value, detail),
        };
        // Older servers print the type instead of the value.
        let error = error.about(None, &Value::from(&*self.type_name)).of(field::Rule::Expression);
        findings.add(error, may_stay);
        Ok(())
    }

    /// Returns an error that names only the type of a value.
    fn error(&self, path: Option<&Path>, detail: String) -> Error {
        Error::printed(ErrorType::Invalid, path.cloned(), Some(quote(&self.type_name)), detail)
    }
}

impl<'a> Part<'a> {
    fn below(self, path: &'a Path, name: &str, value: &'a Value) -> Self {
        let old = self.old.and_then(|old| old.as_object()?.get(name));
        Self { path: Some(path), value, old, ratcheting: self.ratcheting.key(name) }
    }
}

impl Findings {
    fn add(&mut self, error: Error, may_stay: bool) {
        if may_stay {
            self.warnings.push(error.to_string());
        } else {
            self.errors.push(error);
        }
    }
}

impl Rule {
    /// Returns the result of the message expression, if it is usable.
    ///
    /// # Errors
    ///
    /// It costs too much.
    fn message(&self, variables: &Variables, remaining: &mut u64) -> Result<Option<String>, String> {
        let Some((text, program)) = &self.message_expression else { return Ok(None) };
        let evaluation = program.eval(variables, Some(PER_CALL_LIMIT));
        match remaining.checked_sub(evaluation.cost) {
            Some(rest) => *remaining = rest,
            None => {
                return Err(
                    "messageExpression evaluation failed due to running out of cost budget, no further \
                            validation rules will be run"
                        .to_owned(),
                );
            }
        }
        match evaluation.result {
            Ok(kube_cel::Value::String(message)) => {
                let message = message.trim();
                let is_useful =
                    !message.is_empty() && message.len() <= MAX_MESSAGE && !message.contains('\n');
                Ok(is_useful.then(|| message.to_owned()))
            }
            Err(error) if error.is_over_limit => Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                quote(text)
            )),
            _ => Ok(None),
        }
    }
}

/// Whether two items of a list that is distinguished by `keys` are the same item.
fn has_same_keys(old: &Value, new: &Value, keys: &[String]) -> bool {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return false };
    let is_one = keys.len() == 1;
    keys.iter().all(|key| {
        let (old, new) = (old.get(key), new.get(key));
        old == new && (old.is_some() || !is_one)
    })
}
