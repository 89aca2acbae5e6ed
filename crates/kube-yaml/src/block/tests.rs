use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::read;
use crate::{Format, split};
use gotext::source::SourceFile;

/// Counts the documents of `text`, and those that the short reader reads. What it reads is as the full reader has it.
fn compare(text: &str) -> (usize, usize) {
    let source = SourceFile::new("a.yaml", text);
    let (mut all, mut read_here) = (0, 0);
    for part in split(&source).flatten().filter(|part| part.format == Format::Yaml) {
        all += 1;
        let Some(node) = read(source.text(), part.span) else { continue };
        read_here += 1;
        let document = part.read_in_full();
        let document = document.unwrap_or_else(|error| panic!("{error}\n{text}")).expect("a document");
        assert_eq!(node, document.node, "{text}");
        assert_eq!(document.strict_errors, [], "{text}");
    }
    (all, read_here)
}

fn is_read(text: &str) -> bool {
    let (all, read_here) = compare(text);
    all == read_here
}

#[test]
fn reads_what_manifests_are_written_in() {
    for text in [
        "\n# b\na: 1 # c\n\nb:\n",
        "--- # a\na: b\n",
        "  a: b\n  c: d\n",
        "a:\n- b\n-\n-  c: d\n   e: f\n- - g\n  -   h:\n- # i\n  j: k\nl: m\n",
        "a:\n  - b:\n    - c\n    d:\n  -\n    f: g\n",
        "a: \"b # \\\"\\\\\\n\\t\" # c\n'd''e': ''\n\"f: g\": h\n",
        "a: |\n  b\n\n   c \n\n# d\nb: |-\n\n  x\n\n\nc: |+ # d\n  x\n   \n\n",
        "a:\n- |\n b\n- c: |-\n    x\n    \td\n  e: f\n",
        "a: [b, 1, \"c\", [], {}, {d: e:f, 'g': [h i ]}] # j\nk: {l: m, q: o#p}\n",
        "a: b\n  c\n\n\n  d # e\nf: g:h\n",
        "a: ~\nb: 0644\nc: yes\nd: 1.5\ne: 2001-01-01\nf: -1\ng: -h\ni: .5\nj: \u{e4}\u{20ac}\u{a0} # \u{1f600}\n",
        "- a\n- b: c\n",
        "a: \"b  \n   c\\\n   \\  d\\\"\n  e\"\nf: '\n\n  g''\n  h\n\n\n  i\n  ' # j\nk: \"\\\n  l\"\nm: \"\n  \"\n",
        "a:\n- 'b\n  c'\n- d: \"e\n    f\"\n",
    ] {
        assert!(is_read(text), "{text}");
    }
}

#[test]
fn leaves_what_it_does_not_know_to_the_full_reader() {
    for text in [
        "a: b\n c: d\n",
        "a: b\n---x\n",
        "a: &b c\nd: *b\n",
        "a: !!str 1\n",
        "a: b\na: c\n",
        "1: a\n",
        "<<: {a: b}\n",
        "a: >\n b\n",
        "a: |2\n   b\n",
        "a: |\n   \n  b\n",
        "a: |\n   b\n \tc\n",
        "a: |\nb: c\n",
        "a: \"b\nc\"\n",
        "a: \"b\\\n\n  c\"\n",
        "a: \"b\n\t c\"\n",
        "a: \"b\t\n  c\"\n",
        "\"a\n  b\": c\n",
        "a: \"\\x41\"\n",
        "a: \"\\/\"\n",
        "a: [b,\n  c]\n",
        "a: [b, ]\n",
        "a: [b: c]\n",
        "a: {b}\n",
        "a: {b: c, b: d}\n",
        "a: {b:,}\n",
        "a: [b] c\n",
        "a: \"b\"c\n",
        "a: b: c\n",
        "a: - b\n",
        "a : b\n",
        "a:\tb\n",
        "a: b\tc\n",
        "? a\n: b\n",
        "a: @b\n",
        "a: .inf\n",
        "a:\n  b\n",
        "a: b\n...\n",
        "%YAML 1.1\na: b\n",
        "\u{feff}a: b\n",
        "a: b\u{85}c\n",
        "a: b\u{2028}c\n",
        "a: b\u{7}\n",
        "a: b\rc\n",
        "a: b",
        "text\n",
        "",
        "# a\n",
        "---\n",
    ] {
        assert_eq!(compare(text).1, 0, "{text}");
    }
    let many = |count: usize| (0..count).map(|key| format!("k{key}: v\n")).collect::<Vec<_>>().concat();
    assert!(is_read(&many(super::MAX_KEYS)) && !is_read(&many(super::MAX_KEYS + 1)));
    assert!(is_read(&format!("{}: v\n", "k".repeat(super::MAX_KEY))));
    assert!(!is_read(&format!("{}: v\n", "k".repeat(super::MAX_KEY + 1))));
    let deep = |depth: usize| format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(is_read(&deep(super::MAX_DEPTH - 1)) && !is_read(&deep(super::MAX_DEPTH)));
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            found.push(path);
        }
    }
}

/// Returns the text of the manifests among the recorded answers.
fn corpus() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["../../testdata", "../../examples"] {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    found.into_iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

#[test]
fn agrees_with_the_full_reader_about_every_file_of_this_repository() {
    let (all, read_here) = corpus()
        .iter()
        .map(|text| compare(text))
        .fold((0, 0), |(all, here), (more, read)| (all + more, here + read));
    assert!(read_here > all / 2, "{read_here} of {all}");
}

#[test]
fn agrees_with_the_full_reader_about_files_with_faults() {
    /// What is written over a part of a file.
    const FAULTS: &[&str] = &[
        "", " ", "  ", "\n", "\n\n", ":", ": ", "- ", "#", " #", "\"", "'", "|", "|-\n", ">", "[", "]", "{",
        "}", ",", "\t", "\\", "&a", "*a", "!", "%", "?", "~", "---", "\n---\n", "...", "<<: ", "\u{e4}",
        "a: b", "\n  ", "\n- ",
    ];
    let mut state = 1_u64;
    let mut random = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits fit") % limit
    };
    for text in corpus().iter().filter(|text| !text.is_empty()).step_by(7) {
        let short: Vec<char> = text.chars().take(1500).collect();
        for _ in 0..12 {
            let (from, length) = (random(short.len()), random(3));
            let (head, tail) = short.split_at(from);
            let tail = &tail[length.min(tail.len())..];
            let changed: String = head
                .iter()
                .copied()
                .chain(FAULTS[random(FAULTS.len())].chars())
                .chain(tail.iter().copied())
                .collect();
            compare(&(changed + "\n"));
        }
    }
}

/// Returns pieces of YAML, which make documents when they are put together.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(
        &[
            "a: ", "b:", "'c': ", "\"d\": ", "- ", "-", "x", "x y", "1", "true", "'q'", "\"q\\n\"", "[x, y]",
            "{k: v}", "|", "|-", "|+", "# c", " # c", "\n", "\n", "\n  ", "\n  ", "\n    ", "\n ", " ", "  ",
            ":", ",", "[", "]", "{", "}", "&a ", "*a", "!t ", ">", "?", "\t", "\u{e4}", "---", "...", "~",
            "\"", "'", "\\", "<<", "#",
        ][..],
    );
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat() + "\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_full_reader_about_any_text(text in pieces()) {
        compare(&text);
    }
}
