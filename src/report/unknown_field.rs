//! The fields that a server does not know.

/// Returns the paths of the fields that `message` calls unknown, as strict decoding does. A stored result has the
/// server's message and nothing else about them.
pub(super) fn unknown_fields(message: &str) -> impl Iterator<Item = &str> {
    message.split("unknown field \"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_message_is_found() {
        let message = "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: \
                       unknown field \"spec.a\", duplicate field \"spec.c\", unknown field \"spec.b[0].d\"";
        assert_eq!(unknown_fields(message).collect::<Vec<_>>(), ["spec.a", "spec.b[0].d"]);
        assert_eq!(unknown_fields("spec.a: unknown").count(), 0);
    }
}
