//! iSCSI volumes and the names of their ends.
//!
//! Source: `validateISCSIVolumeSource`.

use crate::validation::node::{Errors, Node};
use crate::validation::pod::volumes::validate_lun;

pub(super) fn validate_iscsi_length(errors: &mut Errors, volume: &Node) {
    let (iscsi, name) = (volume.child("iscsi"), volume.text("name"));
    if iscsi.has("initiatorName") && name.len() + 1 + iscsi.text("targetPortal").len() > 64 {
        errors.invalid(&volume.at("name"), name, ISCSI_TOO_LONG);
    }
}

pub(crate) const ISCSI_TOO_LONG: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under \
                                                   64 characters if iscsi.initiatorName is specified.";

/// Implements `validateISCSIVolumeSource`; `bad_start` is the message about names that begin with none of the known
/// schemes.
pub(crate) fn validate_iscsi(errors: &mut Errors, source: &Node, bad_start: &str) {
    errors.require_text(source, "targetPortal");
    if errors.require_text(source, "iqn") {
        let name = source.text("iqn");
        if !has_iscsi_scheme(name) {
            errors.invalid(&source.at("iqn"), name, bad_start);
        } else if !is_iscsi_name(name) {
            errors.invalid(&source.at("iqn"), name, "must be valid format");
        }
    }
    validate_lun(errors, source);
    let authenticates = source.flag("chapAuthDiscovery") || source.flag("chapAuthSession");
    if authenticates && !source.has("secretRef") {
        errors.required(&source.at("secretRef"), "");
    }
    if let Some(name) = source.given("initiatorName") {
        if !has_iscsi_scheme(name) {
            errors.invalid(&source.at("initiatorname"), name, bad_start);
        } else if !is_iscsi_name(name) {
            errors.invalid(&source.at("initiatorname"), name, "must be valid format");
        }
    }
}

fn has_iscsi_scheme(name: &str) -> bool {
    ["iqn", "eui", "naa"].iter().any(|scheme| name.starts_with(scheme))
}

/// Whether a name matches one of the three patterns for iSCSI names; `.` after `eui` and `naa` matches any character.
fn is_iscsi_name(name: &str) -> bool {
    let hex = |rest: &str, length: usize| {
        let mut rest = rest.chars();
        rest.next().is_some_and(|any| any != '\n')
            && rest.as_str().len() == length
            && rest.all(|character| character.is_ascii_alphanumeric())
    };
    if let Some(rest) = name.strip_prefix("eui") {
        return hex(rest, 16);
    }
    if let Some(rest) = name.strip_prefix("naa") {
        return hex(rest, 32);
    }
    // `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$` matches anywhere, up to the end.
    name.match_indices("iqn.").any(|(start, prefix)| is_qualified_iscsi_name(&name[start + prefix.len()..]))
}

fn is_qualified_iscsi_name(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    let dated = bytes.len() > 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5..7].iter().all(u8::is_ascii_digit)
        && bytes[7] == b'.';
    dated
        && rest.get(8..).and_then(|rest| rest.split_once(':')).is_some_and(|(authority, unique)| {
            let authority_characters =
                |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
            let forbidden = |character: char| ",;*&$|\t\n\u{c}\r ".contains(character);
            !authority.is_empty()
                && authority.chars().all(authority_characters)
                && !unique.is_empty()
                && !unique.chars().any(forbidden)
        })
}
