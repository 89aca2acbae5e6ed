//! Converts the tree of the grammar to an expression: operators become calls, macros are expanded.
//!
//! Source: cel-go `parser/parser.go`, `parser/helper.go`.

pub(super) mod macros;

use std::sync::Arc;

use super::ast::{Ast, Expr, ExprId, Field, Literal, MapEntry};
use super::grammar::Rule;
use super::history::Oldest;
use super::issue::Issues;
use super::literal;
use super::source::Source;
use super::syntax::{self, Child, Node, NodeId};
use super::token::{Token, TokenKind};
use macros::Macros;

const MAX_DEPTH: u32 = 250;
const MAX_SIZE: usize = 100_000;

const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Whether a word is not allowed as the name of a variable or a function.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Parses and expands `source`; errors are added to `issues`.
pub(super) fn parse(source: &Source, (macros, oldest): (Macros, Oldest), issues: &mut Issues) -> Ast {
    let mut ast = Ast::new();
    let size = source.characters.len();
    if size > MAX_SIZE {
        let message = format!("expression code point size exceeds limit: size: {size}, limit {MAX_SIZE}");
        issues.report(super::source::Location::NONE, message);
    } else if let Some(nodes) = syntax::parse(source, issues) {
        let mut builder = Builder { source, nodes, ast, depth: 0, macros, oldest, issues };
        let root = builder.build();
        ast = builder.ast;
        ast.set_root(root);
    }
    ast
}

/// The expression is nested too deeply.
pub(super) struct TooDeep;

type Built = Result<ExprId, TooDeep>;

pub(super) struct Builder<'a> {
    source: &'a Source,
    nodes: Vec<Node>,
    pub(super) ast: Ast,
    depth: u32,
    macros: Macros,
    oldest: Oldest,
    issues: &'a mut Issues,
}

impl Builder<'_> {
    fn build(&mut self) -> ExprId {
        self.visit(0).unwrap_or_else(|TooDeep| {
            self.issues.report(super::source::Location::NONE, "max recursion depth exceeded".to_owned());
            self.ast.reserve(None)
        })
    }

    fn child_nodes(&self, node: NodeId) -> Vec<NodeId> {
        let children = self.nodes[node].children.iter();
        children.filter_map(|child| if let Child::Node(node) = child { Some(*node) } else { None }).collect()
    }

    fn tokens(&self, node: NodeId) -> Vec<Token> {
        let children = self.nodes[node].children.iter();
        children
            .filter_map(|child| if let Child::Token(token) = child { Some(*token) } else { None })
            .collect()
    }

    fn token(&self, node: NodeId, kinds: &[TokenKind]) -> Option<Token> {
        self.tokens(node).into_iter().find(|token| kinds.contains(&token.kind))
    }

    /// Whether a part is optional, which is an error at its `operator`, in words `shown`, where there are no optional
    /// values.
    fn is_optional(&mut self, node: NodeId, operator: TokenKind, shown: &str) -> bool {
        let is_optional = self.token(node, &[TokenKind::Question]).is_some();
        if is_optional && !self.oldest.has_optionals() {
            let start = self.token(node, &[operator]).map(|token| token.start);
            self.fail(start, format!("unsupported syntax '{shown}'"));
        }
        is_optional
    }

    fn text(&self, token: Token) -> String {
        self.source.text(token.start, token.end)
    }

    /// Descends to the first node that has more than one part.
    fn unnest(&self, node: NodeId) -> Option<NodeId> {
        let mut node = node;
        loop {
            let Node { rule, alternative, children, .. } = &self.nodes[node];
            let has_operator = children.iter().any(|child| matches!(child, Child::Token(_)));
            let is_transparent = match (rule, alternative) {
                (Rule::Start, _) | (Rule::Unary | Rule::Literal, 1) | (Rule::Primary, 3 | 7) => true,
                (Rule::Expr | Rule::Or | Rule::And | Rule::Relation | Rule::Calc, _) => !has_operator,
                (Rule::Member, 0) => matches!(
                    children.as_slice(),
                    [Child::Node(inner)] if self.nodes[*inner].rule == Rule::Primary
                ),
                _ => false,
            };
            if !is_transparent || *rule == Rule::Literal {
                return Some(node);
            }
            node = *self.child_nodes(node).first()?;
        }
    }

    fn visit(&mut self, node: NodeId) -> Built {
        let Some(node) = self.unnest(node) else { return Ok(self.broken()) };
        let (rule, alternative) = (self.nodes[node].rule, self.nodes[node].alternative);
        match (rule, alternative) {
            (Rule::Or, _) => self.logic(node, "_||_"),
            (Rule::And, _) => self.logic(node, "_&&_"),
            (Rule::Expr, _) => self.deeper(|builder| builder.conditional(node)),
            (Rule::Relation | Rule::Calc, _) => self.deeper(|builder| builder.binary(node)),
            (Rule::Member, 1) => self.deeper(|builder| builder.select(node)),
            (Rule::Member, 2) => self.deeper(|builder| builder.member_call(node)),
            (Rule::Member, 3) => self.deeper(|builder| builder.index(node)),
            (Rule::Unary, 2) => self.prefix(node, "!_", TokenKind::Exclam),
            (Rule::Unary, 3) => self.prefix(node, "-_", TokenKind::Minus),
            (Rule::Primary, 1) => Ok(self.identifier(node)),
            (Rule::Primary, 2) => self.global_call(node),
            (Rule::Primary, 4) => self.list(node),
            (Rule::Primary, 5) => self.map(node),
            (Rule::Primary, 6) => self.object(node),
            (Rule::Literal, 1..) => Ok(self.literal(node, alternative)),
            _ => Ok(self.broken()),
        }
    }

    /// Returns a node in the place of what an error, already reported, left incomplete.
    fn broken(&mut self) -> ExprId {
        self.ast.reserve(None)
    }

    fn visit_child(&mut self, node: NodeId, index: usize) -> Built {
        match self.child_nodes(node).get(index) {
            Some(child) => self.visit(*child),
            None => Ok(self.broken()),
        }
    }

    fn deeper(&mut self, visit: impl FnOnce(&mut Self) -> Built) -> Built {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TooDeep);
        }
        let built = visit(self);
        self.depth -= 1;
        built
    }

    fn at(&mut self, token: Token) -> ExprId {
        self.ast.reserve(Some(token.start))
    }

    pub(super) fn fail(&mut self, offset: Option<usize>, message: String) -> ExprId {
        let location = offset.map_or(super::source::Location::NONE, |offset| self.source.location(offset));
        self.issues.report(location, message);
        self.ast.reserve(offset)
    }

    fn call(&mut self, id: ExprId, function: &str, target: Option<ExprId>, arguments: Vec<ExprId>) -> ExprId {
        if let Some(expanded) = macros::expand(self, id, function, target, &arguments) {
            return expanded;
        }
        self.ast.set(id, Expr::Call { function: function.into(), target, arguments });
        id
    }

    fn conditional(&mut self, node: NodeId) -> Built {
        let condition = self.visit_child(node, 0)?;
        let Some(operator) = self.token(node, &[TokenKind::Question]) else { return Ok(condition) };
        let id = self.at(operator);
        let (yes, no) = (self.visit_child(node, 1)?, self.visit_child(node, 2)?);
        Ok(self.call(id, "_?_:_", None, vec![condition, yes, no]))
    }

    /// Returns a chain of `&&` or `||` as a balanced tree.
    fn logic(&mut self, node: NodeId, function: &str) -> Built {
        let mut terms = vec![self.visit_child(node, 0)?];
        let mut operators = Vec::new();
        for (index, operator) in self.tokens(node).into_iter().enumerate() {
            let Some(term) = self.child_nodes(node).get(index + 1).copied() else {
                let sign = function.trim_matches('_');
                let start = self.nodes[node].start;
                return Ok(self.fail(Some(start), format!("unexpected character, wanted '{sign}'")));
            };
            terms.push(self.visit(term)?);
            operators.push(self.at(operator));
        }
        Ok(self.balance(function, &terms, &operators))
    }

    fn balance(&mut self, function: &str, terms: &[ExprId], operators: &[ExprId]) -> ExprId {
        if let ([term], _) | ([term, ..], []) = (terms, operators) {
            return *term;
        }
        let middle = operators.len() / 2;
        let left = self.balance(function, &terms[..=middle], &operators[..middle]);
        let right = self.balance(function, &terms[middle + 1..], &operators[middle + 1..]);
        let arguments = vec![left, right];
        self.ast.set(operators[middle], Expr::Call { function: function.into(), target: None, arguments });
        operators[middle]
    }

    fn binary(&mut self, node: NodeId) -> Built {
        let Some(operator) = self.tokens(node).first().copied() else { return Ok(self.broken()) };
        let function = match operator.kind {
            TokenKind::In => "@in".to_owned(),
            _ => format!("_{}_", self.text(operator)),
        };
        let left = self.visit_child(node, 0)?;
        let id = self.at(operator);
        let right = self.visit_child(node, 1)?;
        Ok(self.call(id, &function, None, vec![left, right]))
    }

    fn prefix(&mut self, node: NodeId, function: &str, kind: TokenKind) -> Built {
        let operators: Vec<Token> =
            self.tokens(node).into_iter().filter(|token| token.kind == kind).collect();
        let Some(first) = operators.first().filter(|_| operators.len() % 2 == 1) else {
            return self.visit_child(node, 0);
        };
        let id = self.at(*first);
        let operand = self.visit_child(node, 0)?;
        Ok(self.call(id, function, None, vec![operand]))
    }

    /// Returns the name of an identifier; `Err` if it is escaped, which Kubernetes does not enable.
    fn field_name(&self, node: NodeId) -> Result<String, &'static str> {
        let token = self.tokens(node).first().copied();
        match token {
            Some(token) if token.kind == TokenKind::EscIdentifier => Err("unsupported syntax: '`'"),
            Some(token) => Ok(self.text(token)),
            None => Err("unsupported ident kind"),
        }
    }

    fn select(&mut self, node: NodeId) -> Built {
        let operand = self.visit_child(node, 0)?;
        let (Some(dot), Some(name)) =
            (self.token(node, &[TokenKind::Dot]), self.child_nodes(node).get(1).copied())
        else {
            return Ok(self.broken());
        };
        let field: Arc<str> = match self.field_name(name) {
            Ok(field) => field.into(),
            Err(message) => {
                let start = self.nodes[name].start;
                self.fail(Some(start), message.to_owned());
                "".into()
            }
        };
        let id = self.at(dot);
        if self.is_optional(node, TokenKind::Dot, ".?") {
            let field = self.ast.add(Expr::Literal(Literal::String(field)), Some(self.nodes[name].start));
            let arguments = vec![operand, field];
            self.ast.set(id, Expr::Call { function: "_?._".into(), target: None, arguments });
        } else {
            self.ast.set(id, Expr::Select { operand, field, is_test: false });
        }
        Ok(id)
    }

    fn member_call(&mut self, node: NodeId) -> Built {
        let target = self.visit_child(node, 0)?;
        let (Some(name), Some(open)) =
            (self.token(node, &[TokenKind::Identifier]), self.token(node, &[TokenKind::LParen]))
        else {
            return Ok(self.broken());
        };
        let id = self.at(open);
        let arguments = self.expressions(node, 1)?;
        Ok(self.call(id, &self.text(name), Some(target), arguments))
    }

    fn index(&mut self, node: NodeId) -> Built {
        let target = self.visit_child(node, 0)?;
        let Some(open) = self.token(node, &[TokenKind::LBracket]) else { return Ok(self.broken()) };
        let id = self.at(open);
        let index = self.visit_child(node, 1)?;
        let is_optional = self.is_optional(node, TokenKind::LBracket, "[?");
        Ok(self.call(id, if is_optional { "_[?_]" } else { "_[_]" }, None, vec![target, index]))
    }

    /// Returns the expressions of a node's child list, if it has one.
    fn expressions(&mut self, node: NodeId, index: usize) -> Result<Vec<ExprId>, TooDeep> {
        match self.child_nodes(node).get(index) {
            Some(list) => self.child_nodes(*list).into_iter().map(|item| self.visit(item)).collect(),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the name of a variable or a function; `Err` if it is reserved or missing.
    fn name(&mut self, node: NodeId) -> Result<(String, Token), ExprId> {
        let Some(token) = self.token(node, &[TokenKind::Identifier]) else { return Err(self.broken()) };
        let name = self.text(token);
        if is_reserved(&name) {
            let start = self.nodes[node].start;
            return Err(self.fail(Some(start), format!("reserved identifier: {name}")));
        }
        let dot = if self.token(node, &[TokenKind::Dot]).is_some() { "." } else { "" };
        Ok((format!("{dot}{name}"), token))
    }

    fn identifier(&mut self, node: NodeId) -> ExprId {
        match self.name(node) {
            Ok((name, token)) => self.ast.add(Expr::Ident(name.into()), Some(token.start)),
            Err(failed) => failed,
        }
    }

    fn global_call(&mut self, node: NodeId) -> Built {
        let (name, token) = match self.name(node) {
            Ok(name) => name,
            Err(failed) => return Ok(failed),
        };
        let open = self.token(node, &[TokenKind::LParen]).unwrap_or(token);
        let id = self.at(open);
        let arguments = self.expressions(node, 0)?;
        Ok(self.call(id, &name, None, arguments))
    }

    fn list(&mut self, node: NodeId) -> Built {
        let Some(open) = self.token(node, &[TokenKind::LBracket]) else { return Ok(self.broken()) };
        let id = self.at(open);
        let (mut elements, mut optional) = (Vec::new(), Vec::new());
        for list in self.child_nodes(node) {
            for (index, item) in self.child_nodes(list).into_iter().enumerate() {
                elements.push(self.visit_child(item, 0)?);
                if self.is_optional(item, TokenKind::Question, "?") {
                    optional.push(index);
                }
            }
        }
        self.ast.set(id, Expr::List { elements, optional });
        Ok(id)
    }

    fn map(&mut self, node: NodeId) -> Built {
        let Some(open) = self.token(node, &[TokenKind::LBrace]) else { return Ok(self.broken()) };
        let id = self.at(open);
        let mut entries = Vec::new();
        if let Some(list) = self.child_nodes(node).first().copied() {
            let parts = self.child_nodes(list);
            let colons = self.tokens(list).into_iter().filter(|token| token.kind == TokenKind::Colon);
            for (index, colon) in colons.enumerate() {
                let entry = self.at(colon);
                let [Some(key), Some(value)] =
                    [2 * index, 2 * index + 1].map(|part| parts.get(part).copied())
                else {
                    break;
                };
                let is_optional = self.is_optional(key, TokenKind::Question, "?");
                let (key, value) = (self.visit_child(key, 0)?, self.visit(value)?);
                entries.push(MapEntry { id: entry, key, value, is_optional });
            }
        }
        self.ast.set(id, Expr::Map(entries));
        Ok(id)
    }

    fn object(&mut self, node: NodeId) -> Built {
        let tokens = self.tokens(node);
        let names: Vec<String> = tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Identifier)
            .map(|token| self.text(*token))
            .collect();
        let dot = if tokens.first().is_some_and(|token| token.kind == TokenKind::Dot) { "." } else { "" };
        let Some(open) = self.token(node, &[TokenKind::LBrace]) else { return Ok(self.broken()) };
        let id = self.at(open);
        let mut fields = Vec::new();
        if let Some(list) = self.child_nodes(node).first().copied() {
            let parts = self.child_nodes(list);
            let colons = self.tokens(list).into_iter().filter(|token| token.kind == TokenKind::Colon);
            for (index, colon) in colons.enumerate() {
                let [Some(field), Some(value)] =
                    [2 * index, 2 * index + 1].map(|part| parts.get(part).copied())
                else {
                    break;
                };
                let entry = self.at(colon);
                let is_optional = self.is_optional(field, TokenKind::Question, "?");
                let name = self.child_nodes(field).first().map(|name| self.field_name(*name));
                let name = match name {
                    Some(Ok(name)) => name.into(),
                    Some(Err(message)) => {
                        let start = self.nodes[list].start;
                        self.fail(Some(start), message.to_owned());
                        continue;
                    }
                    None => break,
                };
                fields.push(Field { id: entry, name, value: self.visit(value)?, is_optional });
            }
        }
        self.ast.set(id, Expr::Object { type_name: format!("{dot}{}", names.join(".")).into(), fields });
        Ok(id)
    }

    fn literal(&mut self, node: NodeId, alternative: usize) -> ExprId {
        let start = self.nodes[node].start;
        let tokens = self.tokens(node);
        let Some(token) = tokens.last().copied() else { return self.broken() };
        let is_negative = tokens.len() > 1;
        let text = self.text(token);
        let literal = match alternative {
            1 => literal::int(&text, is_negative).map(Literal::Int).ok_or("invalid int literal"),
            2 => literal::uint(&text).map(Literal::Uint).ok_or("invalid uint literal"),
            3 => literal::double(&text, is_negative).map(Literal::Double).ok_or("invalid double literal"),
            4 => literal::unquote(&text, false)
                .map(|text| Literal::String(String::from_utf8_lossy(&text).into())),
            5 => literal::unquote(&text[1..], true).map(|bytes| Literal::Bytes(bytes.into())),
            6 => Ok(Literal::Bool(true)),
            7 => Ok(Literal::Bool(false)),
            _ => Ok(Literal::Null),
        };
        match literal {
            Ok(literal) => self.ast.add(Expr::Literal(literal), Some(start)),
            Err(message) => self.fail(Some(start), message.to_owned()),
        }
    }

    pub(super) fn has_macros(&self, macros: Macros) -> bool {
        self.macros == macros
    }

    pub(super) fn has_macro(&self, function: &str, arguments: usize) -> bool {
        self.oldest.has_macro(function, arguments)
    }
}
