//! The rules of one of OpenShift's custom resources, for which the server has no schema.
//!
//! Source: `openshift-kube-apiserver/admission/customresourcevalidation`.

use std::fmt;

use crate::openshift::facts::ClusterFacts;
use crate::strategy::Scope;
use crate::validation::metadata::{
    NameRule, name_is_dns_subdomain, validate_kube_finalizers, validate_object_meta_accessor,
    validate_object_meta_accessor_update,
};
use crate::validation::node::{Errors, Node};
use kube_api::decode::{self, FieldValidation};
use kube_api::field::{self, Path};
use kube_api::{Object, Value, schema};

/// The rules of one kind.
pub struct Validator {
    pub(super) group: &'static str,
    pub(super) kind: &'static str,
    /// Its type in the field tables.
    pub(super) table: &'static str,
    pub(super) scope: Scope,
    pub(super) name: NameRule,
    /// Whether finalizers must be fully qualified, as those of Kubernetes' own kinds.
    pub(super) qualified_finalizers: bool,
    /// Validates everything but the metadata when the object is created or replaces another.
    pub(super) validate: Rules,
    /// The same for an update of the status.
    pub(super) validate_status: Rules,
    /// Whether and when an update is also validated as a whole: before the metadata's update or after.
    pub(super) whole_on_update: WholeOnUpdate,
}

/// A function that collects errors.
pub(super) type Rules = fn(&mut Errors, &Node<'_>, Option<&Node<'_>>, &ClusterFacts<'_>);

/// Whether updates are checked as new objects are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WholeOnUpdate {
    No,
    /// The rules for new objects first, then those for updates.
    First,
    /// The rules for updates first, then those for new objects; for the status too.
    Last,
}

/// Has no rules besides those for the metadata.
pub(super) fn none(_: &mut Errors, _: &Node<'_>, _: Option<&Node<'_>>, _: &ClusterFacts<'_>) {}

/// Implements `RequireNameCluster`.
pub(super) fn name_is_cluster(name: &str, _: bool) -> Vec<String> {
    if name == "cluster" { Vec::new() } else { vec!["must be cluster".to_owned()] }
}

impl Validator {
    /// Returns one without rules besides those for the metadata, for objects of a cluster whose names are subdomains.
    pub(super) const fn new(group: &'static str, kind: &'static str, table: &'static str) -> Self {
        Self {
            group,
            kind,
            table,
            scope: Scope::Cluster,
            name: name_is_dns_subdomain,
            qualified_finalizers: false,
            validate: none,
            validate_status: none,
            whole_on_update: WholeOnUpdate::No,
        }
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Validator({}/{})", self.group, self.kind)
    }
}

impl Validator {
    /// Returns the API group of the kind.
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// Returns the name of the kind.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the errors in `object`, or in the update of `old` through `sub_resource`.
    pub fn validate(
        &self,
        object: &Object,
        old: Option<&Object>,
        sub_resource: &str,
        facts: &ClusterFacts<'_>,
    ) -> Vec<field::Error> {
        match (self.typed(object), old.map(|old| self.typed(old)).transpose()) {
            (Ok(object), Ok(old)) => {
                let (mut errors, old) = (Errors::default(), old.as_ref().map(Node::root));
                self.collect(&mut errors, &Node::root(&object), old.as_ref(), sub_resource, facts);
                errors.0
            }
            (Err(errors), _) | (_, Err(errors)) => errors,
        }
    }

    /// Returns the object decoded into its Go type; else the server's error.
    pub(super) fn typed(&self, object: &Object) -> Result<Value, Vec<field::Error>> {
        let node = gotext::source::Node::from(object.value.clone());
        let table = schema::named(self.table).expect("the tables have the types of validated kinds");
        if let Ok((value, _)) = decode::read(node, table, FieldValidation::Ignore, &[]) {
            return Ok(value);
        }
        let unstructured = Value::from("*unstructured.Unstructured");
        let version = object.kind.api_version();
        let unsupported = |field, supported: &str| {
            field::Error::not_supported(&Path::new(field), &unstructured, &[supported])
        };
        Err(vec![unsupported("kind", self.kind), unsupported("apiVersion", &version)])
    }

    fn collect(
        &self,
        errors: &mut Errors,
        object: &Node<'_>,
        old: Option<&Node<'_>>,
        sub_resource: &str,
        facts: &ClusterFacts<'_>,
    ) {
        let metadata = &object.child("metadata");
        let finalizers = |errors: &mut Errors| {
            if self.qualified_finalizers {
                validate_kube_finalizers(errors, metadata);
            }
        };
        let whole = |errors: &mut Errors| {
            validate_object_meta_accessor(errors, metadata, self.scope, self.name);
            finalizers(errors);
        };
        let update = |errors: &mut Errors, before: &Node<'_>| {
            validate_object_meta_accessor_update(errors, metadata, &before.child("metadata"));
            finalizers(errors);
        };
        let Some(before) = old else {
            whole(errors);
            return (self.validate)(errors, object, None, facts);
        };
        let is_status = sub_resource == "status";
        match self.whole_on_update {
            WholeOnUpdate::Last => {
                update(errors, before);
                whole(errors);
                (self.validate)(errors, object, old, facts);
            }
            WholeOnUpdate::First if !is_status => {
                whole(errors);
                (self.validate)(errors, object, old, facts);
                update(errors, before);
            }
            _ => {
                update(errors, before);
                let rules = if is_status { self.validate_status } else { self.validate };
                rules(errors, object, old, facts);
            }
        }
    }
}

/// Validates the name of another object in `reference`: it may be absent unless it is `required`.
pub(super) fn reference(errors: &mut Errors, reference: &Node<'_>, required: bool) {
    match reference.text("name") {
        "" if required => errors.required(&reference.at("name"), ""),
        "" => {}
        name => {
            let messages = name_is_dns_subdomain(name, false);
            if !messages.is_empty() {
                errors.invalid(&reference.at("name"), name, messages.join(", "));
            }
        }
    }
}
