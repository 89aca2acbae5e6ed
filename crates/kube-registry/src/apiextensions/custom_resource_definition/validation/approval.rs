//! The approval that a definition in a group of the Kubernetes community needs.

use crate::validation::node::{Errors, Node};
use gotext::quote;
use gotext::url::Url;

pub(super) const APPROVED: &str = "api-approved.kubernetes.io";

/// The approval that a definition in a group of the Kubernetes community carries.
#[derive(PartialEq)]
pub(super) enum Approval {
    Missing,
    Bypassed,
    Approved,
    Invalid,
}

impl Approval {
    pub(super) fn of(metadata: &Node) -> Self {
        match metadata.child("annotations").text(APPROVED) {
            "" => Self::Missing,
            text if text.starts_with("unapproved") => Self::Bypassed,
            text if Url::parse(text).is_ok_and(|url| !url.host.is_empty() && !url.scheme.is_empty()) => {
                Self::Approved
            }
            _ => Self::Invalid,
        }
    }
}

/// Implements `validateAPIApproval`.
pub(super) fn validate_api_approval(errors: &mut Errors, metadata: &Node, spec: &Node, old: Option<&Node>) {
    let group = spec.text("group");
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    let approval = Approval::of(metadata);
    if !is_protected || old.is_some_and(|old| Approval::of(&old.child("metadata")) == approval) {
        return;
    }
    let path = metadata.at("annotations").key(APPROVED);
    let needed = format!("protected groups must have approval annotation {}", quote(APPROVED));
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    match approval {
        Approval::Missing => errors.required(&path, format!("{needed}, {see}")),
        Approval::Invalid => {
            let detail =
                format!("{needed} with either a URL or a reason starting with \"unapproved\", {see}");
            errors.invalid(&path, metadata.child("annotations").text(APPROVED), detail);
        }
        Approval::Bypassed | Approval::Approved => {}
    }
}
