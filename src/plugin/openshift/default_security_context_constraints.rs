//! Sets the defaults of a `SecurityContextConstraints`, as the API server did when it had the kind built in: the
//! strategies of groups, the lists of users and groups, the types of volumes, and privilege escalation.
//!
//! # When it rejects
//!
//! - A field has another type than it should.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.1, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/customresourcevalidation/securitycontextconstraints`

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::scc::all_types;
use crate::plugin::openshift::typed;
use kube_api::{Map, Value};

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::mutating(DefaultSecurityContextConstraints)
}

struct DefaultSecurityContextConstraints;

impl MutationInterface for DefaultSecurityContextConstraints {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("security.openshift.io", "securitycontextconstraints") {
            return Ok(());
        }
        let Some(object) = attributes.object.clone() else { return Ok(()) };
        let mut defaulted = typed::read(&object, "openshift/security/v1.SecurityContextConstraints")?;
        if let Value::Object(constraint) = &mut defaulted.value {
            let listed = object.at("volumes").and_then(Value::as_array);
            set_defaults(constraint, listed);
        }
        typed::write(&mut defaulted, "openshift/security/v1.SecurityContextConstraints");
        attributes.object = Some(Arc::new(defaulted));
        Ok(())
    }
}

fn set_defaults(constraint: &mut Map, listed: Option<&Vec<Value>>) {
    for strategy in ["fsGroup", "supplementalGroups"] {
        let strategy = constraint.entry(strategy).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(strategy) = strategy
            && strategy.text("type").is_empty()
        {
            strategy.insert("type".to_owned(), "RunAsAny".into());
        }
    }
    for list in ["users", "groups"] {
        if constraint.get(list).is_none_or(Value::is_null) {
            constraint.insert(list.to_owned(), Value::from(Vec::<Value>::new()));
        }
    }
    let allows_host = constraint.get("allowHostDirVolumePlugin") == Some(&Value::Bool(true));
    let volumes: Vec<Value> = volumes(listed, allows_host).into_iter().map(Value::from).collect();
    constraint.insert("volumes".to_owned(), Value::from(volumes));
    if constraint.get("allowPrivilegeEscalation").is_none_or(Value::is_null) {
        constraint.insert("allowPrivilegeEscalation".to_owned(), true.into());
    }
}

/// Returns the types of volumes; the older flag wins over the list.
fn volumes(listed: Option<&Vec<Value>>, allows_host: bool) -> BTreeSet<String> {
    let mut volumes: BTreeSet<String> = match listed {
        None => BTreeSet::from(["*".to_owned()]),
        Some(listed) if listed.is_empty() => {
            BTreeSet::from([if allows_host { "hostPath" } else { "none" }.to_owned()])
        }
        Some(listed) => listed.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    };
    if allows_host {
        if !volumes.contains("*") {
            volumes.insert("hostPath".to_owned());
        }
        return volumes;
    }
    let had_all = volumes.remove("*");
    volumes.remove("hostPath");
    if had_all {
        volumes.extend(all_types().into_iter().filter(|name| *name != "hostPath").map(str::to_owned));
    }
    volumes
}
