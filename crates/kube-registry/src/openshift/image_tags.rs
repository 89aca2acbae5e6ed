//! Tags of image streams: the streams that they refer to, and the change of a stream by one of its tags.
//!
//! Source: `openshift-apiserver` `pkg/image/apiserver/registry/imagestream/strategy.go`, `imagestreamtag/rest.go`.

use std::collections::BTreeMap;

use crate::openshift::image_stream::{self, StreamContext, is_changed};
use kube_api::field::{self, Path, Segment};
use kube_api::tree::{child_or_insert, items_mut, set};
use kube_api::{Map, Object, Value};

/// A stream of another namespace that tags refer to, whose images the user must be allowed to pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// The namespace of the stream.
    pub namespace: String,
    /// Its name.
    pub stream: String,
    /// The fields of the tags.
    pub fields: Vec<Path>,
}

/// Returns the streams of other namespaces that `stream` newly refers to, and the errors in references.
///
/// Source: `TagVerifier.Verify`, `tagsChanged`.
pub fn pulls(
    stream: &Object,
    old: Option<&Object>,
    around: &StreamContext,
) -> (Vec<Pull>, Vec<field::Error>) {
    let old_tags: BTreeMap<&str, &Map> = old.map(tags).into_iter().flatten().collect();
    let (mut pulls, mut errors) = (Vec::<Pull>::new(), Vec::new());
    for (name, tag) in tags(stream) {
        let Some(from) = tag.child("from") else { continue };
        if old_tags.get(name).is_some_and(|old| !is_changed(old, tag, around)) {
            continue;
        }
        let namespace = from.text("namespace");
        let is_foreign = !["", around.namespace.as_str()].contains(&namespace);
        let image = from.text("name");
        if from.text("kind") == "DockerImage" && !image.is_empty() && !is_foreign {
            continue;
        }
        let field = Path::new("spec.tags").key(name).child("from");
        match stream_of(from, stream.name()) {
            None => {
                let detail = "must be of the form <tag>, <repo>:<tag>, <id>, or <repo>@<id>";
                errors.push(field::Error::invalid_text(&field.child("name"), image, detail));
            }
            Some(other) if is_foreign => {
                let known = |pull: &&mut Pull| pull.namespace == namespace && pull.stream == other;
                match pulls.iter_mut().find(known) {
                    Some(pull) => pull.fields.push(field),
                    None => pulls.push(Pull {
                        namespace: namespace.to_owned(),
                        stream: other.to_owned(),
                        fields: vec![field],
                    }),
                }
            }
            Some(_) => {}
        }
    }
    (pulls, errors)
}

/// Returns `path` with the positions of tags instead of their names, which errors have.
pub fn place(stream: &Object, path: &Path) -> Path {
    let segments = path.segments();
    let [Segment::Field(part), Segment::Field(list), Segment::Key(key), rest @ ..] = segments.as_slice()
    else {
        return path.clone();
    };
    let name = if part == "spec" { "name" } else { "tag" };
    let mut tags = stream.list([&**part, &**list]).iter();
    let Some(index) = tags.position(|tag| tag.text(name) == key) else { return path.clone() };
    let start = Path::named(part.clone()).child(list.clone()).index(index);
    rest.iter().fold(start, |path, segment| path.then(segment))
}

/// Returns the name of the stream that a reference is to; `own` if it names a tag or an image alone.
///
/// Source: `parseFromReference`.
fn stream_of<'a>(from: &'a Map, own: &'a str) -> Option<&'a str> {
    let separator = match from.text("kind") {
        "ImageStreamTag" => ':',
        "ImageStreamImage" => '@',
        _ => return None,
    };
    let parts: Vec<&str> = from.text("name").split(separator).collect();
    match parts[..] {
        [_] => Some(own),
        [stream, _] => Some(stream),
        _ => None,
    }
}

fn tags(stream: &Object) -> impl Iterator<Item = (&str, &Map)> {
    let tags = stream.list(["spec", "tags"]).iter().filter_map(Value::as_object);
    tags.map(|tag| (tag.text("name"), tag))
}

/// Returns the stream as the server writes it for its tag `tag`: a new one if there is no `stream` yet.
pub fn with_tag(stream: Option<&Object>, tag: &Object, around: &StreamContext) -> Option<Object> {
    let (name, tag_name) = tag.name().split_once(':')?;
    let mut changed = stream
        .cloned()
        .unwrap_or_else(|| image_stream::of_tag(&tag.kind, &around.namespace, name, &around.registry));
    let Value::Object(map) = &mut changed.value else { return None };
    if let Some(Value::Object(reference)) = tag.at("tag") {
        let mut reference = reference.clone();
        reference.insert("name", tag_name.into());
        let spec = child_or_insert(map, "spec");
        let known = items_mut(spec, "tags").find(|known| known.text("name") == tag_name);
        if let Some(known) = known {
            *known = reference;
        } else {
            let mut list = spec.list("tags").to_vec();
            list.push(Value::Object(reference));
            set(spec, "tags", list);
        }
    }
    match stream {
        Some(old) => image_stream::prepare_for_update(&mut changed, old, "", around),
        None => image_stream::prepare_for_create(&mut changed, around),
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn object(kind: &'static str, value: Value) -> Object {
        Object::new(GroupVersionKind::new("image.openshift.io", "v1", kind), value)
    }

    fn around() -> StreamContext {
        StreamContext { namespace: "shop".to_owned(), ..StreamContext::default() }
    }

    #[test]
    fn finds_streams_of_other_namespaces() {
        let stream = |name: &str| {
            object(
                "ImageStream",
                json!({"metadata": {"name": "web", "namespace": "shop"}, "spec": {"tags": [
                    {"name": "a", "from": {"kind": "ImageStreamTag", "namespace": "base", "name": name}},
                    {"name": "b", "from": {"kind": "ImageStreamImage", "namespace": "base", "name": "os@sha256"}},
                    {"name": "c", "from": {"kind": "ImageStreamTag", "namespace": "shop", "name": "other:1"}},
                    {"name": "d", "from": {"kind": "DockerImage", "name": "nginx"}},
                    {"name": "e", "from": {"kind": "ImageStreamTag", "name": "x:y:z"}},
                ]}}),
            )
        };
        let (pulls, errors) = super::pulls(&stream("os:1"), None, &around());
        let field = |tag: &str| Path::new("spec.tags").key(tag).child("from");
        let expected = Pull {
            namespace: "base".to_owned(),
            stream: "os".to_owned(),
            fields: vec![field("a"), field("b")],
        };
        assert_eq!(pulls, [expected]);
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "spec.tags[e].from.name: Invalid value: \"x:y:z\": must be of the form <tag>, <repo>:<tag>, <id>, or \
                 <repo>@<id>"
            ]
        );
        let (pulls, errors) = super::pulls(&stream("os:2"), Some(&stream("os:1")), &around());
        assert_eq!(pulls.iter().map(|pull| pull.fields.clone()).collect::<Vec<_>>(), [vec![field("a")]]);
        assert_eq!(errors, []);
    }

    #[test]
    fn finds_tags_by_their_names() {
        let stream = object("ImageStream", json!({"spec": {"tags": [{"name": "a"}, {"name": "b"}]}}));
        let path = Path::new("spec.tags").key("b").child("from").child("name");
        assert_eq!(place(&stream, &path).to_string(), "spec.tags[1].from.name");
        assert_eq!(place(&stream, &Path::new("spec.tags").key("c")).to_string(), "spec.tags[c]");
    }

    #[test]
    fn writes_the_stream_of_a_tag() {
        let tag = object(
            "ImageStreamTag",
            json!({"metadata": {"name": "web:1", "namespace": "shop"},
                "tag": {"name": "", "from": {"kind": "DockerImage", "name": "nginx"}}}),
        );
        let stream = with_tag(None, &tag, &around()).unwrap();
        assert_eq!(
            stream.value["spec"]["tags"],
            json!([{"name": "1", "from": {"kind": "DockerImage", "name": "nginx"}, "generation": 1}])
        );
        let mut other = tag.clone();
        other.set(["tag", "from", "name"], "nginx:2");
        let stream = with_tag(Some(&stream), &other, &around()).unwrap();
        assert_eq!(
            stream.value["spec"]["tags"],
            json!([{"name": "1", "from": {"kind": "DockerImage", "name": "nginx:2"}, "generation": 2}])
        );
    }
}
