//! Where values come from: the names of fields, through variables, folds and lists made of other lists.

use kube_cel::{Comprehension, Expr, ExprId, Literal, Meaning, Value};

use super::Explainer;
use super::name::Name;
use super::reading::{Bound, Site, Truth};

/// The origin of an item of a list.
enum Origin<'a> {
    /// It is a field.
    Named(Name),
    /// It was computed here.
    Computed(Site<'a>),
}

/// What selects an entry.
enum Key {
    Text(String),
    Index(usize),
}

impl<'a> Explainer<'a> {
    /// Returns the name of what a node reads, if it reads a field.
    pub(super) fn name(&mut self, site: &Site<'a>) -> Option<Name> {
        match site.expr() {
            Expr::Ident(name) => match site.bound(name) {
                Some(Bound::Let(value)) => self.name(&value),
                Some(Bound::Item { fold, frame, is_second }) => {
                    self.name_of_item(site, fold, frame, is_second)
                }
                None => Name::of_variable(name),
            },
            Expr::Select { operand, field, .. } => {
                let name = self.name_of_operand(&site.at(*operand))?;
                let named = name.clone().field(field);
                if name.text != "variables" {
                    return Some(named);
                }
                let path =
                    self.root_of_variable(field).and_then(|root| self.name(&root)).and_then(|name| name.path);
                Some(Name { path, ..named })
            }
            Expr::Call { function, arguments, .. } if matches!(&**function, "_[_]" | "_?._" | "_[?_]") => {
                let name = self.name_of_operand(&site.at(arguments[0]))?;
                match key(&site.at(arguments[1]))? {
                    Key::Text(key) if &**function == "_?._" => Some(name.field(&key)),
                    Key::Text(key) => Some(name.entry(&key)),
                    Key::Index(index) => Some(name.index(index)),
                }
            }
            Expr::Call { function, target: Some(target), .. }
                if matches!(&**function, "orValue" | "value") =>
            {
                let target = site.at(*target);
                let is_set = matches!(target.value(), Some(Ok(Value::Optional(Some(_)))));
                if is_set { self.name(&target) } else { None }
            }
            Expr::Comprehension(_) => self.name(&site.body()?),
            _ => None,
        }
    }

    /// Returns the name of what something is selected from: that of the branch, if it is a conditional.
    fn name_of_operand(&mut self, site: &Site<'a>) -> Option<Name> {
        if is_conditional(site) { self.name_of_operand(&branch(site)?) } else { self.name(site) }
    }

    fn root_of_variable(&mut self, name: &str) -> Option<Site<'a>> {
        let position = self.variables.iter().rposition(|known| known.name == name)?;
        self.root_of(position)
    }

    fn name_of_item(&mut self, site: &Site<'a>, fold: ExprId, frame: usize, is_second: bool) -> Option<Name> {
        let Expr::Comprehension(comprehension) = site.reading.ast.expr(fold) else { return None };
        let range = range_of(site, comprehension, frame);
        let item = site.frame_of(frame);
        let has_two = comprehension.second_variable.is_some();
        if let Some(Ok(Value::Map(_))) = range.value() {
            let Value::String(key) = &item.first else { return None };
            let (key, of) = (key.to_string(), self.name(&range)?);
            return Some(if is_second { of.entry(&key) } else { of.key(&key) });
        }
        let index = item.index;
        if has_two && !is_second {
            return None;
        }
        match self.item(&range, index)? {
            Origin::Named(name) => Some(name),
            Origin::Computed(site) => self.name(&site),
        }
    }

    /// Returns where the value of a fold's variable was computed, if it has no name.
    pub(super) fn origin_of_item(
        &mut self,
        site: &Site<'a>,
        fold: ExprId,
        frame: usize,
        is_second: bool,
    ) -> Option<Site<'a>> {
        let Expr::Comprehension(comprehension) = site.reading.ast.expr(fold) else { return None };
        let range = range_of(site, comprehension, frame);
        let is_index = comprehension.second_variable.is_some() && !is_second;
        match self.item(&range, site.frame_of(frame).index) {
            Some(Origin::Computed(site)) if !is_index => Some(site),
            _ => Some(range),
        }
    }

    /// Returns the origin of an item of the list that `range` is.
    fn item(&mut self, range: &Site<'a>, index: usize) -> Option<Origin<'a>> {
        let named = self.name(range).filter(|_| is_list(range));
        // A variable that is computed has items of other lists.
        if let Some(name) = named.as_ref().filter(|name| name.path.is_some()) {
            return Some(Origin::Named(name.clone().index(index)));
        }
        let computed = match range.expr() {
            Expr::Call { function, target, arguments } => {
                self.item_of_call(range, (function, *target, arguments), index)
            }
            Expr::Select { operand, field, .. } => {
                let is_variable =
                    matches!(range.reading.ast.expr(*operand), Expr::Ident(name) if &**name == "variables");
                let root = if is_variable { self.root_of_variable(field) } else { None };
                root.and_then(|root| self.item(&root, index))
            }
            Expr::List { elements, optional } if optional.is_empty() => {
                elements.get(index).map(|element| Origin::Computed(range.at(*element)))
            }
            Expr::Ident(name) => match range.bound(name) {
                Some(Bound::Let(value)) => self.item(&value, index),
                Some(Bound::Item { fold, frame, is_second }) => {
                    let origin = self.origin_of_item(range, fold, frame, is_second)?;
                    self.item(&origin, index)
                }
                None => None,
            },
            Expr::Comprehension(fold) => match range.body() {
                Some(body) => self.item(&body, index),
                None => collected(range, fold, index).map(Origin::Computed),
            },
            _ => None,
        };
        computed.or_else(|| named.map(|name| Origin::Named(name.index(index))))
    }

    fn item_of_call(
        &mut self,
        site: &Site<'a>,
        (function, target, arguments): (&str, Option<ExprId>, &[ExprId]),
        index: usize,
    ) -> Option<Origin<'a>> {
        match (function, target) {
            ("_+_", None) => {
                let [left, right] = [site.at(arguments[0]), site.at(arguments[1])];
                let before = match left.value() {
                    Some(Ok(Value::List(list))) => list.len(),
                    _ => return None,
                };
                if index < before { self.item(&left, index) } else { self.item(&right, index - before) }
            }
            ("_?_:_", None) => self.item(&branch(site)?, index),
            ("dyn" | "optional.of", None) => self.item(&site.at(arguments[0]), index),
            ("orValue" | "or", Some(target)) => {
                let target = site.at(target);
                match target.value() {
                    Some(Ok(Value::Optional(None))) => self.item(&site.at(arguments[0]), index),
                    _ => self.item(&target, index),
                }
            }
            ("value", Some(target)) => self.item(&site.at(target), index),
            _ => None,
        }
    }
}

/// Returns the range of the fold whose item `frame` is.
fn range_of<'a>(site: &Site<'a>, fold: &Comprehension, frame: usize) -> Site<'a> {
    site.of_item(fold.range, site.frame_of(frame).parent)
}

/// Returns what was collected as the item at `index` of a list that a fold makes.
fn collected<'a>(site: &Site<'a>, fold: &Comprehension, index: usize) -> Option<Site<'a>> {
    let Meaning::Collect { predicate, transform } = site.reading.ast.meaning(fold) else { return None };
    let passes = |frame: &&usize| {
        predicate.is_none_or(|predicate| site.of_item(predicate, **frame).truth() == Some(Truth::True))
    };
    let frame = site.items().iter().filter(passes).nth(index)?;
    Some(site.of_item(transform, *frame))
}

/// Whether a node is a conditional: `a ? b : c`.
pub(super) fn is_conditional(site: &Site<'_>) -> bool {
    matches!(site.expr(), Expr::Call { function, .. } if &**function == "_?_:_")
}

/// Returns the branch of a conditional that was evaluated.
pub(super) fn branch<'a>(site: &Site<'a>) -> Option<Site<'a>> {
    let Expr::Call { arguments, .. } = site.expr() else { return None };
    match site.at(arguments[0]).truth()? {
        Truth::True => Some(site.at(arguments[1])),
        Truth::False => Some(site.at(arguments[2])),
        Truth::Error => None,
    }
}

fn is_list(site: &Site<'_>) -> bool {
    match site.value() {
        Some(Ok(Value::List(_))) => true,
        Some(Ok(Value::Optional(Some(value)))) => matches!(**value, Value::List(_)),
        // The variable of a fold is not a node that has a value of its own.
        None => matches!(site.expr(), Expr::Ident(_)),
        _ => false,
    }
}

fn key(site: &Site<'_>) -> Option<Key> {
    let of_index = |index: i64| usize::try_from(index).ok().map(Key::Index);
    match (site.expr(), site.value()) {
        (Expr::Literal(Literal::String(key)), _) => Some(Key::Text(key.to_string())),
        (Expr::Literal(Literal::Int(index)), _) | (_, Some(Ok(Value::Int(index)))) => of_index(*index),
        (_, Some(Ok(Value::String(key)))) => Some(Key::Text(key.to_string())),
        _ => None,
    }
}

/// Whether a call asks the authorizer something, which has no name.
pub(super) fn asks_authorizer(site: &Site<'_>) -> bool {
    match site.expr() {
        Expr::Call { target: Some(target), .. } => asks_authorizer(&site.at(*target)),
        Expr::Select { operand, .. } => asks_authorizer(&site.at(*operand)),
        Expr::Ident(name) => name.starts_with("authorizer") && site.bound(name).is_none(),
        _ => false,
    }
}

/// Returns a chain of calls as it is written, with the values of its arguments.
pub(super) fn written(site: &Site<'_>) -> String {
    match site.expr() {
        Expr::Call { function, target: Some(target), arguments } => {
            let arguments = arguments.iter().map(|argument| {
                let argument = site.at(*argument);
                match (argument.expr(), argument.value()) {
                    (Expr::Literal(Literal::String(text)), _) => format!("'{text}'"),
                    (_, Some(Ok(value))) => super::shown(value),
                    _ => "…".to_owned(),
                }
            });
            let arguments: Vec<String> = arguments.collect();
            format!("{}.{function}({})", written(&site.at(*target)), arguments.join(", "))
        }
        Expr::Select { operand, field, .. } => format!("{}.{field}", written(&site.at(*operand))),
        Expr::Ident(name) => name.to_string(),
        _ => "…".to_owned(),
    }
}

/// Returns the arguments of a chain of calls.
pub(super) fn arguments_of_chain<'a>(site: &Site<'a>) -> Vec<Site<'a>> {
    match site.expr() {
        Expr::Call { target: Some(target), arguments, .. } => {
            let mut all = arguments_of_chain(&site.at(*target));
            all.extend(arguments.iter().map(|argument| site.at(*argument)));
            all
        }
        Expr::Select { operand, .. } => arguments_of_chain(&site.at(*operand)),
        _ => Vec::new(),
    }
}
