//! Compares every release from the oldest to the newest with the history that its tables were generated from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gotext::value::Value;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, resource, schema};

fn document(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kubernetes").join(name);
    serde_json::from_str(&fs::read_to_string(path).expect("a document")).expect("JSON")
}

fn lived(of: &Value, minor: u32) -> bool {
    let end =
        |key: &str| of[key].as_str().map(|release| release.parse::<Version>().expect("a release").minor);
    end("since").is_none_or(|since| since <= minor) && end("until").is_none_or(|until| minor <= until)
}

fn releases() -> impl Iterator<Item = u32> {
    Version::OLDEST.minor..=Version::BINARY.minor
}

/// All facts about one resource or subresource.
type Facts = BTreeSet<String>;

fn verbs(of: &Value, minor: u32) -> String {
    let is_there = |verb: &&str| {
        let since = of["verb_since"][*verb].as_str().and_then(|since| since.strip_prefix("1."));
        since.is_none_or(|since| since.parse::<u32>().expect("a minor") <= minor)
    };
    let verbs = of["verbs"].as_array().into_iter().flatten().filter_map(Value::as_str);
    verbs.filter(is_there).collect::<Vec<_>>().join(",")
}

fn expected_resources(history: &Value, minor: u32) -> Facts {
    let mut facts = Facts::new();
    for found in history["resources"].as_array().expect("resources") {
        if !lived(found, minor) {
            continue;
        }
        let word = |of: &Value, key: &str| of[key].as_str().unwrap_or_default().to_owned();
        let name = format!("{}/{} {}", word(found, "group"), word(found, "version"), word(found, "resource"));
        let on = match &found["served_by_default"] {
            Value::Bool(on) => *on,
            span => lived(span, minor),
        };
        facts.insert(format!(
            "{name} {} {} {on} {}",
            word(found, "kind"),
            found["namespaced"] == true,
            verbs(found, minor)
        ));
        for below in found["subresources"].as_array().expect("subresources") {
            if lived(below, minor) {
                let kind =
                    format!("{}/{} {}", word(below, "group"), word(below, "version"), word(below, "kind"));
                facts.insert(format!("{name}/{} {kind} {}", word(below, "name"), verbs(below, minor)));
            }
        }
    }
    facts
}

fn resources(minor: u32) -> Facts {
    let mut facts = Facts::new();
    for found in resource::of_release(Version::minor(minor)) {
        let name = format!("{}/{} {}", found.group, found.version, found.resource);
        let on = found.served == resource::Served::Default;
        let verbs = found.verbs.join(",");
        facts.insert(format!("{name} {} {} {on} {verbs}", found.kind, found.namespaced));
        for below in found.subresources {
            let kind = format!("{}/{} {}", below.group, below.version, below.kind);
            facts.insert(format!("{name}/{} {kind} {}", below.name, below.verbs.join(",")));
        }
    }
    facts
}

#[test]
fn every_release_has_its_resources() {
    let history = document("history.json");
    let mut counts = Vec::new();
    for minor in releases() {
        let (expected, found) = (expected_resources(&history, minor), resources(minor));
        assert!(found == expected, "1.{minor}: {:#?}", found.symmetric_difference(&expected));
        counts.push(resource::of_release(Version::minor(minor)).len());
    }
    assert_eq!(counts.len(), 28);
    assert_eq!((counts[0], counts[26], counts[27]), (81, 95, 100));
}

/// Returns the package and the name of a definition, as the tables spell them.
fn path(definition: &str) -> String {
    let mut parts = definition.rsplit('.');
    let (name, version, package) = (parts.next(), parts.next(), parts.next());
    let word = |part: Option<&str>| part.unwrap_or_default().to_owned();
    format!("{}/{}.{}", word(package), word(version), word(name))
}

/// Returns the fields of every type that the release had, by its path in the tables.
fn expected_fields(history: &Value, openapi: &Value, minor: u32) -> BTreeMap<String, BTreeSet<String>> {
    let none = Value::Null;
    let types = history["types"].as_object().expect("types");
    let definitions = openapi.as_object().expect("definitions");
    let names: BTreeSet<&str> =
        types.iter().map(|(name, _)| &**name).chain(definitions.iter().map(|(name, _)| &**name)).collect();
    let mut expected = BTreeMap::new();
    for name in names {
        let past = types.get(name).unwrap_or(&none);
        if !past.is_null() && !lived(past, minor) {
            continue;
        }
        let mut fields: BTreeSet<String> = openapi[name]["properties"]
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.iter().map(|(field, _)| field.to_string()))
            .collect();
        for (field, found) in past["fields"].as_object().into_iter().flat_map(|fields| fields.iter()) {
            if lived(found, minor) {
                fields.insert(field.to_string());
            } else {
                fields.remove(&**field);
            }
        }
        expected.insert(path(name), fields);
    }
    expected
}

#[test]
fn every_release_has_its_fields() {
    let (history, openapi) =
        (document("history.json"), document(&format!("openapi-v{}.json", Version::BINARY)));
    let mut counts = Vec::new();
    for minor in releases() {
        let tables = schema::of_release(Version::minor(minor));
        let (mut types, mut count, mut unknown) = (0, 0, BTreeSet::new());
        for (path, expected) in expected_fields(&history, &openapi, minor) {
            let Some(found) = tables.named(&path) else {
                unknown.insert(path);
                continue;
            };
            let fields: BTreeSet<String> =
                found.fields().iter().map(|field| field.name.to_string()).collect();
            assert_eq!(fields, expected, "{path} of 1.{minor}");
            found.fields().iter().for_each(|field| _ = field.reference.get());
            types += 1;
            count += fields.len();
        }
        unknown.retain(|path| !path.ends_with("List"));
        let left_out = [
            "api/resource.Quantity",
            "meta/v1.Patch",
            "pkg/runtime.RawExtension",
            "pkg/version.Info",
            "util/intstr.IntOrString",
        ];
        unknown.retain(|path| !left_out.contains(&path.as_str()));
        assert!(unknown.is_empty(), "1.{minor}: {unknown:?}");
        counts.push((types, count));
    }
    assert_eq!((counts[0], counts[26]), ((457, 1959), (678, 2772)));
}

#[test]
fn every_kind_of_every_release_has_a_field_table() {
    for minor in releases() {
        let tables = schema::of_release(Version::minor(minor));
        let resources = resource::of_release(Version::minor(minor));
        let kinds = resources.iter().map(resource::ApiResource::group_version_kind);
        let below = resources.iter().flat_map(|found| found.subresources);
        let kinds: Vec<_> = kinds.chain(below.map(resource::Subresource::group_version_kind)).collect();
        for kind in kinds {
            let dummy = kind.kind == "ReplicationControllerDummy";
            assert!(tables.of(&kind).is_some() || dummy, "{kind:?} of 1.{minor}");
        }
    }
}

#[test]
fn knows_what_came_and_went() {
    let kind = |minor, group, version, kind| {
        let tables = schema::of_release(Version::minor(minor));
        tables.of(&GroupVersionKind::new(group, version, kind))
    };
    let fields = |minor, path: &str, field: &str| {
        let tables = schema::of_release(Version::minor(minor));
        tables.named(path).and_then(|found| Some(found.field(field)?.reference.to_string()))
    };
    assert!(kind(15, "extensions", "v1beta1", "Deployment").is_some());
    assert!(kind(18, "extensions", "v1beta1", "Deployment").is_none());
    assert!(kind(24, "policy", "v1beta1", "PodSecurityPolicy").is_some());
    assert!(kind(25, "policy", "v1beta1", "PodSecurityPolicy").is_none());
    assert!(kind(20, "batch", "v1", "CronJob").is_none() && kind(21, "batch", "v1", "CronJob").is_some());
    assert_eq!(fields(17, "core/v1.PodSpec", "seccompProfile"), None);
    assert_eq!(fields(15, "core/v1.PodSpec", "ephemeralContainers"), None);
    assert_eq!(
        fields(16, "core/v1.PodSpec", "ephemeralContainers").as_deref(),
        Some("[]v1.EphemeralContainer")
    );
    assert_eq!(fields(22, "core/v1.Lifecycle", "postStart").as_deref(), Some("*v1.Handler"));
    assert_eq!(fields(23, "core/v1.Lifecycle", "postStart").as_deref(), Some("*v1.LifecycleHandler"));
    assert_eq!(fields(35, "core/v1.PodSpec", "workloadRef").as_deref(), Some("*v1.WorkloadReference"));
    assert_eq!(fields(36, "core/v1.PodSpec", "workloadRef"), None);
    // The types of one release differ from those of another.
    let spec = kind(10, "apps", "v1", "Deployment").and_then(|found| found.field("spec")).expect("a field");
    let template = spec.reference.get().field("template").expect("a field").reference.get();
    let pod = template.field("spec").expect("a field").reference.get();
    assert!(pod.field("overhead").is_none() && pod.field("containers").is_some());
}
