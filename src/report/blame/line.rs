//! Lines of YAML, each with its origin in a column before it.

use std::io::{self, Write};

use colored::{ColoredString, Colorize};

use crate::report::fold::folding;
use crate::report::printable::printable;
use crate::report::text::UNLIMITED;

/// A line of an object, and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedLine {
    /// The origin in words.
    pub origin: String,
    /// The kind of the origin.
    pub on: BlamedOn,
    /// The line of YAML.
    pub text: String,
}

/// The kind of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlamedOn {
    /// The manifest.
    Manifest,
    /// The server, with its defaults and what it stored.
    Server,
    /// A plugin, policy or webhook.
    Plugin,
    /// A controller, or another manager.
    Others,
}

/// Writes `lines`. If `width` is limited, the origins take at most two fifths of it, and what is longer is folded.
pub(crate) fn write_lines(out: &mut impl Write, lines: &[BlamedLine], width: usize) -> io::Result<()> {
    let longest = lines.iter().map(|line| length(&line.origin)).max().unwrap_or_default();
    let is_limited = width < UNLIMITED / 2;
    let room = if is_limited { longest.min((width * 2 / 5).max(NARROWEST)) } else { longest };
    let mut above = "";
    for BlamedLine { origin, on, text } in lines {
        // What takes several lines is written once.
        let is_repeated = length(origin) > room && origin == above;
        let says = if is_repeated { "as above".to_owned() } else { fitting(&printable(origin), room) };
        let says: Vec<_> = textwrap::wrap(&says, folding(room));
        let text = printable(text);
        let indent = " ".repeat(text.len() - text.trim_start().len() + 2);
        let options = folding(if is_limited { width.saturating_sub(room + 3) } else { UNLIMITED });
        let shown: Vec<_> = textwrap::wrap(&text, options.subsequent_indent(&indent));
        for row in 0..says.len().max(shown.len()) {
            let origin = says.get(row).map_or("", |says| says);
            let padding = " ".repeat(room.saturating_sub(length(origin)));
            let text = shown.get(row).map_or("", |text| text);
            let line = format!("{}{padding} {} {text}", colored(origin, *on), "│".dimmed());
            writeln!(out, "{}", line.trim_end())?;
        }
        above = origin;
    }
    Ok(())
}

/// The fewest columns of origins.
const NARROWEST: usize = 20;

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Returns `origin` with the ends of the paths in it that are longer than `room`.
fn fitting(origin: &str, room: usize) -> String {
    let fit = |word: &str| {
        let mut rest = word;
        while length(rest) + 2 > room
            && let Some((_, below)) = rest.split_once('/')
        {
            rest = below;
        }
        if rest.len() < word.len() { format!("…/{rest}") } else { word.to_owned() }
    };
    let words = origin.split(' ').map(|word| if length(word) > room { fit(word) } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

fn colored(origin: &str, on: BlamedOn) -> ColoredString {
    match on {
        _ if origin.is_empty() => origin.normal(),
        BlamedOn::Manifest => origin.normal(),
        BlamedOn::Server => origin.dimmed(),
        BlamedOn::Plugin => origin.cyan(),
        BlamedOn::Others => origin.magenta(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: &[(&str, &str)], width: usize) -> String {
        let line = |(origin, text): &(&str, &str)| BlamedLine {
            origin: (*origin).to_owned(),
            on: BlamedOn::Manifest,
            text: (*text).to_owned(),
        };
        let lines: Vec<_> = lines.iter().map(line).collect();
        let mut out = Vec::new();
        write_lines(&mut out, &lines, width).expect("room");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn what_is_long_is_folded_where_there_is_a_limit() {
        let manager = "manager kubectl-edit (Update, 2026-02-03T21:40:00Z)";
        let lines = [("manifests/shop/a.yaml:10", "data:"), (manager, "  a: one two"), (manager, "  b: 1")];
        let folded = "\
…/shop/a.yaml:10     │ data:
manager kubectl-edit │   a: one two
(Update,             │
2026-02-03T21:40:00Z │
)                    │
as above             │   b: 1
";
        assert_eq!(written(&lines, 50), folded);
        let whole = "\
manifests/shop/a.yaml:10                            │ data:
manager kubectl-edit (Update, 2026-02-03T21:40:00Z) │   a: one two
manager kubectl-edit (Update, 2026-02-03T21:40:00Z) │   b: 1
";
        assert_eq!(written(&lines, UNLIMITED), whole);
        let long = format!("- a: {}", "b ".repeat(100));
        assert!(written(&[("a", &long)], 50).lines().all(|line| length(line) <= 50));
    }
}
