//! The details of an image that the server reads from its manifest: layers, size and metadata.
//!
//! Source: `openshift-apiserver` `pkg/image/apiserver/internal/imageutil`; of Origin 1.4 `pkg/image/api/helper.go`.

use std::collections::BTreeSet;

use crate::NOW;
use crate::openshift::image_document::{COMPATIBILITY, COMPATIBILITY_SIZE, CONFIG, Document, MANIFEST};
use gotext::source::Node;
use gotext::value::json;
use gotext::{quote, time};
use kube_api::tree::{child_mut, child_or_insert, set};
use kube_api::{Map, Value, decode};

/// The package of the types of documents.
const PACKAGE: &str = "docker10";
const ORDER: &str = "image.openshift.io/dockerLayersOrder";
const ASCENDING: &str = "ascending";
const SCHEMA_1: &str = "application/vnd.docker.distribution.manifest.v1+json";
const SCHEMA_1_SIGNED: &str = "application/vnd.docker.distribution.manifest.v1+prettyjws";
const SCHEMA_1_LAYER: &str = "application/vnd.docker.container.image.rootfs.diff+x-gtar";
const SCHEMA_2: &str = "application/vnd.docker.distribution.manifest.v2+json";
const OCI: &str = "application/vnd.oci.image.manifest.v1+json";
/// Media types of manifests that list other manifests, one per architecture.
const LISTS: [&str; 2] =
    ["application/vnd.docker.distribution.manifest.list.v2+json", "application/vnd.oci.image.index.v1+json"];

/// Fills in the details from the manifest of `image`; those found before an error stay.
pub fn fill(image: &mut Map, is_origin_1_4: bool) -> Result<(), String> {
    let manifest = image.text("dockerImageManifest").to_owned();
    if manifest.is_empty() {
        return Ok(());
    }
    if !is_origin_1_4 {
        order_layers(image);
    }
    let size = image.child("dockerImageMetadata").map_or(0, |metadata| metadata.int("Size"));
    let is_known = !image.list("dockerImageLayers").is_empty()
        && size > 0
        && !image.text("dockerImageManifestMediaType").is_empty();
    if is_known {
        return Ok(());
    }
    let manifest = Document::parse(&manifest, &MANIFEST, if is_origin_1_4 { "api" } else { PACKAGE })?;
    if is_origin_1_4 { fill_as_1_4(image, &manifest) } else { fill_from(image, &manifest) }
}

fn fill_from(image: &mut Map, manifest: &Document) -> Result<(), String> {
    if LISTS.contains(&manifest.text("mediaType")) {
        let name = name_of(image);
        let metadata = child_or_insert(image, "dockerImageMetadata");
        set(metadata, "Id", name);
        set(metadata, "Created", NOW);
        return Ok(());
    }
    let schema = manifest.number("schemaVersion");
    if image.list("dockerImageLayers").is_empty() {
        let layers = layers_of(image, manifest, schema)?;
        set(image, "dockerImageLayers", layers);
        set(child_or_insert(child_or_insert(image, "metadata"), "annotations"), ORDER, ASCENDING);
    }
    let config_digest = manifest.child("config").text("digest").to_owned();
    match schema {
        1 => {
            set(image, "dockerImageManifestMediaType", SCHEMA_1);
            let history = manifest.items("history");
            let Some(first) = history.first() else {
                let (name, reference) = (name_of(image), image.text("dockerImageReference"));
                return Err(format!(
                    "the image {name} ({reference}) has a schema 1 manifest, but it doesn't have history"
                ));
            };
            set_metadata(image, &Document::parse(first.text("v1Compatibility"), &COMPATIBILITY, PACKAGE)?)?;
        }
        2 => {
            let own = image.text("dockerImageManifestMediaType");
            let media_type = [manifest.text("mediaType"), own, SCHEMA_2];
            let media_type =
                media_type.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
            set(image, "dockerImageManifestMediaType", media_type.as_str());
            let config = image.text("dockerImageConfig").to_owned();
            if config.is_empty() {
                let media_type = quote(&media_type);
                return Err(format!("dockerImageConfig must not be empty for manifest type {media_type}"));
            }
            let failed = |error: String| format!("failed to parse dockerImageConfig: {error}");
            let config = Document::parse(&config, &CONFIG, PACKAGE).map_err(failed)?;
            set_metadata(image, &config).map_err(failed)?;
            set(child_or_insert(image, "dockerImageMetadata"), "Id", config_digest.as_str());
        }
        _ => return Err(unknown_schema("container", image, schema)),
    }
    let size = size_of(image, (schema == 2).then_some(config_digest.as_str()));
    set_size(image, size);
    Ok(())
}

fn fill_as_1_4(image: &mut Map, manifest: &Document) -> Result<(), String> {
    let schema = manifest.number("schemaVersion");
    match schema {
        0 => return Ok(()),
        1 => {
            set(image, "dockerImageManifestMediaType", SCHEMA_1);
            let history = manifest.items("history");
            let Some(first) = history.first() else { return Ok(()) };
            let first = Document::parse(first.text("v1Compatibility"), &COMPATIBILITY, "api")?;
            let blobs = manifest.items("fsLayers");
            let sizes = sizes_of(if blobs.len() == history.len() { &history } else { &[] });
            let layers = blobs.iter().enumerate().rev().map(|(index, blob)| {
                layer(blob.text("blobSum"), sizes.get(index).copied().unwrap_or_default(), SCHEMA_1_LAYER)
            });
            let layers: Vec<Value> = layers.collect();
            let size_without_layers = layers.is_empty().then(|| first.number("size"));
            set(image, "dockerImageLayers", layers);
            set_metadata(image, &first)?;
            let size = size_without_layers.unwrap_or_else(|| size_of(image, None));
            set_size(image, size);
        }
        2 => {
            set(image, "dockerImageManifestMediaType", SCHEMA_2);
            let config = Document::parse(image.text("dockerImageConfig"), &CONFIG, "api")?;
            let layers = manifest.items("layers");
            let layers = layers
                .iter()
                .rev()
                .map(|found| layer(found.text("digest"), found.number("size"), found.text("mediaType")));
            set(image, "dockerImageLayers", layers.collect::<Vec<_>>());
            set_metadata(image, &config)?;
            let digest = manifest.child("config").text("digest").to_owned();
            set(child_or_insert(image, "dockerImageMetadata"), "Id", digest.as_str());
            let size = size_of(image, Some(&digest));
            set_size(image, size);
        }
        _ => return Err(unknown_schema("Docker", image, schema)),
    }
    Ok(())
}

/// Returns the layers that a manifest lists, the oldest first.
fn layers_of(image: &Map, manifest: &Document, schema: i64) -> Result<Vec<Value>, String> {
    match schema {
        1 => {
            let (history, blobs) = (manifest.items("history"), manifest.items("fsLayers"));
            if history.len() != blobs.len() {
                let (name, reference) = (name_of(image), image.text("dockerImageReference"));
                return Err(format!(
                    "the image {name} ({reference}) has mismatched history and fslayer cardinality ({} != {})",
                    history.len(),
                    blobs.len()
                ));
            }
            let layers = blobs.iter().zip(sizes_of(&history)).rev();
            Ok(layers.map(|(blob, size)| layer(blob.text("blobSum"), size, SCHEMA_1_LAYER)).collect())
        }
        2 => {
            let layers = manifest.items("layers");
            let layers = layers
                .iter()
                .map(|found| layer(found.text("digest"), found.number("size"), found.text("mediaType")));
            Ok(layers.collect())
        }
        _ => Err(unknown_schema("container", image, schema)),
    }
}

/// Returns the size in each entry of a history; nothing for a malformed entry.
fn sizes_of(history: &[Document]) -> Vec<i64> {
    let size = |entry: &Document| {
        let entry = Document::parse(entry.text("v1Compatibility"), &COMPATIBILITY_SIZE, PACKAGE);
        entry.map_or(0, |entry| entry.number("size"))
    };
    history.iter().map(size).collect()
}

fn layer(name: &str, size: i64, media_type: &str) -> Value {
    json!({"name": name, "size": size, "mediaType": media_type})
}

/// Sorts layers that are known already in ascending order.
fn order_layers(image: &mut Map) {
    if image.list("dockerImageLayers").is_empty() {
        return;
    }
    let annotations = image.child("metadata").and_then(|metadata| metadata.child("annotations"));
    let given = annotations.and_then(|annotations| annotations.get(ORDER)).and_then(Value::as_str);
    let is_descending = match (given, image.text("dockerImageManifestMediaType")) {
        (Some(order), _) => order == "descending",
        (None, SCHEMA_1 | SCHEMA_1_SIGNED) => false,
        (None, SCHEMA_2 | OCI) => true,
        (None, _) => return,
    };
    if is_descending {
        let layers: Vec<Value> = image.list("dockerImageLayers").iter().rev().cloned().collect();
        set(image, "dockerImageLayers", layers);
    }
    set(child_or_insert(child_or_insert(image, "metadata"), "annotations"), ORDER, ASCENDING);
}

/// Sets the metadata of an image from a configuration, or from an entry of a history.
fn set_metadata(image: &mut Map, source: &Document) -> Result<(), String> {
    const TEXTS: [(&str, &str); 7] = [
        ("id", "Id"),
        ("parent", "Parent"),
        ("comment", "Comment"),
        ("container", "Container"),
        ("docker_version", "DockerVersion"),
        ("author", "Author"),
        ("architecture", "Architecture"),
    ];
    let config = |field: &str| -> Result<Option<Value>, String> {
        let given = source.get(field).filter(|given| !given.is_null());
        given
            .map(|given| {
                decode::typed_field(Node::from(given.clone()), "openshift/docker/v1.DockerConfig", field)
            })
            .transpose()
    };
    let mut metadata = Map::new();
    for field in ["kind", "apiVersion"] {
        if let Some(value) = image.child("dockerImageMetadata").and_then(|known| known.get(field)) {
            metadata.insert(field, value.clone());
        }
    }
    for (from, to) in TEXTS {
        metadata.insert(to, source.text(from).into());
    }
    let created = time::to_the_second(source.text("created")).ok().flatten();
    metadata.insert(
        "Created",
        created.filter(|time| !time.starts_with("0001-01-01T00:00:00")).map_or(Value::Null, Value::from),
    );
    metadata.insert("Size", source.number("size").into());
    metadata.insert("ContainerConfig", config("container_config")?.unwrap_or_else(|| Map::new().into()));
    if let Some(config) = config("config")? {
        metadata.insert("Config", config);
    }
    set(image, "dockerImageMetadata", Value::Object(metadata));
    Ok(())
}

/// Returns the bytes of the configuration, if the manifest has one, and of the layers, each once.
fn size_of(image: &Map, config_digest: Option<&str>) -> i64 {
    let mut counted: BTreeSet<&str> = config_digest.into_iter().collect();
    let config = if config_digest.is_some() { image.text("dockerImageConfig").len() } else { 0 };
    let mut size = i64::try_from(config).unwrap_or(i64::MAX);
    for layer in image.items("dockerImageLayers") {
        if counted.insert(layer.text("name")) {
            size = size.saturating_add(layer.int("size"));
        }
    }
    size
}

fn set_size(image: &mut Map, size: i64) {
    if let Some(metadata) = child_mut(image, "dockerImageMetadata") {
        set(metadata, "Size", size);
    }
}

fn name_of(image: &Map) -> String {
    image.child("metadata").map_or("", |metadata| metadata.text("name")).to_owned()
}

fn unknown_schema(what: &str, image: &Map, schema: i64) -> String {
    format!(
        "unrecognized {what} image manifest schema {schema} for {} ({})",
        quote(&name_of(image)),
        image.text("dockerImageReference")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(image: Value, is_origin_1_4: bool) -> (Value, Result<(), String>) {
        let mut image = image;
        let result = fill(image.as_object_mut().expect("an image"), is_origin_1_4);
        (image, result)
    }

    #[test]
    fn turns_layers_that_are_marked_descending() {
        let layers =
            json!([{"name": "b", "size": 2, "mediaType": ""}, {"name": "a", "size": 1, "mediaType": ""}]);
        let (image, result) = filled(
            json!({
                "metadata": {"annotations": {"image.openshift.io/dockerLayersOrder": "descending"}},
                "dockerImageLayers": layers,
                "dockerImageManifest": "{}",
                "dockerImageManifestMediaType": "application/vnd.docker.distribution.manifest.v2+json",
                "dockerImageMetadata": {"Size": 3},
            }),
            false,
        );
        assert_eq!(result, Ok(()));
        assert_eq!(image["dockerImageLayers"][0]["name"], "a");
        assert_eq!(image["metadata"]["annotations"][ORDER], "ascending");
    }

    #[test]
    fn keeps_the_media_type_of_an_oci_manifest_without_one() {
        let manifest =
            r#"{"schemaVersion":2,"config":{"digest":"sha256:c"},"layers":[{"digest":"sha256:a","size":5}]}"#;
        let (image, result) = filled(
            json!({
                "dockerImageManifest": manifest,
                "dockerImageManifestMediaType": OCI,
                "dockerImageConfig": "{\"created\":\"2016-02-15T07:30:37.123Z\"}",
            }),
            false,
        );
        assert_eq!(result, Ok(()));
        assert_eq!(image["dockerImageManifestMediaType"], OCI);
        assert_eq!(image["dockerImageMetadata"]["Size"], 43);
        assert_eq!(image["dockerImageMetadata"]["Created"], "2016-02-15T07:30:37Z");
    }

    #[test]
    fn rejects_what_it_cannot_read() {
        let error = |manifest: &str, config: &str, is_origin_1_4| {
            let image = json!({
                "metadata": {"name": "sha256:f"},
                "dockerImageReference": "r/web",
                "dockerImageManifest": manifest,
                "dockerImageConfig": config,
            });
            filled(image, is_origin_1_4).1.expect_err("a refusal")
        };
        assert_eq!(
            error(r#"{"schemaVersion":1,"fsLayers":[],"history":[]}"#, "", false),
            "the image sha256:f (r/web) has a schema 1 manifest, but it doesn't have history"
        );
        assert_eq!(
            error(r#"{"schemaVersion":2}"#, "", false),
            "dockerImageConfig must not be empty for manifest type \"application/vnd.docker.distribution.manifest.v2+json\""
        );
        assert_eq!(
            error(r#"{"schemaVersion":3}"#, "", false),
            "unrecognized container image manifest schema 3 for \"sha256:f\" (r/web)"
        );
        assert_eq!(
            error(r#"{"schemaVersion":3}"#, "", true),
            "unrecognized Docker image manifest schema 3 for \"sha256:f\" (r/web)"
        );
        assert_eq!(error(r#"{"schemaVersion":2}"#, "", true), "unexpected end of JSON input");
    }
}
