//! Text in lines that are not too long.

use std::borrow::Cow;

use crate::report::printable::printable;

/// Returns `text` in lines of at most `width` characters, broken at blanks where there are any.
pub(crate) fn fold(text: &str, width: usize) -> Vec<String> {
    let text = printable(text);
    textwrap::wrap(&text, folding(width)).into_iter().map(Cow::into_owned).collect()
}

/// Returns the options by which lines are filled greedily; names and paths are not broken.
pub(super) fn folding<'a>(width: usize) -> textwrap::Options<'a> {
    textwrap::Options::new(width.max(20))
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
}
