//! The tokens of CEL, numbered as in its grammar: messages list them in this order.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum TokenKind {
    Eof,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Dot,
    Comma,
    Minus,
    Exclam,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    EscIdentifier,
    /// White space and comments: kept because messages quote the text between two tokens.
    Hidden,
}

/// The names of the kinds in messages, in order.
const NAMES: [&str; 36] = [
    "<EOF>",
    "'=='",
    "'!='",
    "'in'",
    "'<'",
    "'<='",
    "'>='",
    "'>'",
    "'&&'",
    "'||'",
    "'['",
    "']'",
    "'{'",
    "'}'",
    "'('",
    "')'",
    "'.'",
    "','",
    "'-'",
    "'!'",
    "'?'",
    "':'",
    "'+'",
    "'*'",
    "'/'",
    "'%'",
    "'true'",
    "'false'",
    "'null'",
    "NUM_FLOAT",
    "NUM_INT",
    "NUM_UINT",
    "STRING",
    "BYTES",
    "IDENTIFIER",
    "ESC_IDENTIFIER",
];

/// A token and where it is, in code points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A set of kinds, which may include none at all (epsilon).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TokenSet(u64);

const NOTHING: u64 = 1 << 63;

impl TokenSet {
    pub(super) const NOTHING: Self = Self(NOTHING);

    pub(super) fn of(kinds: &[TokenKind]) -> Self {
        Self(kinds.iter().fold(0, |set, kind| set | 1 << (*kind as u8)))
    }

    pub(super) fn has(self, kind: TokenKind) -> bool {
        self.0 & (1 << (kind as u8)) != 0
    }

    pub(super) fn has_nothing(self) -> bool {
        self.0 & NOTHING != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without_nothing(self) -> Self {
        Self(self.0 & !NOTHING)
    }
}

impl std::fmt::Display for TokenSet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.0 & (1 << bit) != 0)
            .map(|(_, name)| *name)
            .collect();
        match names.as_slice() {
            [name] => formatter.write_str(name),
            names => write!(formatter, "{{{}}}", names.join(", ")),
        }
    }
}
