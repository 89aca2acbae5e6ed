//! Predicts the alternative that the next tokens belong to.
//!
//! ANTLR finds it by simulating all alternatives in parallel; the grammar of CEL needs that in few places, and there
//! the answer is hard-coded. A completed alternative wins over longer ones that fail.

use super::super::grammar::{Choice, GRAPH, Rule, State, StateId};
use super::super::token::TokenKind;
use super::{Fault, Parser};

impl Parser<'_> {
    /// Returns the alternative, counted from one.
    pub(super) fn predict(&self, choice: Choice, targets: &[StateId]) -> Result<usize, Fault> {
        let next = self.kind(1);
        let enters = |yes: bool| Ok(if yes { 1 } else { 2 });
        match choice {
            Choice::NextToken => enters(targets.len() == 1 || GRAPH.next(targets[0]).has(next)),
            Choice::Alternatives => self.by_next_token(targets),
            Choice::RelationLoop => enters(self.precedence() <= 1 && GRAPH.next(targets[0]).has(next)),
            Choice::CalcLoop => enters(match next {
                TokenKind::Star | TokenKind::Slash | TokenKind::Percent => self.precedence() <= 2,
                TokenKind::Plus | TokenKind::Minus => self.precedence() <= 1,
                _ => false,
            }),
            Choice::CalcOperator => enters(!matches!(next, TokenKind::Plus | TokenKind::Minus)),
            Choice::Unary => match next {
                TokenKind::Exclam => Ok(2),
                TokenKind::Minus => match self.kind(2) {
                    TokenKind::Int | TokenKind::Float => Ok(1),
                    second if Self::begins_member(second) => Ok(3),
                    _ => Err(Fault::NoAlternative(2)),
                },
                _ => self.by_next_token(targets),
            },
            Choice::MinusLoop => match (next, self.kind(2)) {
                (TokenKind::Minus, second) if Self::begins_member(second) => Ok(1),
                (TokenKind::Minus, _) => Err(Fault::NoAlternative(2)),
                (next, _) if Self::begins_member(next) => Ok(2),
                _ => Err(Fault::NoAlternative(1)),
            },
            Choice::MemberLoop => enters(matches!(next, TokenKind::Dot | TokenKind::LBracket)),
            Choice::MemberSuffix => match (next, self.kind(2)) {
                (TokenKind::LBracket, _) => Ok(3),
                (_, TokenKind::Identifier) if self.kind(3) == TokenKind::LParen => Ok(2),
                (_, TokenKind::Question | TokenKind::Identifier | TokenKind::EscIdentifier) => Ok(1),
                _ => Err(Fault::NoAlternative(2)),
            },
            Choice::Primary => self.primary(targets),
            Choice::Comma => enters(next == TokenKind::Comma && self.begins_entry(targets[0])),
            Choice::Literal => match (next, self.kind(2)) {
                (TokenKind::Minus, TokenKind::Int) => Ok(1),
                (TokenKind::Minus, TokenKind::Float) => Ok(3),
                (TokenKind::Minus, _) => Err(Fault::NoAlternative(2)),
                _ => self.by_next_token(targets),
            },
        }
    }

    fn by_next_token(&self, targets: &[StateId]) -> Result<usize, Fault> {
        let next = self.kind(1);
        let found = targets.iter().position(|target| GRAPH.next(*target).has(next));
        found.map(|index| index + 1).ok_or(Fault::NoAlternative(1))
    }

    /// Whether the token after a comma begins another entry of the list.
    fn begins_entry(&self, comma: StateId) -> bool {
        matches!(&GRAPH.states[comma], State::Match(_, entry) if GRAPH.next(*entry).has(self.kind(2)))
    }

    /// Chooses between an identifier, a call and a message, which all begin with a name.
    fn primary(&self, targets: &[StateId]) -> Result<usize, Fault> {
        const IDENTIFIER: usize = 1;
        const CALL: usize = 2;
        const MESSAGE: usize = 6;
        let mut ahead = 1;
        match self.kind(1) {
            TokenKind::Identifier => {}
            TokenKind::Dot if self.kind(2) == TokenKind::Identifier => ahead = 2,
            TokenKind::Dot => return Err(Fault::NoAlternative(2)),
            _ => return self.by_next_token(targets),
        }
        if self.kind(ahead + 1) == TokenKind::LParen {
            return Ok(CALL);
        }
        while self.kind(ahead + 1) == TokenKind::Dot && self.kind(ahead + 2) == TokenKind::Identifier {
            ahead += 2;
        }
        Ok(if self.kind(ahead + 1) == TokenKind::LBrace { MESSAGE } else { IDENTIFIER })
    }

    fn begins_member(kind: TokenKind) -> bool {
        GRAPH.next(GRAPH.starts[Rule::Member as usize]).has(kind)
    }

    /// Returns the precedence that an operator needs to continue the rule on top of the stack.
    fn precedence(&self) -> u8 {
        self.stack.last().map_or(0, |frame| frame.precedence)
    }
}
