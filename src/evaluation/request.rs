//! Converts documents to requests: an `AdmissionReview` contains its request, any other object is to be created or
//! updated.

use std::sync::Arc;

use thiserror::Error;

use crate::admission::{Operation, UserInfo};
use crate::cluster::JOINED;
use crate::code::Code;
use crate::evaluation::{Apply, ApplyOptions, Place, options};
use gotext::source::{Data, Node, Span};
use gotext::value;
use kube_api::decode::{FIELDS_VALIDATED, FieldValidation};
use kube_api::features::Feature;
use kube_api::kinds;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, GroupVersionResource, Map, Name, Status, Value};
use kube_yaml::{Format, Item, StrictError};

/// A user's request, before anything is looked up.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where it was written, if it was.
    pub place: Option<Place>,
    /// The operation; `None` follows `apply`. A manifest that updates an object is applied to it, as `kubectl apply
    /// --server-side` does.
    pub operation: Option<Operation>,
    /// The way to send the manifest to the server; nothing if this is not a manifest, or an operation is given.
    pub apply: Option<Arc<ApplyOptions>>,
    /// The resource, if the request names it; else it follows from the kind.
    pub resource: Option<GroupVersionResource>,
    /// The kind of the object.
    pub kind: Option<GroupVersionKind>,
    /// The subresource, or nothing.
    pub sub_resource: Name,
    /// The namespace of the URL; for resources with namespaces.
    pub namespace: Option<String>,
    /// The name of the URL; else the object's.
    pub name: Option<String>,
    /// The body: an object, or the options of a CONNECT.
    pub object: Option<Node>,
    /// The stored object, if the request has it; else the one in the cluster.
    pub old_object: Option<Node>,
    /// `CreateOptions`, `UpdateOptions` or `DeleteOptions`.
    pub options: Option<Value>,
    /// Whether requests are dry runs.
    pub dry_run: bool,
    /// The user.
    pub user_info: Arc<UserInfo>,
    /// The handling of unknown fields and repeated keys.
    pub field_validation: FieldValidation,
    /// The faults of the text that only strict decoding refuses, such as repeated keys.
    pub strict_errors: Vec<String>,
}

/// Settings of a request that documents do not contain.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestDefaults {
    /// Namespace of objects without one.
    pub namespace: String,
    /// The operation on objects; `None` follows `apply`.
    pub operation: Option<Operation>,
    /// The way to send manifests to the server.
    pub apply: Arc<ApplyOptions>,
    /// The user.
    pub user_info: Arc<UserInfo>,
    /// Whether requests are dry runs.
    pub dry_run: bool,
    /// The handling of unknown fields and repeated keys.
    pub field_validation: FieldValidation,
}

impl RequestDefaults {
    /// Returns the defaults of an administrator who applies manifests in the namespace `default` with the `kubectl` of
    /// `release`. Unknown fields are refused, as the newest `kubectl` does; older servers warn.
    pub fn of_release(release: Version) -> Self {
        let groups = vec!["system:masters".to_owned(), "system:authenticated".to_owned()];
        let user_info = UserInfo { username: "kubernetes-admin".to_owned(), groups, ..UserInfo::default() };
        let is_strict = release >= Version::RECORDED;
        Self {
            namespace: "default".to_owned(),
            operation: None,
            apply: Arc::default(),
            user_info: Arc::new(user_info),
            dry_run: false,
            field_validation: if is_strict { FieldValidation::Strict } else { FieldValidation::Warn },
        }
    }
}

/// The reason that a document is not a request.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The document is text, a number or a list.
    #[error("this is not an object: a manifest is a map with apiVersion and kind")]
    NotAnObject(Span),
    /// A field that every object has is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str, Span),
    /// A key is repeated, and strict decoding was requested.
    #[error("{}", .error.without_line())]
    Strict {
        /// The fault.
        error: StrictError,
        /// Whether another object is lost by it.
        loses_object: bool,
    },
    /// A field of an `AdmissionReview` has a value that is invalid for it.
    #[error("`{field}` of the AdmissionReview cannot be {value}")]
    Review {
        /// The field.
        field: &'static str,
        /// Its value as it was written.
        value: String,
        /// The place.
        span: Span,
    },
}

impl RequestError {
    /// Returns the place of the error.
    pub fn span(&self) -> Span {
        match self {
            Self::NotAnObject(span) | Self::Missing(_, span) | Self::Review { span, .. } => *span,
            Self::Strict { error, .. } => error.span,
        }
    }

    /// Returns advice on how to fix it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotAnObject(_) => {
                "fix the indentation; --ignore-non-manifests skips what is not a manifest"
            }
            Self::Missing(..) => {
                "every document needs `apiVersion` and `kind`; --ignore-non-manifests skips what has neither"
            }
            Self::Strict { loses_object: true, .. } => JOINED,
            Self::Strict { .. } => "remove one of the two; with --field-validation=Warn the last one counts",
            Self::Review { .. } => "see `request` of admission.k8s.io/v1 AdmissionReview",
        }
    }

    /// Returns the code of the error.
    pub fn code(&self) -> Code {
        match self {
            Self::NotAnObject(_) => Code::RequestNotAnObject,
            Self::Missing(..) => Code::RequestMissingField,
            Self::Strict { .. } => Code::ManifestDuplicateKey,
            Self::Review { .. } => Code::RequestAdmissionReview,
        }
    }
}

impl Request {
    /// Returns a request to `resource`, or a subresource of it, that is not complete.
    pub fn to(resource: GroupVersionResource, sub_resource: &str) -> Self {
        Self {
            place: None,
            operation: None,
            apply: None,
            resource: Some(resource),
            kind: None,
            sub_resource: Name::Owned(sub_resource.to_owned()),
            namespace: None,
            name: None,
            object: None,
            old_object: None,
            options: None,
            dry_run: false,
            user_info: Arc::default(),
            field_validation: FieldValidation::default(),
            strict_errors: Vec::new(),
        }
    }

    /// Returns the request for `item`.
    pub fn new(mut item: Item, defaults: &RequestDefaults) -> Result<Self, RequestError> {
        if let (Some(first), FieldValidation::Strict) =
            (item.strict_errors.first(), defaults.field_validation)
        {
            let lost = item.lost_object();
            let (error, loses_object) = (lost.unwrap_or(first).clone(), lost.is_some());
            return Err(RequestError::Strict { error, loses_object });
        }
        item.sort_keys();
        let errors = std::mem::take(&mut item.strict_errors).into_iter();
        // Repeated keys in JSON are found when it is decoded.
        let strict_errors = match item.format {
            Format::Yaml => errors.map(|error| error.text).collect(),
            Format::Json => Vec::new(),
        };
        let (place, node) = Place::of(item);
        if !matches!(node.data, Data::Object(_)) {
            return Err(RequestError::NotAnObject(node.span));
        }
        let text = |field| node.get(field).and_then(Node::as_str).filter(|text| !text.is_empty());
        let api_version = text("apiVersion").ok_or(RequestError::Missing("apiVersion", node.span))?;
        let kind = text("kind").ok_or(RequestError::Missing("kind", node.span))?;
        let kind = GroupVersionKind::from_api_version(api_version, kind);
        let mut request = Self {
            place: Some(place),
            operation: None,
            apply: None,
            resource: None,
            kind: None,
            sub_resource: Name::Borrowed(""),
            namespace: None,
            name: None,
            object: None,
            old_object: None,
            options: None,
            dry_run: defaults.dry_run,
            user_info: defaults.user_info.clone(),
            field_validation: defaults.field_validation,
            strict_errors,
        };
        if kind.is(kinds::ADMISSION_REVIEW) {
            request.take_review(node, defaults)?;
        } else {
            let metadata = node.get("metadata");
            let own = |field| metadata.and_then(|metadata| metadata.get(field)).and_then(Node::as_str);
            let namespace = own("namespace").filter(|namespace| !namespace.is_empty());
            request.operation = defaults.operation;
            if request.operation.is_none() {
                request.apply = Some(defaults.apply.clone());
            }
            let is_delete = defaults.apply.apply == Apply::Delete;
            if request.operation.map_or(is_delete, |operation| operation == Operation::Delete) {
                // Only the identity of the object matters.
                request.field_validation = FieldValidation::Ignore;
            }
            request.namespace = Some(namespace.unwrap_or(&defaults.namespace).to_owned());
            request.kind = Some(kind);
            request.object = Some(node);
        }
        Ok(request)
    }

    /// Returns the operation of the request; one that does not name it depends on whether its object exists.
    pub(super) fn operation_where(&self, exists: impl FnOnce() -> bool) -> Operation {
        let of_manifest = || self.apply.as_deref().unwrap_or(&ApplyOptions::default()).operation(exists());
        self.operation.unwrap_or_else(of_manifest)
    }

    /// Whether the options are those of a PATCH.
    pub(super) fn is_patch(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.text("kind") == "PatchOptions")
    }

    /// Returns the options as the server gets them: a client sets how unknown fields are treated, and `kubectl delete`
    /// that what an object owns goes with it.
    pub(super) fn options_as_sent(&self, operation: Operation, release: Version) -> Option<Value> {
        let mut options = self.options.clone();
        if self.apply.as_ref().is_some_and(|options| options.apply == Apply::Delete) {
            let fields = options.get_or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
            fields.entry("propagationPolicy").or_insert_with(|| "Background".into());
        }
        let validates = release >= FIELDS_VALIDATED && self.options.is_none();
        if validates && matches!(operation, Operation::Create | Operation::Update) {
            let mode = self.field_validation.as_str();
            let fields = options.get_or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
            fields.entry("fieldValidation").or_insert_with(|| mode.into());
        }
        options
    }

    /// Returns the server's refusal of the request's options, if it refuses them.
    pub(super) fn invalid_options(&self, profile: &ServerProfile) -> Option<Status> {
        let options = self.options.as_ref()?;
        let deletes_unreadable = profile.enabled(Feature::AllowUnsafeMalformedObjectDeletion);
        let (kind, errors) = match self.operation {
            Some(Operation::Delete) => {
                ("DeleteOptions", options::validate_delete_options(options, deletes_unreadable))
            }
            Some(Operation::Update) => ("UpdateOptions", options::validate_write_options(options)),
            _ => ("CreateOptions", options::validate_write_options(options)),
        };
        let kind = || GroupVersionKind::new("meta.k8s.io", "v1", kind);
        (!errors.is_empty()).then(|| Status::new_invalid(&kind(), "", &errors))
    }

    fn take_review(&mut self, node: Node, defaults: &RequestDefaults) -> Result<(), RequestError> {
        let whole = node.span;
        let Data::Object(entries) = node.data else { return Err(RequestError::NotAnObject(whole)) };
        let request = entries.into_iter().rev().find(|entry| entry.key == "request");
        let Some(Node { data: Data::Object(fields), span }) = request.map(|entry| entry.value) else {
            return Err(RequestError::Missing("request", whole));
        };
        for entry in fields {
            let value = entry.value;
            let is_null = value.data == Data::Null;
            match entry.key.as_str() {
                _ if is_null => {}
                "operation" => self.operation = Some(operation(&value)?),
                "kind" => {
                    let part = |field| text_of(&value, field);
                    self.kind = Some(GroupVersionKind::new(part("group"), part("version"), part("kind")));
                }
                "resource" => {
                    let part = |field| text_of(&value, field);
                    let resource =
                        GroupVersionResource::new(part("group"), part("version"), part("resource"));
                    self.resource = Some(resource);
                }
                "subResource" => {
                    self.sub_resource = Name::Owned(value.as_str().unwrap_or_default().to_owned());
                }
                "namespace" => self.namespace = Some(value.as_str().unwrap_or_default().to_owned()),
                "name" => self.name = value.as_str().filter(|name| !name.is_empty()).map(str::to_owned),
                "object" => self.object = Some(value),
                "oldObject" => self.old_object = Some(value),
                "options" => self.take_options(value)?,
                "dryRun" => self.dry_run = flag("dryRun", &value)?,
                "userInfo" => self.user_info = user_info(value)?,
                _ => {}
            }
        }
        if self.operation.is_none() {
            return Err(RequestError::Missing("request.operation", span));
        }
        if self.kind.is_none() {
            self.kind = self.object.as_ref().or(self.old_object.as_ref()).and_then(kind_of);
        }
        if self.resource.is_none() && self.kind.is_none() {
            return Err(RequestError::Missing("request.resource", span));
        }
        if self.namespace.is_none() {
            let object = self.object.as_ref().or(self.old_object.as_ref());
            let metadata = object.and_then(|object| object.get("metadata"));
            let own = metadata.and_then(|metadata| metadata.get("namespace")).and_then(Node::as_str);
            self.namespace = Some(own.unwrap_or(&defaults.namespace).to_owned());
        }
        Ok(())
    }

    fn take_options(&mut self, options: Node) -> Result<(), RequestError> {
        if let Some(directive) = options.get("fieldValidation") {
            let value = directive.as_str().unwrap_or_default();
            self.field_validation = FieldValidation::parse(value).unwrap_or(self.field_validation);
        }
        let dry_run = options.get("dryRun").map(|list| match &list.data {
            Data::Array(items) => items.iter().any(|item| item.as_str() == Some("All")),
            _ => false,
        });
        self.dry_run |= dry_run.unwrap_or(false);
        if !matches!(options.data, Data::Object(_)) {
            return Err(review_error("request.options", &options));
        }
        self.options = Some(options.into_value());
        Ok(())
    }
}

/// Returns `apiVersion` and `kind` of an object.
fn kind_of(object: &Node) -> Option<GroupVersionKind> {
    let api_version = object.get("apiVersion")?.as_str()?;
    Some(GroupVersionKind::from_api_version(api_version, object.get("kind")?.as_str()?))
}

fn text_of(value: &Node, field: &str) -> String {
    value.get(field).and_then(Node::as_str).unwrap_or_default().to_owned()
}

fn operation(value: &Node) -> Result<Operation, RequestError> {
    let named = Operation::ALL.iter().find(|operation| value.as_str() == Some(operation.as_str()));
    named.copied().ok_or_else(|| review_error("request.operation", value))
}

fn flag(field: &'static str, value: &Node) -> Result<bool, RequestError> {
    match value.data {
        Data::Bool(flag) => Ok(flag),
        _ => Err(review_error(field, value)),
    }
}

fn user_info(value: Node) -> Result<Arc<UserInfo>, RequestError> {
    let error = review_error("request.userInfo", &value);
    value::from_value(&value.into_value()).map(Arc::new).map_err(|_| error)
}

fn review_error(field: &'static str, value: &Node) -> RequestError {
    RequestError::Review { field, value: value.clone().into_value().to_string(), span: value.span }
}
