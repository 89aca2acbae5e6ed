//! An expression as a tree: what the checker annotates and the interpreter walks.

use std::sync::Arc;

/// A node of an expression, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);

impl ExprId {
    /// Returns the number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `-1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.5`
    Double(f64),
    /// `'text'`
    String(Arc<str>),
    /// `b'bytes'`
    Bytes(Arc<[u8]>),
}

/// An entry of a map literal.
#[derive(Debug, Clone, Copy)]
pub struct MapEntry {
    /// Where the colon is.
    pub id: ExprId,
    /// The key.
    pub key: ExprId,
    /// The value.
    pub value: ExprId,
    /// `{?key: value}`: omitted if the value is none.
    pub is_optional: bool,
}

/// A field of an object literal.
#[derive(Debug, Clone)]
pub struct Field {
    /// Where the colon is.
    pub id: ExprId,
    /// Its name.
    pub name: Arc<str>,
    /// The value.
    pub value: ExprId,
    /// `T{?field: value}`: omitted if the value is none.
    pub is_optional: bool,
}

/// The expansion of a macro such as `all` or `map`: a fold over a list or a map.
#[derive(Debug, Clone)]
pub struct Comprehension {
    /// The list or map that is folded.
    pub range: ExprId,
    /// The element of a list or the key of a map; with a second variable the index of a list.
    pub variable: Arc<str>,
    /// The element or the value, in a fold of two variables.
    pub second_variable: Option<Arc<str>>,
    /// The name of the accumulator.
    pub accumulator: Arc<str>,
    /// Its value before the first step.
    pub initial: ExprId,
    /// The walk ends when it is false.
    pub condition: ExprId,
    /// The accumulator's next value.
    pub step: ExprId,
    /// The result of the whole fold.
    pub result: ExprId,
}

/// An expression node.
#[derive(Debug, Clone)]
pub enum Expr {
    /// Takes the place of what could not be parsed; never part of an expression that compiles.
    Unspecified,
    /// A constant.
    Literal(Literal),
    /// A variable.
    Ident(Arc<str>),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        /// The operand that has the field.
        operand: ExprId,
        /// Its name.
        field: Arc<str>,
        /// Whether only its presence is requested.
        is_test: bool,
    },
    /// A function or operator.
    Call {
        /// Its name: `_+_`, `size`.
        function: Arc<str>,
        /// In front of the dot.
        target: Option<ExprId>,
        /// In parentheses.
        arguments: Vec<ExprId>,
    },
    /// `[a, ?b]`
    List {
        /// The elements.
        elements: Vec<ExprId>,
        /// The indices of those that are omitted if they are none.
        optional: Vec<usize>,
    },
    /// `{key: value}`
    Map(Vec<MapEntry>),
    /// `Type{field: value}`
    Object {
        /// The name of the type.
        type_name: Arc<str>,
        /// Its fields.
        fields: Vec<Field>,
    },
    /// An expanded macro.
    Comprehension(Arc<Comprehension>),
}

/// An expression: nodes with their places, and the root among them.
#[derive(Debug, Clone)]
pub struct Ast {
    nodes: Vec<Expr>,
    offsets: Vec<Option<usize>>,
    root: ExprId,
}

impl Ast {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), offsets: Vec::new(), root: ExprId(0) }
    }

    /// Returns the root node.
    pub fn root(&self) -> ExprId {
        self.root
    }

    /// Returns all nodes.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or_default()).map(ExprId)
    }

    pub(super) fn set_root(&mut self, root: ExprId) {
        self.root = root;
    }

    /// Returns the expression of a node.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    pub(super) fn set(&mut self, id: ExprId, expr: Expr) {
        self.nodes[id.index()] = expr;
    }

    /// Returns where the node starts in the text, in code points; an operator's node is where the operator is.
    pub fn offset(&self, id: ExprId) -> Option<usize> {
        self.offsets[id.index()]
    }

    /// Returns an id with a place, for a node that is created later.
    pub(super) fn reserve(&mut self, offset: Option<usize>) -> ExprId {
        self.add(Expr::Unspecified, offset)
    }

    pub(super) fn add(&mut self, expr: Expr, offset: Option<usize>) -> ExprId {
        let id = ExprId(u32::try_from(self.nodes.len()).expect("an expression has no 2^32 nodes"));
        self.nodes.push(expr);
        self.offsets.push(offset);
        id
    }

    /// Returns the number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "an expression has nodes")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the nodes directly below one, in the order in which they are written.
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        match self.expr(id) {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => Vec::new(),
            Expr::Select { operand, .. } => vec![*operand],
            Expr::Call { target, arguments, .. } => target.iter().chain(arguments).copied().collect(),
            Expr::List { elements, .. } => elements.clone(),
            Expr::Map(entries) => entries.iter().flat_map(|entry| [entry.key, entry.value]).collect(),
            Expr::Object { fields, .. } => fields.iter().map(|field| field.value).collect(),
            Expr::Comprehension(fold) => {
                vec![fold.range, fold.initial, fold.condition, fold.step, fold.result]
            }
        }
    }

    /// Returns the name that a chain of selections denotes: `a.b.c`.
    pub(super) fn qualified_name(&self, id: ExprId) -> Option<String> {
        let mut fields = Vec::new();
        let mut id = id;
        loop {
            match self.expr(id) {
                Expr::Select { operand, field, is_test: false } => {
                    fields.push(&**field);
                    id = *operand;
                }
                Expr::Ident(name) => {
                    fields.push(name);
                    fields.reverse();
                    return Some(fields.join("."));
                }
                _ => return None,
            }
        }
    }
}
