//! The steps of JSON pointers.
//!
//! Source: RFC 6901.

use std::borrow::Cow;

/// Writes a name as a step of a pointer.
pub fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Returns the name that a step of a pointer has.
pub fn unescape(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_the_name_again() {
        for (name, step) in [("a", "a"), ("a/b", "a~1b"), ("~1", "~01"), ("~/", "~0~1")] {
            assert_eq!((&*escape(name), &*unescape(step)), (step, name));
        }
    }
}
