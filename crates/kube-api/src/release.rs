//! The tables of the release whose server kadmit is modelled on: text files in `data/v1.N/`, compiled in and read where
//! they are used.
//!
//! Every file begins with a comment with the sources of its facts; an empty line ends it.

use crate::version::Version;

/// The text of a table of the release.
macro_rules! table {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/data/v1.",
            $crate::version::binary_minor!(),
            "/",
            $name
        ))
    };
}

pub(crate) use table;

/// The table of the roles and bindings that the server creates when it starts.
pub static RBAC: &str = table!("rbac.txt");

/// Returns the table without the comment before it.
pub fn body(table: &'static str) -> &'static str {
    table.split_once("\n\n").map_or("", |(_, body)| body)
}

/// The number of releases that can be emulated.
pub const RELEASES: usize = (Version::BINARY.minor - Version::OLDEST.minor) as usize + 1;

/// Returns the minor of `version`, or of the release that can be emulated and is nearest to it.
pub fn known(version: Version) -> u32 {
    let minor = match version.major {
        0 => 0,
        1 => version.minor,
        _ => u32::MAX,
    };
    minor.clamp(Version::OLDEST.minor, Version::BINARY.minor)
}

/// Minor releases, a range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    first: u32,
    last: u32,
}

impl Span {
    /// All releases.
    pub const ALWAYS: Self = Self { first: 0, last: u32::MAX };

    /// Reads `1.14-1.21`, in which either end may be open.
    pub fn read(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-')?;
        let minor = |text: &str, open| match text {
            "" => Some(open),
            release => release.strip_prefix("1.")?.parse().ok(),
        };
        Some(Self { first: minor(first, 0)?, last: minor(last, u32::MAX)? })
    }

    /// Returns the minor of the last release, if it is known.
    pub fn last(self) -> Option<u32> {
        (self.last != u32::MAX).then_some(self.last)
    }

    /// Returns the minor of the first release, if it is known.
    pub fn first(self) -> Option<u32> {
        (self.first != 0).then_some(self.first)
    }

    /// Whether the release 1.`minor` is one of them.
    pub fn contains(self, minor: u32) -> bool {
        (self.first..=self.last).contains(&minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_spans() {
        let span = |text| Span::read(text).expect("a span");
        assert_eq!(span("-"), Span::ALWAYS);
        assert!(span("1.14-1.21").contains(14) && span("1.14-1.21").contains(21));
        assert!(!span("1.14-1.21").contains(22) && !span("1.14-").contains(13) && !span("-1.9").contains(10));
        assert_eq!(Span::read("1.x-"), None);
    }

    #[test]
    fn the_nearest_release_is_known() {
        assert_eq!(known(Version::minor(20)), 20);
        assert_eq!(known(Version::minor(3)), Version::OLDEST.minor);
        assert_eq!(known(Version { major: 2, minor: 0 }), Version::BINARY.minor);
        assert_eq!(known(Version { major: 0, minor: 30 }), Version::OLDEST.minor);
    }

    #[test]
    fn every_table_says_where_it_is_from() {
        let tables = [
            table!("deprecations.txt"),
            table!("gates.txt"),
            table!("kinds.txt"),
            RBAC,
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
