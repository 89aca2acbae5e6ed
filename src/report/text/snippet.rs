//! Lines of a file with marks below them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use colored::{Color, Colorize};
use textwrap::core::display_width;

/// Lines around a mark.
const CONTEXT: usize = 1;

/// The fewest columns of a line.
const NARROWEST: usize = 20;

/// The text in the place of a tab.
const TAB: &str = "    ";

/// The colours of marks, one after the other.
const COLORS: [Color; 3] = [Color::Magenta, Color::Cyan, Color::Green];

/// Lines of a file that follow each other.
#[derive(Debug)]
pub(super) struct Snippet {
    pub(super) file: String,
    /// The lines as a terminal may show them, with as many bytes as in the file.
    pub(super) text: String,
    /// The number of the first line.
    pub(super) first_line: usize,
    pub(super) marks: Vec<Mark>,
}

/// A part of a line, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it begins in the text, and where it ends.
    pub(super) start: usize,
    pub(super) end: usize,
    /// One line each; none only underlines.
    pub(super) labels: Vec<String>,
}

/// A mark in its line, in columns from 0.
struct Underline<'a> {
    from: usize,
    to: usize,
    labels: &'a [String],
    color: Color,
}

impl Underline<'_> {
    /// The column that labels hang from: the middle, or further to the left if they need the room.
    fn stem(&self, room: usize) -> usize {
        const BRANCH: usize = 4;
        let longest = self.labels.iter().map(|label| display_width(label)).max().unwrap_or_default();
        room.saturating_sub(BRANCH + longest).clamp(self.from, self.from + (self.to - self.from) / 2)
    }
}

impl Snippet {
    /// Writes the lines with marks and those next to them; what is between two marks far from each other is left out,
    /// and so is what does not fit into `width` columns.
    pub(super) fn write(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let lines: Vec<&str> = self.text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let underlines = self.underlines();
        let (Some((first, first_marks)), Some((last, _))) =
            (underlines.first_key_value(), underlines.last_key_value())
        else {
            return Ok(());
        };
        // After the last line end there is no line.
        let count = if self.text.ends_with('\n') { lines.len() - 1 } else { lines.len() };
        let end = (last + CONTEXT + 1).min(count);
        let numbers = (self.first_line + end - 1).to_string().len();
        let margin = " ".repeat(numbers + 2);
        let room = width.saturating_sub(margin.len() + "│ ".chars().count()).max(NARROWEST);
        let column = first_marks.iter().map(|mark| mark.0).min().unwrap_or_default();
        let place = format!("{}:{}:{}", self.file, self.first_line + first, column + 1);
        writeln!(out, "{margin}╭─[{}]", place.cyan())?;
        let is_near = |index: usize| underlines.keys().any(|marked| marked.abs_diff(index) <= CONTEXT);
        let mut is_folded = false;
        for (index, line) in lines.iter().enumerate().take(end).skip(first.saturating_sub(CONTEXT)) {
            // One line takes no more room than what says that it is left out.
            let is_alone = index > 0 && is_near(index - 1) && is_near(index + 1);
            if !is_near(index) && !is_alone {
                if !is_folded {
                    writeln!(out, "{margin}⋮")?;
                }
                is_folded = true;
                continue;
            }
            is_folded = false;
            let number = format!("{:>numbers$}", self.first_line + index);
            let text = line.replace('\t', TAB);
            let marks = underlines.get(&index).map_or(&[][..], Vec::as_slice);
            let mut marks: Vec<Underline<'_>> = marks.iter().map(|mark| self.drawn(line, mark)).collect();
            let text = fitting(text, &mut marks, room);
            writeln!(out, "{}", format!(" {} │ {text}", number.dimmed()).trim_end())?;
            if !marks.is_empty() {
                write_marks(out, &marks, &format!("{margin}· "), room)?;
            }
        }
        writeln!(out, "{margin}╰────")
    }

    /// By line: the column of each mark in characters, from 0, its place in the line, and its number.
    fn underlines(&self) -> BTreeMap<usize, Vec<(usize, usize, usize)>> {
        let mut lines: BTreeMap<usize, Vec<(usize, usize, usize)>> = BTreeMap::new();
        for (position, mark) in self.marks.iter().enumerate() {
            let before = &self.text[..mark.start.min(self.text.len())];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let line = before.matches('\n').count();
            let column = before[line_start..].chars().count();
            lines.entry(line).or_default().push((column, mark.start - line_start, position));
        }
        for marks in lines.values_mut() {
            marks.sort_unstable();
        }
        lines
    }

    fn drawn(&self, line: &str, (_, start, position): &(usize, usize, usize)) -> Underline<'_> {
        let mark = &self.marks[*position];
        let end = (start + (mark.end - mark.start)).min(line.len());
        let columns = |text: &str| display_width(&text.replace('\t', TAB));
        let from = columns(&line[..*start]);
        let to = (from + columns(&line[*start..end.max(*start)])).max(from + 1);
        Underline { from, to, labels: &mark.labels, color: COLORS[position % COLORS.len()] }
    }
}

/// Returns the part of a line that fits into `room` columns and has its first mark; `marks` are moved with it.
fn fitting(text: String, marks: &mut [Underline<'_>], room: usize) -> String {
    if display_width(&text) <= room {
        return text;
    }
    // A label needs room after its mark.
    let first = marks.first().map_or(0, |mark| mark.from);
    let start = first.saturating_sub(room / 3);
    let mut shown = String::new();
    let (mut column, mut is_cut) = (0, false);
    let mut buffer = [0; 4];
    for character in text.chars() {
        let wide = display_width(character.encode_utf8(&mut buffer));
        is_cut = column + wide + 1 > start + room;
        if is_cut {
            break;
        }
        match column {
            before if before < start => {}
            before if before == start && start > 0 => shown.push('…'),
            _ => shown.push(character),
        }
        column += wide;
    }
    if is_cut {
        shown.push('…');
    }
    for mark in marks {
        mark.from = mark.from.saturating_sub(start).min(room - 1);
        mark.to = mark.to.saturating_sub(start).clamp(mark.from + 1, room);
    }
    shown
}

/// Draws the underlines of one line, and below them what is said, that of the last one first.
fn write_marks(out: &mut impl Write, marks: &[Underline<'_>], lead: &str, room: usize) -> io::Result<()> {
    let mut row = Row::default();
    for mark in marks {
        let line: String = (mark.from..mark.to)
            .map(|column| if column == mark.stem(room) && !mark.labels.is_empty() { '┬' } else { '─' })
            .collect();
        row.push(mark.from, &line, mark.color);
    }
    writeln!(out, "{lead}{}", row.text)?;
    for (position, mark) in marks.iter().enumerate().rev() {
        for (number, label) in mark.labels.iter().enumerate() {
            let mut row = Row::default();
            for open in marks[..position].iter().filter(|open| !open.labels.is_empty()) {
                row.push(open.stem(room), "│", open.color);
            }
            let branch = if number + 1 < mark.labels.len() { "├──" } else { "╰──" };
            row.push(mark.stem(room), branch, mark.color);
            writeln!(out, "{lead}{} {}", row.text, label.color(mark.color))?;
        }
    }
    Ok(())
}

/// Text at columns.
#[derive(Default)]
struct Row {
    text: String,
    width: usize,
}

impl Row {
    fn push(&mut self, column: usize, text: &str, color: Color) {
        // What overlaps follows.
        self.text.push_str(&" ".repeat(column.saturating_sub(self.width)));
        self.text.push_str(&text.color(color).to_string());
        self.width = self.width.max(column) + display_width(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "kind: Pod\nspec:\n  a: x\n  b: y\n  c: z\n  d: u\n  ü: v # w\n";

    fn drawn(marks: &[(&str, &[&str])]) -> String {
        drawn_of(TEXT, 80, marks)
    }

    fn drawn_of(text: &str, width: usize, marks: &[(&str, &[&str])]) -> String {
        colored::control::set_override(false);
        let marks = marks.iter().map(|(part, labels)| {
            let start = text.find(part).expect("a part of the text");
            Mark { start, end: start + part.len(), labels: labels.iter().map(ToString::to_string).collect() }
        });
        let snippet = Snippet {
            file: "a.yaml".to_owned(),
            text: text.to_owned(),
            first_line: 9,
            marks: marks.collect(),
        };
        let mut out = Vec::new();
        snippet.write(&mut out, width).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_far_from_marks_is_left_out() {
        let text = drawn(&[("kind", &["one"]), ("ü: v", &["two", "three"])]);
        let expected = "    ╭─[a.yaml:9:1]
  9 │ kind: Pod
    · ──┬─
    ·   ╰── one
 10 │ spec:
    ⋮
 14 │   d: u
 15 │   ü: v # w
    ·   ──┬─
    ·     ├── two
    ·     ╰── three
    ╰────
";
        assert_eq!(text, expected);
    }

    #[test]
    fn marks_of_a_line_are_below_each_other() {
        let text = drawn(&[("v #", &[]), ("ü", &["one"]), ("w", &["two"])]);
        let expected = "    ╭─[a.yaml:15:3]
 14 │   d: u
 15 │   ü: v # w
    ·   ┬  ─── ┬
    ·   │      ╰── two
    ·   ╰── one
    ╰────
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_label_moves_to_the_left_if_it_needs_the_room() {
        let (text, part) = ("containers: [{name: a, image: b}]\n", "[{name: a, image: b}]");
        let expected = "   ╭─[a.yaml:9:13]
 9 │ containers: [{name: a, image: b}]
   ·             ┬────────────────────
   ·             ╰── nineteen characters
   ╰────
";
        assert_eq!(drawn_of(text, 40, &[(part, &["nineteen characters"])]), expected);
    }

    #[test]
    fn a_long_line_is_cut_around_its_marks() {
        let text =
            format!("a: {{{}, network: host, last: 日本, {}}}\n", "b: 1, ".repeat(9), "c: 2, ".repeat(9));
        let marks: [(&str, &[&str]); 2] = [("host", &["one"]), ("日本", &["two"])];
        let expected = "   ╭─[a.yaml:9:70]
 9 │ … , network: host, last: 日本, c: 2, c:…
   ·              ──┬─        ──┬─
   ·                │           ╰── two
   ·                ╰── one
   ╰────
";
        assert_eq!(drawn_of(&text, 45, &marks), expected);
        assert!(drawn_of(&text, 500, &marks).contains(&text));
        let far: [(&str, &[&str]); 2] = [("b", &["one"]), ("日本", &["two"])];
        assert!(drawn_of(&text, 45, &far).lines().take(3).all(|line| display_width(line) <= 45));
    }

    #[test]
    fn a_line_between_two_that_are_shown_is_shown() {
        let text = drawn(&[("spec", &["one"]), ("c: z", &["two"])]);
        assert!(text.contains(" 11 │   a: x\n 12 │   b: y\n 13 │   c: z\n"), "{text}");
    }
}
