//! The roles and bindings that every server creates.

use std::collections::BTreeSet;

use crate::notes::Notes;

/// Returns the inconsistencies between roles and bindings.
pub(crate) fn problems(notes: &Notes) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut roles, mut wanted, mut owner) = (BTreeSet::new(), Vec::new(), "");
    for line in notes.rbac.lines() {
        let mut words: Vec<_> = line.trim_start().split(' ').collect();
        while words.last().is_some_and(|word| is_range(word)) {
            words.pop();
        }
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

/// Whether the word says in which releases a line is there: `1.12-1.20:off=Gate`.
fn is_range(word: &str) -> bool {
    let range = word.split(':').next().unwrap_or_default();
    let is_release = |text: &str| text.is_empty() || text.starts_with("1.");
    range.split_once('-').is_some_and(|(first, last)| is_release(first) && is_release(last))
}
