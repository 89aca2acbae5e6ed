//! Small changes of policies, each of which a test should notice.

use std::sync::Arc;

use crate::admission::Hook;
use crate::policy::coverage::{Coverage, ExpressionCoverage};
use kube_api::field::Path;
use kube_api::{Object, Value};
use kube_cel::{Ast, Expr, ExprId, Literal};

/// A policy with one change.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    /// The policy.
    pub hook: Hook,
    /// The changed field.
    pub field: Path,
    change: Change,
}

#[derive(Clone, Debug, PartialEq)]
enum Change {
    Set(Value),
    Remove,
}

/// The operators, each with what it becomes.
const OPERATORS: [(&str, &str, &str); 6] = [
    ("_==_", "==", "!="),
    ("_!=_", "!=", "=="),
    ("_<_", "<", "<="),
    ("_<=_", "<=", "<"),
    ("_>_", ">", ">="),
    ("_>=_", ">=", ">"),
];

/// The macros, each with what it becomes.
const MACROS: [(&str, &str); 2] = [("all", "exists"), ("exists", "all")];

/// Returns the mutants of the policies in `coverage`, which are among `objects`.
pub fn mutants(coverage: &Coverage, objects: &[Arc<Object>]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (hook, own) in coverage.policies() {
        let is_own = |object: &&Arc<Object>| object.kind.kind == hook.kind && object.name() == hook.name;
        let Some(policy) = objects.iter().find(is_own) else { continue };
        for expression in own.expressions() {
            for text in changed_texts(&expression) {
                mutants.push(Mutant {
                    hook: hook.clone(),
                    field: expression.field.clone(),
                    change: Change::Set(text.into()),
                });
            }
        }
        mutants.extend(changed_settings(&hook, policy));
    }
    mutants
}

impl Mutant {
    /// Returns the value of the field after the change, as JSON; nothing if it is removed.
    pub fn after(&self) -> String {
        match &self.change {
            Change::Set(value) => value.to_string(),
            Change::Remove => String::new(),
        }
    }

    /// Returns `policy` with the change.
    pub fn apply(&self, policy: &Object) -> Object {
        let mut changed = policy.clone();
        let pointer = self.field.json_pointer();
        let Some((parent, last)) = pointer.rsplit_once('/') else { return changed };
        match (&self.change, changed.value.pointer_mut(parent)) {
            (Change::Set(value), Some(place)) => match last.parse::<usize>() {
                Ok(index) => place[index] = value.clone(),
                Err(_) => place[last] = value.clone(),
            },
            (Change::Remove, Some(Value::Array(items))) => {
                if let Some(index) = last.parse::<usize>().ok().filter(|index| *index < items.len()) {
                    items.remove(index);
                }
            }
            (Change::Remove, Some(place)) => {
                place.as_object_mut().and_then(|fields| fields.remove(last));
            }
            (_, None) => {}
        }
        changed
    }
}

/// Returns the texts that an expression becomes.
fn changed_texts(expression: &ExpressionCoverage) -> Vec<String> {
    let (ast, text) = (expression.checked.ast(), expression.text.as_str());
    let mut texts = Vec::new();
    for id in ast.ids() {
        texts.extend(changed_node(ast, id, text));
    }
    let mut seen = Vec::new();
    texts.retain(|changed| {
        changed != text && !seen.contains(changed) && {
            seen.push(changed.clone());
            true
        }
    });
    texts
}

fn changed_node(ast: &Ast, id: ExprId, text: &str) -> Vec<String> {
    let Some(offset) = ast.offset(id).and_then(|offset| byte_of(text, offset)) else { return Vec::new() };
    let replace = |from: usize, to: usize, by: &str| format!("{}{by}{}", &text[..from], &text[to..]);
    let rest = &text[offset..];
    match ast.expr(id) {
        Expr::Call { function, arguments, .. } => {
            let operator =
                OPERATORS.iter().find(|(name, written, _)| **name == **function && rest.starts_with(written));
            if let Some((_, written, other)) = operator {
                return vec![replace(offset, offset + written.len(), other)];
            }
            if &**function == "!_" && rest.starts_with('!') {
                return vec![replace(offset, offset + 1, "")];
            }
            let is_chain = matches!(&**function, "_&&_" | "_||_") && rest.starts_with(['&', '|']);
            let [left, right] = arguments.as_slice() else { return Vec::new() };
            match (ast.extent(id, text), ast.extent(*left, text), ast.extent(*right, text)) {
                (Some(whole), Some(left), Some(right)) if is_chain => [left, right]
                    .into_iter()
                    .map(|term| replace(whole.start, whole.end, &text[term]))
                    .collect(),
                _ => Vec::new(),
            }
        }
        Expr::Literal(Literal::Bool(value)) if rest.starts_with(&value.to_string()) => {
            vec![replace(offset, offset + value.to_string().len(), &(!value).to_string())]
        }
        Expr::Literal(Literal::Int(value)) if *value >= 0 && rest.starts_with(&value.to_string()) => {
            vec![replace(offset, offset + value.to_string().len(), &value.saturating_add(1).to_string())]
        }
        Expr::Literal(Literal::String(_)) if rest.starts_with(['\'', '"']) => match ast.extent(id, text) {
            Some(place) => vec![replace(place.start, place.end, "'another text'")],
            None => Vec::new(),
        },
        Expr::Comprehension(_) if rest.starts_with('(') => {
            let found = MACROS.iter().find(|(name, _)| text[..offset].ends_with(&format!(".{name}")));
            found.map(|(name, other)| replace(offset - name.len(), offset, other)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the byte at which the character at `offset` starts.
fn byte_of(text: &str, offset: usize) -> Option<usize> {
    text.char_indices().nth(offset).map(|(byte, _)| byte)
}

/// Returns the policy without one of its parts, or with another failure policy.
fn changed_settings(hook: &Hook, policy: &Object) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    let mut add = |field: Path, change: Change| mutants.push(Mutant { hook: hook.clone(), field, change });
    for list in ["validations", "matchConditions", "mutations"] {
        // A kind of policies has only some of them.
        let items = policy.at("spec").and_then(|spec| spec.look_up(list)).and_then(Value::as_array);
        for index in 0..items.map_or(0, Vec::len) {
            add(Path::new("spec").child(list).index(index), Change::Remove);
        }
    }
    let other = if policy.text(["spec", "failurePolicy"]) == "Ignore" { "Fail" } else { "Ignore" };
    add(Path::new("spec").child("failurePolicy"), Change::Set(other.into()));
    let constraints = Path::new("spec").child("matchConstraints");
    for selector in ["namespaceSelector", "objectSelector"] {
        if let Some(value) = policy.at(["spec", "matchConstraints", selector])
            && value.as_object().is_some_and(|fields| !fields.is_empty())
        {
            add(constraints.child(selector), Change::Remove);
        }
    }
    let rules = policy.list(["spec", "matchConstraints", "resourceRules"]);
    for (index, rule) in rules.iter().enumerate() {
        let at = constraints.child("resourceRules").index(index);
        for list in ["operations", "resources"] {
            let items = rule[list].as_array().map_or(&[][..], Vec::as_slice);
            for position in (0..items.len()).filter(|_| items.len() > 1) {
                add(at.child(list).index(position), Change::Remove);
            }
        }
        if rules.len() > 1 {
            add(at, Change::Remove);
        }
    }
    mutants
}
