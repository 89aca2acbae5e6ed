//! Explains why an expression refuses a request: the deciding part of it, and the values that this part read.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::admission::Explanation;
use crate::policy::{Bindings, Expression, Inputs, Variable};
use kube_api::field::Path;
use kube_cel::{Ast, Comprehension, Expr, ExprId, Literal, PER_CALL_LIMIT, Value};

/// The limit on the number of values shown: more would obscure the reason.
const MOST_VALUES: usize = 10;

/// The length to which a value is shown.
const LONGEST_VALUE: usize = 80;

/// The values that an expression read when it refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// The deciding part, and the values that it read.
    pub explanation: Explanation,
    /// The fields of the object among them.
    pub fields: Vec<Path>,
}

impl Expression {
    /// Evaluates the expression again and records what its deciding part reads; nothing for an expression that does not
    /// compile.
    pub fn explain(&self, inputs: Inputs<'_>, variables: &[Variable]) -> Explained {
        let mut explained = Explained::default();
        self.text.trim().clone_into(&mut explained.explanation.expression);
        let mut readings = Readings { explained, inputs, variables, pending: Vec::new(), known: Vec::new() };
        if let Some(part) = readings.read(self) {
            let trimmed = self.text.len() - self.text.trim_start().len();
            readings.explained.explanation.part = part.start - trimmed..part.end - trimmed;
        }
        while let Some(name) = readings.pending.pop() {
            let variable = variables.iter().rfind(|variable| variable.name == name);
            variable.and_then(|variable| readings.read(&variable.expression));
        }
        readings.explained
    }
}

/// Collects the values that expressions read.
struct Readings<'a> {
    explained: Explained,
    inputs: Inputs<'a>,
    variables: &'a [Variable],
    /// Variables that were read, and whose own expressions have not been visited yet.
    pending: Vec<String>,
    known: Vec<String>,
}

/// The last value of each node.
struct Observed<'e> {
    ast: &'e Ast,
    variables: &'e [Variable],
    nodes: BTreeMap<ExprId, Node>,
}

/// The observations of a node.
#[derive(Default)]
struct Node {
    /// Its value as shown, or its error.
    value: Option<Result<String, String>>,
    is_list: bool,
    /// The number of its evaluations.
    count: usize,
}

/// A name that an expression reads, such as `object.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    text: String,
    /// The field of the object, if it is one.
    path: Option<FieldOf>,
}

/// The object as a whole, or a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FieldOf {
    Object,
    Field(Path),
}

/// The variables of folds around a node, with their names in the deciding step.
type Scope<'s> = Vec<(&'s str, Option<Name>)>;

impl Readings<'_> {
    /// Reads the deciding part of `expression`, and returns its place in the text.
    fn read(&mut self, expression: &Expression) -> Option<Range<usize>> {
        let (checked, program) = expression.compiled().ok()?;
        let mut observed = Observed { ast: checked.ast(), variables: self.variables, nodes: BTreeMap::new() };
        let bindings = Bindings::new(self.inputs, self.variables);
        let _ = program.eval_observed(&bindings, Some(PER_CALL_LIMIT), &mut |id, value| {
            let node = observed.nodes.entry(id).or_default();
            node.count += 1;
            node.is_list = matches!(value, Ok(Value::List(_)));
            node.value = Some(value.map(shown).map_err(|error| error.message.clone()));
        });
        let characters: Vec<char> = expression.text.chars().collect();
        let root = checked.ast().root();
        let (decisive, part) = observed.decisive(root, &characters, 0..characters.len());
        self.walk(&observed, decisive, &mut Vec::new());
        let bytes = |end: usize| characters[..end].iter().map(|character| character.len_utf8()).sum();
        Some(bytes(part.start)..bytes(part.end))
    }

    fn walk<'e>(&mut self, observed: &Observed<'e>, id: ExprId, scope: &mut Scope<'e>) {
        if let Some(name) = observed.name(id, scope) {
            return self.record(observed, id, name);
        }
        match observed.ast.expr(id) {
            Expr::Call { function, arguments, .. } if &**function == "_&&_" => {
                let terms = arguments.iter().flat_map(|argument| observed.terms("_&&_", *argument));
                let terms: Vec<ExprId> = terms.collect();
                match observed.failing(&terms) {
                    Some(term) => self.walk(observed, term, scope),
                    None => terms.into_iter().for_each(|term| self.walk(observed, term, scope)),
                }
            }
            Expr::Comprehension(fold) => self.walk_fold(observed, id, fold, scope),
            _ => {
                for child in observed.ast.children(id) {
                    self.walk(observed, child, scope);
                }
            }
        }
    }

    /// Visits a fold. If it ended at the first element for which its condition fails, that element is read; the
    /// elements of other folds are not shown, since no single one decides.
    fn walk_fold<'e>(
        &mut self,
        observed: &Observed<'e>,
        id: ExprId,
        fold: &'e Comprehension,
        scope: &mut Scope<'e>,
    ) {
        let failed = observed.predicate_of_all(id, fold);
        let Some(predicate) = failed else { return self.walk(observed, fold.range, scope) };
        let first = observed.terms("_&&_", predicate)[0];
        let index = observed.nodes.get(&first).map_or(0, |node| node.count.saturating_sub(1));
        let range = observed.name(fold.range, scope);
        let is_list = observed.nodes.get(&fold.range).is_some_and(|node| node.is_list);
        let element = range.filter(|_| is_list).map(|range| range.index(index));
        let depth = scope.len();
        match &fold.second_variable {
            None => scope.push((&fold.variable, element)),
            Some(second) => scope.extend([(&*fold.variable, None), (second, element)]),
        }
        self.walk(observed, predicate, scope);
        scope.truncate(depth);
    }

    fn record(&mut self, observed: &Observed<'_>, id: ExprId, name: Name) {
        if self.known.contains(&name.text) {
            return;
        }
        let Some(value) = observed.nodes.get(&id).and_then(|node| node.value.as_ref()) else { return };
        let is_test = matches!(observed.ast.expr(id), Expr::Select { is_test: true, .. });
        let value = match value {
            Ok(value) if is_test => if value == "true" { "is set" } else { "is not set" }.to_owned(),
            Ok(value) => format!("is {value}"),
            Err(error) if error.starts_with("no such key") => "is not set".to_owned(),
            Err(_) => "has no value".to_owned(),
        };
        self.known.push(name.text.clone());
        let computed = name.text.strip_prefix("variables.").filter(|_| name.path.is_none());
        if let Some(variable) = computed {
            let variable = variable.split(['.', '[']).next().unwrap_or_default().to_owned();
            if !self.pending.contains(&variable) {
                self.pending.insert(0, variable);
            }
        }
        if let Some(FieldOf::Field(path)) = name.path {
            self.explained.fields.push(path);
        }
        if self.explained.explanation.values.len() < MOST_VALUES {
            self.explained.explanation.values.push((name.text, value));
        }
    }
}

impl Observed<'_> {
    /// Returns the term of a conjunction that makes it false or, failing that, has an error.
    fn failing(&self, terms: &[ExprId]) -> Option<ExprId> {
        let value = |term: &ExprId| self.nodes.get(term).and_then(|node| node.value.as_ref());
        let is_false = |term: &&ExprId| matches!(value(term), Some(Ok(text)) if text == "false");
        let is_error = |term: &&ExprId| matches!(value(term), Some(Err(_)));
        terms.iter().find(is_false).or_else(|| terms.iter().find(is_error)).copied()
    }

    /// Returns the operands of a chain of `function`, in order.
    fn terms(&self, function: &str, id: ExprId) -> Vec<ExprId> {
        match self.ast.expr(id) {
            Expr::Call { function: found, arguments, .. } if **found == *function => {
                arguments.iter().flat_map(|argument| self.terms(function, *argument)).collect()
            }
            _ => vec![id],
        }
    }

    /// Returns the innermost deciding term of the conjunction `id`, which is at `range`, and its place.
    fn decisive(&self, id: ExprId, text: &[char], range: Range<usize>) -> (ExprId, Range<usize>) {
        let range = without_parentheses(text, range);
        let mut terms = Vec::new();
        self.place_terms(id, text, range.clone(), &mut terms);
        let are_whole = terms.iter().all(|(_, range)| is_balanced(&text[range.clone()]));
        let ids: Vec<ExprId> = terms.iter().map(|(id, _)| *id).collect();
        match self.failing(&ids).filter(|_| terms.len() > 1 && are_whole) {
            Some(failing) => {
                let place = terms.into_iter().find(|(id, _)| *id == failing);
                place.map_or((id, range), |(id, range)| (id, range))
            }
            None => (id, range),
        }
    }

    fn place_terms(
        &self,
        id: ExprId,
        text: &[char],
        range: Range<usize>,
        terms: &mut Vec<(ExprId, Range<usize>)>,
    ) {
        let range = without_parentheses(text, range);
        match (self.ast.expr(id), self.ast.offset(id)) {
            (Expr::Call { function, arguments, .. }, Some(operator))
                if &**function == "_&&_" && range.contains(&operator) =>
            {
                self.place_terms(arguments[0], text, range.start..operator, terms);
                self.place_terms(arguments[1], text, operator + "&&".len()..range.end, terms);
            }
            _ => terms.push((id, range)),
        }
    }

    /// Returns the condition that `all` demands of each element, if one of them fails it.
    fn predicate_of_all(&self, id: ExprId, fold: &Comprehension) -> Option<ExprId> {
        let is_true = matches!(self.ast.expr(fold.initial), Expr::Literal(Literal::Bool(true)));
        let value = self.nodes.get(&id)?.value.as_ref()?;
        let Expr::Call { function, arguments, .. } = self.ast.expr(fold.step) else { return None };
        let is_all = is_true && &**function == "_&&_" && value.as_deref() != Ok("true");
        is_all.then(|| arguments[1])
    }

    /// Returns the field of the object that a variable is an alias of.
    fn alias(&self, variable: &str) -> Option<FieldOf> {
        let position = self.variables.iter().rposition(|known| known.name == variable)?;
        let (before, from) = self.variables.split_at(position);
        let (checked, _) = from[0].expression.compiled().ok()?;
        let observed = Observed { ast: checked.ast(), variables: before, nodes: BTreeMap::new() };
        observed.name(checked.ast().root(), &Vec::new())?.path
    }

    /// Returns the name that a node denotes, where folds have bound the variables of `scope`.
    fn name(&self, id: ExprId, scope: &Scope<'_>) -> Option<Name> {
        match self.ast.expr(id) {
            Expr::Ident(name) => match scope.iter().rev().find(|(variable, _)| *variable == &**name) {
                Some((_, bound)) => bound.clone(),
                None => Name::of_variable(name),
            },
            Expr::Select { operand, field, .. } => {
                let name = self.name(*operand, scope)?;
                let path = (name.text == "variables").then(|| self.alias(field)).flatten();
                let name = name.field(field);
                Some(Name { path: path.or(name.path), ..name })
            }
            Expr::Call { function, arguments, .. } if matches!(&**function, "_[_]" | "_?._" | "_[?_]") => {
                let name = self.name(arguments[0], scope)?;
                match self.ast.expr(arguments[1]) {
                    Expr::Literal(Literal::String(key)) if &**function == "_?._" => Some(name.field(key)),
                    Expr::Literal(Literal::String(key)) => Some(name.key(key)),
                    Expr::Literal(Literal::Int(index)) => Some(name.index(usize::try_from(*index).ok()?)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Name {
    fn of_variable(name: &str) -> Option<Self> {
        const KNOWN: [&str; 6] = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];
        let path = (name == "object").then_some(FieldOf::Object);
        KNOWN.contains(&name).then(|| Self { text: name.to_owned(), path })
    }

    fn field(self, name: &str) -> Self {
        let path = self.path.map(|path| path.child(name));
        Self { text: format!("{}.{name}", self.text), path }
    }

    fn key(self, key: &str) -> Self {
        let path = self.path.map(|path| path.child(key));
        Self { text: format!("{}['{key}']", self.text), path }
    }

    fn index(self, index: usize) -> Self {
        let path = self.path.and_then(|path| match path {
            FieldOf::Field(path) => Some(FieldOf::Field(path.index(index))),
            FieldOf::Object => None,
        });
        Self { text: format!("{}[{index}]", self.text), path }
    }
}

impl FieldOf {
    fn child(&self, name: &str) -> Self {
        Self::Field(match self {
            Self::Object => Path::named(name.to_owned()),
            // As paths print the keys of maps.
            Self::Field(path) if name.contains(['.', '/']) => path.key(name.to_owned()),
            Self::Field(path) => path.child(name.to_owned()),
        })
    }
}

fn shown(value: &Value<'_>) -> String {
    let text = match value {
        Value::String(text) => format!("'{}'", text.escape_debug()),
        other => other.to_string(),
    };
    if text.chars().count() <= LONGEST_VALUE {
        return text;
    }
    text.chars().take(LONGEST_VALUE - 1).chain(['…']).collect()
}

/// Returns `range` without blanks and pairs of parentheses around it.
fn without_parentheses(text: &[char], mut range: Range<usize>) -> Range<usize> {
    loop {
        while range.start < range.end && text[range.start].is_whitespace() {
            range.start += 1;
        }
        while range.start < range.end && text[range.end - 1].is_whitespace() {
            range.end -= 1;
        }
        let inner = range.start + 1..range.end.saturating_sub(1).max(range.start + 1);
        let is_enclosed = range.len() > 1
            && (text[range.start], text[range.end - 1]) == ('(', ')')
            && is_balanced(&text[inner.clone()]);
        if !is_enclosed {
            return range;
        }
        range = inner;
    }
}

/// Whether every parenthesis has its partner. Those in string literals count as well, which at worst keeps an
/// expression whole.
fn is_balanced(text: &[char]) -> bool {
    let mut depth = 0_usize;
    for character in text {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{ExpressionCompiler, Use};
    use gotext::value::json;

    /// Returns the deciding part, the values that it read, and their fields.
    fn explain(expression: &str, variables: &[(&str, &str)]) -> (String, Vec<String>, Vec<String>) {
        let object = json!({
            "metadata": {"name": "web", "labels": {"app": "web"}},
            "spec": {"replicas": 5, "containers": [{"image": "a:1"}, {"image": "b"}]},
        });
        let request = json!({});
        let inputs = Inputs {
            object: Some(&object),
            old_object: None,
            request: &request,
            params: None,
            namespace_object: None,
            authorizer: None,
        };
        let mut compiler = ExpressionCompiler::of_policy(false);
        let variables: Vec<_> = variables.iter().map(|(name, text)| compiler.variable(name, text)).collect();
        let explained = compiler.expression(expression, Use::Condition).explain(inputs, &variables);
        let Explanation { expression, part, values } = explained.explanation;
        let values = values.into_iter().map(|(name, value)| format!("{name} {value}"));
        let fields = explained.fields.iter().map(Path::to_string);
        (expression[part].to_owned(), values.collect(), fields.collect())
    }

    #[test]
    fn names_the_term_that_decides() {
        let (part, values, fields) =
            explain("object.metadata.name == 'web' && (object.spec.replicas <= 3 && true)", &[]);
        assert_eq!(part, "object.spec.replicas <= 3");
        assert_eq!(values, ["object.spec.replicas is 5"]);
        assert_eq!(fields, ["spec.replicas"]);
    }

    #[test]
    fn names_the_element_that_fails() {
        let (_, values, fields) = explain("object.spec.containers.all(c, c.image.contains(':'))", &[]);
        assert_eq!(values, ["object.spec.containers[1].image is 'b'"]);
        assert_eq!(fields, ["spec.containers[1].image"]);
    }

    #[test]
    fn looks_into_variables() {
        let variables = [("limit", "3"), ("fits", "object.spec.replicas <= variables.limit")];
        let (part, values, _) = explain("variables.fits", &variables);
        assert_eq!(part, "variables.fits");
        assert_eq!(values, ["variables.fits is false", "object.spec.replicas is 5", "variables.limit is 3"]);
    }

    #[test]
    fn knows_the_field_that_a_variable_names() {
        let variables = [("containers", "object.spec.containers")];
        let (.., fields) = explain("variables.containers.all(c, c.image.contains(':'))", &variables);
        assert_eq!(fields, ["spec.containers[1].image"]);
    }

    #[test]
    fn says_what_is_missing() {
        let (_, values, fields) = explain("has(object.metadata.annotations)", &[]);
        assert_eq!(values, ["object.metadata.annotations is not set"]);
        assert_eq!(fields, ["metadata.annotations"]);
        let (_, values, _) = explain("object.metadata.labels['tier'] == 'web'", &[]);
        assert_eq!(values, ["object.metadata.labels['tier'] is not set"]);
    }

    #[test]
    fn keeps_what_it_cannot_part() {
        let (part, ..) = explain("object.metadata.name != ')' && object.spec.replicas == 1", &[]);
        assert_eq!(part, "object.metadata.name != ')' && object.spec.replicas == 1");
    }
}
