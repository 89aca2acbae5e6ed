//! Tokens to a tree, with the recovery and the messages of ANTLR's parsers.
//!
//! The states of the grammar are walked with a stack of our own, so that no nesting can exhaust the real one.
//!
//! Source: `antlr4-go/antlr/v4`, `error_strategy.go`; the limits are those of cel-go's parser.

mod predict;

use std::cell::Cell;
use std::iter::Peekable;
use std::vec;

use super::grammar::{Choice, GRAPH, Place, RULES, Rule, State, StateId};
use super::issue::Issues;
use super::lexer::{self, Unrecognized};
use super::source::{Location, Source};
use super::token::{Token, TokenKind, TokenSet};

const MAX_DEPTH: u32 = 250;
const MAX_RECOVERIES: u32 = 30;
const MAX_SKIPPED: u32 = 256;
const MAX_SYNTAX_ERRORS: usize = 100;

pub(super) type NodeId = usize;

/// A part of a node. A missing token that was inserted has no text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Child {
    Node(NodeId),
    Token(Token),
}

/// A parsed rule, complete or up to an error.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) rule: Rule,
    /// Counted from one; zero where there is no choice, or an error came before it.
    pub(super) alternative: usize,
    pub(super) start: usize,
    pub(super) children: Vec<Child>,
}

/// Reads `source` and gives all nodes, the root first; empty if parsing was given up.
pub(super) fn parse(source: &Source, issues: &mut Issues) -> Option<Vec<Node>> {
    let (tokens, unrecognized) = lexer::lex(source);
    let visible: Vec<usize> =
        (0..tokens.len()).filter(|index| tokens[*index].kind != TokenKind::Hidden).collect();
    let mut parser = Parser {
        source,
        tokens,
        visible,
        position: 0,
        looked_at: Cell::new(0),
        nodes: Vec::new(),
        stack: Vec::new(),
        depths: [0; RULES],
        state: 0,
        chosen: 0,
        recovering: false,
        last_error: None,
        recoveries: 0,
        reported: 0,
        unrecognized: unrecognized.into_iter().peekable(),
        issues,
    };
    parser.run().is_ok().then_some(parser.nodes)
}

/// A syntax error.
enum Fault {
    Mismatch,
    /// No alternative fits the tokens from its start up to the one this far ahead.
    NoAlternative(usize),
    /// A limit is reached, which is reported already.
    GivenUp,
}

struct Frame {
    rule: Rule,
    precedence: u8,
    node: NodeId,
    /// The state in which the calling rule continues.
    follow: Option<StateId>,
}

struct Parser<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    /// The tokens that are not space, by their index.
    visible: Vec<usize>,
    position: usize,
    /// The last visible token that was requested.
    looked_at: Cell<usize>,
    nodes: Vec<Node>,
    stack: Vec<Frame>,
    depths: [u32; RULES],
    state: StateId,
    /// The alternative of the node that is to be created.
    chosen: usize,
    recovering: bool,
    /// Where the last recovery began, and the states it has been tried in since.
    last_error: Option<(usize, Vec<StateId>)>,
    recoveries: u32,
    reported: usize,
    /// The characters outside any token that have not been reached yet.
    unrecognized: Peekable<vec::IntoIter<Unrecognized>>,
    issues: &'a mut Issues,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        self.enter(Rule::Start, 0, None)?;
        let mut next = Some(GRAPH.starts[Rule::Start as usize]);
        while let Some(state) = next {
            let stepped = self.step(state);
            self.report_unrecognized()?;
            next = match stepped {
                Ok(next) => next,
                Err(fault) => {
                    self.report_fault(&fault)?;
                    self.recover()?;
                    self.exit()
                }
            };
        }
        self.report_unrecognized()
    }

    fn step(&mut self, state: StateId) -> Result<Option<StateId>, Fault> {
        match &GRAPH.states[state] {
            State::Match(kinds, target) => {
                self.state = state;
                let token = self.match_token(kinds, *target)?;
                self.add_child(Child::Token(token));
                Ok(Some(*target))
            }
            State::Call { rule, precedence, follow } => {
                self.state = state;
                self.enter(*rule, *precedence, Some(*follow))?;
                Ok(Some(GRAPH.starts[*rule as usize]))
            }
            State::Decision { place, choice, targets } => {
                self.state = state;
                self.synchronize(*place)?;
                let alternative = self.predict(*choice, targets)?;
                match choice {
                    Choice::Unary | Choice::Primary | Choice::Literal => self.choose(alternative),
                    Choice::MemberSuffix => self.chosen = alternative,
                    _ => {}
                }
                Ok(Some(targets[alternative - 1]))
            }
            State::Recurse(target) => {
                self.recurse();
                Ok(Some(*target))
            }
            State::Stop => Ok(self.exit()),
        }
    }

    fn enter(&mut self, rule: Rule, precedence: u8, follow: Option<StateId>) -> Result<(), Fault> {
        let depth = &mut self.depths[rule as usize];
        *depth += 1;
        if *depth > MAX_DEPTH {
            return Err(self.give_up(&format!("expression recursion limit exceeded: {MAX_DEPTH}")));
        }
        let node = self.nodes.len();
        self.nodes.push(Node { rule, alternative: 0, start: self.token(1).start, children: Vec::new() });
        self.stack.push(Frame { rule, precedence, node, follow });
        Ok(())
    }

    /// Returns the state after the rule that ends here; `None` after the last one.
    fn exit(&mut self) -> Option<StateId> {
        let frame = self.stack.pop()?;
        self.depths[frame.rule as usize] -= 1;
        self.add_child(Child::Node(frame.node));
        frame.follow
    }

    fn add_child(&mut self, child: Child) {
        if let Some(frame) = self.stack.last() {
            self.nodes[frame.node].children.push(child);
        }
    }

    fn choose(&mut self, alternative: usize) {
        if let Some(frame) = self.stack.last() {
            self.nodes[frame.node].alternative = alternative;
        }
    }

    /// Wraps the node that is being parsed into one of the same rule, as its left operand.
    fn recurse(&mut self) {
        let node = self.nodes.len();
        let Some(frame) = self.stack.last_mut() else { return };
        let left = std::mem::replace(&mut frame.node, node);
        let (rule, start) = (frame.rule, self.nodes[left].start);
        let alternative = std::mem::take(&mut self.chosen);
        self.nodes.push(Node { rule, alternative, start, children: vec![Child::Node(left)] });
    }

    /// Returns the token this far ahead, one for the next.
    fn token(&self, ahead: usize) -> Token {
        let index = (self.position + ahead - 1).min(self.visible.len() - 1);
        self.looked_at.set(self.looked_at.get().max(index));
        self.tokens[self.visible[index]]
    }

    fn kind(&self, ahead: usize) -> TokenKind {
        self.token(ahead).kind
    }

    fn consume(&mut self) {
        if self.kind(1) != TokenKind::Eof {
            self.position += 1;
        }
    }

    /// Implements `Match`, and `RecoverInline` if the next token does not match.
    fn match_token(&mut self, kinds: &[TokenKind], target: StateId) -> Result<Token, Fault> {
        if !kinds.contains(&self.kind(1)) {
            self.count_recovery()?;
            if !self.delete_token()? {
                return self.insert_token(kinds[0], target);
            }
        }
        self.end_recovery();
        let token = self.token(1);
        self.consume();
        Ok(token)
    }

    /// Inserts a missing token if the next one fits after it.
    fn insert_token(&mut self, kind: TokenKind, target: StateId) -> Result<Token, Fault> {
        let found = self.token(1);
        if !self.expected_at(target).has(found.kind) {
            return Err(Fault::Mismatch);
        }
        if !self.recovering {
            self.recovering = true;
            let message = format!("missing {} at {}", self.expected_at(self.state), self.printed(found));
            self.report(found.start, &message)?;
        }
        Ok(Token { kind, start: found.start, end: found.start })
    }

    /// Skips a token if the one after it is expected here.
    fn delete_token(&mut self) -> Result<bool, Fault> {
        if !self.expected_at(self.state).has(self.kind(2)) {
            return Ok(false);
        }
        self.report_unwanted()?;
        self.consume();
        self.end_recovery();
        Ok(true)
    }

    /// Ensures, like `Sync`, before a choice that the next token fits one of the alternatives.
    fn synchronize(&mut self, place: Place) -> Result<(), Fault> {
        let next = GRAPH.next(self.state);
        if self.recovering || next.has_nothing() || next.has(self.kind(1)) {
            return Ok(());
        }
        match place {
            Place::Entry if self.delete_token()? => Ok(()),
            Place::Entry => Err(Fault::Mismatch),
            Place::LoopBack => {
                self.report_unwanted()?;
                let wanted = self.expected_at(self.state).with(self.recovery_set());
                while self.kind(1) != TokenKind::Eof && !wanted.has(self.kind(1)) {
                    self.consume();
                }
                Ok(())
            }
        }
    }

    /// Implements `Recover`: skips to a token that some rule on the stack can continue with.
    fn recover(&mut self) -> Result<(), Fault> {
        self.count_recovery()?;
        let mut skipped = 0;
        let (index, mut states) = self.last_error.take().unwrap_or((usize::MAX, Vec::new()));
        if index == self.position && states.contains(&self.state) {
            // The same error at the same token again means that nothing was skipped, so skip something now.
            self.skip(&mut skipped)?;
        }
        states.push(self.state);
        self.last_error = Some((self.position, states));
        let wanted = self.recovery_set();
        while self.kind(1) != TokenKind::Eof && !wanted.has(self.kind(1)) {
            self.skip(&mut skipped)?;
        }
        Ok(())
    }

    fn skip(&mut self, skipped: &mut u32) -> Result<(), Fault> {
        if *skipped >= MAX_SKIPPED {
            let message = format!("error recovery token lookahead limit exceeded: {MAX_SKIPPED}");
            return Err(self.give_up(&message));
        }
        *skipped += 1;
        self.consume();
        Ok(())
    }

    fn count_recovery(&mut self) -> Result<(), Fault> {
        if self.recoveries == MAX_RECOVERIES {
            let message = format!("error recovery attempt limit exceeded: {MAX_RECOVERIES}");
            self.report(self.token(1).start, &message)?;
            return Err(Fault::GivenUp);
        }
        self.recoveries += 1;
        Ok(())
    }

    fn end_recovery(&mut self) {
        self.recovering = false;
        self.last_error = None;
    }

    /// Returns the tokens expected in a state of the current rule, and after the rule.
    fn expected_at(&self, state: StateId) -> TokenSet {
        let mut expected = GRAPH.next(state);
        for frame in self.stack.iter().rev() {
            if !expected.has_nothing() {
                return expected;
            }
            let behind = frame.follow.map_or(TokenSet::of(&[TokenKind::Eof]), |follow| GRAPH.next(follow));
            expected = expected.without_nothing().with(behind);
        }
        expected
    }

    fn recovery_set(&self) -> TokenSet {
        let follows = self.stack.iter().filter_map(|frame| frame.follow);
        follows.fold(TokenSet::default(), |set, follow| set.with(GRAPH.next(follow).without_nothing()))
    }

    /// Reports unrecognized characters when the token after them is requested.
    fn report_unrecognized(&mut self) -> Result<(), Fault> {
        let reached = self.tokens[self.visible[self.looked_at.get()]].start;
        while let Some(error) = self.unrecognized.next_if(|error| error.start <= reached) {
            self.report(error.start, &error.message)?;
        }
        Ok(())
    }

    fn report_unwanted(&mut self) -> Result<(), Fault> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let found = self.token(1);
        let expected = self.expected_at(self.state);
        self.report(found.start, &format!("extraneous input {} expecting {expected}", self.printed(found)))
    }

    fn report_fault(&mut self, fault: &Fault) -> Result<(), Fault> {
        if let Fault::GivenUp = fault {
            return Err(Fault::GivenUp);
        }
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        match fault {
            Fault::NoAlternative(ahead) => {
                let (first, offending) = (self.token(1), self.token(*ahead));
                let message = self.no_alternative(first, offending);
                self.report(offending.start, &message)
            }
            Fault::Mismatch | Fault::GivenUp => {
                let found = self.token(1);
                let expected = self.expected_at(self.state);
                let message = format!("mismatched input {} expecting {expected}", self.printed(found));
                self.report(found.start, &message)
            }
        }
    }

    /// Returns the error that no alternative fits. cel-go phrases the error differently for a keyword in the place of
    /// an identifier.
    fn no_alternative(&self, first: Token, offending: Token) -> String {
        if first.kind == TokenKind::Eof {
            return "no viable alternative at input '<EOF>'".to_owned();
        }
        let from = self.tokens.partition_point(|token| token.start < first.start);
        let tokens = self.tokens[from..].iter().take_while(|token| token.start <= offending.start);
        let text: String = tokens.map(|token| self.source.text(token.start, token.end)).collect();
        let mut characters = text.chars();
        match (characters.next(), characters.as_str()) {
            (Some(_), keyword @ ("true" | "false" | "null")) => {
                format!("mismatched input '{keyword}' expecting IDENTIFIER")
            }
            _ => format!("no viable alternative at input {}", quoted(&text)),
        }
    }

    fn printed(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "'<EOF>'".to_owned(),
            _ => quoted(&self.source.text(token.start, token.end)),
        }
    }

    fn report(&mut self, offset: usize, message: &str) -> Result<(), Fault> {
        let location = self.source.location(offset);
        if self.reported == MAX_SYNTAX_ERRORS {
            self.issues
                .report(location, format!("Syntax error: More than {MAX_SYNTAX_ERRORS} syntax errors"));
            return Err(Fault::GivenUp);
        }
        self.reported += 1;
        self.issues.report(location, format!("Syntax error: {message}"));
        Ok(())
    }

    fn give_up(&mut self, message: &str) -> Fault {
        self.issues.report(Location::NONE, message.to_owned());
        Fault::GivenUp
    }
}

fn quoted(text: &str) -> String {
    let text = text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
    format!("'{text}'")
}
