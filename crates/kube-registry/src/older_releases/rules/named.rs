//! The table of the rules that errors carry by name, by the release that has them as they are now.

use crate::older_releases::rules::{Replacement, instead};
use kube_api::field::Rule;

/// A rule of the newest release, and what older ones have instead.
pub(super) struct Row {
    /// The rule.
    pub(super) rule: Rule,
    /// The minor of the first release that has it as it is now.
    pub(super) since: u32,
    /// What a release before that has; [`Replacement::Phrase`] precedes the detail.
    pub(super) then: Replacement,
}

/// Returns all rows, for each rule the newest release first.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter()
}

const fn row(since: u32, rule: Rule, then: Replacement) -> Row {
    Row { rule, since, then }
}

static ROWS: &[Row] = &[
    row(37, Rule::Owner, Replacement::Error(instead::owner_without_index)),
    row(37, Rule::OperationOfFields, Replacement::Error(instead::invalid_operation)),
    row(37, Rule::TypeOfCondition, Replacement::Error(instead::name_of_condition)),
    row(37, Rule::TypeOfCondition, Replacement::Followed(instead::form_of_condition)),
    row(37, Rule::StatusOfCondition, Replacement::Error(instead::unsupported_status)),
    row(37, Rule::RepeatedCondition, Replacement::Error(instead::at_its_type)),
    row(35, Rule::Expression, Replacement::Error(instead::type_of_value)),
    row(34, Rule::ResourceName, Replacement::Error(instead::bare_resource_name)),
    row(34, Rule::NameOfService, Replacement::Detail("service name is required")),
    row(34, Rule::NamespaceOfService, Replacement::Detail("service namespace is required")),
    row(34, Rule::NameOfParameters, Replacement::Error(instead::name_is_required)),
    row(34, Rule::KindOfParameters, Replacement::Error(instead::kind_is_required)),
    row(34, Rule::NameOfOperatingSystem, Replacement::Detail("cannot be empty")),
    row(26, Rule::Usages, Replacement::Detail("usages must be provided")),
    row(26, Rule::SignerName, Replacement::Error(instead::signer_name_is_required)),
    row(34, Rule::MessageOfRule, Replacement::Phrase("message ")),
    row(34, Rule::LineOfMessage, Replacement::Phrase("message ")),
    row(34, Rule::FieldOfRule, Replacement::Phrase("fieldPath ")),
    row(34, Rule::LineOfField, Replacement::Phrase("fieldPath ")),
    row(34, Rule::PathOfField, Replacement::Phrase("fieldPath ")),
    row(30, Rule::SourceRange, Replacement::Error(instead::list_of_ranges)),
    row(30, Rule::PodRange, Replacement::Error(instead::list_of_pod_ranges)),
    row(32, Rule::ValueOfToleration, Replacement::Error(instead::whole_toleration)),
    row(35, Rule::OperatorOfToleration, Replacement::Detail("supported values: \"Equal\", \"Exists\"")),
    row(31, Rule::OperatorOfScope, Replacement::Error(instead::exist)),
    row(30, Rule::HostAlias, Replacement::Error(instead::without_index_of_alias)),
    row(31, Rule::KindsOfSource, Replacement::Detail("may not specify more than 1 volume type")),
    row(26, Rule::HostOfUrl, Replacement::Error(instead::host_must_be_provided)),
    row(34, Rule::Sleep, Replacement::Error(instead::sleep_of_some_time)),
    row(
        27,
        Rule::AccessMode,
        Replacement::Detail("supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\""),
    ),
    row(35, Rule::NameOfDriver, Replacement::Followed(instead::no_subdomain)),
    row(34, Rule::AggregatedSelector, Replacement::Error(instead::text_of_null)),
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
