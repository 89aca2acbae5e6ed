//! The tables of the release whose server kadmit is like: text files in `data/v1.N/`, compiled in and read where they
//! are used.
//!
//! Every file begins with a comment that says where its facts are from; an empty line ends it.

/// The minor of [`Version::BINARY`](crate::api::version::Version::BINARY). This is the only place that has it: the
/// paths of the tables and the texts of the help follow.
macro_rules! binary_minor {
    () => {
        36
    };
}

/// The text of a table of the release.
macro_rules! table {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/data/v1.",
            $crate::api::release::binary_minor!(),
            "/",
            $name
        ))
    };
}

pub(crate) use {binary_minor, table};

/// The table without the comment before it.
pub(crate) fn body(table: &'static str) -> &'static str {
    table.split_once("\n\n").map_or("", |(_, body)| body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::version::Version;

    #[test]
    fn every_table_says_where_it_is_from() {
        let tables = [
            table!("cel.txt"),
            table!("deprecations.txt"),
            table!("gates.txt"),
            table!("kinds.txt"),
            table!("rbac.txt"),
            table!("resources.txt"),
        ];
        for table in tables {
            let (head, _) = table.split_once('\n').expect("a line");
            assert!(head.starts_with("# ") && head.contains(&format!("v{}", Version::BINARY)), "{head}");
            assert!(head.ends_with("; made by examples/generate-release"), "{head}");
            assert!(!body(table).is_empty());
        }
    }
}
