//! Roles and bindings of OpenShift's own group, which the openshift-apiserver writes as those of RBAC on behalf of the
//! user.
//!
//! Source: `openshift-apiserver` `pkg/authorization/apiserver/registry/{role,rolebinding,…}/proxy.go`.

use crate::admission::{Operation, Refusal, Trace};
use crate::cluster::authorizer;
use crate::evaluation::server::{Call, Server};
use kube_api::field::{Path, Segment};
use kube_api::{Object, Status};

/// Sends the role or binding of RBAC that corresponds to `object`, if there is one; a refusal is the answer.
pub(super) fn write(
    server: Server<'_>,
    object: &Object,
    call: &Call,
    trace: &mut Trace,
) -> Result<(), Refusal> {
    if !call.sub_resource.is_empty() || !authorizer::is_proxied(&object.kind) {
        return Ok(());
    }
    let converted = authorizer::converted(object).map_err(Status::from_error)?;
    let mut proxied = Call::of(Operation::Create, converted, call.user_info.clone(), call.ordinal, call.time);
    proxied.forget_version();
    proxied.dry_run = call.dry_run;
    if server.cluster.contains(&proxied.target.group_resource(), &proxied.namespace, &proxied.name) {
        proxied.operation = Operation::Update;
    }
    let mut answer = server.answer(proxied);
    let refusals = answer.trace.steps.iter_mut().filter_map(|step| step.refusal.as_mut());
    for field in refusals.chain(&mut answer.refusal).flat_map(|refusal| &mut refusal.fields) {
        *field = place(object, field);
    }
    trace.ran.extend(answer.trace.ran);
    trace.steps.extend(answer.trace.steps);
    trace.warn(answer.trace.warnings);
    trace.notes.extend(answer.trace.notes);
    answer.refusal.map_or(Ok(()), Err)
}

/// Returns the field of OpenShift's `binding` that a field of the converted one comes from.
fn place(binding: &Object, path: &Path) -> Path {
    let (users, groups) = (binding.list("userNames").len(), binding.list("groupNames").len());
    match path.segments().as_slice() {
        [Segment::Field(list), Segment::Index(index), ..] if list == "subjects" && users + groups > 0 => {
            if *index < users {
                Path::new("userNames").index(*index)
            } else {
                Path::new("groupNames").index(index - users)
            }
        }
        _ => path.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    #[test]
    fn points_to_the_names_of_users_and_groups() {
        let kind = GroupVersionKind::new("authorization.openshift.io", "v1", "RoleBinding");
        let binding = Object::new(kind, json!({"userNames": ["alice"], "groupNames": ["dev"]}));
        let at = |index| place(&binding, &Path::new("subjects").index(index).child("name")).to_string();
        assert_eq!(at(0), "userNames[0]");
        assert_eq!(at(1), "groupNames[0]");
        assert_eq!(place(&binding, &Path::new("roleRef")).to_string(), "roleRef");
    }
}
