//! The table of the rules that errors carry by name, by the release that has them as they are now.

use crate::older_releases::rules::{Then, instead};
use kube_api::field::Rule;

/// A rule of the newest release, and what older ones have instead.
pub(super) struct Row {
    /// The rule.
    pub(super) rule: Rule,
    /// The minor of the first release that has it as it is now.
    pub(super) since: u32,
    /// What a release before that has; [`Then::Phrase`] precedes the detail.
    pub(super) then: Then,
}

/// Returns all rows, for each rule the newest release first.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter()
}

const fn row(since: u32, rule: Rule, then: Then) -> Row {
    Row { rule, since, then }
}

static ROWS: &[Row] = &[
    row(34, Rule::ResourceName, Then::Error(instead::bare_resource_name)),
    row(34, Rule::GroupOfTarget, Then::Admitted),
    row(33, Rule::Tolerance, Then::Admitted),
    row(34, Rule::NameOfService, Then::Detail("service name is required")),
    row(34, Rule::NamespaceOfService, Then::Detail("service namespace is required")),
    row(34, Rule::NameOfParameters, Then::Error(instead::name_is_required)),
    row(34, Rule::KindOfParameters, Then::Error(instead::kind_is_required)),
    row(34, Rule::NameOfOperatingSystem, Then::Detail("cannot be empty")),
    row(26, Rule::Usages, Then::Detail("usages must be provided")),
    row(26, Rule::SignerName, Then::Error(instead::signer_name_is_required)),
    row(34, Rule::MessageOfRule, Then::Phrase("message ")),
    row(34, Rule::LineOfMessage, Then::Phrase("message ")),
    row(34, Rule::FieldOfRule, Then::Phrase("fieldPath ")),
    row(34, Rule::LineOfField, Then::Phrase("fieldPath ")),
    row(34, Rule::PathOfField, Then::Phrase("fieldPath ")),
    row(30, Rule::SourceRange, Then::Error(instead::list_of_ranges)),
    row(30, Rule::PodRange, Then::Error(instead::list_of_pod_ranges)),
    row(32, Rule::ValueOfToleration, Then::Error(instead::whole_toleration)),
    row(35, Rule::OperatorOfToleration, Then::Detail("supported values: \"Equal\", \"Exists\"")),
    row(31, Rule::OperatorOfScope, Then::Error(instead::exist)),
    row(30, Rule::HostAlias, Then::Error(instead::without_index_of_alias)),
    row(31, Rule::KindsOfSource, Then::Detail("may not specify more than 1 volume type")),
    row(26, Rule::HostOfUrl, Then::Error(instead::host_must_be_provided)),
    row(34, Rule::Sleep, Then::Error(instead::sleep_of_some_time)),
    row(
        27,
        Rule::AccessMode,
        Then::Detail("supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\""),
    ),
    row(35, Rule::NameOfDriver, Then::Followed(instead::no_subdomain)),
    row(34, Rule::AggregatedSelector, Then::Error(instead::text_of_null)),
    row(35, Rule::ValueOfAttribute, Then::Error(instead::required_value)),
    row(35, Rule::NameOfRequest, Then::Error(instead::name_of_request)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::older_releases::rules::of_release;
    use gotext::value::json;
    use kube_api::GroupVersionKind;
    use kube_api::field::{Error, Path};
    use kube_api::server_profile::ServerProfile;
    use kube_api::version::Version;

    #[test]
    fn every_rule_has_a_row() {
        for rule in Rule::ALL {
            assert!(rows().any(|row| row.rule == *rule), "{rule:?}");
        }
    }

    #[test]
    fn releases_before_the_boundary_have_something_else() {
        let kind = GroupVersionKind::new("", "v1", "Service");
        let object = json!({"spec": {"hostAliases": [{"ip": "a"}]}});
        let path = Path::new("spec").child("hostAliases").index(0).child("ip");
        for row in rows() {
            let error = match row.rule {
                Rule::NameOfParameters | Rule::KindOfParameters | Rule::SignerName => {
                    Error::required(&path, "")
                }
                Rule::OperatorOfScope => Error::invalid_text(&path, "a", "must be 'Exists'"),
                Rule::HostOfUrl => Error::invalid_text(&path, "a", "host must be specified"),
                Rule::Sleep => Error::invalid_text(&path, "a", "must be non-negative and less"),
                _ => Error::invalid_text(&path, "a", "b"),
            };
            let error = error.of(row.rule);
            let then = |minor| {
                let profile = ServerProfile::of_release(Version::minor(minor), []);
                of_release(vec![error.clone()], &kind, &object, &profile)
            };
            let texts = |errors: Vec<Error>| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(texts(then(row.since)), [error.to_string()], "{:?}", row.rule);
            // What the gate allows since 1.33 is what 1.34 allows.
            let before = if row.rule == Rule::Sleep { 32 } else { row.since - 1 };
            assert_ne!(texts(then(before)), [error.to_string()], "{:?}", row.rule);
        }
    }
}
