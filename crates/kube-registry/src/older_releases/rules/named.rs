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
    row(37, Rule::Owner, Then::Error(instead::owner_without_index)),
    row(37, Rule::OperationOfFields, Then::Error(instead::invalid_operation)),
    row(37, Rule::TypeOfCondition, Then::Error(instead::name_of_condition)),
    row(37, Rule::TypeOfCondition, Then::Followed(instead::form_of_condition)),
    row(37, Rule::StatusOfCondition, Then::Error(instead::unsupported_status)),
    row(37, Rule::RepeatedCondition, Then::Error(instead::at_its_type)),
    row(35, Rule::Expression, Then::Error(instead::type_of_value)),
    row(34, Rule::ResourceName, Then::Error(instead::bare_resource_name)),
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
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_row() {
        for rule in Rule::ALL {
            assert!(rows().any(|row| row.rule == *rule), "{rule:?}");
        }
    }
}
