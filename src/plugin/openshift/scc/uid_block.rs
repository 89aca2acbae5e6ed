//! Blocks of user and group ids as namespaces have them: `1000650000/10000` or `1000650000-1000659999`.
//!
//! Source: `github.com/openshift/library-go/pkg/security/uid`, and `fmt.Sscanf`, which reads the text.

/// Numbers from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Block {
    /// Reads a block and ignores the rest of the text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.contains('/') {
            let (start, size) = pair(text, '/')?;
            return Ok(Self { start, end: start.wrapping_add(size).wrapping_sub(1) });
        }
        let (start, end) = pair(text, '-')?;
        Ok(Self { start, end })
    }
}

fn pair(text: &str, separator: char) -> Result<(u32, u32), String> {
    let (first, rest) = number(text)?;
    if rest.is_empty() {
        return Err("unexpected EOF".to_owned());
    }
    let rest = rest.strip_prefix(separator).ok_or("input does not match format")?;
    let (second, _) = number(rest)?;
    Ok((first, second))
}

fn number(text: &str) -> Result<(u32, &str), String> {
    let text = text.trim_start_matches([' ', '\t']);
    if text.is_empty() {
        return Err("unexpected EOF".to_owned());
    }
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() {
        return Err("expected integer".to_owned());
    }
    let wide: u64 = digits
        .parse()
        .map_err(|_| format!("strconv.ParseUint: parsing {}: value out of range", gotext::quote(digits)))?;
    let number = u32::try_from(wide).map_err(|_| format!("unsigned integer overflow on token {digits}"))?;
    Ok((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_notations() {
        assert_eq!(Block::parse("1000/10"), Ok(Block { start: 1000, end: 1009 }));
        assert_eq!(Block::parse("5-9"), Ok(Block { start: 5, end: 9 }));
    }

    #[test]
    fn rejects_what_sscanf_rejects() {
        assert_eq!(Block::parse("a/10"), Err("expected integer".to_owned()));
        assert_eq!(Block::parse("10"), Err("unexpected EOF".to_owned()));
        assert_eq!(Block::parse("10x5"), Err("input does not match format".to_owned()));
        assert_eq!(
            Block::parse("4294967296/1"),
            Err("unsigned integer overflow on token 4294967296".to_owned())
        );
    }
}
