//! The grammar of CEL as a graph of states.
//!
//! cel-go's parser is made by ANTLR, and its messages list what may come next at the state the parser is in; so the
//! grammar is data here, and the states are those that ANTLR would make of it.

use std::sync::LazyLock;

use super::token::TokenKind::{
    self, And, Bytes, Colon, Comma, Dot, Eof, Equals, EscIdentifier, Exclam, False, Float, Greater,
    GreaterEquals, Identifier, In, Int, LBrace, LBracket, LParen, Less, LessEquals, Minus, NotEquals, Null,
    Or, Percent, Plus, Question, RBrace, RBracket, RParen, Slash, Star, String, True, Uint,
};
use super::token::TokenSet;

/// The rules of the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Rule {
    Start,
    Expr,
    Or,
    And,
    Relation,
    Calc,
    Unary,
    Member,
    Primary,
    ExprList,
    ListInit,
    FieldInits,
    OptField,
    MapInits,
    EscapeIdent,
    OptExpr,
    Literal,
}

pub(super) const RULES: usize = 17;

/// A part of a rule.
enum Part {
    Token(TokenKind),
    OneOf(&'static [TokenKind]),
    Rule(Rule),
    /// A rule whose operators bind at least as strongly.
    Operand(Rule, u8),
    Optional(&'static [Part]),
    Repeated(Choice, &'static [Part]),
    AtLeastOnce(Choice, &'static [Part]),
    Either(Choice, &'static [&'static [Part]]),
    /// What may follow the first operand of a rule that begins with itself.
    Suffixes(Choice, Choice, &'static [&'static [Part]]),
}

use Part::{AtLeastOnce, Either, OneOf, Operand, Optional, Repeated, Suffixes, Token};

/// How an alternative is chosen: by the next token, or by looking further ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// In, if the next token begins the part, or else past it.
    NextToken,
    /// The alternative that the next token begins.
    Alternatives,
    RelationLoop,
    CalcLoop,
    CalcOperator,
    Unary,
    MinusLoop,
    MemberLoop,
    MemberSuffix,
    Primary,
    /// At a comma that another entry may follow, or the end of the list.
    Comma,
    Literal,
}

const RELATIONS: &[TokenKind] = &[Equals, NotEquals, In, Less, LessEquals, GreaterEquals, Greater];

const fn rule(rule: Rule) -> Part {
    Part::Rule(rule)
}

static GRAMMAR: [&[Part]; RULES] = [
    &[rule(Rule::Expr), Token(Eof)],
    &[rule(Rule::Or), Optional(&[Token(Question), rule(Rule::Or), Token(Colon), rule(Rule::Expr)])],
    &[rule(Rule::And), Repeated(Choice::NextToken, &[Token(Or), rule(Rule::And)])],
    &[Operand(Rule::Relation, 0), Repeated(Choice::NextToken, &[Token(And), Operand(Rule::Relation, 0)])],
    &[
        Operand(Rule::Calc, 0),
        Suffixes(Choice::RelationLoop, Choice::NextToken, &[&[OneOf(RELATIONS), Operand(Rule::Relation, 2)]]),
    ],
    &[
        rule(Rule::Unary),
        Suffixes(
            Choice::CalcLoop,
            Choice::CalcOperator,
            &[
                &[OneOf(&[Star, Slash, Percent]), Operand(Rule::Calc, 3)],
                &[OneOf(&[Minus, Plus]), Operand(Rule::Calc, 2)],
            ],
        ),
    ],
    &[Either(
        Choice::Unary,
        &[
            &[Operand(Rule::Member, 0)],
            &[AtLeastOnce(Choice::NextToken, &[Token(Exclam)]), Operand(Rule::Member, 0)],
            &[AtLeastOnce(Choice::MinusLoop, &[Token(Minus)]), Operand(Rule::Member, 0)],
        ],
    )],
    &[
        rule(Rule::Primary),
        Suffixes(
            Choice::MemberLoop,
            Choice::MemberSuffix,
            &[
                &[Token(Dot), Optional(&[Token(Question)]), rule(Rule::EscapeIdent)],
                &[
                    Token(Dot),
                    Token(Identifier),
                    Token(LParen),
                    Optional(&[rule(Rule::ExprList)]),
                    Token(RParen),
                ],
                &[Token(LBracket), Optional(&[Token(Question)]), rule(Rule::Expr), Token(RBracket)],
            ],
        ),
    ],
    &[Either(
        Choice::Primary,
        &[
            &[Optional(&[Token(Dot)]), Token(Identifier)],
            &[
                Optional(&[Token(Dot)]),
                Token(Identifier),
                Token(LParen),
                Optional(&[rule(Rule::ExprList)]),
                Token(RParen),
            ],
            &[Token(LParen), rule(Rule::Expr), Token(RParen)],
            &[Token(LBracket), Optional(&[rule(Rule::ListInit)]), Optional(&[Token(Comma)]), Token(RBracket)],
            &[Token(LBrace), Optional(&[rule(Rule::MapInits)]), Optional(&[Token(Comma)]), Token(RBrace)],
            &[
                Optional(&[Token(Dot)]),
                Token(Identifier),
                Repeated(Choice::NextToken, &[Token(Dot), Token(Identifier)]),
                Token(LBrace),
                Optional(&[rule(Rule::FieldInits)]),
                Optional(&[Token(Comma)]),
                Token(RBrace),
            ],
            &[rule(Rule::Literal)],
        ],
    )],
    &[rule(Rule::Expr), Repeated(Choice::NextToken, &[Token(Comma), rule(Rule::Expr)])],
    &[rule(Rule::OptExpr), Repeated(Choice::Comma, &[Token(Comma), rule(Rule::OptExpr)])],
    &[
        rule(Rule::OptField),
        Token(Colon),
        rule(Rule::Expr),
        Repeated(Choice::Comma, &[Token(Comma), rule(Rule::OptField), Token(Colon), rule(Rule::Expr)]),
    ],
    &[Optional(&[Token(Question)]), rule(Rule::EscapeIdent)],
    &[
        rule(Rule::OptExpr),
        Token(Colon),
        rule(Rule::Expr),
        Repeated(Choice::Comma, &[Token(Comma), rule(Rule::OptExpr), Token(Colon), rule(Rule::Expr)]),
    ],
    &[Either(Choice::Alternatives, &[&[Token(Identifier)], &[Token(EscIdentifier)]])],
    &[Optional(&[Token(Question)]), rule(Rule::Expr)],
    &[Either(
        Choice::Literal,
        &[
            &[Optional(&[Token(Minus)]), Token(Int)],
            &[Token(Uint)],
            &[Optional(&[Token(Minus)]), Token(Float)],
            &[Token(String)],
            &[Token(Bytes)],
            &[Token(True)],
            &[Token(False)],
            &[Token(Null)],
        ],
    )],
];

pub(super) type StateId = usize;

/// A place in a rule.
#[derive(Debug)]
pub(super) enum State {
    Match(&'static [TokenKind], StateId),
    Call {
        rule: Rule,
        precedence: u8,
        follow: StateId,
    },
    Decision {
        place: Place,
        choice: Choice,
        targets: Vec<StateId>,
    },
    /// The left operand is complete, and becomes the first part of a larger node.
    Recurse(StateId),
    Stop,
}

/// Where in a block or a loop a decision is: recovery depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Entry,
    LoopBack,
}

/// The states of all rules.
pub(super) struct Graph {
    pub(super) states: Vec<State>,
    pub(super) starts: [StateId; RULES],
    /// What may come next at each state, within its rule.
    next: Vec<TokenSet>,
}

pub(super) static GRAPH: LazyLock<Graph> = LazyLock::new(Graph::new);

impl Graph {
    fn new() -> Self {
        let mut graph = Self { states: Vec::new(), starts: [0; RULES], next: Vec::new() };
        for (index, parts) in GRAMMAR.iter().enumerate() {
            let stop = graph.add(State::Stop);
            graph.starts[index] = graph.sequence(parts, stop);
        }
        graph.find_next();
        graph
    }

    pub(super) fn next(&self, state: StateId) -> TokenSet {
        self.next[state]
    }

    fn add(&mut self, state: State) -> StateId {
        self.states.push(state);
        self.states.len() - 1
    }

    /// Returns the first state of `parts`, which lead to `follow`.
    fn sequence(&mut self, parts: &'static [Part], follow: StateId) -> StateId {
        parts.iter().rev().fold(follow, |follow, part| self.part(part, follow))
    }

    fn part(&mut self, part: &'static Part, follow: StateId) -> StateId {
        let decision =
            |place: Place, choice: Choice, targets: Vec<StateId>| State::Decision { place, choice, targets };
        match part {
            Part::Token(kind) => self.add(State::Match(std::slice::from_ref(kind), follow)),
            OneOf(kinds) => self.add(State::Match(kinds, follow)),
            Part::Rule(rule) => self.add(State::Call { rule: *rule, precedence: 0, follow }),
            Operand(rule, precedence) => {
                self.add(State::Call { rule: *rule, precedence: *precedence, follow })
            }
            Optional(parts) => {
                let body = self.sequence(parts, follow);
                self.add(decision(Place::Entry, Choice::NextToken, vec![body, follow]))
            }
            Either(choice, alternatives) => {
                let targets = alternatives.iter().map(|parts| self.sequence(parts, follow)).collect();
                self.add(decision(Place::Entry, *choice, targets))
            }
            Repeated(choice, parts) => {
                let back = self.add(State::Stop);
                let body = self.sequence(parts, back);
                self.states[back] = decision(Place::LoopBack, *choice, vec![body, follow]);
                self.add(decision(Place::Entry, *choice, vec![body, follow]))
            }
            AtLeastOnce(choice, parts) => {
                let back = self.add(State::Stop);
                let body = self.sequence(parts, back);
                self.states[back] = decision(Place::LoopBack, *choice, vec![body, follow]);
                self.add(decision(Place::Entry, Choice::NextToken, vec![body]))
            }
            Suffixes(choice, inner, alternatives) => {
                let back = self.add(State::Stop);
                let bodies: Vec<StateId> = alternatives
                    .iter()
                    .map(|parts| {
                        let body = self.sequence(parts, back);
                        self.add(State::Recurse(body))
                    })
                    .collect();
                let body = match bodies.as_slice() {
                    [body] => *body,
                    _ => self.add(decision(Place::Entry, *inner, bodies)),
                };
                self.states[back] = decision(Place::LoopBack, *choice, vec![body, follow]);
                self.add(decision(Place::Entry, *choice, vec![body, follow]))
            }
        }
    }

    /// Grows the sets of next tokens until they stay as they are.
    fn find_next(&mut self) {
        self.next = vec![TokenSet::default(); self.states.len()];
        loop {
            let mut is_stable = true;
            for state in 0..self.states.len() {
                let found = match &self.states[state] {
                    State::Match(kinds, _) => TokenSet::of(kinds),
                    State::Stop => TokenSet::NOTHING,
                    State::Recurse(target) => self.next[*target],
                    State::Decision { targets, .. } => {
                        targets.iter().fold(TokenSet::default(), |set, target| set.with(self.next[*target]))
                    }
                    State::Call { rule, follow, .. } => {
                        let first = self.next[self.starts[*rule as usize]];
                        if first.has_nothing() {
                            first.without_nothing().with(self.next[*follow])
                        } else {
                            first
                        }
                    }
                };
                is_stable &= found == self.next[state];
                self.next[state] = found;
            }
            if is_stable {
                return;
            }
        }
    }
}
