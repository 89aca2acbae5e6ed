//! Writing of text in each style.

use super::{BEST_WIDTH, Emitter};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// Which styles a text can have.
pub(super) struct Analysis {
    pub(super) plain_allowed: bool,
    pub(super) single_quoted_allowed: bool,
    pub(super) block_allowed: bool,
}

pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_printable(character: char) -> bool {
    match character {
        '\n' | ' '..='~' => true,
        '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => ('\u{a0}'..='\u{ffff}').contains(&character),
    }
}

impl Analysis {
    pub(super) fn of(text: &str) -> Self {
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut breaks, mut special, mut break_space, mut space_break) = (false, false, false, false);
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let blank_follows = characters.peek().is_none_or(|next| matches!(next, ' ' | '\t'));
            indicators |= match (previous, character) {
                (
                    None,
                    '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                    | '`',
                ) => true,
                (None, '?' | ':' | '-') | (Some(_), ':') => blank_follows,
                (Some(before), '#') => matches!(before, ' ' | '\t' | '\0') || is_break(before),
                _ => false,
            };
            special |= !is_printable(character);
            if character == ' ' {
                break_space |= previous.is_some_and(is_break);
            } else if is_break(character) {
                breaks = true;
                space_break |= previous == Some(' ');
            }
            previous = Some(character);
        }
        let at_edge = |character: char| character == ' ' || is_break(character);
        let edges = text.starts_with(at_edge) || text.ends_with(at_edge);
        Self {
            plain_allowed: !(indicators || edges || breaks || space_break || special),
            single_quoted_allowed: !(break_space || space_break || special),
            block_allowed: !(text.is_empty() || text.ends_with(' ') || space_break || special),
        }
    }
}

impl Emitter<'_> {
    pub(super) fn plain_text(&mut self, text: &str, may_fold: bool) {
        if !self.whitespace {
            self.put(' ');
        }
        self.whitespace = false;
        self.indention = false;
        if self.fits(text) || !may_fold {
            self.put_str(text);
        } else {
            // Plain text has no blanks at its ends and no line breaks.
            self.folded(text);
        }
        self.whitespace = false;
        self.indention = false;
    }

    pub(super) fn single_quoted(&mut self, text: &str, may_fold: bool) {
        self.indicator("'", true);
        if text.contains(is_break) || (may_fold && !self.fits(text)) {
            self.folded_with_breaks(text, may_fold);
        } else {
            for (index, part) in text.split('\'').enumerate() {
                if index > 0 {
                    self.put_str("''");
                }
                self.put_str(part);
            }
        }
        self.indicator("'", false);
    }

    /// Whether the text certainly ends before a line is long enough to be folded.
    fn fits(&self, text: &str) -> bool {
        self.column + text.len() <= BEST_WIDTH
    }

    /// Breaks the line at single blanks once it is long.
    fn folded(&mut self, text: &str) {
        let mut spaces = false;
        for (position, character) in text.char_indices() {
            if character != ' ' {
                self.put(character);
                self.indention = false;
                spaces = false;
                continue;
            }
            let single = !text[position + 1..].starts_with(' ');
            if !spaces && self.column > BEST_WIDTH && single {
                self.write_indent();
            } else {
                self.put(' ');
            }
            spaces = true;
        }
    }

    fn folded_with_breaks(&mut self, text: &str, may_fold: bool) {
        let (mut spaces, mut breaks) = (false, false);
        for (position, character) in text.char_indices() {
            if character == ' ' {
                let inner = position > 0 && position + 1 < text.len();
                let single = !text[position + 1..].starts_with(' ');
                if may_fold && !spaces && self.column > BEST_WIDTH && inner && single {
                    self.write_indent();
                } else {
                    self.put(' ');
                }
                spaces = true;
            } else if is_break(character) {
                if !breaks && character == '\n' {
                    self.put_break();
                }
                self.put_text_break(character);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                if character == '\'' {
                    self.put('\'');
                }
                self.put(character);
                self.indention = false;
                spaces = false;
                breaks = false;
            }
        }
    }

    fn put_text_break(&mut self, character: char) {
        if character == '\n' {
            self.put_break();
        } else {
            self.put(character);
            self.column = 0;
        }
    }

    pub(super) fn double_quoted(&mut self, text: &str, may_fold: bool) {
        self.indicator("\"", true);
        // go-yaml checks the whole text, not the character, for a byte order mark.
        let escape_all = text.starts_with('\u{feff}');
        let mut spaces = false;
        for (position, character) in text.char_indices() {
            if escape_all
                || !is_printable(character)
                || is_break(character)
                || matches!(character, '"' | '\\')
            {
                self.put_escape(character);
                spaces = false;
            } else if character == ' ' {
                let inner = position > 0 && position + 1 < text.len();
                if may_fold && !spaces && self.column > BEST_WIDTH && inner {
                    self.write_indent();
                    if text[position + 1..].starts_with(' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                spaces = true;
            } else {
                self.put(character);
                spaces = false;
            }
        }
        self.indicator("\"", false);
    }

    pub(super) fn literal(&mut self, text: &str) {
        self.indicator("|", true);
        if text.starts_with(|first| first == ' ' || is_break(first)) {
            self.put('2');
        }
        let mut from_end = text.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next().is_none_or(is_break)) {
            (false, _) => self.put('-'),
            (true, true) => self.put('+'),
            (true, false) => {}
        }
        self.put_break();
        self.indention = true;
        self.whitespace = true;
        let mut breaks = true;
        for character in text.chars() {
            if is_break(character) {
                self.put_text_break(character);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                self.put(character);
                self.indention = false;
                breaks = false;
            }
        }
    }
}
