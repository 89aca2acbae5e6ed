//! Sets up a Jenkins server for the first pipeline build of a project, from a template and on behalf of the user who
//! creates the build.
//!
//! # When it rejects
//!
//! - The template does not exist, cannot be processed, or has no service of the configured name.
//! - The configuration names a parameter that the template does not have.
//! - The user may not create one of the objects of the template.
//!
//! # Configuration
//!
//! ```yaml
//! jenkinsPipelineConfig:
//!   autoProvisionEnabled: true
//!   templateNamespace: openshift
//!   templateName: jenkins-ephemeral
//!   serviceName: jenkins
//!   parameters: {ENABLE_OAUTH: "true"}
//! ```
//!
//! # Cluster objects it reads
//!
//! Services of the project, the template, roles and bindings. It creates the objects of the template, unless the request
//! is a dry run.
//!
//! # Offline
//!
//! Whether the user may create the objects is decided by the roles; admission and validation of the objects are assumed
//! to pass.
//!
//! # Since
//!
//! Origin 1.3, on by default; gone in 4.0.
//!
//! # Upstream
//!
//! `openshift/origin/pkg/build/admission/jenkinsbootstrapper`

mod template;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Operation, Recorder, Refusal, UserInfo};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;
use gotext::quote;
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::distribution::{OriginRelease, Server};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Status, Value, pairs, resource};

use gotext::source::Node;
use gotext::value::json;

const SERVICES: GroupResource = GroupResource::new("", "services");

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(JenkinsBootstrapper {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
        profile: initializer.profile.clone(),
        is_1_4: initializer.server == Server::Origin(OriginRelease::V1_4),
        configuration: Configuration::of(&initializer.openshift.jenkins_pipeline),
    })
}

struct JenkinsBootstrapper {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    profile: Arc<ServerProfile>,
    is_1_4: bool,
    configuration: Configuration,
}

/// `jenkinsPipelineConfig`
struct Configuration {
    is_on: bool,
    template_namespace: String,
    template_name: String,
    service: String,
    parameters: BTreeMap<String, String>,
}

impl Configuration {
    fn of(given: &Value) -> Self {
        let text = |field: &str, default: &str| {
            let text = given.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.unwrap_or(default).to_owned()
        };
        let parameters = pairs(given.get("parameters"));
        Self {
            is_on: given.get("autoProvisionEnabled").and_then(Value::as_bool) != Some(false),
            template_namespace: text("templateNamespace", "openshift"),
            template_name: text("templateName", "jenkins-ephemeral"),
            service: text("serviceName", "jenkins"),
            parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }
}

impl MutationInterface for JenkinsBootstrapper {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let resource = (&*attributes.resource.group, &*attributes.resource.resource);
        let is_build = attributes.operation == Operation::Create
            && !attributes.has_sub_resource()
            && ["builds", "buildconfigs"].contains(&resource.1)
            && (resource.0.is_empty() || !self.is_1_4 && resource.0 == lookup::BUILD);
        let strategy = ["spec", "strategy", "jenkinsPipelineStrategy"];
        let is_pipeline = || {
            let object = attributes.object.as_deref();
            object.and_then(|object| object.at(strategy)).is_some_and(|strategy| !strategy.is_null())
        };
        if !is_build || !self.configuration.is_on || !is_pipeline() {
            return Ok(());
        }
        let namespace = attributes.namespace.as_str();
        if self.cluster.contains(&SERVICES, namespace, &self.configuration.service) {
            return Ok(());
        }
        let objects = self.objects(attributes.ordinal).map_err(Status::from_error)?;
        for object in objects {
            self.create(attributes, object, recorder)?;
        }
        Ok(())
    }
}

impl JenkinsBootstrapper {
    /// Returns the objects of the template, its parameters filled in.
    fn objects(&self, seed: u64) -> Result<Vec<Value>, String> {
        let Configuration { template_namespace, template_name, service, parameters, .. } =
            &self.configuration;
        let found =
            lookup::find(&self.cluster, lookup::TEMPLATE, "templates", template_namespace, template_name);
        let template = found.ok_or_else(|| {
            format!("Jenkins pipeline template {template_namespace}/{template_name} not found")
        })?;
        let mut values = template::Parameters::of(&template);
        let errors = values.replace(parameters);
        let group = if self.is_1_4 { "" } else { lookup::TEMPLATE };
        let objects = values.process(&template, group, seed).map_err(|error| {
            format!("processing Jenkins template {template_namespace}/{template_name} failed: {error}")
        })?;
        match errors.as_slice() {
            [] => {}
            [one] => return Err(one.clone()),
            several => return Err(format!("[{}]", several.join(", "))),
        }
        let text = |object: &Value, fields: &[&str]| object.text(fields).to_owned();
        let is_service = |object: &Value| {
            text(object, &["kind"]) == "Service" && text(object, &["metadata", "name"]) == *service
        };
        if objects.iter().any(is_service) {
            return Ok(objects);
        }
        let service = quote(service);
        Err(format!(
            "template {template_namespace}/{template_name} does not contain required service {service}"
        ))
    }

    /// Creates `object` as the user of the request; an existing one is kept.
    fn create(&self, attributes: &Attributes, object: Value, recorder: &mut Recorder) -> Result<(), Refusal> {
        let text = |field: &str| object.text(field).to_owned();
        let kind = GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind"));
        let own = || resource::openshift_by_kind(&kind).filter(|_| !self.is_1_4);
        let found = resource::by_kind(&kind).or_else(|| resource::origin_by_kind(&kind)).or_else(own);
        let Some(found) = found else {
            let error = format!(
                "no matches for kind {} in version {}",
                quote(&kind.kind),
                quote(&kind.api_version())
            );
            return Err(Status::new_internal_error(&error).into());
        };
        let context = DecodeContext {
            kind: &kind,
            field_validation: FieldValidation::Ignore,
            strict_errors: &[],
            body: "",
        };
        let read =
            kube_registry::read(Node::from(object.clone()), &context, &self.profile, kube_registry::NOW);
        let mut made = read.map_err(|error| Refusal::from(*error.status))?.object;
        let sent = if self.is_1_4 { made.value.clone() } else { object };
        let namespace = attributes.namespace.as_str();
        made.set(["metadata", "namespace"], namespace);
        let resource = found.group_version_resource().group_resource();
        let asked = ResourceAttributes {
            namespace,
            group: &resource.group,
            resource: &resource.resource,
            ..ResourceAttributes::default()
        };
        let may = self.authorizer.authorize(&attributes.user_info.access("create", asked)).allowed;
        let exists = self.cluster.contains(&resource, namespace, made.name());
        let code = if !may {
            403
        } else if exists {
            409
        } else {
            201
        };
        let root = match &*kind.group {
            "" if resource::is_kind_of_origin(&kind) => format!("/oapi/{}", kind.version),
            "" => format!("/api/{}", kind.version),
            group => format!("/apis/{group}/{}", kind.version),
        };
        recorder.add_write(json!({
            "method": "POST",
            "path": format!("{root}/namespaces/{namespace}/{}", resource.resource),
            "as": self.impersonated(&attributes.user_info),
            "object": sent,
            "code": code,
        }));
        if !may {
            return Err(self.refused(&attributes.user_info.username, namespace, &resource));
        }
        if !exists {
            recorder.add_note(format!(
                "{} \"{}\" is created by {}, who makes the first pipeline of the project",
                kind.kind,
                made.name(),
                attributes.user_info.username
            ));
            if !attributes.dry_run {
                self.cluster.put(&resource, Arc::new(made));
            }
        }
        Ok(())
    }

    /// Returns the user that the plugin acts as.
    fn impersonated(&self, user: &UserInfo) -> Value {
        let mut written = json!({"username": user.username.clone(), "groups": user.groups.clone()});
        let scopes = user.extra.get(lookup::SCOPES_1_4);
        if let Some(scopes) = scopes.filter(|_| self.is_1_4) {
            written["scopes"] = Value::from(scopes.clone());
        } else if !self.is_1_4 && !user.extra.is_empty() {
            written["extra"] = json!(user.extra);
        }
        written
    }

    fn refused(&self, user: &str, namespace: &str, resource: &GroupResource) -> Refusal {
        let (user, namespace, plural) = (quote(user), quote(namespace), &resource.resource);
        if self.is_1_4 {
            let mut status = Status::new_forbidden(resource, "", "");
            status.message = format!("User {user} cannot create {plural} in project {namespace}");
            return status.into();
        }
        let error = format!(
            "{resource} is forbidden: User {user} cannot create {resource} in the namespace {namespace}: no RBAC policy matched"
        );
        Status::new_internal_error(&error).into()
    }
}
