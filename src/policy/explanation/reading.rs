//! One evaluation of an expression, kept so that it can be asked afterwards.

use std::collections::HashMap;
use std::rc::Rc;

use kube_cel::{Ast, EvalError, Expr, ExprId, Meaning, Observer, Value};

/// The number of values that are kept: expressions that compute more are explained less.
const MAX_VALUES: usize = 1 << 16;

/// An expression, and what its evaluation computed.
pub(super) struct Reading<'a> {
    pub(super) ast: &'a Ast,
    pub(super) trace: Trace<'a>,
}

/// The values of all nodes, apart for each item of the folds around them.
pub(super) struct Trace<'a> {
    values: HashMap<(ExprId, usize), Result<Value<'a>, String>>,
    /// The last frame in which a node was evaluated.
    last: HashMap<ExprId, usize>,
    /// The first one is that of the expression as a whole.
    frames: Vec<Frame<'a>>,
    /// The frames of the items of a fold within a frame, in order.
    items: HashMap<(ExprId, usize), Vec<usize>>,
    current: usize,
}

/// The evaluation of the parts of a fold for one item.
pub(super) struct Frame<'a> {
    pub(super) fold: Option<ExprId>,
    pub(super) parent: usize,
    /// The position of the item.
    pub(super) index: usize,
    pub(super) first: Value<'a>,
}

/// A node of a reading, where it was evaluated.
#[derive(Clone)]
pub(super) struct Site<'a> {
    pub(super) reading: Rc<Reading<'a>>,
    pub(super) id: ExprId,
    pub(super) frame: usize,
    pub(super) lets: Option<Rc<Let<'a>>>,
}

/// A name that `cel.bind` or `optMap` gives to a value.
pub(super) struct Let<'a> {
    name: &'a str,
    value: Site<'a>,
    frame: usize,
    outer: Option<Rc<Let<'a>>>,
}

/// What an identifier denotes.
pub(super) enum Bound<'a> {
    /// A named value.
    Let(Site<'a>),
    /// A variable of the fold whose items are this frame: the second one if it has two.
    Item { fold: ExprId, frame: usize, is_second: bool },
}

/// A truth value, or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    True,
    False,
    Error,
}

impl Trace<'_> {
    pub(super) fn new() -> Self {
        let root = Frame { fold: None, parent: 0, index: 0, first: Value::Null };
        Self {
            values: HashMap::new(),
            last: HashMap::new(),
            frames: vec![root],
            items: HashMap::new(),
            current: 0,
        }
    }
}

impl<'a> Observer<'a> for Trace<'a> {
    fn value(&mut self, id: ExprId, value: Result<&Value<'a>, &EvalError>) {
        if self.values.len() < MAX_VALUES {
            let value = value.cloned().map_err(|error| error.message.clone());
            self.values.insert((id, self.current), value);
            self.last.insert(id, self.current);
        }
    }

    fn item(&mut self, fold: ExprId, first: &Value<'a>, _: Option<&Value<'a>>) {
        let current = &self.frames[self.current];
        let parent = if current.fold == Some(fold) { current.parent } else { self.current };
        let items = self.items.entry((fold, parent)).or_default();
        let frame = Frame { fold: Some(fold), parent, index: items.len(), first: first.clone() };
        items.push(self.frames.len());
        self.current = self.frames.len();
        self.frames.push(frame);
    }

    fn end(&mut self, fold: ExprId) {
        let current = &self.frames[self.current];
        if current.fold == Some(fold) {
            self.current = current.parent;
        }
    }
}

impl<'a> Site<'a> {
    /// Returns the root of a reading.
    pub(super) fn root(reading: Rc<Reading<'a>>) -> Self {
        Self { id: reading.ast.root(), reading, frame: 0, lets: None }
    }

    /// Returns another node in the same place.
    pub(super) fn at(&self, id: ExprId) -> Self {
        Self { id, ..self.clone() }
    }

    /// Returns a part of a fold, evaluated for the item of `frame`.
    pub(super) fn of_item(&self, id: ExprId, frame: usize) -> Self {
        Self { id, frame, ..self.clone() }
    }

    /// Returns the result of a fold that names a value.
    pub(super) fn body(&self) -> Option<Self> {
        let ast: &'a Ast = self.reading.ast;
        let Expr::Comprehension(fold) = ast.expr(self.id) else { return None };
        if ast.meaning(fold) != Meaning::Let {
            return None;
        }
        let trace = &self.reading.trace;
        // It is evaluated where it is first used.
        let at = if trace.values.contains_key(&(fold.initial, self.frame)) {
            self.frame
        } else {
            trace.last.get(&fold.initial).copied().unwrap_or(self.frame)
        };
        let value = Self { id: fold.initial, frame: at, ..self.clone() };
        let outer = self.lets.clone();
        let named = Let { name: &fold.accumulator, value, frame: self.frame, outer };
        Some(Self { id: fold.result, lets: Some(Rc::new(named)), ..self.clone() })
    }

    pub(super) fn expr(&self) -> &'a Expr {
        self.reading.ast.expr(self.id)
    }

    /// Returns its value or error, if it was evaluated.
    pub(super) fn value(&self) -> Option<Result<&Value<'a>, &str>> {
        let value = self.reading.trace.values.get(&(self.id, self.frame))?;
        Some(value.as_ref().map_err(String::as_str))
    }

    pub(super) fn truth(&self) -> Option<Truth> {
        match self.value()? {
            Ok(Value::Bool(true)) => Some(Truth::True),
            Ok(Value::Bool(false)) => Some(Truth::False),
            Ok(_) => None,
            Err(_) => Some(Truth::Error),
        }
    }

    /// Returns the frames of the items of this fold.
    pub(super) fn items(&self) -> &[usize] {
        self.reading.trace.items.get(&(self.id, self.frame)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn frame_of(&self, frame: usize) -> &Frame<'a> {
        &self.reading.trace.frames[frame]
    }

    /// Returns the operands of a chain of `function`, in order.
    pub(super) fn terms(&self, function: &str) -> Vec<Self> {
        match self.expr() {
            Expr::Call { function: found, arguments, .. } if **found == *function => {
                arguments.iter().flat_map(|argument| self.at(*argument).terms(function)).collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// Returns what binds `name` here, if something within the expression does.
    pub(super) fn bound(&self, name: &str) -> Option<Bound<'a>> {
        let mut frame = self.frame;
        let mut named = self.lets.as_ref();
        loop {
            while let Some(inner) = named.filter(|named| named.frame == frame) {
                if inner.name == name {
                    return Some(Bound::Let(inner.value.clone()));
                }
                named = inner.outer.as_ref();
            }
            let Frame { fold, parent, .. } = self.frame_of(frame);
            let id = (*fold)?;
            if let Expr::Comprehension(fold) = self.reading.ast.expr(id) {
                let has_two = fold.second_variable.is_some();
                if fold.second_variable.as_deref() == Some(name) || *fold.variable == *name {
                    let is_second = has_two && *fold.variable != *name;
                    return Some(Bound::Item { fold: id, frame, is_second });
                }
            }
            frame = *parent;
        }
    }
}
