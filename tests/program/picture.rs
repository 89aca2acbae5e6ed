//! The picture in the README: a real run as an image, for light and dark pages. `KADMIT_UPDATE=1 cargo test` draws it.

use std::fmt::Write;
use std::path::Path;

use crate::golden;

const COMMAND: &str = "kadmit run --cluster cluster manifests/storefront.yaml manifests/worker.yaml";

/// The colours of a page.
struct Theme {
    name: &'static str,
    background: &'static str,
    text: &'static str,
    /// By the number of the sequence.
    colors: [(u8, &'static str); 6],
}

const THEMES: [Theme; 2] = [
    Theme {
        name: "light",
        background: "#ffffff",
        text: "#1f2328",
        colors: [
            (31, "#cf222e"),
            (32, "#116329"),
            (33, "#7d4e00"),
            (34, "#0550ae"),
            (35, "#8250df"),
            (36, "#1b7c83"),
        ],
    },
    Theme {
        name: "dark",
        background: "#0d1117",
        text: "#e6edf3",
        colors: [
            (31, "#ff7b72"),
            (32, "#3fb950"),
            (33, "#d29922"),
            (34, "#58a6ff"),
            (35, "#bc8cff"),
            (36, "#39c5cf"),
        ],
    },
];

/// The width of a column, in tenths of a pixel.
const COLUMN: usize = 84;

/// The height of a line and the space around the text, in pixels.
const LINE: usize = 19;
const MARGIN: usize = 16;

#[test]
fn the_picture_is_a_real_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = golden::run(&format!("{COMMAND} --color=always"), &root.join("testdata/quickstart"));
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<String> = text.lines().map(without_time).collect();
    assert!(lines.iter().any(|line| line.contains("PodSecurity")), "{text}");
    for theme in &THEMES {
        let path = root.join(format!("docs/images/run-{}.svg", theme.name));
        let drawn = draw(theme, &lines);
        roxmltree::Document::parse(&drawn).expect("an XML document");
        golden::compare(drawn, &path);
    }
}

/// Returns the line without the time that the run took, which always differs.
fn without_time(line: &str) -> String {
    match line.strip_suffix(" ms").and_then(|line| line.rsplit_once("; ")) {
        Some((summary, time)) if time.bytes().all(|byte| byte.is_ascii_digit()) => summary.to_owned(),
        _ => line.to_owned(),
    }
}

fn draw(theme: &Theme, lines: &[String]) -> String {
    let height = (lines.len() + 2) * LINE + 2 * MARGIN;
    let width = 80 * COLUMN / 10 + 2 * MARGIN;
    let Theme { background, text, .. } = theme;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{COMMAND} in a terminal\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{background}\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" \
         fill=\"{text}\">\n"
    );
    let typed = format!("$ {COMMAND}");
    for (position, line) in
        [typed.as_str(), ""].into_iter().chain(lines.iter().map(String::as_str)).enumerate()
    {
        let y = MARGIN + (position + 1) * LINE - 5;
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\">{}</text>", spans(theme, line));
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Returns the parts of a line, each with its colour and its place: glyphs of other fonts must not move what follows.
fn spans(theme: &Theme, line: &str) -> String {
    let mut spans = String::new();
    let (mut color, mut is_bold, mut column) = (None, false, 0);
    for (position, part) in line.split("\u{1b}[").enumerate() {
        let part = match part.split_once('m') {
            Some((codes, rest)) if position > 0 => {
                for code in codes.split(';').filter_map(|code| code.parse::<u8>().ok()) {
                    match code {
                        0 => {
                            color = None;
                            is_bold = false;
                        }
                        1 => is_bold = true,
                        code => {
                            color = theme
                                .colors
                                .iter()
                                .find(|(of, _)| *of == code)
                                .map(|(_, color)| *color)
                                .or(color);
                        }
                    }
                }
                rest
            }
            _ => part,
        };
        if part.is_empty() {
            continue;
        }
        let tenths = MARGIN * 10 + column * COLUMN;
        let x = format!("{}.{}", tenths / 10, tenths % 10);
        let fill = color.map(|color| format!(" fill=\"{color}\"")).unwrap_or_default();
        let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
        let _ = write!(spans, "<tspan x=\"{x}\"{fill}{weight}>{}</tspan>", escaped(part));
        column += part.chars().count();
    }
    spans
}

/// Text as it is in XML; spaces at an edge or next to each other would not be drawn.
fn escaped(text: &str) -> String {
    text.replace(' ', "\u{a0}").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
