//! Finds the secret values in objects: the only place that decides which values no report shows.

use gotext::pointer::escape;

use crate::{GroupVersionKind, Object, Value, kinds, resource};

/// The fields of a Secret whose values are secret.
pub const FIELDS: [&str; 2] = ["data", "stringData"];

/// The annotation in which `kubectl apply` leaves the whole manifest.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns whether `kind`, as someone wrote it, is meant to be that of a Secret.
pub fn is_meant_by(kind: &str) -> bool {
    kind.trim().eq_ignore_ascii_case(kinds::SECRET.kind) || kind.trim().eq_ignore_ascii_case("secrets")
}

/// Returns whether `text`, as someone wrote it, may have something secret.
pub fn may_be_in(text: &str) -> bool {
    let name = kinds::SECRET.kind.as_bytes();
    text.as_bytes().windows(name.len()).any(|part| part.eq_ignore_ascii_case(name))
        || !text.contains("kind") && FIELDS.iter().any(|field| has_key(text, field))
}

/// Returns whether a `document` that cannot be read may be a Secret or have one inside, so that none of its lines may be
/// shown: unless it says plainly, and wherever it names a kind, that it is of another one.
pub fn may_be_in_unread(document: &str) -> bool {
    let document = document.to_ascii_lowercase();
    let name = kinds::SECRET.kind.to_ascii_lowercase();
    let has_fields = || FIELDS.iter().any(|field| has_key(&document, &field.to_ascii_lowercase()));
    let mut kinds = values_of(&document, "kind").peekable();
    if kinds.peek().is_none() {
        return document.contains(&name) || has_fields();
    }
    let mut is_known = true;
    let is_in_doubt = kinds.any(|value| {
        let Some(kind) = plain_word(value).filter(|kind| !kind.contains(&name)) else { return true };
        is_known &= resource::all().iter().any(|entry| entry.kind.eq_ignore_ascii_case(kind));
        false
    });
    is_in_doubt || !is_known && has_fields()
}

/// Whether `text` has the key `name` of a map, as YAML or JSON writes it.
fn has_key(text: &str, name: &str) -> bool {
    values_of(text, name).next().is_some()
}

/// Returns the rest of each line after the key `name` of a map.
fn values_of<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(name).filter_map(move |(start, _)| {
        let is_whole = text[..start].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let after = text[start + name.len()..].trim_start_matches(['"', '\'', ' ']).strip_prefix(':')?;
        is_whole.then(|| after.lines().next().unwrap_or_default())
    })
}

/// Returns the word that the text begins with: in quotes, which end, or without.
fn plain_word(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (text, ends): (_, &[char]) = match text.chars().next()? {
        quote @ ('"' | '\'') => (&text[1..], if quote == '"' { &['"'] } else { &['\''] }),
        _ => (text, &[',', '}', ' ', '\t', '\r']),
    };
    let end = match text.find(ends) {
        Some(end) => end,
        None if ends.len() > 1 => text.len(),
        None => return None,
    };
    let word = &text[..end];
    (!word.is_empty() && word.chars().all(|character| character.is_ascii_alphanumeric())).then_some(word)
}

/// Returns whether an object of `kind` may keep something secret.
pub fn may_be_kept_in(kind: &GroupVersionKind) -> bool {
    kind.is(kinds::SECRET) || may_be_inside(kind)
}

/// Returns whether `object` keeps something secret: it is a Secret, or one is inside of it, as in a Template or a custom
/// resource.
pub fn is_kept_in(object: &Object) -> bool {
    object.kind.is(kinds::SECRET) || may_be_inside(&object.kind) && is_inside(&object.value)
}

fn may_be_inside(kind: &GroupVersionKind) -> bool {
    kind.is(kinds::TEMPLATE) || resource::by_kind(kind).is_none()
}

fn is_inside(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(is_inside),
        Value::Object(entries) => is_secret(value) || entries.values().any(is_inside),
        _ => false,
    }
}

fn is_secret(value: &Value) -> bool {
    // Whether a field of another kind is called so is not asked.
    value.look_up("kind").and_then(Value::as_str).is_some_and(is_meant_by)
}

/// Calls `found` for every secret value in `object`, with the JSON pointer of the value.
pub fn for_each(object: &mut Object, mut found: impl FnMut(&str, &mut Value)) {
    let Object { kind, value, .. } = object;
    let mut pointer = String::new();
    if kind.is(kinds::SECRET) {
        of_secret(value, &mut pointer, &mut found);
    } else if may_be_inside(kind) {
        inside(value, &mut pointer, &mut found);
    }
}

fn of_secret(secret: &mut Value, pointer: &mut String, found: &mut impl FnMut(&str, &mut Value)) {
    for field in FIELDS {
        let Some(data) = look_up_mut(secret, field) else { continue };
        at(pointer, field, |pointer| match data.as_object_mut() {
            Some(entries) => {
                for (key, value) in entries.iter_mut() {
                    at(pointer, key, |pointer| found(pointer, value));
                }
            }
            None => found(pointer, data),
        });
    }
    last_applied(secret, pointer, found);
}

fn last_applied(object: &mut Value, pointer: &mut String, found: &mut impl FnMut(&str, &mut Value)) {
    let annotations =
        look_up_mut(object, "metadata").and_then(|metadata| look_up_mut(metadata, "annotations"));
    let Some(applied) = annotations.and_then(|annotations| look_up_mut(annotations, LAST_APPLIED)) else {
        return;
    };
    at(pointer, "metadata", |pointer| {
        at(pointer, "annotations", |pointer| at(pointer, LAST_APPLIED, |pointer| found(pointer, applied)));
    });
}

fn look_up_mut<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    value.as_object_mut()?.look_up_mut(key)
}

/// Looks for Secrets in `value`; whether there is one.
fn inside(value: &mut Value, pointer: &mut String, found: &mut impl FnMut(&str, &mut Value)) -> bool {
    let mut has_secret = false;
    if is_secret(value) {
        of_secret(value, pointer, found);
        return true;
    }
    if let Some(items) = value.as_array_mut() {
        for (index, item) in items.iter_mut().enumerate() {
            at(pointer, &index.to_string(), |pointer| has_secret |= inside(item, pointer, found));
        }
    } else if let Some(entries) = value.as_object_mut() {
        for (key, value) in entries.iter_mut().filter(|(_, value)| value.is_object() || value.is_array()) {
            at(pointer, key, |pointer| has_secret |= inside(value, pointer, found));
        }
        if has_secret {
            last_applied(value, pointer, found);
        }
    }
    has_secret
}

/// Does something one step further down.
fn at(pointer: &mut String, step: &str, look: impl FnOnce(&mut String)) {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&escape(step));
    look(pointer);
    pointer.truncate(length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn pointers(api_version: &str, kind: &str, value: Value) -> Vec<String> {
        let kind = GroupVersionKind::from_api_version(api_version, kind);
        let mut object = Object::new(kind, value);
        assert!(is_kept_in(&object));
        let mut found = Vec::new();
        for_each(&mut object, |pointer, _| found.push(pointer.to_owned()));
        found
    }

    #[test]
    fn what_cannot_be_read_may_be_a_secret_unless_it_says_otherwise() {
        let may_be = |text| may_be_in_unread(text);
        assert!(may_be("kind: Secret\ndata: {"));
        assert!(may_be("kind: \"Secr\nwhatever: x"));
        assert!(may_be("kind:\n  Secret\nwhatever: {"));
        assert!(may_be("kind: &a Secret\n: ["));
        assert!(may_be("kind: Secrte\nstringData: {"));
        assert!(may_be("{\"kind\":\"SECRET\", \"x\": "));
        assert!(may_be("kind: List\nitems:\n- {kind: Pod}\n- kind: Secret\n: ["));
        assert!(may_be("StringData:\n  a: b: c"));
        assert!(may_be("? kind\n: Secret\n["));
        assert!(!may_be("kind: ConfigMap # settings\ndata: {"));
        assert!(!may_be("kind: 'Deployment'\nspec: {template: {metadata: {"));
        assert!(!may_be("{\"kind\": \"Pod\", \"spec\": ["));
        assert!(!may_be("kind: Widget\nspec: ["));
        assert!(!may_be("replicas: ["));
    }

    #[test]
    fn finds_what_a_secret_keeps() {
        let value = json!({
            "metadata": {"name": "a", "annotations": {LAST_APPLIED: "{}", "other": "b"}},
            "data": {"a/b": "eA=="},
            "stringData": {"c": "d"},
            "type": "Opaque",
        });
        assert_eq!(
            pointers("v1", "Secret", value),
            [
                "/data/a~1b",
                "/stringData/c",
                "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration",
            ]
        );
    }

    #[test]
    fn finds_secrets_inside_of_other_objects() {
        let value = json!({
            "metadata": {"annotations": {LAST_APPLIED: "{}"}},
            "spec": {"manifests": [{"kind": "ConfigMap", "data": {"a": "b"}}, {"kind": "Secret", "data": {"a": "b"}}]},
        });
        assert_eq!(
            pointers("work.example.com/v1", "Work", value),
            [
                "/spec/manifests/1/data/a",
                "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration",
            ]
        );
        let value = json!({"objects": [{"kind": "Secret", "stringData": {"a": "${B}"}}]});
        assert_eq!(pointers("template.openshift.io/v1", "Template", value), ["/objects/0/stringData/a"]);
    }

    #[test]
    fn other_kinds_keep_nothing_secret() {
        let value = json!({"data": {"a": "b"}});
        assert!(!is_kept_in(&Object::new(GroupVersionKind::new("", "v1", "ConfigMap"), value)));
    }
}
