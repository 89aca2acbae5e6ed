//! Scalars: plain, quoted on one line, literal.

use std::borrow::Cow;

use super::Reader;

/// Whether a document contains no characters that break lines elsewhere, that mark the encoding, or that are not
/// allowed.
pub(super) fn are_plain_characters(text: &[u8]) -> bool {
    /// Bytes that are looked at together, as the processor does.
    const TOGETHER: usize = 64;
    let is_ascii = |byte: &u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    let mut at = 0;
    for chunk in text.chunks(TOGETHER) {
        let are_ascii = chunk.iter().fold(true, |all, byte| all & is_ascii(byte));
        let is_allowed = |(position, byte): (usize, &u8)| is_ascii(byte) || is_letter(&text[at + position..]);
        if !are_ascii && !chunk.iter().enumerate().all(is_allowed) {
            return false;
        }
        at += chunk.len();
    }
    true
}

/// Whether the byte at the start of `rest` is part of a character beyond ASCII without a meaning of its own.
fn is_letter(rest: &[u8]) -> bool {
    match rest {
        // U+0080 to U+009F are controls, one of them a line break.
        [0xc2, second, ..] => *second >= 0xa0,
        // U+2028 and U+2029 are line breaks.
        [0xe2, 0x80, third, ..] => !matches!(third, 0xa8 | 0xa9),
        // U+FEFF marks the encoding, U+FFFE and U+FFFF are not characters.
        [first, ..] => *first >= 0x80 && *first != 0xef,
        [] => false,
    }
}

/// Whether `byte`, before `next`, begins a plain scalar. Those that begin with `?` or `:` are left to the full reader.
fn begins_plain(byte: u8, next: u8) -> bool {
    match byte {
        b' ' | b'\t' | b'\n' | b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!'
        | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`' => false,
        b'-' => !matches!(next, b' ' | b'\t' | b'\n'),
        _ => true,
    }
}

impl<'a> Reader<'a> {
    /// Reads the part of a plain scalar that is on this line, without the blanks after it; ends at the break, colon or
    /// comment after them.
    pub(super) fn plain_on_line(&mut self) -> Option<&'a str> {
        let (text, start) = (self.text, self.at);
        if !begins_plain(self.byte(start), self.byte(start + 1)) {
            return None;
        }
        self.rest_of_plain().then(|| text[start..self.at].trim_end_matches(' '))
    }

    /// Moves to the end of a plain scalar on this line; false at a tab, which the full reader must judge.
    fn rest_of_plain(&mut self) -> bool {
        loop {
            match self.byte(self.at) {
                b'\n' => return true,
                b':' if self.is_blank(self.at + 1) => return true,
                b'#' if self.byte(self.at - 1) == b' ' => return true,
                b'\t' => return false,
                _ => self.at += 1,
            }
        }
    }

    /// Reads a plain scalar that is a value in a collection whose column is `indent`, with the lines that continue it;
    /// ends before the blanks at the end of its last line.
    pub(super) fn plain(&mut self, indent: usize) -> Option<Cow<'a, str>> {
        let (whole, mut start) = (self.text, self.at);
        let mut part = self.plain_on_line()?;
        let mut text = Cow::Borrowed(part);
        while let Some((breaks, next)) = self.continued(indent) {
            (self.at, start) = (next, next);
            if !self.rest_of_plain() {
                return None;
            }
            part = whole[start..self.at].trim_end_matches(' ');
            let text = text.to_mut();
            push_folded(text, breaks);
            text.push_str(part);
        }
        // A colon would make it a key.
        let is_value = self.byte(self.at) != b':';
        self.at = start + part.len();
        is_value.then_some(text)
    }

    /// Returns the breaks before the next line that continues a plain scalar, and the start of its content.
    fn continued(&self, indent: usize) -> Option<(usize, usize)> {
        let (breaks, column, at) = self.next_content()?;
        (column > indent && self.byte(at) != b'#').then_some((breaks, at))
    }

    /// Returns the breaks from the one here to the next line with content, its column, and its start.
    fn next_content(&self) -> Option<(usize, usize, usize)> {
        let (mut breaks, mut at) = (0, self.at);
        while self.byte(at) == b'\n' && at < self.text.len() {
            breaks += 1;
            at += 1;
            let start = at;
            while self.byte(at) == b' ' {
                at += 1;
            }
            if self.byte(at) != b'\n' {
                return Some((breaks, at - start, at));
            }
        }
        None
    }

    /// Reads a plain scalar in a flow collection, without the blanks after it; ends at the indicator after them.
    pub(super) fn flow_plain(&mut self) -> Option<&'a str> {
        let (text, start) = (self.text, self.at);
        if !begins_plain(self.byte(start), self.byte(start + 1)) {
            return None;
        }
        loop {
            match self.byte(self.at) {
                b',' | b'[' | b']' | b'{' | b'}' => break,
                b':' => match self.byte(self.at + 1) {
                    b' ' => break,
                    b'\n' | b',' | b'?' | b'[' | b']' | b'{' | b'}' => return None,
                    _ => self.at += 1,
                },
                b'\n' | b'\t' => return None,
                b'#' if self.byte(self.at - 1) == b' ' => return None,
                _ => self.at += 1,
            }
        }
        Some(text[start..self.at].trim_end_matches(' '))
    }

    /// Reads a quoted scalar that ends on its line.
    pub(super) fn quoted(&mut self) -> Option<Cow<'a, str>> {
        self.quoted_over(None)
    }

    /// Reads a quoted scalar that is a value in a collection whose column is `indent`, with the lines that continue it.
    pub(super) fn quoted_lines(&mut self, indent: usize) -> Option<Cow<'a, str>> {
        self.quoted_over(Some(indent))
    }

    /// Reads a quoted scalar; its further lines must be indented beyond a column, without one it has none.
    fn quoted_over(&mut self, indent: Option<usize>) -> Option<Cow<'a, str>> {
        let (whole, quote) = (self.text, self.byte(self.at));
        self.at += 1;
        let mut start = self.at;
        let mut text = Cow::Borrowed("");
        loop {
            let byte = self.byte(self.at);
            let is_escaped = match byte {
                b'\n' => {
                    self.fold(start, indent?, text.to_mut())?;
                    start = self.at;
                    continue;
                }
                b'\\' => quote == b'"',
                _ if byte != quote => false,
                b'\'' if self.byte(self.at + 1) == b'\'' => true,
                _ => break,
            };
            if !is_escaped {
                self.at += 1;
                continue;
            }
            let text = text.to_mut();
            text.push_str(&whole[start..self.at]);
            match self.byte(self.at + 1) {
                b'\'' if quote == b'\'' => text.push('\''),
                b'"' => text.push('"'),
                b'\\' => text.push('\\'),
                b'n' => text.push('\n'),
                b't' => text.push('\t'),
                b' ' => text.push(' '),
                b'\n' => {
                    // An escaped break is none; a line without content after it is left to the full reader.
                    self.at += 1;
                    let (breaks, next) = self.continued_quote(indent?)?;
                    if breaks > 1 {
                        return None;
                    }
                    (self.at, start) = (next, next);
                    continue;
                }
                // Other escapes are rare, and some of them are errors.
                _ => return None,
            }
            self.at += 2;
            start = self.at;
        }
        let rest = &whole[start..self.at];
        self.at += 1;
        if text.is_empty() {
            // Nothing was escaped or folded, or the text before `start` is one escape: then it is not empty.
            return Some(Cow::Borrowed(rest));
        }
        text.to_mut().push_str(rest);
        Some(text)
    }

    /// Adds the line of a quoted scalar from `start` to the break here, and the break, to `text`; moves to the content of
    /// the next line.
    fn fold(&mut self, start: usize, indent: usize, text: &mut String) -> Option<()> {
        let line = self.text[start..self.at].trim_end_matches(' ');
        // The full reader must judge a tab.
        if line.ends_with('\t') {
            return None;
        }
        text.push_str(line);
        let (breaks, next) = self.continued_quote(indent)?;
        push_folded(text, breaks);
        self.at = next;
        Some(())
    }

    /// Returns the breaks from the one here to the content of the line that continues a quoted scalar, and its start.
    fn continued_quote(&self, indent: usize) -> Option<(usize, usize)> {
        let (breaks, column, at) = self.next_content()?;
        (column > indent && self.byte(at) != b'\t').then_some((breaks, at))
    }

    /// Reads a literal scalar in a collection whose column is `indent`, up to the start of the line after it.
    pub(super) fn literal(&mut self, indent: usize) -> Option<String> {
        self.at += 1;
        let chomping = self.byte(self.at);
        if matches!(chomping, b'-' | b'+') {
            self.at += 1;
        }
        self.skip_rest_of_line()?;
        let column = self.literal_column().filter(|column| *column > indent)?;
        let mut text = String::new();
        // The length of the text up to the break after its last line that is not empty.
        let mut content = 0;
        while self.at < self.text.len() {
            let start = self.at;
            let mut at = start;
            while at - start < column && self.byte(at) == b' ' {
                at += 1;
            }
            let is_empty = self.byte(at) == b'\n';
            if !is_empty && at - start < column {
                // The full reader refuses a tab here.
                if self.byte(at) == b'\t' {
                    return None;
                }
                break;
            }
            let rest = &self.text.as_bytes()[at..];
            let end = at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            text.push_str(&self.text[at..end]);
            text.push('\n');
            self.at = end + 1;
            if !is_empty {
                content = text.len();
            }
        }
        match chomping {
            b'+' => {}
            b'-' => text.truncate(content - 1),
            _ => text.truncate(content),
        }
        Some(text)
    }

    /// Returns the column of the first line that is not empty. An empty line before it must not reach beyond it.
    fn literal_column(&self) -> Option<usize> {
        let (mut at, mut longest) = (self.at, 0);
        while at < self.text.len() {
            let start = at;
            while self.byte(at) == b' ' {
                at += 1;
            }
            let column = at - start;
            match self.byte(at) {
                b'\n' => longest = longest.max(column),
                b'\t' => return None,
                _ => return (longest <= column).then_some(column),
            }
            at += 1;
        }
        None
    }
}

/// Adds what `breaks` between two lines of a folded scalar mean: one is a blank, more are one break less.
fn push_folded(text: &mut String, breaks: usize) {
    match breaks {
        1 => text.push(' '),
        _ => text.extend(std::iter::repeat_n('\n', breaks - 1)),
    }
}
