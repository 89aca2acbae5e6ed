//! Policies, bindings and webhooks in a directory of the server, which the API cannot change.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/{manifest,policy/manifest,webhook/manifest}`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gotext::source::{Data, Node, SourceFile};
use gotext::{encoding_json, quote};
use kube_api::decode::{DecodeContext, FieldValidation, StrictError};
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Object, field, schema};
use kube_registry::{Context, Kind};

use crate::policy::PolicySource;
use crate::versioned::{self, Error, check_strictly, header, read_as};

/// The suffix of the names of static objects.
const SUFFIX: &str = ".static.k8s.io";
const GROUP: &str = "admissionregistration.k8s.io";

impl PolicySource {
    /// Reads the policies of `kind` and their bindings in `directory`, ordered by name.
    ///
    /// # Errors
    ///
    /// Returns the server's error if it does not start with them.
    pub fn of_directory(directory: &str, kind: &str, profile: &ServerProfile) -> Result<Self, String> {
        let failed =
            |error| format!("failed to load static policy manifests from {}: {error}", quote(directory));
        let loader = Loader {
            kinds: &[kind, &format!("{kind}Binding")],
            scheme: "pkg/admission/plugin/policy/manifest/loader/validating_loader.go:35",
            check,
        };
        let found = loader.load(directory, profile).map_err(failed)?;
        let (policies, bindings): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|object| object.kind.kind == kind);
        let is_known = |name: &str| policies.iter().any(|policy| policy.name() == name);
        let policy_of = |binding: &Object| binding.text(["spec", "policyName"]).to_owned();
        if let Some(lost) = bindings.iter().find(|binding| !is_known(&policy_of(binding))) {
            return Err(failed(format!(
                "binding {} references policy {} which does not exist in the manifest directory",
                quote(lost.name()),
                quote(&policy_of(lost))
            )));
        }
        Ok(Self { policies, bindings })
    }
}

/// Checks that a static policy has no parameters, and that a binding names a static policy.
///
/// Source: `validatePolicyManifestConstraints`.
fn check(object: &Object, _: &Path) -> Result<(), String> {
    let (kind, name) = (&object.kind.kind, quote(object.name()));
    if !kind.ends_with("Binding") {
        let has_params = object.has(["spec", "paramKind"]);
        let refused = || format!("{kind} {name}: spec.paramKind is not supported for static manifests");
        return if has_params { Err(refused()) } else { Ok(()) };
    }
    let policy = object.text(["spec", "policyName"]);
    if !policy.ends_with(SUFFIX) {
        return Err(format!(
            "binding {name}: spec.policyName {} must end with {}",
            quote(policy),
            quote(SUFFIX)
        ));
    }
    if object.has(["spec", "paramRef"]) {
        return Err(format!("binding {name}: spec.paramRef is not supported for static manifests"));
    }
    Ok(())
}

/// What reads the directory of a plugin.
#[derive(Debug)]
pub struct Loader<'a> {
    /// The kinds that it accepts.
    pub kinds: &'a [&'a str],
    /// The place in the server's source where its scheme is created; messages use it as the name.
    pub scheme: &'static str,
    /// What is checked besides the rules of the kind.
    pub check: fn(&Object, &Path) -> Result<(), String>,
}

/// A document of a directory, decoded.
enum Manifest {
    /// A `List`, with its items as JSON.
    List(Vec<String>),
    /// An object, or those of a list of its kind.
    Objects(GroupVersionKind, Vec<Node>),
    /// A kind that no loader accepts.
    Unsupported(GroupVersionKind),
}

impl Loader<'_> {
    /// Reads the objects in `directory`, ordered by name.
    ///
    /// # Errors
    ///
    /// Fails if the directory or a file cannot be read, or contains something that is not allowed.
    pub fn load(&self, directory: &str, profile: &ServerProfile) -> Result<Vec<Arc<Object>>, String> {
        // Their names are reserved for them, so they are not refused for them as those of the API are.
        let gate = format!("{}=false", Feature::ManifestBasedAdmissionControlConfig.name());
        let profile = profile.clone().with(&gate).expect("a gate that was switched on can be switched off");
        let files = files_in(directory)
            .map_err(|error| format!("failed to read manifest directory {}: {error}", quote(directory)))?;
        let mut found: Vec<(Arc<Object>, PathBuf)> = Vec::new();
        for file in files {
            let place = quote(&file.to_string_lossy());
            let source = kube_yaml::files::read_file(&file)
                .map_err(|error| format!("failed to read file {place}: {error}"))?;
            for part in kube_yaml::split_yaml(&source) {
                let part =
                    part.map_err(|error| format!("failed to split YAML documents in file {place}: {error}"))?;
                let text = source.text()[part.span.start..part.span.end].trim();
                if !text.is_empty() {
                    self.decode(text)
                        .map_err(|error| error.to_string())
                        .and_then(|manifest| self.accept(manifest, &file, &profile, &mut found))
                        .map_err(|error| format!("error loading {}: {error}", file.display()))?;
                }
            }
        }
        found.sort_by(|(left, _), (right, _)| left.name().cmp(right.name()));
        Ok(found.into_iter().map(|(object, _)| object).collect())
    }

    /// Decodes a document, strictly.
    fn decode(&self, text: &str) -> Result<Manifest, Error> {
        let document = kube_yaml::read_first(&SourceFile::new("", text))?;
        let (api_version, kind) = header(&document)?;
        let kind = GroupVersionKind::from_api_version(&api_version, &kind);
        // These two are of every version.
        if kind.kind == "List" {
            let items = list_items(&document)?;
            let json = |item: &Node| match item.data {
                Data::Null => String::new(),
                _ => encoding_json::to_string(&item.clone().into_value()),
            };
            return Ok(Manifest::List(items.iter().map(json).collect()));
        }
        if kind.kind == "Status" {
            return Ok(Manifest::Unsupported(GroupVersionKind::from_api_version("v1", "Status")));
        }
        let item_kind = kind.kind.strip_suffix("List");
        let item_kind = item_kind.map(|item| GroupVersionKind::from_api_version(&api_version, item));
        let table = |kind: &GroupVersionKind| schema::of(kind).filter(|_| kind.group == GROUP);
        if let Some(table) = table(&kind) {
            read_as(&document, table, true)?;
            Ok(Manifest::Objects(kind, vec![document.node]))
        } else if let Some(item_kind) = item_kind
            && let Some(table) = table(&item_kind)
        {
            let items = list_items(&document)?;
            for (index, item) in items.iter().enumerate() {
                let within = |error: StrictError| StrictError {
                    text: error.text.replacen("field \"", &format!("field \"items[{index}]."), 1),
                    ..error
                };
                let unknown = versioned::unread(item, table)?.into_iter().map(within).collect();
                check_strictly(&document, unknown)?;
            }
            Ok(Manifest::Objects(item_kind, items.to_vec()))
        } else {
            Err(Error::NotRegistered { api_version, kind: kind.kind.to_string(), scheme: self.scheme })
        }
    }

    fn accept(
        &self,
        manifest: Manifest,
        file: &Path,
        profile: &ServerProfile,
        found: &mut Vec<(Arc<Object>, PathBuf)>,
    ) -> Result<(), String> {
        let unsupported =
            |kind: &GroupVersionKind| format!("unsupported resource type *{}.{}", kind.version, kind.kind);
        match manifest {
            Manifest::Unsupported(kind) => Err(unsupported(&kind)),
            Manifest::List(items) => items.iter().try_for_each(|text| {
                let item =
                    self.decode(text).map_err(|error| format!("failed to decode list item: {error}"))?;
                self.accept(item, file, profile, found)
            }),
            Manifest::Objects(kind, _) if kind.version != "v1" || !self.kinds.contains(&&*kind.kind) => {
                Err(unsupported(&kind))
            }
            Manifest::Objects(kind, nodes) => {
                let read = |node| read_valid(node, &kind, profile);
                for object in nodes.into_iter().map(read).collect::<Result<Vec<_>, _>>()? {
                    check_name(&object, file, found)?;
                    (self.check)(&object, file)?;
                    found.push((Arc::new(object), file.to_owned()));
                }
                Ok(())
            }
        }
    }
}

/// Returns the manifests among the files of a directory, in the order of their names.
fn files_in(directory: &str) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| {
        let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        !file.is_dir() && ["yaml", "yml", "json"].contains(&&*ending)
    });
    files.sort();
    Ok(files)
}

/// Returns the items of a list that has no fields but those of lists.
fn list_items(document: &kube_yaml::Document) -> Result<&[Node], Error> {
    const FIELDS: [&str; 4] = ["apiVersion", "items", "kind", "metadata"];
    let Data::Object(entries) = &document.node.data else { return Ok(&[]) };
    let unknown = entries.iter().filter(|entry| !FIELDS.contains(&&*entry.key)).map(|entry| StrictError {
        text: format!("unknown field {}", quote(&entry.key)),
        span: Some(entry.value.span),
    });
    check_strictly(document, unknown.collect())?;
    match document.node.get("items").map(|items| &items.data) {
        Some(Data::Array(items)) => Ok(items),
        _ => Ok(&[]),
    }
}

/// Reads an object that was decoded strictly, with its defaults.
fn read_valid(node: Node, kind: &GroupVersionKind, profile: &ServerProfile) -> Result<Object, String> {
    let context =
        DecodeContext { kind, field_validation: FieldValidation::Ignore, strict_errors: &[], body: "" };
    let read = kube_registry::read(node, &context, profile, kube_registry::NOW);
    let object = read.map_err(|error| error.to_string())?.object;
    let errors = Kind::of(kind).validate_create(&object, &Context::new(profile));
    if errors.is_empty() {
        return Ok(object);
    }
    Err(format!("{} {}: {}", kind.kind, quote(object.name()), field::aggregate(&errors)))
}

/// Checks that the name is one of static objects, and that no other file has it.
fn check_name(object: &Object, file: &Path, found: &[(Arc<Object>, PathBuf)]) -> Result<(), String> {
    let (name, place) = (object.name(), quote(&file.to_string_lossy()));
    if name.is_empty() {
        return Err(format!("resource in file {place} must have a name"));
    }
    if !name.ends_with(SUFFIX) {
        return Err(format!(
            "{} in file {place} must have a name ending with {}",
            quote(name),
            quote(SUFFIX)
        ));
    }
    let is_same = |other: &Object| other.kind == object.kind && other.name() == name;
    match found.iter().find(|(other, _)| is_same(other)) {
        Some((_, known)) => Err(format!(
            "duplicate name {} found in file {place} (previously seen in {})",
            quote(name),
            quote(&known.to_string_lossy())
        )),
        None => Ok(()),
    }
}
