//! The roles and bindings that every server creates.

use std::collections::BTreeSet;

use crate::notes::Notes;

/// Returns the inconsistencies between roles and bindings.
pub(crate) fn problems(notes: &Notes) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut roles, mut wanted, mut owner) = (BTreeSet::new(), Vec::new(), "");
    for line in notes.rbac.lines() {
        let words: Vec<_> = line.trim_start().split(' ').collect();
        match (line.starts_with("  "), words.as_slice()) {
            (false, [kind @ ("Role" | "ClusterRole"), name, ..]) => {
                owner = kind;
                roles.insert(((*kind).to_owned(), (*name).to_owned()));
            }
            (false, ["ClusterRoleBinding", _, role]) => {
                owner = "binding";
                wanted.push(("ClusterRole".to_owned(), (*role).to_owned()));
            }
            (false, ["RoleBinding", name, role]) => {
                owner = "binding";
                let namespace = name.split('/').next().unwrap_or_default();
                wanted.push(("Role".to_owned(), format!("{namespace}/{role}")));
            }
            (true, [_, _]) => {}
            (true, [_, _, _] | [_, _, _, _]) if owner != "binding" => {}
            _ => problems.push(format!("rbac: {line}")),
        }
    }
    wanted.retain(|role| !roles.contains(role));
    problems.extend(
        wanted.into_iter().map(|(kind, name)| format!("rbac: a binding of the unknown {kind} {name}")),
    );
    problems
}
