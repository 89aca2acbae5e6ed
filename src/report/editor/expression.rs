//! Places inside expressions: the compiler names line and column of the expression, an editor those of the file.

use gotext::source::{Data, SourceFile, Span};

/// Returns the part of the scalar at `span` that `message` names, such as `ERROR: <input>:1:8: undeclared reference`.
pub(super) fn place_in(source: &SourceFile, span: Span, message: &str) -> Option<Span> {
    let (_, issue) = message.split_once("<input>:")?;
    let mut numbers = issue.split(':').map(|number| number.parse::<usize>().ok()?.checked_sub(1));
    let (line, column) = (numbers.next()??, numbers.next()??);
    let written = source.text().get(span.start..span.end)?;
    let document = kube_yaml::read(&SourceFile::new("", written)).next()?.ok()?;
    let Data::String(expression) = &document.node.data else { return None };
    let before: usize = expression.split('\n').take(line).map(|line| line.chars().count() + 1).sum();
    let start = offset_of(written, expression, before + column)?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let rest = written[start..].strip_prefix('.').unwrap_or(&written[start..]);
    let name = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
    let end = written.len() - rest.len() + name;
    let end = if end > start { end } else { start + rest.chars().next().map_or(0, char::len_utf8) };
    Some(Span::new(span.start + start..span.start + end))
}

/// Returns the offset in `written`, a scalar in any style of YAML, of the character of `expression` at `position`, or of
/// the last one: indentation, folded lines and escapes are in the text alone.
fn offset_of(written: &str, expression: &str, position: usize) -> Option<usize> {
    let position = position.min(expression.trim_end().chars().count().checked_sub(1)?);
    let style = written.chars().next()?;
    let mut characters = written.char_indices().peekable();
    match style {
        '|' | '>' => while characters.next()?.1 != '\n' {},
        '"' | '\'' => _ = characters.next(),
        _ => {}
    }
    for (at, wanted) in expression.chars().enumerate() {
        if wanted.is_whitespace() {
            if at == position {
                return characters.peek().map(|(offset, _)| *offset);
            }
            characters.next_if(|(_, written)| written.is_whitespace());
            continue;
        }
        while characters.next_if(|(_, written)| written.is_whitespace()).is_some() {}
        if style == '"' {
            characters.next_if(|(_, written)| *written == '\\');
        }
        let (offset, _) = characters.next_if(|(_, written)| *written == wanted)?;
        if at == position {
            return Some(offset);
        }
        if style == '\'' && wanted == '\'' {
            characters.next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(scalar: &str, message: &str) -> Option<String> {
        let text = format!("spec:\n  expression: {scalar}\n");
        let source = SourceFile::new("policy.yaml", text.as_str());
        let document = kube_yaml::read(&source).next()?.ok()?;
        let span = document.node.get("spec")?.get("expression")?.span;
        let place = place_in(&source, span, message)?;
        Some(text[place.start..place.end].to_owned())
    }

    #[test]
    fn issues_are_found_in_every_style() {
        let issue = "compilation failed: ERROR: <input>:1:20: undefined field 'replica'";
        let found = Some(".replica".to_owned());
        assert_eq!(marked("has(a) && object.spec.replica > 1", &issue.replace(":20", ":22")), found);
        assert_eq!(marked("\"has(a) && object.spec.replica > 1\"", &issue.replace(":20", ":22")), found);
        assert_eq!(marked("'a == ''b'' && object.spec.replica > 1'", &issue.replace(":20", ":24")), found);
        let folded = ">-\n    has(a) &&\n    object.spec.replica > 1";
        assert_eq!(marked(folded, &issue.replace(":20", ":22")), found);
        let literal = "|\n    has(a) &&\n      object.spec.replica > 1";
        assert_eq!(marked(literal, &issue.replace("1:20", "2:14")), found);
        assert_eq!(marked("a == ", "<input>:1:6: mismatched input '<EOF>'"), Some("=".to_owned()));
        assert_eq!(marked("a", "<input>:-1:0: expression recursion limit exceeded: 250"), None);
        assert_eq!(marked("1", "<input>:1:1: is no string"), None);
    }
}
